package bundle

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"math"
	"slices"
)

// Row is one exemplar as Each visits it.
type Row struct {
	Index     int // from 0
	Exemplar  Exemplar
	Embedding []float32   // raw [D]; valid until visit returns
	Views     [][]float32 // valid until visit returns
}

// Taxa reads the taxa, in order: what is above a taxon comes before it.
func (b *Bundle) Taxa() ([]Taxon, error) {
	in, err := b.open(taxaName)
	if err != nil {
		return nil, err
	}
	list, known := make([]Taxon, 0, b.Manifest.Counts.Taxa), map[int64]bool{}
	for range b.Manifest.Counts.Taxa {
		var t Taxon
		if err := in.line(&t); err != nil {
			return nil, errors.Join(err, in.close())
		}
		if err := t.check(known); err != nil {
			return nil, errors.Join(err, in.close())
		}
		known[t.ID], list = true, append(list, t)
	}
	return list, in.end()
}

// maxSynonyms is how many other names, or sites, a taxon may have.
const maxSynonyms = 1000

func (t *Taxon) check(known map[int64]bool) error {
	switch {
	case t.ID <= 0 || known[t.ID]:
		return refuse("Taxon %d of the bundle is there twice, or has no number.", t.ID)
	case t.Parent != 0 && !known[t.Parent]:
		return refuse("Taxon %d of the bundle lies below taxon %d, which does not come before it.", t.ID, t.Parent)
	case t.ScientificName == "" || len(t.Synonyms) > maxSynonyms || !texts(t.ScientificName, t.EnglishName, t.Rank, t.Group) || !texts(t.Synonyms...):
		return refuse("Taxon %d of the bundle has no name, or names that are too long.", t.ID)
	case len(t.Local) > maxSynonyms || slices.ContainsFunc(t.Local, func(o Origin) bool { return !o.proper() }):
		return refuse("Taxon %d of the bundle comes from nowhere.", t.ID)
	}
	return nil
}

func (o Origin) proper() bool { return instanceID.MatchString(o.Instance) && o.ID > 0 }

// Each visits every exemplar in order until visit returns an error, and returns
// that. By its end all digests of what it read were compared: whoever acts on rows
// before must be able to take that back, or have read all of them once.
func (b *Bundle) Each(visit func(Row) error) (err error) {
	taxa, err := b.Taxa()
	if err != nil {
		return err
	}
	known := make(map[int64]bool, len(taxa))
	for _, t := range taxa {
		known[t.ID] = true
	}
	rows, err := b.openRows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.close()) }()
	for i := range b.Manifest.Counts.Exemplars {
		row, err := rows.next(i)
		if err != nil {
			return err
		}
		if !known[row.Exemplar.Taxon] {
			return refuse("Exemplar %d of the bundle is of a taxon that it does not have.", i)
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return rows.end()
}

// rowReader reads the three members that make up the rows side by side.
type rowReader struct {
	exemplars, embeddings, views *member // views may be nil
	vector                       []float32
	flat                         []float32 // of the views
	dim                          int
	left                         int // views
}

func (b *Bundle) openRows() (_ *rowReader, err error) {
	r := &rowReader{dim: b.Manifest.Encoder.Dim, left: b.Manifest.Counts.Views}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.exemplars, err = b.open(exemplarsName); err != nil {
		return nil, err
	}
	if r.embeddings, err = b.openArray(embeddingsName, b.Manifest.Counts.Exemplars); err != nil {
		return nil, err
	}
	if r.left > 0 {
		r.views, err = b.openArray(viewsName, r.left)
	}
	r.vector = make([]float32, r.dim)
	return r, err
}

func (r *rowReader) next(i int) (Row, error) {
	row := Row{Index: i, Embedding: r.vector}
	x := &row.Exemplar
	if err := r.exemplars.line(x); err != nil {
		return row, err
	}
	if err := x.check(i); err != nil {
		return row, err
	}
	if ok, err := r.embeddings.floats(r.vector); err != nil {
		return row, err
	} else if !ok {
		return row, refuse("The embedding of exemplar %d of the bundle is all zeros, or has numbers that are not finite.", i)
	}
	if x.Views > r.left {
		return row, refuse("Exemplar %d of the bundle has more views than the bundle.", i)
	}
	r.left -= x.Views
	if need := x.Views * r.dim; len(r.flat) < need {
		r.flat = make([]float32, need)
	}
	for v := range x.Views {
		view := r.flat[v*r.dim : (v+1)*r.dim : (v+1)*r.dim]
		if ok, err := r.views.floats(view); err != nil {
			return row, err
		} else if !ok {
			return row, refuse("A view of exemplar %d of the bundle is all zeros, or has numbers that are not finite.", i)
		}
		row.Views = append(row.Views, view)
	}
	return row, nil
}

func (x *Exemplar) check(i int) error {
	wrong := func(what string) error { return refuse("Exemplar %d of the bundle cannot be taken: %s.", i, what) }
	switch {
	case !x.Observation.proper():
		return wrong("its observation comes from nowhere")
	case !sha256Hex.MatchString(x.Photo.SHA256):
		return wrong("its photo has no SHA-256")
	case x.Views < 0 || x.Views > maxViews:
		return wrong("no photo has so many views")
	case x.Photo.Bytes < 0 || x.Photo.Width < 0 || x.Photo.Height < 0 || x.Photo.Width > 1<<20 || x.Photo.Height > 1<<20:
		return wrong("its photo's size is no size")
	case !texts(x.TaughtBy, x.Observer, x.License, x.RightsHolder, x.Notes, x.Photo.MediaType):
		return wrong("its texts are too long")
	case (x.Latitude == nil) != (x.Longitude == nil) || x.Latitude != nil && !(math.Abs(*x.Latitude) <= 90 && math.Abs(*x.Longitude) <= 180):
		return wrong("its place is not on Earth")
	case !sane(&x.TaughtAt) || !sane(x.WithdrawnAt) || !sane(x.ObservedAt) || !sane(x.Photo.TakenAt):
		return wrong("its times are no times")
	}
	return nil
}

func (r *rowReader) end() error {
	if r.left > 0 {
		return refuse("The bundle has %d views that are of no exemplar.", r.left)
	}
	err := r.exemplars.end()
	if err == nil {
		err = r.embeddings.end()
	}
	if err == nil && r.views != nil {
		err = r.views.end()
	}
	return err
}

func (r *rowReader) close() error {
	var err error
	for _, m := range []*member{r.exemplars, r.embeddings, r.views} {
		if m != nil {
			err = errors.Join(err, m.close())
		}
	}
	return err
}

// member reads one member and hashes it on the way.
type member struct {
	name   string
	of     *Bundle
	closer io.Closer
	in     *bufio.Reader
	hash   hash.Hash
	raw    []byte
}

func (b *Bundle) open(name string) (*member, error) {
	r, err := b.members[name].Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	m := &member{name: name, of: b, closer: r, hash: sha256.New()}
	m.in = bufio.NewReaderSize(io.TeeReader(r, m.hash), 256<<10)
	return m, nil
}

// openArray opens an .npy and reads its header.
func (b *Bundle) openArray(name string, rows int) (*member, error) {
	m, err := b.open(name)
	if err != nil {
		return nil, err
	}
	want := npyHeader(rows, b.Manifest.Encoder.Dim)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(m.in, got); err != nil {
		return nil, errors.Join(damaged(name, err), m.close())
	}
	if !bytes.Equal(got, want) {
		return nil, errors.Join(refuse("The member %q of the bundle is not an array of %d × %d float32 numbers, as its manifest says.",
			name, rows, b.Manifest.Encoder.Dim), m.close())
	}
	return m, nil
}

// line reads one line of JSON.
func (m *member) line(into any) error {
	m.raw = m.raw[:0]
	for {
		part, err := m.in.ReadSlice('\n')
		m.raw = append(m.raw, part...)
		switch {
		case len(m.raw) > maxLine:
			return refuse("The member %q of the bundle has a line that is longer than %d KB.", m.name, maxLine>>10)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return damaged(m.name, err)
		}
		break
	}
	if err := json.Unmarshal(m.raw, into); err != nil {
		return damaged(m.name, err)
	}
	return nil
}

// floats reads len(v) numbers; ok is false if not all are finite, or all are zero.
func (m *member) floats(v []float32) (ok bool, err error) {
	if need := 4 * len(v); cap(m.raw) < need {
		m.raw = make([]byte, need)
	}
	m.raw = m.raw[:4*len(v)]
	if _, err := io.ReadFull(m.in, m.raw); err != nil {
		return false, damaged(m.name, err)
	}
	return readFloats(v, m.raw), nil
}

// end checks that nothing is left and that what was read is what was signed.
func (m *member) end() error {
	switch _, err := m.in.ReadByte(); {
	case err == nil:
		return errors.Join(refuse("The member %q of the bundle has more in it than its manifest counts.", m.name), m.close())
	case !errors.Is(err, io.EOF):
		return errors.Join(damaged(m.name, err), m.close())
	}
	return errors.Join(m.of.compare(m.name, [sha256.Size]byte(m.hash.Sum(nil))), m.close())
}

func (m *member) close() error { return m.closer.Close() }
