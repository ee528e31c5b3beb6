package identify_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"
	"testing"

	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
	"fieldmark/internal/photo"
)

var (
	scarlet = color.RGBA{250, 0, 0, 255}
	navy    = color.RGBA{0, 0, 250, 255}
)

// patched is a photo of 32 × 32 pixels, navy but for its top left quarter. The fake
// encoder sees the pixel in the middle: of the whole and of the views in the centre
// and at the bottom right that is navy; of the view at the top left, 24 × 24 pixels,
// it is (12, 12), in the quarter.
func patched(t *testing.T, quarter color.RGBA) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for y := range 32 {
		for x := range 32 {
			if img.SetRGBA(x, y, navy); x < 16 && y < 16 {
				img.SetRGBA(x, y, quarter)
			}
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

func (f *fixture) upload(t *testing.T, data []byte) identify.Observation {
	t.Helper()
	o, _, err := f.Observe(context.Background(), f.Owner, identify.Upload{Photo: data}, identify.Question{})
	must(t, err)
	return o
}

func (f *fixture) identify(t *testing.T, o identify.Observation, label string) identify.Correction {
	t.Helper()
	c, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Label: label}, identify.Question{})
	must(t, err)
	return c
}

func (f *fixture) ask(t *testing.T, c color.RGBA, rule fusion.Rule) identify.Prediction {
	t.Helper()
	p, err := f.Classify(context.Background(), paint(t, c), identify.Question{Rule: rule, Top: 20})
	must(t, err)
	return p
}

// reds teaches photos that are like scarlet: by hand, the cosine of (9.8, 0, 0, 3)
// with (9.8, 2.0, 3.1, 3) is .941, that of navy, (0, 0, 9.8, 3), is .086.
func (f *fixture) reds(t *testing.T) {
	t.Helper()
	for i := range 6 {
		f.teach(t, color.RGBA{250, uint8(50 + 5*i), uint8(80 - 5*i), 255}, "Red Bramble")
	}
}

func alike(t *testing.T, what string, got, want identify.Prediction, tolerance float64) {
	t.Helper()
	p := map[string]float64{}
	for _, c := range want.Candidates {
		p[c.Label] = c.Probability
	}
	for _, c := range got.Candidates {
		if math.Abs(c.Probability-p[c.Label]) > tolerance {
			t.Errorf("%s: p(%s) is %g, want %g", what, c.Label, c.Probability, p[c.Label])
		}
	}
}

// A crop that shows a part of a taught photo is named as that was, though many
// photos are more like the crop than the photo is; until that is withdrawn.
func TestACropIsNamedAsItsPhotoWasTaught(t *testing.T) {
	f := newFixture(t)
	f.reds(t)
	f.settled(t)
	before := f.ask(t, scarlet, "")
	if before.Candidates[0].Label != "Red Bramble" {
		t.Fatalf("it is named %s", before.Candidates[0].Label)
	}
	o := f.upload(t, patched(t, scarlet))
	c := f.identify(t, o, "Green Bramble")
	f.settled(t)
	known := func() {
		t.Helper()
		p := f.ask(t, scarlet, "")
		if p.Candidates[0].Label != "Green Bramble" || p.Neighbours[0].Observation != o.ID || p.Neighbours[0].Similarity < .9999 {
			t.Errorf("it is named %s after observation %d, %.4f alike", p.Candidates[0].Label, p.Neighbours[0].Observation, p.Neighbours[0].Similarity)
		}
		seen := map[identify.ObservationID]bool{}
		for _, n := range p.Neighbours {
			if seen[n.Observation] {
				t.Errorf("observation %d is counted more than once", n.Observation)
			}
			seen[n.Observation] = true
		}
	}
	known()
	if p := f.ask(t, scarlet, fusion.AIMEmb); p.Candidates[0].Label != "Red Bramble" || p.Neighbours[0].Observation == o.ID {
		t.Errorf("the paper's system knows views: %s after observation %d", p.Candidates[0].Label, p.Neighbours[0].Observation)
	}
	f.restart(t)
	known()
	if r, err := identify.Verify(context.Background(), f.Config); err != nil || len(r.Problems) > 0 {
		t.Errorf("%q, %v", r.Problems, err)
	}
	_, err := f.Withdraw(context.Background(), f.Owner, o.ID, c.Identification.ID, identify.Question{})
	must(t, err)
	f.settled(t)
	alike(t, "withdrawn", f.ask(t, scarlet, ""), before, 1e-4)
}

// Whatever the parts of a photo show, the rules of the paper answer as if it had
// none.
func TestViewsAreNotClassified(t *testing.T) {
	var answers [2][]identify.Prediction
	for i, quarter := range []color.RGBA{scarlet, navy} {
		f := newFixture(t)
		f.reds(t)
		f.identify(t, f.upload(t, patched(t, quarter)), "Green Bramble")
		f.settled(t)
		for _, rule := range fusion.Rules() {
			if rule != fusion.Near {
				answers[i] = append(answers[i], f.ask(t, scarlet, rule))
			}
		}
	}
	for i, got := range answers[0] {
		alike(t, string(got.Rule), got, answers[1][i], 0)
	}
}

// guarded is a store that looks whether a lesson has its views when it is taught.
type guarded struct {
	identify.Store
	encoder string
	bare    []identify.PhotoHash
}

func (g *guarded) Teach(ctx context.Context, n identify.NewIdentification) (identify.Identification, identify.Seq, error) {
	o, err := g.Store.Observation(ctx, n.Observation)
	if err != nil {
		return identify.Identification{}, 0, err
	}
	if has, err := g.HasViews(ctx, g.encoder, o.Photo.Hash); err != nil || !has {
		g.bare = append(g.bare, o.Photo.Hash)
	}
	return g.Store.Teach(ctx, n)
}

// No lesson comes into the log before its views are stored, so that a kill in
// between leaves views without a lesson, which do nothing, but never the other way.
func TestViewsAreThereBeforeTheirLesson(t *testing.T) {
	f := newFixture(t)
	g := &guarded{Store: f.Config.Store, encoder: fakeEmbedder{}.Info().Digest}
	f.Config.Store = g
	f.restart(t)
	f.reds(t)
	f.restart(t)
	f.identify(t, f.upload(t, patched(t, scarlet)), "Green Bramble")
	if len(g.bare) > 0 {
		t.Errorf("taught without views: %v", g.bare)
	}
	o := f.upload(t, patched(t, color.RGBA{9, 9, 9, 255}))
	must(t, g.AddViews(context.Background(), g.encoder, []identify.PhotoViews{{Photo: o.Photo.Hash, Vectors: [][]float32{make24(1)}}}, f.Config.Now()))
	f.restart(t) // killed before the lesson
	if got := f.stats(t).Exemplars; got != 7 {
		t.Errorf("%d exemplars, want 7", got)
	}
	if r, err := identify.Verify(context.Background(), f.Config); err != nil || len(r.Problems) > 0 {
		t.Errorf("%q, %v", r.Problems, err)
	}
}

func make24(at int) []float32 {
	v := make([]float32, dim)
	v[at] = 1
	return v
}

// counted counts what an encoder is shown.
type counted struct {
	fakeEmbedder
	mu sync.Mutex
	n  int
}

func (c *counted) EmbedImage(ctx context.Context, img image.Image) ([]float32, error) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	return c.fakeEmbedder.EmbedImage(ctx, img)
}

// However many teach the same photo while its views are being made, they are made
// once.
func TestViewsAreMadeOnce(t *testing.T) {
	f := newFixture(t)
	eye := &counted{}
	f.Config.Embedder = eye
	f.restart(t)
	const photos, people = 5, 4
	var all sync.WaitGroup
	for i := range photos {
		for range people {
			o := f.see(t, shade(i))
			all.Go(func() {
				if _, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Label: "Red Bramble"}, identify.Question{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if want := photos * (people + len(photo.Views())); eye.n != want {
		t.Errorf("%d pictures were embedded, want %d", eye.n, want)
	}
}

// A photo whose file is gone is taught all the same, by its whole alone. Once it
// can be read its views are made in the background, and learned.
func TestALessonWithoutViews(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	f.reds(t)
	info, data := fakeEmbedder{}.Info(), patched(t, scarlet)
	o, err := f.Config.Store.AddObservation(ctx, identify.NewObservation{
		Photo:     identify.Photo{Hash: identify.PhotoHash(photo.Hash(data)), MediaType: "image/png", Bytes: int64(len(data)), Width: 32, Height: 32},
		Embedding: append([]float32{0, 0, 10 * 250 / 255., 3}, make([]float32, dim-4)...), Encoder: info.Digest, Observer: f.Owner.ID, At: f.Config.Now()})
	must(t, err)
	f.identify(t, o, "Green Bramble")
	if p := f.ask(t, scarlet, ""); p.Candidates[0].Label != "Red Bramble" {
		t.Errorf("it is named %s", p.Candidates[0].Label)
	}
	if p := f.ask(t, navy, ""); p.Neighbours[0].Observation != o.ID {
		t.Errorf("the nearest is observation %d", p.Neighbours[0].Observation)
	}
	must(t, f.Config.Photos.Put(ctx, o.Photo.Hash, data, data))
	f.restart(t)
	if p := f.ask(t, scarlet, ""); p.Candidates[0].Label != "Red Bramble" {
		t.Errorf("it was tried again, and is named %s", p.Candidates[0].Label)
	}
	must(t, f.Config.Store.ForgetEmbeddingFailures(ctx, info.Digest))
	f.restart(t)
	wait(t, "its views are learned", func() bool { return f.ask(t, scarlet, "").Candidates[0].Label == "Green Bramble" })
	if r, err := identify.Verify(ctx, f.Config); err != nil || len(r.Problems) > 0 {
		t.Errorf("%q, %v", r.Problems, err)
	}
}

// The only exemplar is the photo itself, to which zero-shot objects no more than it
// did: q = σ(30·(1 - .9)), r = σ(3 + 1) = .982. Without the exemplar's vector r is
// σ(3) = .953.
func TestALessonIsWeighedByWhatZeroShotHadAgainstIt(t *testing.T) {
	f := newFixture(t)
	f.teach(t, navy, "Zorblax quibbi")
	f.settled(t)
	p := f.ask(t, navy, "").Candidates[0]
	if p.Label != "Zorblax quibbi" || p.Probability < .982 {
		t.Errorf("%s, %.4f; want the name that was taught, at least .982", p.Label, p.Probability)
	}
	if p.ZeroShot > .3 {
		t.Errorf("zero-shot says %.2f: the example shows nothing", p.ZeroShot)
	}
}
