package identify_test

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// photosOf is a PhotoSet in memory.
type photosOf struct {
	rows []identify.PhotoRow
	data [][]byte
	read func(i int) // called before a photo is read
}

func (s *photosOf) Rows() int                   { return len(s.rows) }
func (s *photosOf) Row(i int) identify.PhotoRow { return s.rows[i] }
func (s *photosOf) LeftOut() identify.Notice    { return identify.Notice{} }

func (s *photosOf) Photo(_ context.Context, i int) ([]byte, error) {
	if s.read != nil {
		s.read(i)
	}
	if s.data[i] == nil {
		return nil, identify.Errorf(identify.Invalid, "file", "There is no such file.")
	}
	return s.data[i], nil
}

func (s *photosOf) add(label string, data []byte) {
	s.rows = append(s.rows, identify.PhotoRow{Name: identify.Noticef("line %d", len(s.rows)+2), Label: label})
	s.data = append(s.data, data)
}

// manyPhotos are n photos of different colours, of two labels in turn.
func manyPhotos(t *testing.T, n int) *photosOf {
	t.Helper()
	s := &photosOf{}
	for i := range n {
		s.add([]string{"Red Bramble", "Velvet Moss"}[i%2], paint(t, color.RGBA{uint8(40 + i), uint8(3 * i), 90, 255}))
	}
	return s
}

func photoSource(digest string) identify.ImportSource {
	return identify.ImportSource{Kind: "photos", Name: "a.zip", Digest: digest}
}

func (f *fixture) planPhotos(t *testing.T, digest string, set *photosOf, o identify.ImportOptions) (identify.ImportPlan, error) {
	t.Helper()
	return f.PlanImport(context.Background(), f.Owner, photoSource(digest), set, o)
}

func TestPhotosAreImported(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	set := manyPhotos(t, 70) // more than two transactions
	north, east := 52.5, 13.4
	set.rows[0].Latitude, set.rows[0].Longitude, set.rows[0].License, set.rows[0].Notes = &north, &east, " CC0-1.0 ", "on a wall"
	set.add("velvet moss", set.data[1]) // the same photo, by the same name
	plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	if plan.Source.Total != 71 || len(plan.Labels) != 2 || !slices.Equal(plan.New(), []string{"Velvet Moss"}) || len(plan.Notes) != 1 ||
		!strings.Contains(plan.Notes[0].String(), "line 72 is line 3") {
		t.Fatalf("%+v", plan)
	}
	var steps []int
	m, err := f.RunImport(ctx, f.Owner, plan, set, func(p identify.ImportProgress) { steps = append(steps, p.Done) })
	must(t, err)
	if m.Taught() != 70 || m.Known != 1 || m.State() != "complete" || m.Kind != "photos" || !slices.Equal(steps, []int{32, 64, 71}) {
		t.Fatalf("%+v, %v", m, steps)
	}
	stats, err := f.Stats(ctx)
	must(t, err)
	if stats.Exemplars != 70 || stats.Photos != 70 || stats.Seq != 70 {
		t.Errorf("%+v", stats)
	}
	o, err := f.Observation(ctx, f.Owner, 1)
	must(t, err)
	if *o.Latitude != north || o.License != "CC0-1.0" || o.Notes != "on a wall" || o.Import == nil || o.Import.Import != m.ID || !o.Photo.HasFile() {
		t.Errorf("%+v", o)
	}
	if p, err := f.PhotoFile(ctx, identify.User{Role: identify.Curator}, 1, "thumb"); err != nil || p.MediaType != "image/jpeg" {
		t.Errorf("%q, %v", p.MediaType, err)
	}
	report, err := identify.Verify(ctx, f.Config) // views too: every lesson has them before its event
	must(t, err)
	if len(report.Problems) > 0 || report.Exemplars != 70 {
		t.Errorf("%+v", report)
	}

	// The same photos in another archive are known; in the same one, refused.
	if _, err := f.planPhotos(t, "d", set, identify.ImportOptions{}); identify.KindOf(err) != identify.Conflict {
		t.Errorf("%v", err)
	}
	plan, err = f.planPhotos(t, "e", set, identify.ImportOptions{})
	must(t, err)
	again, err := f.RunImport(ctx, f.Owner, plan, set, quiet)
	must(t, err)
	if again.Taught() != 0 || again.Known != 71 {
		t.Errorf("%+v", again)
	}
	// Withdrawn as a whole, nothing of it is left.
	_, err = f.WithdrawImport(ctx, f.Owner, m.ID, quiet)
	must(t, err)
	if stats, err := f.Stats(ctx); err != nil || stats.Exemplars != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Everything is checked before anything is taught; the good rows can be taken.
func TestBadPhotos(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	set := manyPhotos(t, 4)
	set.add("Red Bramble", []byte("just some words"))
	set.add("Red Bramble", nil)
	set.add("Green Bramble", set.data[0]) // which is named Red Bramble
	set.add("", paint(t, color.RGBA{1, 2, 3, 255}))
	set.add("12345", paint(t, color.RGBA{4, 5, 6, 255}))
	far := 91.0
	set.add("Red Bramble", paint(t, color.RGBA{7, 8, 9, 255}))
	set.rows[9].Latitude, set.rows[9].Longitude = &far, &far
	_, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
	var bad *identify.BadRows
	if !errors.As(err, &bad) || bad.Count != 6 || bad.Good != 4 {
		t.Fatalf("%v", err)
	}
	for i, want := range []string{"not a photo", "no such file", "the same photo as line 2, which is named Red Bramble", "no name", "cannot be a name", "Latitude"} {
		if r := bad.Rows[i]; r.Row != 4+i || r.Place().String() != fmt.Sprintf("line %d", 6+i) || !strings.Contains(r.Why.Message, want) {
			t.Errorf("%+v, want %q", r, want)
		}
	}
	if stats, err := f.Stats(ctx); err != nil || stats.Taxa != len(vocabularyForTests()) || stats.Observations != 0 {
		t.Errorf("something was stored: %+v, %v", stats, err)
	}
	plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{SkipBad: true})
	must(t, err)
	m, err := f.RunImport(ctx, f.Owner, plan, set, quiet)
	must(t, err)
	if m.Taught() != 4 || m.Skipped != 6 || m.State() != "complete" {
		t.Errorf("%+v", m)
	}
	if r, err := identify.Verify(ctx, f.Config); err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r, err)
	}

	none := &photosOf{}
	none.add("Red Bramble", []byte("words"))
	if _, err := f.planPhotos(t, "e", none, identify.ImportOptions{SkipBad: true}); identify.KindOf(err) != identify.Invalid {
		t.Errorf("nothing but bad rows is taken: %v", err)
	}
}

// A photo whose header is right and whose pixels are not ends the import, or is
// left out; what was taught before it stays, and the import goes on.
func TestAPhotoThatProvesDamaged(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	set := manyPhotos(t, 40)
	whole := set.data[35]
	set.data[35] = whole[:len(whole)-20]
	plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	m, err := f.RunImport(ctx, f.Owner, plan, set, quiet)
	if identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), "line 37 cannot be taken") || m.Done != 32 || !m.Unfinished() {
		t.Fatalf("%v, %+v", err, m)
	}
	plan, err = f.planPhotos(t, "d", set, identify.ImportOptions{SkipBad: true})
	must(t, err)
	if plan.Resumes == nil || plan.Resumes.Done != 32 {
		t.Fatalf("%+v", plan)
	}
	var left []identify.BadRow
	m, err = f.RunImport(ctx, f.Owner, plan, set, func(p identify.ImportProgress) { left = append(left, p.Bad...) })
	must(t, err)
	if m.Taught() != 39 || m.Skipped != 1 || len(left) != 1 || left[0].Place().String() != "line 37" {
		t.Errorf("%+v, %+v", m, left)
	}
}

// What changes between the check and the lesson is not taught.
func TestAPhotoThatChangedMeanwhile(t *testing.T) {
	f := newFixture(t)
	set := manyPhotos(t, 3)
	plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	set.data[1] = paint(t, color.RGBA{255, 255, 255, 255})
	if _, err := f.RunImport(context.Background(), f.Owner, plan, set, quiet); err == nil || !strings.Contains(err.Error(), "line 3 is not what it was") {
		t.Errorf("%v", err)
	}
	if stats, err := f.Stats(context.Background()); err != nil || stats.Exemplars != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// An import without a server makes the same log as one with.
func TestPhotosAreImportedWithoutAServer(t *testing.T) {
	with, without, ctx := newFixture(t), newFixture(t), context.Background()
	set := manyPhotos(t, 40)
	plan, err := with.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	_, err = with.RunImport(ctx, with.Owner, plan, set, quiet)
	must(t, err)
	plan, err = identify.PlanPhotos(ctx, without.Config, photoSource("d"), set, identify.ImportOptions{})
	must(t, err)
	_, err = identify.RunPhotos(ctx, without.Config, plan, set, without.Owner.ID, quiet)
	must(t, err)
	a, err := with.Config.Store.Events(ctx, fakeEmbedder{}.Info().Digest, 0, 100)
	must(t, err)
	b, err := without.Config.Store.Events(ctx, fakeEmbedder{}.Info().Digest, 0, 100)
	must(t, err)
	if len(a) != 40 || len(b) != 40 {
		t.Fatalf("%d and %d events", len(a), len(b))
	}
	for i := range a {
		if a[i].Photo != b[i].Photo || a[i].Taxon != b[i].Taxon || !slices.Equal(a[i].Vector, b[i].Vector) || len(a[i].Views) != len(b[i].Views) || len(a[i].Views) == 0 {
			t.Errorf("event %d: %+v and %+v", i, a[i].Photo, b[i].Photo)
		}
	}
}

func TestNamesAreSuggested(t *testing.T) {
	f := newFixture(t)
	set := &photosOf{}
	for i, label := range []string{"Red Brambel", "Rubus rubre", "Velvet Moss", "Rub"} {
		set.add(label, paint(t, color.RGBA{uint8(i), 2, 3, 255}))
	}
	plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	got := map[string]string{}
	for _, l := range plan.Labels {
		for _, n := range l.Near {
			got[l.Label] += n.EnglishName + ";"
		}
	}
	// Of 11 letters two may differ; of three none.
	want := map[string]string{"Red Brambel": "Red Bramble;", "Rubus rubre": "Red Bramble;"}
	if len(got) != len(want) || got["Red Brambel"] != want["Red Brambel"] || got["Rubus rubre"] != want["Rubus rubre"] {
		t.Errorf("%v", got)
	}
}

// Bad rows of embeddings can be left out as well.
func TestBadEmbeddingsAreLeftOut(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	file := labelled("Red Bramble", "12345", "Green Bramble")
	file.rows[2].Embedding = make([]float32, dim)
	source := identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: "d"}
	_, err := f.PlanImport(ctx, f.Owner, source, file, identify.ImportOptions{})
	var bad *identify.BadRows
	if !errors.As(err, &bad) || bad.Good != 1 || bad.Count != 2 {
		t.Fatalf("%v", err)
	}
	plan, err := f.PlanImport(ctx, f.Owner, source, file, identify.ImportOptions{SkipBad: true})
	must(t, err)
	m, err := f.RunImport(ctx, f.Owner, plan, file, quiet)
	must(t, err)
	if m.Taught() != 1 || m.Skipped != 2 || m.State() != "complete" {
		t.Errorf("%+v", m)
	}
	if r, err := identify.Verify(ctx, f.Config); err != nil || len(r.Problems) > 0 || r.Exemplars != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
