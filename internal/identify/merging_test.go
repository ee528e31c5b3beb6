package identify_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
)

// bundled is what a fixture sends to another.
func (f *fixture) bundled(t *testing.T, r identify.BundleRequest) []byte {
	t.Helper()
	o, err := f.Bundle(context.Background(), f.Owner, r)
	must(t, err)
	var b bytes.Buffer
	_, err = o.Write(context.Background(), &b)
	must(t, err)
	return b.Bytes()
}

// planned looks at a bundle.
func (f *fixture) planned(data []byte, d identify.MergeDecisions) (identify.MergePlan, error) {
	b, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return identify.MergePlan{}, err
	}
	sum := sha256.Sum256(data)
	return f.PlanMerge(context.Background(), f.Owner, identify.ImportSource{Name: "a.fieldmark", Digest: hex.EncodeToString(sum[:])}, b, d, quiet)
}

// merge takes a bundle in with what is proposed, but for d.
func (f *fixture) merge(t *testing.T, data []byte, d identify.MergeDecisions) identify.Import {
	t.Helper()
	p, err := f.planned(data, d)
	must(t, err)
	m, err := f.RunMerge(context.Background(), f.Owner, p, quiet)
	must(t, err)
	f.settled(t)
	return m
}

// lesson is a photo and what it is taught as.
type lesson struct {
	colour color.RGBA
	name   string
}

func (f *fixture) named(t *testing.T, list ...lesson) {
	t.Helper()
	for _, l := range list {
		o := f.see(t, l.colour)
		_, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Label: l.name}, identify.Question{})
		must(t, err)
	}
	f.settled(t)
}

// tints are n photos that look alike, but not the same, and their name.
func tints(n int, of color.RGBA, name string) []lesson {
	var list []lesson
	for i := range n {
		c := of
		c.R, c.G, c.B = c.R^uint8(7*i), c.G^uint8(5*i+3), c.B^uint8(11*i)
		list = append(list, lesson{c, name})
	}
	return list
}

// sameAnswers compares what two say of photos, under every rule: the same name, and
// probabilities to within 1e-4.
func sameAnswers(t *testing.T, a, b *fixture, photos []lesson) {
	t.Helper()
	sameUnder(t, a, b, photos, fusion.Near, fusion.AIMEmb, fusion.Exemplar)
}

func sameUnder(t *testing.T, a, b *fixture, photos []lesson, rules ...fusion.Rule) {
	t.Helper()
	for _, rule := range rules {
		for _, l := range photos {
			q := identify.Question{Rule: rule, Top: 20}
			x, err := a.Classify(context.Background(), paint(t, l.colour), q)
			must(t, err)
			y, err := b.Classify(context.Background(), paint(t, l.colour), q)
			must(t, err)
			if x.Candidates[0].Label != y.Candidates[0].Label || x.Total != y.Total {
				t.Errorf("%s, %v: %q of %d and %q of %d", rule, l.colour, x.Candidates[0].Label, x.Total, y.Candidates[0].Label, y.Total)
				continue
			}
			of := map[string]float64{}
			for _, c := range x.Candidates {
				of[c.Label] = c.Probability
			}
			for _, c := range y.Candidates {
				if math.Abs(of[c.Label]-c.Probability) > 1e-4 {
					t.Errorf("%s, %v, %s: %v and %v", rule, l.colour, c.Label, of[c.Label], c.Probability)
				}
			}
		}
	}
}

// roomy is a fixture whose exemplars fit into one leaf.
func roomy(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.Config.Psi = 5000
	f.restart(t)
	return f
}

func palette() []lesson {
	return slices.Concat(tints(14, color.RGBA{230, 20, 20, 255}, "Red Bramble"), tints(13, color.RGBA{10, 220, 30, 255}, "Green Bramble"),
		tints(12, color.RGBA{20, 30, 240, 255}, "Blue Bramble"), tints(9, color.RGBA{120, 60, 20, 255}, "Velvet Moss"))
}

// A bundle of everything makes the same memory of an empty one, with leaves that
// have split (ψ = 20), whether its photos travel or not.
func TestABundleMakesTheSameMemory(t *testing.T) {
	a := newFixture(t)
	a.named(t, palette()...)
	for name, r := range map[string]identify.BundleRequest{"without photos": {}, "with photos": {Photos: true, Thumbnails: true}} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			m := b.merge(t, a.bundled(t, r), identify.MergeDecisions{})
			before, err := a.Stats(context.Background())
			must(t, err)
			after, err := b.Stats(context.Background())
			must(t, err)
			if m.Taught() != 48 || after.Exemplars != before.Exemplars || after.Labels != before.Labels || after.Leaves != before.Leaves || before.Leaves < 2 {
				t.Errorf("%+v: %+v, from %+v", m, after, before)
			}
			sameAnswers(t, a, b, palette())
			verified(t, b)
			b.restart(t)
			sameAnswers(t, a, b, palette()[:5])
			o, err := b.Observation(context.Background(), b.Owner, 1)
			must(t, err)
			if o.Photo.HasFile() != r.Photos || o.Import == nil || o.Import.Name != "a.fieldmark" {
				t.Errorf("%+v", o)
			}
			if r.Photos {
				_, err := b.PhotoFile(context.Background(), identify.User{Role: identify.Curator}, 1, "thumb")
				must(t, err)
			}
		})
	}
}

// Two that take in what the other has end with the same answers, and have nothing
// more to say to one another: in one leaf, whose optimum does not depend on the
// order of lessons.
func TestMergingBothWays(t *testing.T) {
	both := palette()
	both = append(both, lesson{color.RGBA{240, 240, 10, 255}, "Yellow Fern"}, lesson{color.RGBA{10, 240, 240, 255}, "Blue Bramble"})
	a, b := roomy(t), roomy(t)
	a.named(t, both[:30]...)
	b.named(t, both[20:]...)
	// They do not agree about everything: the same photo, and one that is as good
	// as the same.
	a.named(t, lesson{color.RGBA{90, 90, 90, 255}, "Red Bramble"}, lesson{color.RGBA{200, 120, 0, 255}, "Red Bramble"})
	b.named(t, lesson{color.RGBA{90, 90, 90, 255}, "Blue Bramble"}, lesson{color.RGBA{201, 120, 0, 255}, "Green Bramble"})
	fromA, fromB := a.bundled(t, identify.BundleRequest{}), b.bundled(t, identify.BundleRequest{})
	a.merge(t, fromB, identify.MergeDecisions{})
	b.merge(t, fromA, identify.MergeDecisions{})
	sameAnswers(t, a, b, both)
	// Where two names are equally near, the rule Near follows the one that was learned
	// first, which is one's own.
	sameUnder(t, a, b, []lesson{{colour: color.RGBA{90, 90, 90, 255}}, {colour: color.RGBA{200, 120, 0, 255}}}, fusion.AIMEmb, fusion.Exemplar)
	for _, x := range []struct{ from, to *fixture }{{a, b}, {b, a}, {a, a}} {
		p, err := x.to.planned(x.from.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
		must(t, err)
		if p.Take() != 0 || p.Known != p.Manifest.Counts.Exemplars {
			t.Errorf("there is more to say: %d new, %d known of %d", p.New, p.Known, p.Manifest.Counts.Exemplars)
		}
		_, err = x.to.RunMerge(context.Background(), x.to.Owner, p, quiet)
		if identify.KindOf(err) != identify.Conflict {
			t.Errorf("nothing is taken: %v", err)
		}
	}
}

// What is there before anything is done: what is new, known, and at odds.
func TestAMergeIsPlanned(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	grey, orange, almost := color.RGBA{90, 90, 90, 255}, color.RGBA{200, 120, 0, 255}, color.RGBA{201, 120, 0, 255}
	a.named(t, lesson{color.RGBA{255, 0, 0, 255}, "Red Bramble"}, lesson{color.RGBA{0, 255, 0, 255}, "Green Bramble"}, lesson{grey, "Red Bramble"},
		lesson{orange, "Red Bramble"}, lesson{color.RGBA{0, 0, 255, 255}, "Blue Brambel"}, lesson{color.RGBA{0, 0, 90, 255}, "Blue Bramble"})
	b.named(t, lesson{color.RGBA{255, 0, 0, 255}, "Red Bramble"}, lesson{grey, "Green Bramble"}, lesson{almost, "Blue Bramble"},
		lesson{color.RGBA{0, 0, 90, 255}, "Blue Bramble"})
	withdrawn, err := b.Withdraw(context.Background(), b.Owner, 4, 4, identify.Question{})
	must(t, err)
	data := a.bundled(t, identify.BundleRequest{})
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	// New are the green one and the one whose name is misspelt.
	if p.New != 2 || p.Known != 1 || len(p.Groups) != 3 || p.Take() != 4 {
		t.Fatalf("%d new, %d known, %d taken, %+v", p.New, p.Known, p.Take(), p.Groups)
	}
	for i, want := range []identify.MergeGroup{
		{Kind: identify.NearPhoto, Theirs: "Red Bramble", Ours: "Blue Bramble", Rows: 1, Take: true},
		{Kind: identify.SamePhoto, Theirs: "Red Bramble", Ours: "Green Bramble", Rows: 1, Take: true},
		{Kind: identify.TakenBack, Theirs: "Blue Bramble", Ours: "Blue Bramble", Rows: 1},
	} {
		got := p.Groups[i]
		want.Key, want.Examples = got.Key, got.Examples
		if !reflect.DeepEqual(got, want) || len(got.Examples) != 1 || got.Examples[0].Observation == 0 {
			t.Errorf("%+v; want %+v", got, want)
		}
	}
	if len(p.Taxa) != 1 || p.Taxa[0].Taxon.ScientificName != "Blue Brambel" || !p.Taxa[0].Decision.Create ||
		len(p.Taxa[0].Similar) == 0 || p.Taxa[0].Similar[0].EnglishName != "Blue Bramble" {
		t.Fatalf("%+v", p.Taxa)
	}
	if p.Signer.Name != "" || p.Signer.Own || len(p.Signer.Fingerprint) != 32 {
		t.Errorf("%+v", p.Signer)
	}
	stats, err := b.Stats(context.Background())
	must(t, err)
	if stats.Seq != withdrawn.Seq {
		t.Error("a plan taught something")
	}

	// A person decides otherwise.
	d := identify.MergeDecisions{LeaveNew: true, Groups: map[string]bool{p.Groups[0].Key: false, p.Groups[1].Key: false, p.Groups[2].Key: true},
		Taxa: map[int64]identify.TaxonDecision{p.Taxa[0].ID: {Taxon: 5}}}
	p, err = b.planned(data, d)
	must(t, err)
	if p.Take() != 1 {
		t.Fatalf("%+v", p)
	}
	d.LeaveNew = false
	m := b.merge(t, data, d)
	if m.Taught() != 3 || m.Known != 0 || m.Kind != "bundle" {
		t.Errorf("%+v", m)
	}
	blue, err := b.Classify(context.Background(), paint(t, color.RGBA{0, 0, 255, 255}), identify.Question{Rule: fusion.Exemplar})
	must(t, err)
	if blue.Candidates[0].Label != "Blue Bramble" {
		t.Errorf("%+v", blue.Candidates[0])
	}
	if _, err := b.planned(data, d); identify.KindOf(err) != identify.Conflict {
		t.Errorf("the same bundle again: %v", err)
	}
	// What was decided about a name is remembered.
	a.named(t, lesson{color.RGBA{0, 10, 240, 255}, "Blue Brambel"})
	p, err = b.planned(a.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	must(t, err)
	if len(p.Taxa) != 0 || p.Known != 4 {
		t.Errorf("%+v", p)
	}
}

// A merge is taken back as a whole, and taken in again.
func TestAMergeIsWithdrawn(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	a.named(t, palette()...)
	own := tints(6, color.RGBA{200, 180, 30, 255}, "Red Bramble")
	b.named(t, own...)
	before := newFixture(t)
	before.named(t, own...)
	data := a.bundled(t, identify.BundleRequest{})
	m := b.merge(t, data, identify.MergeDecisions{})
	if _, err := b.WithdrawImport(context.Background(), b.Owner, m.ID, quiet); err != nil {
		t.Fatal(err)
	}
	b.settled(t)
	sameAnswers(t, before, b, own)
	verified(t, b)
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	if p.Take() != 48 || p.Resumes != nil {
		t.Errorf("again: %+v", p)
	}
}

// A merge that is broken off goes on with what was decided, whatever was taught
// meanwhile.
func TestAMergeGoesOn(t *testing.T) {
	a, b, whole := roomy(t), roomy(t), roomy(t)
	file := labelled()
	for i := range 2300 {
		file.rows = append(file.rows, identify.EmbeddingRow{Label: fmt.Sprintf("Moss %c", 'a'+i%3), Embedding: embedding(color.RGBA{uint8(i), 200, uint8(i >> 8), 255})})
	}
	a.take(t, "d", file)
	data := a.bundled(t, identify.BundleRequest{})
	d := identify.MergeDecisions{}
	p, err := b.planned(data, d)
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	if _, err := b.RunMerge(ctx, b.Owner, p, func(identify.ImportProgress) { stop() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	b.restart(t)
	b.named(t, lesson{color.RGBA{1, 2, 3, 255}, "Moss c"})
	p, err = b.planned(data, identify.MergeDecisions{LeaveNew: true})
	must(t, err)
	if p.Resumes == nil || p.Resumes.Done != 1000 {
		t.Fatalf("%+v", p.Resumes)
	}
	m, err := b.RunMerge(context.Background(), b.Owner, p, quiet)
	must(t, err)
	if m.Taught() != 2300 || m.Unfinished() {
		t.Errorf("%+v", m)
	}
	whole.merge(t, data, identify.MergeDecisions{})
	x, err := b.Stats(context.Background())
	must(t, err)
	y, err := whole.Stats(context.Background())
	must(t, err)
	if x.Exemplars != y.Exemplars+1 || x.Labels != y.Labels {
		t.Errorf("%+v, %+v", x, y)
	}
}

// A bundle of the whole log has what was withdrawn, which is not taught.
func TestTheWholeLogTravels(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	a.named(t, palette()[:5]...)
	_, err := a.Withdraw(context.Background(), a.Owner, 2, 2, identify.Question{})
	must(t, err)
	p, err := b.planned(a.bundled(t, identify.BundleRequest{Span: identify.LessonSpan{Withdrawn: true}}), identify.MergeDecisions{})
	must(t, err)
	if p.Withdrawn != 1 || p.New != 4 || p.Manifest.Scope != bundle.WholeLog {
		t.Errorf("%+v", p)
	}
	p, err = b.planned(a.bundled(t, identify.BundleRequest{Span: identify.LessonSpan{From: 2, To: 4}}), identify.MergeDecisions{})
	must(t, err)
	if p.New != 2 || p.Manifest.Log != (bundle.LogRange{From: 3, To: 4}) {
		t.Errorf("%+v", p.Manifest)
	}
}

// otherEmbedder is another encoder: it sees the same in another order.
type otherEmbedder struct{ fakeEmbedder }

func (otherEmbedder) Info() identify.EncoderInfo {
	i := fakeEmbedder{}.Info()
	i.Name, i.Digest = "other", strings.Repeat("0", 64)
	return i
}

// A bundle of another encoder is read anew where its photos travel with it, and
// refused where they do not.
func TestABundleOfAnotherEncoder(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	a.named(t, palette()...)
	b.Config.Embedder = otherEmbedder{}
	b.restart(t)
	_, err := b.planned(a.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	var e *identify.Error
	if !errors.As(err, &e) || e.Field != "encoder" || !strings.Contains(e.Message, "with the photos") {
		t.Errorf("%v", err)
	}
	data := a.bundled(t, identify.BundleRequest{Photos: true})
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	if !p.Reembed || p.New != 48 {
		t.Errorf("%+v", p)
	}
	b.merge(t, data, identify.MergeDecisions{})
	sameAnswers(t, a, b, palette()) // the other encoder happens to see the same
	verified(t, b)
}

// Whose a bundle is: unknown at first, then vouched for.
func TestSigners(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	ctx := context.Background()
	must(t, a.RenameSite(ctx, a.Owner, "Lab  A"))
	a.named(t, palette()[:2]...)
	data := a.bundled(t, identify.BundleRequest{})
	site, err := a.Site(ctx, a.Owner)
	must(t, err)
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	if p.Signer.Name != "" || p.Signer.Fingerprint != site.Fingerprint() || p.Manifest.Instance.Name != "Lab A" {
		t.Errorf("%+v", p.Signer)
	}
	must(t, b.KnowSigner(ctx, b.Owner, p.Signer.Key, "Lab A, by telephone"))
	p, err = b.planned(data, identify.MergeDecisions{})
	must(t, err)
	if p.Signer.Name != "Lab A, by telephone" {
		t.Errorf("%+v", p.Signer)
	}
	list, err := b.Signers(ctx, b.Owner)
	must(t, err)
	if len(list) != 1 || list[0].ByName != b.Owner.Name {
		t.Errorf("%+v", list)
	}
	must(t, b.ForgetSigner(ctx, b.Owner, p.Signer.Key))
	if err := b.ForgetSigner(ctx, b.Owner, p.Signer.Key); identify.KindOf(err) != identify.NotFound {
		t.Error(err)
	}
	if err := b.KnowSigner(ctx, b.Owner, []byte("short"), "x"); identify.KindOf(err) != identify.Invalid {
		t.Error(err)
	}
	p, err = a.planned(data, identify.MergeDecisions{})
	must(t, err)
	if !p.Signer.Own || p.Known != 2 {
		t.Errorf("%+v", p)
	}
	for _, u := range []identify.User{{ID: 9, Role: identify.Expert}, {ID: 9, Role: identify.Viewer}} {
		if _, err := a.Bundle(ctx, u, identify.BundleRequest{}); identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s: %v", u.Role, err)
		}
		if err := a.RenameSite(ctx, u, "x"); identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s: %v", u.Role, err)
		}
	}
}

// Where an observation was first, and who taught it there, is kept through other
// hands.
func TestProvenanceTravels(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	lat, lon := 47.5, -8.25
	when := time.Date(2026, 4, 1, 8, 30, 0, 0, time.FixedZone("", 7200))
	up := identify.Upload{Photo: paint(t, color.RGBA{9, 8, 7, 255})}
	up.Latitude, up.Longitude, up.ObservedAt, up.License, up.RightsHolder, up.Notes = &lat, &lon, &when, "CC-BY-4.0", "Ada", "under a stone"
	o, _, err := a.Observe(context.Background(), a.Owner, up, identify.Question{})
	must(t, err)
	_, err = a.Identify(context.Background(), a.Owner, o.ID, identify.Answer{Label: "Velvet Moss"}, identify.Question{})
	must(t, err)
	b.merge(t, a.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	got, err := b.Observation(context.Background(), b.Owner, 1)
	must(t, err)
	if *got.Latitude != lat || !got.ObservedAt.Equal(when) || got.License != "CC-BY-4.0" || got.RightsHolder != "Ada" || got.Notes != "under a stone" {
		t.Errorf("%+v", got)
	}
	data := b.bundled(t, identify.BundleRequest{})
	f, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	site, err := a.Site(context.Background(), a.Owner)
	must(t, err)
	must(t, f.Each(func(r bundle.Row) error {
		x := r.Exemplar
		if x.Observation != (bundle.Origin{Instance: site.ID, ID: int64(o.ID)}) || x.TaughtBy != a.Owner.Name || !x.TaughtAt.Equal(a.Config.Now()) {
			t.Errorf("%+v", x)
		}
		return nil
	}))
	taxa, err := f.Taxa()
	must(t, err)
	first := bundle.Origin{Instance: site.ID, ID: int64(identify.FirstLocalTaxon)}
	if len(taxa) != 1 || len(taxa[0].Local) != 2 || taxa[0].Local[1] != first {
		t.Errorf("%+v", taxa)
	}
}

// A photo of which only the embedding came has its file once somebody brings it.
func TestAPhotoFollowsItsEmbedding(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	l := palette()[0]
	a.named(t, l)
	b.merge(t, a.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	b.see(t, l.colour)
	o, err := b.Observation(context.Background(), b.Owner, 1)
	must(t, err)
	if _, err := b.PhotoFile(context.Background(), identify.User{Role: identify.Curator}, 1, "original"); err != nil || !o.Photo.HasFile() {
		t.Errorf("%+v, %v", o.Photo, err)
	}
	verified(t, b)
}
