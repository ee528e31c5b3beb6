package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"fieldmark/internal/protocol"
)

// runFileName is the file of a run's folder that grows while it is measured.
const runFileName = "rows.jsonl"

// runFile is what was measured so far: lines of JSON, a runHeader and then an
// Outcome for each cell. A line is synced before the next cell is begun, and one
// that a crash cut short is cut off when the file is opened again.
type runFile struct {
	file  *os.File
	about protocol.About // of whoever began the file
	cells map[protocol.Cell][]protocol.Row
}

// runHeader says what the outcomes below it are of.
type runHeader struct {
	Format int            `json:"format"` // runFormat
	About  protocol.About `json:"about"`
	Plan   protocol.Plan  `json:"plan"`
}

const runFormat = 1

// openRunFile opens or begins a file for this process alone. One that has
// outcomes of other data or settings is refused.
func openRunFile(name string, about protocol.About, plan protocol.Plan) (*runFile, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	r := &runFile{file: file, about: about, cells: map[protocol.Cell][]protocol.Row{}}
	if err := r.open(plan); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return r, nil
}

func (r *runFile) open(plan protocol.Plan) error {
	if err := syscall.Flock(int(r.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another run writes to it; choose another folder with --out: %w", err)
	}
	whole, header, err := r.read()
	if err != nil {
		return err
	}
	if err := r.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := r.file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	if header == nil {
		return r.write(runHeader{runFormat, r.about, plan})
	}
	switch {
	case header.Format != runFormat:
		return fmt.Errorf("it has format %d, and this program writes format %d; choose another folder with --out", header.Format, runFormat)
	case header.About.Digest != r.about.Digest:
		return fmt.Errorf("it was begun with other tasks or embeddings (%s, %s); choose another folder with --out", header.About.Suite, header.About.Encoder)
	case !header.Plan.SameSettings(plan):
		return errors.New("it was begun with other settings; what may differ is --system, --ablations, --protocols, --seeds and --orders. Choose another folder with --out")
	}
	r.about.Started = header.About.Started
	return nil
}

// read takes in the whole lines and returns their length in bytes.
func (r *runFile) read() (whole int64, header *runHeader, err error) {
	in := bufio.NewReader(r.file)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, header, nil
		}
		if err != nil {
			return 0, nil, err
		}
		if header == nil {
			header = new(runHeader)
			err = json.Unmarshal(line, header)
		} else {
			var o protocol.Outcome
			if err = json.Unmarshal(line, &o); err == nil {
				r.cells[o.Cell] = o.Rows
			}
		}
		if err != nil {
			return 0, nil, fmt.Errorf("byte %d: not a line of a run: %w", whole, err)
		}
		whole += int64(len(line))
	}
}

// has says whether a cell is there.
func (r *runFile) has(c protocol.Cell) bool { _, ok := r.cells[c]; return ok }

// rows are those of a cell that is there.
func (r *runFile) rows(c protocol.Cell) []protocol.Row { return r.cells[c] }

// keep writes an outcome down; it is on the disk when keep returns.
func (r *runFile) keep(o protocol.Outcome) error {
	if err := r.write(o); err != nil {
		return fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	r.cells[o.Cell] = o.Rows
	return nil
}

func (r *runFile) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return r.file.Sync()
}

// Close ends the use of the file.
func (r *runFile) Close() error { return r.file.Close() }
