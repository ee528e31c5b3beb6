package exchange

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// WriteNPY writes rows of equal length as one float32 array [len(rows), dim] in
// NumPy's npy format, version 1.0. (npyio, which reads such arrays, writes
// none of two dimensions in float32.)
func WriteNPY(w io.Writer, rows [][]float32, dim int) error {
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", len(rows), dim)
	const before = len("\x93NUMPY") + 2 + 2 // magic, version, header's length
	// The array begins at a multiple of 64 bytes; the header ends in a newline.
	pad := (64 - (before+len(header)+1)%64) % 64
	header += strings.Repeat(" ", pad) + "\n"
	out := bufio.NewWriter(w)
	out.WriteString("\x93NUMPY\x01\x00")
	if err := binary.Write(out, binary.LittleEndian, uint16(len(header))); err != nil {
		return err
	}
	out.WriteString(header)
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
