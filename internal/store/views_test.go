package store

import (
	"path/filepath"
	"slices"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/migrations"
)

// addViews stores views of photos, the same for all.
func addViews(t *testing.T, s *Store, views [][]float32, photos ...identify.PhotoHash) {
	t.Helper()
	var list []identify.PhotoViews
	for _, p := range photos {
		list = append(list, identify.PhotoViews{Photo: p, Vectors: views})
	}
	if err := s.AddViews(t.Context(), encoder.Digest, list, noon); err != nil {
		t.Fatal(err)
	}
}

func TestViewsComeWithTheirLessons(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	two := [][]float32{{1, 0, 2}, {0, 1, 3}}
	for _, name := range []string{"a", "b", "c"} {
		teach(t, s, ann, observe(t, s, ann, name).ID, 4)
	}
	observe(t, s, ann, "d") // never taught
	teach(t, s, ann, observe(t, s, ann, "e", func(n *identify.NewObservation) { n.Photo.Bytes = 0 }).ID, 4)
	unviewed := func(after identify.PhotoHash, want ...identify.PhotoHash) {
		t.Helper()
		got, err := s.Unviewed(ctx, encoder.Digest, after, 10)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("without views are %v (%v), want %v", got, err, want)
		}
	}
	unviewed("", photoHash("a"), photoHash("b"), photoHash("c"))
	addViews(t, s, two, photoHash("a"), photoHash("d"))
	addViews(t, s, nil, photoHash("b")) // could not be read
	addViews(t, s, [][]float32{{9, 9, 9}}, photoHash("a"))
	unviewed("", photoHash("c"))
	unviewed(photoHash("c"))

	events, err := s.Events(ctx, encoder.Digest, 0, 10)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, want := range [][][]float32{two, nil, nil, nil} {
		if !slices.EqualFunc(events[i].Views, want, slices.Equal[[]float32]) {
			t.Errorf("event %d has the views %v, want %v", i+1, events[i].Views, want)
		}
	}
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "d": true} {
		if has, err := s.HasViews(ctx, encoder.Digest, photoHash(name)); err != nil || has != want {
			t.Errorf("photo %s has views: %t (%v)", name, has, err)
		}
	}
	for seq, want := range []int{0, 1, 1, 1} {
		if n, err := s.ViewedLessons(ctx, encoder.Digest, identify.Seq(seq)); err != nil || n != want {
			t.Errorf("%d lessons up to %d have views (%v), want %d", n, seq, err, want)
		}
	}
	check(t, s)
}

func TestAPhotoWithoutViewsIsTriedAgain(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	for _, again := range []func(){
		func() { observe(t, s, ann, "a") }, // its file came once more
		func() {
			if err := s.ForgetEmbeddingFailures(ctx, encoder.Digest); err != nil {
				t.Fatal(err)
			}
		},
	} {
		observe(t, s, ann, "a")
		addViews(t, s, nil, photoHash("a"))
		again()
		if has, err := s.HasViews(ctx, encoder.Digest, photoHash("a")); err != nil || has {
			t.Errorf("it is given up (%v)", err)
		}
	}
}

// Views of another list are not used, and are replaced.
func TestViewsOfAnotherSchemeAreMadeAnew(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	teach(t, s, ann, observe(t, s, ann, "a").ID, 4)
	addViews(t, s, [][]float32{{1, 2, 3}}, photoHash("a"))
	if _, err := s.write.Exec(`UPDATE view_embeddings SET scheme = scheme - 1`); err != nil {
		t.Fatal(err)
	}
	views := func() [][]float32 {
		t.Helper()
		events, err := s.Events(ctx, encoder.Digest, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		return events[0].Views
	}
	left, err := s.Unviewed(ctx, encoder.Digest, "", 10)
	if err != nil || len(left) != 1 || views() != nil {
		t.Errorf("without views are %v (%v), the lesson has %v", left, err, views())
	}
	addViews(t, s, [][]float32{{3, 2, 1}, {1, 1, 1}}, photoHash("a"))
	if v := views(); len(v) != 2 || !slices.Equal(v[0], []float32{3, 2, 1}) {
		t.Errorf("the lesson has %v", v)
	}
}

func TestBadViewsAreRefused(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	observe(t, s, user(t, s, "ann"), "a")
	good := []float32{1, 2, 3}
	for what, views := range map[string][][]float32{"one of another length": {good, {1, 2}}, "zero": {good, {0, 0, 0}}} {
		if err := s.AddViews(ctx, encoder.Digest, []identify.PhotoViews{{Photo: photoHash("a"), Vectors: views}}, noon); err == nil {
			t.Errorf("%s was stored", what)
		}
	}
	if err := s.AddViews(ctx, "nobody", []identify.PhotoViews{{Photo: photoHash("a")}}, noon); err == nil {
		t.Error("stored under an encoder that is not registered")
	}
	if has, err := s.HasViews(ctx, encoder.Digest, photoHash("a")); err != nil || has {
		t.Errorf("something was stored (%v)", err)
	}
}

// A database of the schema before views teaches on, and lists what it lacks.
func TestMigrationOfADatabaseBeforeViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	openOld(t, path, steps[:3])
	s := open(t, path)
	u, err := s.Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	teach(t, s, u, 1, 4)
	left, err := s.Unviewed(t.Context(), encoder.Digest, "", 10)
	if err != nil || !slices.Equal(left, []identify.PhotoHash{"p"}) {
		t.Errorf("without views are %v (%v), want the one photo", left, err)
	}
	addViews(t, s, [][]float32{{1, 2, 3}}, "p")
	if n, err := s.ViewedLessons(t.Context(), encoder.Digest, 1); err != nil || n != 1 {
		t.Errorf("%d lessons have views (%v)", n, err)
	}
	check(t, s)
}
