package exchange

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// WriteNPY writes rows of equal length as one float32 array [len(rows), dim] in
// NumPy's npy format, version 1.0. (npyio, which reads such arrays, writes
// none of two dimensions in float32.)
func WriteNPY(w io.Writer, rows [][]float32, dim int) error {
	out := bufio.NewWriter(w)
	out.WriteString(npyStart("<f4", fmt.Sprintf("(%d, %d)", len(rows), dim)))
	for i, row := range rows {
		if len(row) != dim {
			return fmt.Errorf("npy: row %d has %d numbers, not %d", i, len(row), dim)
		}
		if err := binary.Write(out, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return out.Flush()
}
