package identify_test

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
)

// rowsFile is an EmbeddingFile in memory.
type rowsFile struct {
	dim     int
	encoder string
	rows    []identify.EmbeddingRow
}

func (f *rowsFile) Rows() int       { return len(f.rows) }
func (f *rowsFile) Dim() int        { return f.dim }
func (f *rowsFile) Encoder() string { return f.encoder }

func (f *rowsFile) Each(visit func(identify.EmbeddingRow) error) error {
	for i, r := range f.rows {
		r.Row = i
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// embedding is what the fake encoder gives for a colour.
func embedding(c color.RGBA) []float32 {
	v := make([]float32, dim)
	v[0], v[1], v[2], v[3] = 10*float32(c.R)/255, 10*float32(c.G)/255, 10*float32(c.B)/255, 3
	return v
}

func labelled(labels ...string) *rowsFile {
	f := &rowsFile{dim: dim, encoder: fakeEmbedder{}.Info().Digest}
	for i, l := range labels {
		f.rows = append(f.rows, identify.EmbeddingRow{Label: l, Embedding: embedding(color.RGBA{uint8(10 * i), 200, 3, 255})})
	}
	return f
}

func quiet(identify.ImportProgress) {}

// take imports a file whole.
func (f *fixture) take(t *testing.T, digest string, file identify.EmbeddingFile) identify.Import {
	t.Helper()
	ctx := context.Background()
	plan, err := f.PlanImport(ctx, f.Owner, identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: digest}, file, identify.ImportOptions{})
	must(t, err)
	m, err := f.RunImport(ctx, f.Owner, plan, file, quiet)
	must(t, err)
	return m
}

func TestAnImportIsPlanned(t *testing.T) {
	f := newFixture(t)
	file := labelled("red BRAMBLE", "Rubus ruber", "Velvet  Moss", "", "Green Bramble", "Velvet Moss", "Elsewhere's Own")
	file.rows[3].Taxon = 5                            // its label says nothing
	file.rows[4].Taxon = 3                            // goes before its label
	file.rows[5].Taxon = 99                           // there is none: its label counts
	file.rows[6].Taxon = identify.FirstLocalTaxon + 1 // a number that another Fieldmark gave
	before, err := f.Stats(context.Background())
	must(t, err)
	plan, err := f.PlanImport(context.Background(), f.Owner, identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: "d"}, file, identify.ImportOptions{})
	must(t, err)
	got := map[string][2]int{}
	for _, l := range plan.Labels {
		got[l.Label] = [2]int{int(l.Taxon.ID), l.Rows}
	}
	want := map[string][2]int{"red BRAMBLE": {3, 3}, "": {5, 1}, "Velvet Moss": {0, 2}, "Elsewhere's Own": {0, 1}}
	if len(got) != len(want) || plan.Labels[0].Label != "red BRAMBLE" || plan.Source.Total != 7 || plan.Resumes != nil {
		t.Errorf("%+v", plan)
	}
	for l, w := range want {
		if got[l] != w {
			t.Errorf("%q: taxon and rows %v, want %v", l, got[l], w)
		}
	}
	if n := plan.New(); !slices.Equal(n, []string{"Velvet Moss", "Elsewhere's Own"}) {
		t.Errorf("new: %q", n)
	}
	if after, err := f.Stats(context.Background()); err != nil || after.Taxa != before.Taxa || after.Seq != 0 {
		t.Errorf("a plan changed something: %+v, %v", after, err)
	}
}

// A file that cannot be taken whole leaves nothing behind.
func TestWhatCannotBeImported(t *testing.T) {
	f := newFixture(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	change := func(do func(*rowsFile)) *rowsFile {
		file := labelled("Red Bramble", "New Name", "Other Name")
		do(file)
		return file
	}
	spoil := func(row int, v ...float32) *rowsFile {
		return change(func(f *rowsFile) { copy(f.rows[row].Embedding, v) })
	}
	for name, c := range map[string]struct {
		file  *rowsFile
		field string
		says  string
		rows  []int
	}{
		"another encoder's":   {change(func(f *rowsFile) { f.encoder = "sha256:other" }), "encoder", "another encoder", nil},
		"no encoder":          {change(func(f *rowsFile) { f.encoder = "" }), "encoder", "--encoder current", nil},
		"another length":      {change(func(f *rowsFile) { f.dim = 512 }), "file", "512 numbers each", nil},
		"not a number":        {spoil(1, 0, nan), "file", "row 1: its embedding has numbers that are not finite", []int{1}},
		"infinite":            {spoil(2, inf), "file", "row 2", []int{2}},
		"huge":                {spoil(0, math.MaxFloat32), "file", "row 0", []int{0}},
		"all zeros":           {change(func(f *rowsFile) { clear(f.rows[0].Embedding); clear(f.rows[2].Embedding) }), "file", "2 rows", []int{0, 2}},
		"an empty label":      {change(func(f *rowsFile) { f.rows[1].Label = " " }), "file", "row 1: its label cannot be a name", []int{1}},
		"a label of digits":   {change(func(f *rowsFile) { f.rows[1].Label = "123" }), "file", "row 1", []int{1}},
		"a label unseen":      {change(func(f *rowsFile) { f.rows[1].Label = "a\u202eb" }), "file", "row 1", []int{1}},
		"a label without end": {change(func(f *rowsFile) { f.rows[1].Label = strings.Repeat("x", 999) }), "file", "row 1", []int{1}},
		"text that is none": {change(func(f *rowsFile) {
			f.rows[2].Problem = identify.Errorf(identify.Invalid, "row", "its label is not valid text")
		}), "file", "row 2: its label is not valid", []int{2}},
	} {
		_, err := f.PlanImport(context.Background(), f.Owner, identify.ImportSource{Kind: "npz", Digest: "d"}, c.file, identify.ImportOptions{})
		var e *identify.Error
		if !errors.As(err, &e) || e.Kind != identify.Invalid || e.Field != c.field || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %v; want an error about %s that says %q", name, err, c.field, c.says)
			continue
		}
		var bad *identify.BadRows
		if errors.As(err, &bad) != (c.rows != nil) {
			t.Errorf("%s: bad rows %+v", name, bad)
		}
		for i, n := range c.rows {
			if bad.Rows[i].Row != n {
				t.Errorf("%s: bad rows %+v, want %v", name, bad.Rows, c.rows)
			}
		}
	}
	many := labelled()
	for range 300 {
		many.rows = append(many.rows, identify.EmbeddingRow{Label: "x", Embedding: make([]float32, dim)})
	}
	_, err := f.PlanImport(context.Background(), f.Owner, identify.ImportSource{Kind: "npz", Digest: "d"}, many, identify.ImportOptions{})
	var bad *identify.BadRows
	if !errors.As(err, &bad) || len(bad.Rows) != 100 || !bad.More || len(err.Error()) > 400 {
		t.Errorf("%v", err)
	}
	stats, err := f.Stats(context.Background())
	if imports, ierr := f.Imports(context.Background(), f.Owner); err != nil || ierr != nil || len(imports) != 0 || stats.Seq != 0 || stats.Taxa != 6 || stats.Photos != 0 {
		t.Errorf("left behind: %+v, %+v, %v, %v", imports, stats, err, ierr)
	}
}

// An import is learned, told apart from a second one of the same file, and taken
// back as a whole.
func TestAnImportIsLearnedAndWithdrawn(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	empty := f.see(t, color.RGBA{0, 200, 12, 255})
	zero, err := f.Predict(ctx, empty.ID, identify.Question{})
	must(t, err)
	file := labelled()
	for i := range 1500 { // two transactions
		file.rows = append(file.rows, identify.EmbeddingRow{Label: "Velvet Moss", Ref: "r",
			Embedding: embedding(color.RGBA{uint8(i), 200, uint8(i >> 8), 255})})
	}
	plan, err := f.PlanImport(ctx, f.Owner, identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: "d"}, file, identify.ImportOptions{})
	must(t, err)
	var told []int
	m, err := f.RunImport(ctx, f.Owner, plan, file, func(p identify.ImportProgress) { told = append(told, p.Done) })
	must(t, err)
	if !slices.Equal(told, []int{1000, 1500}) || m.Unfinished() || m.Taught() != 1500 || m.Known != 0 {
		t.Errorf("told %v, %+v", told, m)
	}
	f.settled(t)
	p, err := f.Predict(ctx, empty.ID, identify.Question{Rule: fusion.Exemplar})
	must(t, err)
	if p.Candidates[0].Label != "Velvet Moss" || p.Candidates[0].Exemplars != 1500 || p.Seq != 1500 {
		t.Errorf("%+v", p.Candidates[0])
	}
	if _, err := f.PhotoFile(ctx, identify.User{Role: identify.Curator}, p.Neighbours[0].Observation, "thumb"); identify.KindOf(err) != identify.NotFound {
		t.Errorf("a photo that never came: %v", err)
	}
	_, err = f.PlanImport(ctx, f.Owner, identify.ImportSource{Kind: "npz", Digest: "d"}, file, identify.ImportOptions{})
	if identify.KindOf(err) != identify.Conflict {
		t.Errorf("the same file again: %v", err)
	}
	f.restart(t)
	verified(t, f)
	if _, err = f.WithdrawImport(ctx, f.Owner, m.ID, quiet); err != nil {
		t.Fatal(err)
	}
	f.settled(t)
	p, err = f.Predict(ctx, empty.ID, identify.Question{})
	must(t, err)
	if p.Seq != 3000 || p.Candidates[0].Label != zero.Candidates[0].Label || math.Abs(p.Candidates[0].Probability-zero.Candidates[0].Probability) > 1e-6 {
		t.Errorf("after the withdrawal %+v, before the import %+v", p.Candidates[0], zero.Candidates[0])
	}
	verified(t, f)
	if again := f.take(t, "d", file); again.Known != 0 || again.Taught() != 1500 {
		t.Errorf("taken in anew: %+v", again)
	}
}

func verified(t *testing.T, f *fixture) {
	t.Helper()
	r, err := identify.Verify(context.Background(), f.Config)
	must(t, err)
	for _, p := range r.Problems {
		t.Error(p)
	}
}

// An import that was broken off goes on where it stopped.
func TestABrokenImportGoesOn(t *testing.T) {
	f := newFixture(t)
	file := labelled()
	for i := range 1500 {
		file.rows = append(file.rows, identify.EmbeddingRow{Label: "Moss", Embedding: embedding(color.RGBA{uint8(i), 200, uint8(i >> 8), 255})})
	}
	source := identify.ImportSource{Kind: "npz", Digest: "d"}
	ctx, stop := context.WithCancel(context.Background())
	plan, err := f.PlanImport(ctx, f.Owner, source, file, identify.ImportOptions{})
	must(t, err)
	m, err := f.RunImport(ctx, f.Owner, plan, file, func(identify.ImportProgress) { stop() })
	if !errors.Is(err, context.Canceled) || m.Done != 1000 {
		t.Fatalf("%+v, %v", m, err)
	}
	plan, err = f.PlanImport(context.Background(), f.Owner, source, file, identify.ImportOptions{})
	must(t, err)
	if plan.Resumes == nil || plan.Resumes.Done != 1000 || len(plan.New()) != 0 {
		t.Fatalf("%+v", plan)
	}
	var left []int
	m, err = f.RunImport(context.Background(), f.Owner, plan, file, func(p identify.ImportProgress) { left = append(left, p.Done) })
	if err != nil || m.Taught() != 1500 || !slices.Equal(left, []int{1500}) {
		t.Errorf("%+v, %v, %v", m, left, err)
	}
}

// What is exported and imported elsewhere is the same memory: the same labels,
// the same vectors bit for bit, in the same order, and the same answers.
func TestExportThenImportIsTheSameMemory(t *testing.T) {
	a := newFixture(t)
	ctx := context.Background()
	var seen []identify.Observation
	for i, label := range []string{"Red Bramble", "Green Bramble", "Velvet Moss", "Red Bramble", "Velvet Moss", "Hidden Bramble"} {
		o := a.see(t, color.RGBA{uint8(250 - 40*i), uint8(40 * i), uint8(7 * i * i), 255})
		seen = append(seen, o)
		if _, err := a.Identify(ctx, a.Owner, o.ID, identify.Answer{Label: label}, identify.Question{}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.Identify(ctx, a.Owner, seen[1].ID, identify.Answer{Label: "Blue Bramble"}, identify.Question{}) // withdraws the green one
	must(t, err)
	a.take(t, "x", labelled("Velvet Moss", "Velvet Moss", "Rust"))
	file := exported(t, a)

	b := newFixture(t)
	z, err := exchange.OpenNPZ(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	if z.Rows() != 9 || z.Encoder() != (fakeEmbedder{}).Info().Digest {
		t.Fatalf("%d rows of %s", z.Rows(), z.Encoder())
	}
	m := b.take(t, "y", z)
	if m.Taught() != 9 {
		t.Errorf("%+v", m)
	}
	a.settled(t)
	b.settled(t)
	if again := exported(t, b); !sameRows(t, file, again) {
		t.Error("what B exports is not what A exported")
	}
	for _, o := range seen {
		before, err := a.Predict(ctx, o.ID, identify.Question{})
		must(t, err)
		after, _, err := b.Observe(ctx, b.Owner, identify.Upload{Photo: original(t, a, o.ID)}, identify.Question{})
		must(t, err)
		p, err := b.Predict(ctx, after.ID, identify.Question{})
		must(t, err)
		if before.Candidates[0].Label != p.Candidates[0].Label || math.Abs(before.Candidates[0].Probability-p.Candidates[0].Probability) > 1e-4 {
			t.Errorf("observation %d: %s %.5f at A, %s %.5f at B", o.ID, before.Candidates[0].Label, before.Candidates[0].Probability,
				p.Candidates[0].Label, p.Candidates[0].Probability)
		}
	}
	if home := a.take(t, "y", z); home.Known != 9 || home.Taught() != 0 {
		t.Errorf("taken home again: %+v, want every row known", home)
	}
	verified(t, a)
	verified(t, b)
}

// exported is the npz of all exemplars.
func exported(t *testing.T, f *fixture) []byte {
	t.Helper()
	e, err := f.Exemplars(context.Background(), f.Owner, identify.ObservationFilter{})
	must(t, err)
	var file bytes.Buffer
	must(t, exchange.WriteExemplars(context.Background(), &file, e))
	return file.Bytes()
}

// sameRows compares labels, built-in taxa and vectors of two files, bit for bit.
func sameRows(t *testing.T, a, b []byte) bool {
	t.Helper()
	var rows [2][]identify.EmbeddingRow
	for i, file := range [][]byte{a, b} {
		z, err := exchange.OpenNPZ(bytes.NewReader(file), int64(len(file)))
		must(t, err)
		must(t, z.Each(func(r identify.EmbeddingRow) error {
			r.Embedding, r.Ref = slices.Clone(r.Embedding), ""
			rows[i] = append(rows[i], r)
			return nil
		}))
	}
	return slices.EqualFunc(rows[0], rows[1], func(x, y identify.EmbeddingRow) bool {
		return x.Label == y.Label && x.Taxon == y.Taxon && slices.Equal(x.Embedding, y.Embedding)
	})
}

func original(t *testing.T, f *fixture, id identify.ObservationID) []byte {
	t.Helper()
	p, err := f.PhotoFile(context.Background(), identify.User{Role: identify.Curator}, id, identify.PhotoOriginal)
	must(t, err)
	return p.Data
}

func TestWhoMayImport(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	file := labelled("Moss")
	expert := identify.User{ID: f.Owner.ID, Role: identify.Expert}
	plan, err := f.PlanImport(ctx, f.Owner, identify.ImportSource{Kind: "npz", Digest: "d"}, file, identify.ImportOptions{})
	must(t, err)
	_, err1 := f.PlanImport(ctx, expert, identify.ImportSource{}, file, identify.ImportOptions{})
	_, err2 := f.RunImport(ctx, expert, plan, file, quiet)
	_, err3 := f.WithdrawImport(ctx, expert, 1, quiet)
	_, err4 := f.Imports(ctx, expert)
	_, err5 := f.Exemplars(ctx, expert, identify.ObservationFilter{})
	for i, err := range []error{err1, err2, err3, err4, err5} {
		if identify.KindOf(err) != identify.Forbidden {
			t.Errorf("call %d of an expert: %v", i+1, err)
		}
	}
	_, err = f.WithdrawImport(ctx, f.Owner, 99, quiet)
	if identify.KindOf(err) != identify.NotFound {
		t.Errorf("an import that is not there: %v", err)
	}
}
