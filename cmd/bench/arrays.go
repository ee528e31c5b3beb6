package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
)

// meta says what the arrays of a folder are; tools/bench reads it.
type meta struct {
	Dim        int     `json:"dim"`
	Neighbours int     `json:"k"`
	C          float64 `json:"c"`
	M          int     `json:"m"`
	BuildWidth int     `json:"ef_construction"`
	Labels     int     `json:"labels"`
}

func (m meta) write(dir string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "meta.json"), data, 0o644)
}

// writeRows writes n rows of float32, little-endian, without a header.
func writeRows(file string, n int, row func(i int) []float32) error {
	var b []byte
	return writeFile(file, func(w *bufio.Writer) error {
		for i := range n {
			b = b[:0]
			for _, x := range row(i) {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeInts writes int32s, little-endian, without a header.
func writeInts(file string, list []int32) error {
	return writeFile(file, func(w *bufio.Writer) error { return binary.Write(w, binary.LittleEndian, list) })
}

func writeFile(file string, write func(w *bufio.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}
