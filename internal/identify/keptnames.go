package identify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// The embeddings of the names that most questions ask for are kept beside the
// memory's snapshots, so that a start need not make them again. Like those they are a
// shortcut, never a source: a file that is torn, damaged or of another text tower is
// not used, and is replaced. What a row was made of is its key, so that a taxon that
// was renamed, or is new, is embedded, and it alone.

// keptForm names the form in which names are kept.
const keptForm = 1

// keptHead says what is kept; for each of Names follow Dim float32, little-endian.
type keptHead struct {
	Form  int
	Names string // EncoderInfo.NameDigest
	Dim   int
	Keys  []string // rowKey of each row
}

// rowKey is what a row was made of.
func rowKey(names []string) string { return strings.Join(names, "\n") }

func keptName(i EncoderInfo) string { return "names-" + i.NameDigest }

// recallNames gives each taxon the row that an earlier start kept of its names, and
// returns the keys (rowKey) of the rows that were of use.
func (e *engine) recallNames(ctx context.Context) (keys map[string]bool) {
	if e.Memory.Snapshots == nil || e.info.NameDigest == "" {
		return nil
	}
	var rows map[string][]float32
	err := e.Memory.Snapshots.Load(ctx, keptName(e.info), func(r io.Reader) (err error) {
		rows, err = readNames(bufio.NewReaderSize(r, 1<<20), e.info)
		return err
	})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.Log.Warn("the names' embeddings that were kept are of no use, and are made again", "error", err)
		}
		return nil
	}
	keys = map[string]bool{}
	for _, t := range e.taxonomy.all() {
		key := rowKey(e.names.namesOf(t))
		if row := rows[key]; row != nil {
			keys[key] = true
			e.names.taxa.know(t.ID, row)
		}
	}
	return keys
}

// keepNames keeps the rows of all taxa that were asked for, unless those are kept.
func (e *engine) keepNames(ctx context.Context, kept map[string]bool) {
	if e.Memory.Snapshots == nil || e.info.NameDigest == "" {
		return
	}
	rows := map[string][]float32{}
	for id, row := range e.names.taxa.all() {
		if t, is := e.taxonomy.taxon(id); is {
			rows[rowKey(e.names.namesOf(t))] = row
		}
	}
	keys := slices.Sorted(maps.Keys(rows))
	if len(keys) == len(kept) && !slices.ContainsFunc(keys, func(k string) bool { return !kept[k] }) {
		return
	}
	err := e.Memory.Snapshots.Save(ctx, keptName(e.info), func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		if err := writeHead(out, keptHead{keptForm, e.info.NameDigest, e.info.Dim, keys}); err != nil {
			return err
		}
		for _, k := range keys {
			if err := binary.Write(out, binary.LittleEndian, rows[k]); err != nil {
				return err
			}
		}
		return out.Flush()
	})
	if err != nil {
		e.Log.Warn("the names' embeddings could not be kept, and are made again at the next start", "error", err)
	}
}

// readNames reads unit rows of an encoder by key.
func readNames(r io.Reader, i EncoderInfo) (map[string][]float32, error) {
	h, err := readHead[keptHead](r)
	if err != nil {
		return nil, err
	}
	if h.Form != keptForm || h.Names != i.NameDigest || h.Dim != i.Dim {
		return nil, fmt.Errorf("they are of form %d and %d numbers from the text tower %q, not %d, %d, %q", h.Form, h.Dim, h.Names, keptForm, i.Dim, i.NameDigest)
	}
	rows := make(map[string][]float32, len(h.Keys))
	var b bytes.Buffer
	for _, k := range h.Keys {
		b.Reset()
		if _, err := io.CopyN(&b, r, int64(4*h.Dim)); err != nil {
			return nil, err
		}
		row := make([]float32, h.Dim)
		if err := binary.Read(&b, binary.LittleEndian, row); err != nil {
			return nil, err
		}
		if n := vec.Norm(row); !(math.Abs(n-1) < 1e-3) { // NaN fails too
			return nil, fmt.Errorf("the row of %q has length %v", k, n)
		}
		rows[k] = row
	}
	return rows, nil
}
