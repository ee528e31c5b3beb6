package exchange

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Exemplars are what an npz file is written of. Labels, Taxa and Observations
// have a row each for every vector.
type Exemplars struct {
	Dim          int
	Encoder      string // digest
	Labels       []string
	Taxa         []int64
	Observations []int64
	// Vectors calls visit with each vector [Dim] in order, and returns the
	// error that visit returns. A vector is not kept.
	Vectors func(visit func(vector []float32) error) error
}

// WriteNPZ writes exemplars as NumPy's npz: embeddings float32 [N, D], labels
// [N], taxon_ids and observation_ids int64 [N], and encoder. Rows go out as they
// come. The arrays are stored, not compressed: embeddings hardly get smaller.
func WriteNPZ(w io.Writer, e Exemplars) error {
	z := zip.NewWriter(w)
	n := len(e.Labels)
	for _, a := range []struct {
		name, descr, shape string
		write              func(*bufio.Writer) error
	}{
		{arrayEmbeddings, "<f4", fmt.Sprintf("(%d, %d)", n, e.Dim), e.writeVectors},
		{arrayLabels, textDescr(e.Labels), fmt.Sprintf("(%d,)", n), func(out *bufio.Writer) error { return writeTexts(out, e.Labels) }},
		{arrayTaxa, "<i8", fmt.Sprintf("(%d,)", n), func(out *bufio.Writer) error { return writeInts(out, e.Taxa) }},
		{arrayObservations, "<i8", fmt.Sprintf("(%d,)", n), func(out *bufio.Writer) error { return writeInts(out, e.Observations) }},
		{arrayEncoder, textDescr([]string{e.Encoder}), "()", func(out *bufio.Writer) error { return writeTexts(out, []string{e.Encoder}) }},
	} {
		member, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
		if err != nil {
			return fmt.Errorf("npz: %s: %w", a.name, err)
		}
		out := bufio.NewWriterSize(member, 256<<10)
		if _, err = out.WriteString(npyStart(a.descr, a.shape)); err == nil {
			err = a.write(out)
		}
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			return fmt.Errorf("npz: %s: %w", a.name, err)
		}
	}
	return z.Close()
}

func (e Exemplars) writeVectors(out *bufio.Writer) error {
	row, written := make([]byte, 4*e.Dim), 0
	err := e.Vectors(func(v []float32) error {
		if written++; len(v) != e.Dim || written > len(e.Labels) {
			return fmt.Errorf("row %d has %d numbers; want %d rows of %d", written-1, len(v), len(e.Labels), e.Dim)
		}
		for i, x := range v {
			binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(x))
		}
		_, err := out.Write(row)
		return err
	})
	if err == nil && written != len(e.Labels) {
		err = fmt.Errorf("%d vectors came, not %d", written, len(e.Labels))
	}
	return err
}

// textDescr is the dtype of texts: room for the longest.
func textDescr(list []string) string { return fmt.Sprintf("<U%d", longestOf(list)) }

// longestOf counts the characters of the longest text, at least one.
func longestOf(list []string) int {
	longest := 1
	for _, s := range list {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	return longest
}

// writeTexts writes texts as UCS-4, each filled up with zeros to the longest.
func writeTexts(out *bufio.Writer, list []string) error {
	item := make([]byte, 4*longestOf(list))
	for _, s := range list {
		clear(item)
		i := 0
		for _, r := range s {
			binary.LittleEndian.PutUint32(item[i:], uint32(r))
			i += 4
		}
		if _, err := out.Write(item); err != nil {
			return err
		}
	}
	return nil
}

func writeInts(out *bufio.Writer, list []int64) error {
	var item [8]byte
	for _, n := range list {
		binary.LittleEndian.PutUint64(item[:], uint64(n))
		if _, err := out.Write(item[:]); err != nil {
			return err
		}
	}
	return nil
}

// npyStart is the beginning of an array in NumPy's npy format, version 1.0,
// with a shape as Python writes it.
func npyStart(descr, shape string) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	const before = len("\x93NUMPY") + 2 + 2 // magic, version, header's length
	// The array begins at a multiple of 64 bytes; the header ends in a newline.
	header += strings.Repeat(" ", (64-(before+len(header)+1)%64)%64) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header
}
