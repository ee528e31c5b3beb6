package store

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/migrations"
)

// another is a second encoder.
var another = identify.EncoderInfo{Name: "another", Digest: "sha256:another", Dim: 2}

// A database as the first release left it keeps its embeddings and its log, and
// serves with whatever the program's default is.
func TestADatabaseOfTheFirstRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "released.db")
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	openOld(t, path, steps[:1])
	s := open(t, path)
	c, err := s.EncoderChoice(t.Context())
	if err != nil || !reflect.DeepEqual(c, identify.EncoderChoice{}) {
		t.Errorf("%+v, %v", c, err)
	}
	check(t, s)
}

func TestEncoderChoice(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	choice := func() identify.EncoderChoice {
		t.Helper()
		c, err := s.EncoderChoice(ctx)
		must(err)
		return c
	}
	must(s.PauseEmbedding(ctx, true))
	must(s.EncoderProblem(ctx, identify.Noticef("its %s broke at %d", "tower", 3)))
	if c := choice(); !c.Paused || c.Problem.String() != "its tower broke at 3" || c.Revision != 1 || c.Wishes != 0 {
		t.Errorf("%+v", c)
	}
	c, err := s.WantEncoder(ctx, "bioclip")
	must(err)
	if !reflect.DeepEqual(c, choice()) || c.Wanted != "bioclip" || c.Paused || c.Problem.Format != "" || c.Revision != 2 || c.Wishes != 1 {
		t.Errorf("a wish does not begin anew: %+v", c)
	}
	if err := s.ServeEncoder(ctx, "test", "sha256:nobody"); err == nil {
		t.Error("an encoder that is not registered serves")
	}
	must(s.ServeEncoder(ctx, "test", encoder.Digest))
	if c := choice(); c.Serving != "test" || c.Digest != encoder.Digest || c.Wanted != "bioclip" {
		t.Errorf("another wish was dropped: %+v", c)
	}
	must(s.RegisterEncoder(ctx, another))
	must(s.ServeEncoder(ctx, "bioclip", another.Digest))
	must(s.Reconsider(ctx))
	if c := choice(); c.Serving != "bioclip" || c.Wanted != "" || c.Revision != 3 {
		t.Errorf("%+v", c)
	}
}

// What lacks an embedding is listed, those that were taught apart; what failed,
// or came without a photo, is not.
func TestUnembedded(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	var taught []identify.PhotoHash
	for _, name := range []string{"d", "b", "a", "c"} {
		o := observe(t, s, ann, name)
		if name < "c" {
			lesson, _ := teach(t, s, ann, o.ID, 4)
			if name == "b" {
				if _, _, err := s.Withdraw(ctx, o.ID, lesson.ID, ann.ID, noon); err != nil {
					t.Fatal(err)
				}
			}
			taught = append(taught, photoHash(name))
		}
	}
	bare := observe(t, s, ann, "bare", func(n *identify.NewObservation) { n.Photo.Bytes = 0 })
	teach(t, s, ann, bare.ID, 5)
	slices.Sort(taught)
	want := func(encoder string, isTaught bool, after identify.PhotoHash, names ...identify.PhotoHash) {
		t.Helper()
		got, err := s.Unembedded(ctx, encoder, isTaught, after, 10)
		if err != nil || !slices.Equal(got, names) {
			t.Errorf("%s, taught %t, after %.3q: %v (%v), want %v", encoder, isTaught, after, got, err, names)
		}
	}
	want(encoder.Digest, true, "")
	want(another.Digest, true, "", taught...)
	want(another.Digest, true, photoHash("a"), photoHash("b"))
	want(another.Digest, false, "", photoHash("c"), photoHash("d"))

	if err := s.AddEmbeddings(ctx, another.Digest, []identify.PhotoEmbedding{{Photo: photoHash("a"), Vector: []float32{1, 2}}}, noon); err == nil {
		t.Error("stored under an encoder that is not registered")
	}
	if err := s.RegisterEncoder(ctx, another); err != nil {
		t.Fatal(err)
	}
	if err := s.AddEmbeddings(ctx, another.Digest, []identify.PhotoEmbedding{{Photo: photoHash("a"), Vector: []float32{1, 2}}, {Photo: photoHash("b"), Vector: []float32{1, 2, 3}}}, noon); err == nil {
		t.Error("a vector of the wrong length was stored")
	}
	want(another.Digest, true, "", taught...) // one transaction: neither was
	if err := s.AddEmbeddings(ctx, another.Digest, []identify.PhotoEmbedding{{Photo: photoHash("a"), Vector: []float32{1, 2}}, {Photo: photoHash("c"), Vector: []float32{1, 2}}}, noon); err != nil {
		t.Fatal(err)
	}
	if err := s.AddEmbeddingFailure(ctx, another.Digest, photoHash("b"), identify.PlainNotice("It is missing."), noon); err != nil {
		t.Fatal(err)
	}
	if err := s.FailPhotoless(ctx, another.Digest, identify.Noticef("It has no photo."), noon); err != nil {
		t.Fatal(err)
	}
	want(another.Digest, true, "")
	want(another.Digest, false, "", photoHash("d"))
	counts, err := s.EmbeddingCounts(ctx, another.Digest)
	if err != nil || counts != (identify.EmbeddingCounts{Photos: 5, Embedded: 2, Failed: 2}) {
		t.Errorf("%+v, %v", counts, err)
	}
	if n, err := s.Learnable(ctx, another.Digest, 100); err != nil || n != 1 {
		t.Errorf("%d lessons can be learned (%v), want that of photo a", n, err)
	}
	if n, err := s.Learnable(ctx, encoder.Digest, 1); err != nil || n != 1 {
		t.Errorf("%d lessons can be learned up to the first event (%v)", n, err)
	}
	// b's lesson was withdrawn: only what stands is lost.
	lost, total, err := s.LostLessons(ctx, another.Digest, 10)
	if err != nil || total != 1 || len(lost) != 1 || !reflect.DeepEqual(lost[0], identify.LostLesson{Observation: bare.ID, Taxon: 5, Label: "Eurasian Tree Sparrow", TaughtBy: "ann", Reason: identify.Noticef("It has no photo.")}) {
		t.Errorf("%+v, %d, %v", lost, total, err)
	}

	observe(t, s, ann, "b") // the same bytes once more
	want(another.Digest, true, "", photoHash("b"))
	if err := s.ForgetEmbeddingFailures(ctx, another.Digest); err != nil {
		t.Fatal(err)
	}
	if counts, err = s.EmbeddingCounts(ctx, another.Digest); err != nil || counts.Failed != 0 {
		t.Errorf("%+v, %v", counts, err)
	}
	check(t, s)
}
