package identify_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/photo"
)

// shelf is the encoders of these tests: the fake one, and others that see the
// same colours in more dimensions.
type shelf struct {
	mu   sync.Mutex
	open map[string]*variant
}

func (s *shelf) Installed() ([]identify.InstalledEncoder, error) {
	list := []identify.InstalledEncoder{{Model: "fake", Title: "fake", Digest: fakeEmbedder{}.Info().Digest, Dim: dim}}
	for _, name := range []string{"other", "third", "broken"} {
		info := (&variant{name: name}).Info()
		list = append(list, identify.InstalledEncoder{Model: name, Title: name, Digest: info.Digest, Dim: info.Dim})
	}
	return append(list, identify.InstalledEncoder{Model: "damaged", Fault: identify.PlainNotice("its manifest cannot be read")}), nil
}

func (s *shelf) Open(_ context.Context, model string) (identify.OpenEncoder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if model == "broken" {
		return nil, errors.New("its weights are damaged")
	}
	v := &variant{name: model}
	if s.open == nil {
		s.open = map[string]*variant{}
	}
	s.open[model] = v
	return v, nil
}

// variant sees what fakeEmbedder sees, in more dimensions, and counts.
type variant struct {
	fakeEmbedder
	name   string
	seen   atomic.Int32
	hold   chan struct{} // a photo is only seen once something comes out; nil: at once
	closed atomic.Bool
}

func (v *variant) Info() identify.EncoderInfo {
	info := fakeEmbedder{}.Info()
	info.Name, info.Digest, info.Dim = v.name, strings.Repeat(v.name[:1], 64), dim+len(v.name)
	return info
}

func (v *variant) Close() error { v.closed.Store(true); return nil }

func (v *variant) EmbedImage(ctx context.Context, img image.Image) ([]float32, error) {
	if v.hold != nil {
		select {
		case <-v.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if v.closed.Load() {
		return nil, errors.New("closed")
	}
	v.seen.Add(1)
	x, err := v.fakeEmbedder.EmbedImage(ctx, img)
	return append(x, make([]float32, len(v.name))...), err
}

func (v *variant) EmbedNames(ctx context.Context, names [][]string) ([][]float32, error) {
	rows, err := v.fakeEmbedder.EmbedNames(ctx, names)
	for i := range rows {
		rows[i] = append(rows[i], make([]float32, len(v.name))...)
	}
	return rows, err
}

// withShelf is a fixture with encoders to choose from; photos are in dir.
func withShelf(t *testing.T) (f *fixture, s *shelf, dir string) {
	t.Helper()
	f, s, dir = &fixture{}, &shelf{}, t.TempDir()
	f.open(t, dir)
	f.Config.Model, f.Config.Installed = "fake", s
	f.restart(t)
	return f, s, dir
}

// teach shows a photo and says what it is.
func (f *fixture) teach(t *testing.T, c color.RGBA, label string) identify.Observation {
	t.Helper()
	o := f.see(t, c)
	_, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Label: label}, identify.Question{})
	must(t, err)
	return o
}

// wait until something holds.
func wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func (f *fixture) use(t *testing.T, model string) {
	t.Helper()
	must(t, f.UseEncoder(context.Background(), f.Owner, model))
	f.served(t, model)
}

func (f *fixture) served(t *testing.T, model string) {
	t.Helper()
	wait(t, model+" serves", func() bool { return f.stats(t).Encoder.Name == model && f.EncoderWork() == nil })
}

func (f *fixture) stats(t *testing.T) identify.Stats {
	t.Helper()
	s, err := f.Stats(context.Background())
	must(t, err)
	return s
}

// digest is that of the memory as it is folded from the log.
func (f *fixture) digest(t *testing.T, e identify.Embedder) string {
	t.Helper()
	c := f.Config
	c.Embedder = e
	r, err := identify.Verify(context.Background(), c)
	must(t, err)
	if len(r.Problems) > 0 {
		t.Errorf("%s: %q", e.Info().Name, r.Problems)
	}
	return r.Digest
}

// shade is one of many colours, each a photo of its own.
func shade(i int) color.RGBA { return color.RGBA{uint8(10 + i), uint8(200 - i), uint8(3 * i), 255} }

// Another encoder is given the whole log, and answers from it.
func TestAnotherEncoderServesWithTheWholeMemory(t *testing.T) {
	f, s, _ := withShelf(t)
	for i := range 20 {
		f.teach(t, shade(i), fmt.Sprintf("Berry %c", 'A'+i%3))
	}
	f.teach(t, purple, "Jabber berry")
	f.see(t, green) // never taught: embedded all the same
	f.use(t, "other")
	stats := f.stats(t)
	if stats.Exemplars != 21 || stats.Seq != 21 || stats.Labels != 4 {
		t.Errorf("%+v", stats)
	}
	if n, want := int(s.open["other"].seen.Load()), 22+21*len(photo.Views()); n != want {
		t.Errorf("%d pictures were embedded, want %d: 22 photos and the views of those that were taught", n, want)
	}
	p, err := f.Classify(context.Background(), paint(t, violet), identify.Question{})
	must(t, err)
	if p.Encoder != "other" || p.Candidates[0].Label != "Jabber berry" {
		t.Errorf("%s says %s", p.Encoder, p.Candidates[0].Label)
	}
	f.digest(t, &variant{name: "other"})
	f.digest(t, fakeEmbedder{})
}

// What was taught to one encoder's memory meanwhile is in the other's too, and
// to go back takes no embedding.
func TestSwitchingBackIsInstant(t *testing.T) {
	f, s, _ := withShelf(t)
	for i := range 5 {
		f.teach(t, shade(i), "Berry")
	}
	f.use(t, "other")
	for i := range 5 {
		f.teach(t, shade(50+i), "Nut")
	}
	o := f.see(t, purple) // not taught: fake has not seen it
	f.use(t, "fake")
	if got := f.stats(t); got.Exemplars != 10 || got.Labels != 2 || got.Seq != 10 {
		t.Errorf("%+v", got)
	}
	if _, err := f.Predict(context.Background(), o.ID, identify.Question{}); err != nil {
		t.Errorf("a photo that came in under the other encoder: %v", err)
	}
	seen := s.open["other"].seen.Load()
	f.use(t, "other")
	if n := s.open["other"].seen.Load() - seen; n != 0 {
		t.Errorf("to switch back, %d photos were embedded again", n)
	}
	if s.open["other"].closed.Load() {
		t.Error("an encoder that serves was closed")
	}
	f.use(t, "third")
	f.use(t, "fake") // fake had to make room for third
	wait(t, "other is closed", s.open["other"].closed.Load)
	if got := f.stats(t); got.Exemplars != 10 {
		t.Errorf("%+v", got)
	}
}

// The old memory answers and learns while photos are embedded for the new one;
// what is taught meanwhile is in both.
func TestTeachingWhilePhotosAreEmbedded(t *testing.T) {
	f, s, _ := withShelf(t)
	for i := range 40 {
		f.teach(t, shade(i), "Berry")
	}
	must(t, f.UseEncoder(context.Background(), f.Owner, "other"))
	var people sync.WaitGroup
	for person := range 3 {
		people.Go(func() {
			for i := range 15 {
				o, _, err := f.Observe(context.Background(), f.Owner, identify.Upload{Photo: paint(t, shade(60+person*20+i))}, identify.Question{})
				if err != nil {
					t.Error(err)
					return
				}
				c, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Label: fmt.Sprintf("Nut %c", 'A'+person)}, identify.Question{})
				if err != nil {
					t.Error(err)
				} else if c.After.Seq < c.Seq || c.Before.Encoder != c.After.Encoder {
					t.Errorf("before %s, after %s at %d of %d", c.Before.Encoder, c.After.Encoder, c.After.Seq, c.Seq)
				}
			}
		})
	}
	people.Wait()
	f.served(t, "other")
	f.settled(t)
	if got := f.stats(t); got.Exemplars != 85 || got.Seq != 85 {
		t.Errorf("%+v", got)
	}
	if got, want := f.digest(t, s.open["other"]), f.digest(t, &variant{name: "other"}); got != want {
		t.Errorf("folded %s, want %s", got, want)
	}
}

// What was embedded before a stop is not embedded again.
func TestEmbeddingGoesOnAfterAStop(t *testing.T) {
	f, s, _ := withShelf(t)
	for i := range 30 {
		f.teach(t, shade(i), "Berry")
	}
	ctx := context.Background()
	must(t, f.UseEncoder(ctx, f.Owner, "other"))
	digest := (&variant{name: "other"}).Info().Digest
	wait(t, "some photos are embedded", func() bool {
		n, err := f.Config.Store.EmbeddingCounts(ctx, digest)
		must(t, err)
		return n.Embedded > 0
	})
	must(t, f.Service.Close())
	before, err := f.Config.Store.EmbeddingCounts(ctx, digest)
	must(t, err)
	f.restart(t)
	f.served(t, "other")
	if n, want := int(s.open["other"].seen.Load()), (30-before.Embedded)*(1+len(photo.Views())); n != want {
		t.Errorf("%d photos were embedded before the stop, %d pictures after it, want %d", before.Embedded, n, want)
	}
	if got := f.stats(t); got.Exemplars != 30 {
		t.Errorf("%+v", got)
	}
}

func TestPauseResumeAndCancel(t *testing.T) {
	f, _, _ := withShelf(t)
	ctx := context.Background()
	for i := range 4 {
		f.teach(t, shade(i), "Berry")
	}
	must(t, f.PauseEncoder(ctx, f.Owner, true))
	wait(t, "nothing is to be done", func() bool { return f.EncoderWork() == nil })
	must(t, f.UseEncoder(ctx, f.Owner, "other")) // who asks anew means it
	f.served(t, "other")

	f.see(t, purple)
	must(t, f.PauseEncoder(ctx, f.Owner, true))
	must(t, f.Service.Close())
	f.Config.Embedder, f.Config.Model = &variant{name: "third"}, "third"
	f.restart(t)
	wait(t, "the pause is said", func() bool { w := f.EncoderWork(); return w != nil && w.Paused && w.Total == 5 })
	if got := f.stats(t); got.Exemplars != 0 || got.Work.Done != 0 {
		t.Errorf("it went on: %+v", got)
	}
	must(t, f.PauseEncoder(ctx, f.Owner, false))
	wait(t, "all is embedded", func() bool { return f.EncoderWork() == nil && f.stats(t).Exemplars == 4 })

	must(t, f.UseEncoder(ctx, f.Owner, "broken"))
	wait(t, "the problem is said", func() bool { w := f.EncoderWork(); return w != nil && w.Problem.Format != "" })
	if w := f.EncoderWork(); !strings.Contains(w.Problem.String(), "weights are damaged") || !w.Switch || f.stats(t).Encoder.Name != "third" {
		t.Errorf("%+v", w)
	}
	must(t, f.CancelEncoder(ctx, f.Owner))
	wait(t, "nothing is to be done", func() bool { return f.EncoderWork() == nil })
}

// After an upgrade the built-in encoder may have other weights: what was taught
// comes back as the photos are embedded, and the memory is what the log folds to.
func TestAStartWithAnEncoderThatHasReadNothing(t *testing.T) {
	f, _, _ := withShelf(t)
	ctx := context.Background()
	for i := range 30 {
		o := f.teach(t, shade(i), fmt.Sprintf("Berry %c", 'A'+i%2))
		if i%5 == 0 {
			o, err := f.Observation(ctx, f.Owner, o.ID)
			must(t, err)
			_, err = f.Withdraw(ctx, f.Owner, o.ID, o.Identifications[0].ID, identify.Question{})
			must(t, err)
		}
	}
	must(t, f.Service.Close())
	newer := &variant{name: "newer", hold: make(chan struct{})}
	f.Config.Embedder = newer
	f.restart(t)
	wait(t, "the work is said", func() bool { w := f.EncoderWork(); return w != nil && w.Total == 30 && !w.Switch })
	done := make(chan struct{})
	go func() { // teaching works meanwhile; the photos are held
		defer close(done)
		f.teach(t, purple, "Jabber berry")
	}()
	close(newer.hold)
	<-done
	wait(t, "all is embedded", func() bool { return f.EncoderWork() == nil })
	wait(t, "all is learned", func() bool { return f.stats(t).Exemplars == 25 })
	if got := f.stats(t); got.Encoder.Name != "newer" {
		t.Errorf("%+v", got)
	}
	f.digest(t, newer)
}

// A photo whose file is missing or damaged stops nothing, is listed with what it
// taught, and comes back when it is uploaded again.
func TestLessonsWithoutAPhoto(t *testing.T) {
	f, s, dir := withShelf(t)
	ctx := context.Background()
	for i := range 6 {
		f.teach(t, shade(i), "Berry")
	}
	lost, damaged := f.teach(t, purple, "Jabber berry"), f.teach(t, green, "Green Bramble")
	file := func(o identify.Observation) string {
		h := string(o.Photo.Hash)
		return filepath.Join(dir, "photos", h[:2], h)
	}
	must(t, os.Remove(file(lost)))
	must(t, os.WriteFile(file(damaged), []byte("not what it was"), 0o600))
	f.use(t, "other")
	if got := f.stats(t); got.Exemplars != 6 || got.Seq != 8 {
		t.Errorf("%+v", got)
	}
	list, total, err := f.LostLessons(ctx, f.Owner, "other", 10)
	must(t, err)
	if total != 2 || len(list) != 2 || list[0].Observation != damaged.ID || list[0].Label != "Green Bramble" || !strings.Contains(list[0].Reason.String(), "damaged") ||
		list[1].Observation != lost.ID || list[1].Label != "Jabber berry" || !strings.Contains(list[1].Reason.String(), "missing") || list[1].TaughtBy == "" {
		t.Errorf("%d: %+v", total, list)
	}
	c := f.Config
	c.Embedder = s.open["other"]
	// Verify says how many there are, and finds fault with the files alone.
	r, err := identify.Verify(ctx, c)
	must(t, err)
	if r.Lost != 2 || r.Exemplars != 6 || len(r.Problems) != 2 || !strings.HasPrefix(r.Problems[0], "photo ") || !strings.HasPrefix(r.Problems[1], "photo ") {
		t.Errorf("verified: %+v", r)
	}
	f.see(t, purple) // the same bytes again
	wait(t, "the lesson is back", func() bool { return f.stats(t).Exemplars == 7 })
	f.use(t, "fake")
	if got := f.stats(t); got.Exemplars != 8 {
		t.Errorf("under the encoder that had read them: %+v", got)
	}
	must(t, os.WriteFile(file(damaged), paint(t, green), 0o600))
	must(t, f.RetryPhotos(ctx, f.Owner, "other"))
	f.use(t, "other")
	if got := f.stats(t); got.Exemplars != 8 {
		t.Errorf("once the file was mended: %+v", got)
	}
}

func TestTwoEncodersAreCompared(t *testing.T) {
	f, s, _ := withShelf(t)
	ctx := context.Background()
	o := f.teach(t, purple, "Jabber berry")
	list, err := f.CompareObservation(ctx, f.Owner, o.ID, []string{"fake", "other"}, identify.Question{})
	must(t, err)
	if a, b := list[0], list[1]; a.Prediction.Encoder != "fake" || a.Exemplars != 1 || a.Prediction.Candidates[0].Label != "Jabber berry" || !a.Encoder.Serving ||
		b.Prediction.Encoder != "other" || b.Exemplars != 0 || b.Prediction.Candidates[0].Label == "Jabber berry" {
		t.Errorf("%+v", list)
	}
	if got := f.stats(t); got.Encoder.Name != "fake" {
		t.Errorf("to compare is not to choose: %s serves", got.Encoder.Name)
	}
	opened := s.open["other"]
	f.use(t, "other")
	if s.open["other"] != opened {
		t.Error("an encoder that is open was opened again")
	}
	list, err = f.ComparePhoto(ctx, f.Owner, paint(t, violet), []string{"fake", "other"}, identify.Question{})
	must(t, err)
	for _, x := range list {
		if x.Prediction.Candidates[0].Label != "Jabber berry" || x.Exemplars != 1 {
			t.Errorf("%+v", x)
		}
	}
	if _, err = f.ComparePhoto(ctx, f.Owner, paint(t, violet), []string{"fake", "none-such"}, identify.Question{}); identify.KindOf(err) != identify.NotFound {
		t.Errorf("%v", err)
	}
}

// An encoder that the command line named serves, whatever was wished before; a
// wish made since counts.
func TestAnEarlierWishDoesNotCountAgainstAPinnedEncoder(t *testing.T) {
	f, _, _ := withShelf(t)
	ctx := context.Background()
	f.teach(t, red, "Berry")
	must(t, f.Service.Close())
	_, err := f.Config.Store.WantEncoder(ctx, "other")
	must(t, err)
	f.Config.Pinned = true
	f.restart(t)
	must(t, f.PauseEncoder(ctx, f.Owner, false))
	f.teach(t, green, "Green Bramble")
	time.Sleep(20 * time.Millisecond)
	if got := f.stats(t); got.Encoder.Name != "fake" || got.Work != nil {
		t.Errorf("%+v", got)
	}
	f.use(t, "other")
	choice, err := f.Config.Store.EncoderChoice(ctx)
	must(t, err)
	if choice.Serving != "other" || choice.Wanted != "" {
		t.Errorf("%+v", choice)
	}
}

func TestWhoMayChangeTheEncoder(t *testing.T) {
	f, _, _ := withShelf(t)
	ctx := context.Background()
	as := func(r identify.Role) identify.User { return identify.User{ID: f.Owner.ID, Role: r} }
	for name, do := range map[string]func(u identify.User) error{
		"use":    func(u identify.User) error { return f.UseEncoder(ctx, u, "fake") },
		"pause":  func(u identify.User) error { return f.PauseEncoder(ctx, u, false) },
		"cancel": func(u identify.User) error { return f.CancelEncoder(ctx, u) },
		"retry":  func(u identify.User) error { return f.RetryPhotos(ctx, u, "fake") },
	} {
		if err := do(as(identify.Curator)); identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s as curator: %v", name, err)
		}
		must(t, do(as(identify.Admin)))
	}
	if _, err := f.EncoderStates(ctx, as(identify.Expert)); identify.KindOf(err) != identify.Forbidden {
		t.Errorf("look as expert: %v", err)
	}
	states, err := f.EncoderStates(ctx, as(identify.Curator))
	must(t, err)
	if len(states) != 5 || !states[0].Serving || states[1].Serving || states[4].Fault.Format == "" {
		t.Errorf("%+v", states)
	}
	if err := f.UseEncoder(ctx, as(identify.Admin), "damaged"); identify.KindOf(err) != identify.Invalid {
		t.Errorf("a damaged encoder: %v", err)
	}
	if err := f.UseEncoder(ctx, as(identify.Admin), "none-such"); identify.KindOf(err) != identify.NotFound {
		t.Errorf("an encoder that is not there: %v", err)
	}
}
