package identify

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"fieldmark/internal/tree"
)

// A snapshot is a memory as it was at one event of the log: a head, the
// exemplars' records and views, the tree and the index (that of the views is made
// again). Whatever it says is checked against the log that it claims to come from;
// where anything is amiss, the log is folded.

// snapshotForm names the form in which memories are written.
const snapshotForm = 3

// errNoSnapshot is the error of restore where there is nothing to restore.
var errNoSnapshot = errors.New("there is no snapshot")

// snapshotHead says what memory a snapshot is of.
type snapshotHead struct {
	Form      int
	Encoder   string // digest
	Seq       Seq
	Log       string // logSample up to Seq
	Exemplars int
	Viewed    int // exemplars that have views
	Views     int
	Pending   int
	Taught    []TaxonID
	People    []UserID
	Missing   []Seq
	Graph     bool // the index is a graph, which ends the snapshot
}

func snapshotName(c Config) string { return "memory-" + c.Embedder.Info().Digest }

// keep writes a snapshot of m, at most rate bytes a second (as fast as it goes, if
// that is 0).
func keep(ctx context.Context, c Config, m *memory, rate int) error {
	sample, err := logSample(ctx, c, m.seq)
	if err != nil {
		return err
	}
	return c.Memory.Snapshots.Save(ctx, snapshotName(c), func(w io.Writer) error {
		out := bufio.NewWriterSize(&paced{ctx: ctx, w: w, rate: rate, start: time.Now()}, 1<<20)
		if err := m.write(out, m.head(c, sample)); err != nil {
			return err
		}
		return out.Flush()
	})
}

func (m *memory) head(c Config, sample string) snapshotHead {
	h := snapshotHead{Form: snapshotForm, Encoder: c.Embedder.Info().Digest, Seq: m.seq, Log: sample,
		Exemplars: m.exemplars.len(), Viewed: m.views.photos, Views: m.views.vectors.Len(), Pending: m.pending, Taught: m.taught, Missing: m.missing, Graph: m.index.graph != nil && m.index.graph.Len() > 0}
	h.People = m.people
	return h
}

func (m *memory) write(w *bufio.Writer, h snapshotHead) error {
	err := writeHead(w, h)
	if err != nil {
		return err
	}
	var b []byte
	for id := range m.exemplars.len() {
		b = m.exemplars.at(id).appendTo(b[:0])
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := m.views.write(w); err != nil {
		return err
	}
	if err = m.tree.Write(w); err != nil || !h.Graph {
		return err
	}
	_, err = m.index.graph.WriteTo(w)
	return err
}

// restore reads the memory of a Config's encoder from its snapshot.
func restore(ctx context.Context, c Config) (m *memory, err error) {
	if c.Memory.Snapshots == nil {
		return nil, errNoSnapshot
	}
	begin := time.Now()
	err = c.Memory.Snapshots.Load(ctx, snapshotName(c), func(r io.Reader) (err error) {
		m, err = readMemory(ctx, c, bufio.NewReaderSize(r, 1<<20))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSnapshot
	}
	if err != nil {
		return nil, err
	}
	c.Log.Info("memory read from its snapshot", "seq", m.seq, "exemplars", m.tree.Live(), "took", time.Since(begin).Round(time.Millisecond))
	return m, nil
}

func readMemory(ctx context.Context, c Config, r *bufio.Reader) (*memory, error) {
	h, err := readHead[snapshotHead](r)
	if err != nil {
		return nil, err
	}
	if err := h.check(ctx, c); err != nil {
		return nil, err
	}
	m, err := emptyMemory(c)
	if err != nil {
		return nil, err
	}
	m.seq, m.pending, m.taught, m.missing = h.Seq, h.Pending, h.Taught, h.Missing
	m.people = h.People
	for label, taxon := range h.Taught {
		m.labels[taxon] = int32(label)
	}
	if err := m.readExemplars(r, h.Exemplars); err != nil {
		return nil, err
	}
	if err := m.views.read(r, h.Views, h.Exemplars); err != nil {
		return nil, err
	}
	if m.tree, err = tree.Read(r, m.tree.Dim(), treeParams(c)); err != nil {
		return nil, err
	}
	if h.Graph {
		if err := m.index.read(r, m.tree.Vectors(), c.Workers); err != nil {
			return nil, err
		}
	}
	return m, m.check()
}

// writeHead writes the head of a file as JSON, after its length.
func writeHead(w io.Writer, h any) error {
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...))
	return err
}

// readHead reads what writeHead wrote of an H.
func readHead[H any](r io.Reader) (h H, err error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return h, err
	}
	var head bytes.Buffer // grows with what there is, not with what is claimed
	if _, err := io.CopyN(&head, r, int64(binary.LittleEndian.Uint32(size[:]))); err != nil {
		return h, err
	}
	err = json.Unmarshal(head.Bytes(), &h)
	return h, err
}

// check compares the head with the log, before the rest is read.
func (h *snapshotHead) check(ctx context.Context, c Config) error {
	if h.Form != snapshotForm {
		return fmt.Errorf("it is of form %d, this program reads %d", h.Form, snapshotForm)
	}
	if encoder := c.Embedder.Info().Digest; h.Encoder != encoder {
		return fmt.Errorf("it belongs to the encoder %s, not to %s", h.Encoder, encoder)
	}
	sample, err := logSample(ctx, c, h.Seq)
	if err != nil {
		return err
	}
	if sample != h.Log {
		return errors.New("it belongs to another log")
	}
	if n, err := c.Store.ViewedLessons(ctx, h.Encoder, h.Seq); err != nil || n != h.Viewed {
		return cmp.Or(err, fmt.Errorf("%d of its exemplars have views; now there are views of %d", h.Viewed, n))
	}
	for _, seq := range h.Missing {
		e, err := eventAt(ctx, c, seq)
		if err != nil {
			return err
		}
		if e.Vector != nil {
			return fmt.Errorf("the photo of event %d was embedded after it was made", seq)
		}
	}
	return nil
}

// check is what must hold between the parts of a memory that was read.
func (m *memory) check() error {
	if m.tree.Len() != m.exemplars.len() || len(m.labels) != len(m.taught) || m.pending < 0 {
		return fmt.Errorf("%d exemplars have %d records, %d taxa have %d labels", m.tree.Len(), m.exemplars.len(), len(m.taught), len(m.labels))
	}
	for id := range m.tree.Len() {
		if int(m.tree.Label(id)) >= len(m.taught) {
			return fmt.Errorf("exemplar %d has label %d of %d", id, m.tree.Label(id), len(m.taught))
		}
	}
	return nil
}
