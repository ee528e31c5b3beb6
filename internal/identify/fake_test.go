package identify_test

import (
	"bytes"
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
)

const dim = 24

// fakeEmbedder sees one thing in a photo, its mean colour, and knows the names
// of three colours; every other name has a direction of its own, drawn from
// its text.
type fakeEmbedder struct{}

func (fakeEmbedder) Info() identify.EncoderInfo {
	return identify.EncoderInfo{
		Name: "fake", Digest: strings.Repeat("f", 64), Dim: dim, LogitScale: 20,
		Names: []string{"scientific", "english"}, NearSlope: 30, NearMid: 0.9,
		Seen: map[string]bool{"Rubus ruber": true, "Rubus glaucus": true, "Rubus blavus": true},
	}
}

func (fakeEmbedder) EmbedImage(_ context.Context, img image.Image) ([]float32, error) {
	v := make([]float32, dim)
	r, g, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	for i, c := range []uint32{r, g, b} {
		v[i] = 10 * float32(c) / 65535
	}
	v[3] = 3
	return v, nil
}

func (fakeEmbedder) EmbedNames(_ context.Context, names [][]string) ([][]float32, error) {
	out := make([][]float32, len(names))
	for i, entry := range names {
		out[i] = make([]float32, dim)
		if c := strings.Index("rgb", entry[0][strings.Index(entry[0], " ")+1:][:1]); c >= 0 && len(entry) > 1 {
			out[i][c] = 1
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(strings.ToLower(strings.Join(entry, "|"))))
		rnd, sum := rand.New(rand.NewPCG(h.Sum64(), 1)), 0.0
		for d := 4; d < dim; d++ {
			x := rnd.NormFloat64()
			out[i][d], sum = float32(x), sum+x*x
		}
		for d := range out[i] {
			out[i][d] /= float32(math.Sqrt(sum))
		}
	}
	return out, nil
}

// unseen is a taxon that the photo tower has never learned to see.
const unseen identify.TaxonID = 6

// vocabularyForTests is four species of one family.
func vocabularyForTests() []identify.Taxon {
	return []identify.Taxon{
		{ID: 1, ScientificName: "Plantae", EnglishName: "Plants", Rank: "kingdom"},
		{ID: 2, ScientificName: "Rosaceae", EnglishName: "Rose Family", Rank: "family", Parent: 1},
		{ID: 3, ScientificName: "Rubus ruber", EnglishName: "Red Bramble", Rank: "species", Parent: 2, Group: "plants"},
		{ID: 4, ScientificName: "Rubus glaucus", EnglishName: "Green Bramble", Rank: "species", Parent: 2, Group: "plants"},
		{ID: 5, ScientificName: "Rubus blavus", EnglishName: "Blue Bramble", Rank: "species", Parent: 2, Group: "plants"},
		{ID: unseen, ScientificName: "Rubus ignotus", EnglishName: "Hidden Bramble", Rank: "species", Parent: 2, Group: "plants"},
	}
}

// fixture is a service over a real store in a temporary folder.
type fixture struct {
	*identify.Service
	Config identify.Config
	Owner  identify.User
	seen   int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{}
	f.open(t, t.TempDir())
	return f
}

func (f *fixture) open(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, filepath.Join(dir, "test.db"))
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	must(t, st.SeedTaxa(ctx, vocabularyForTests(), "test"))
	sets, err := st.SeedLabelSets(ctx, []store.BuiltinSet{{Key: "all", Name: "Everything", Taxa: []identify.TaxonID{3, 4, 5, unseen}}}, "test")
	must(t, err)
	must(t, st.RegisterEncoder(ctx, fakeEmbedder{}.Info()))
	f.Owner, err = st.Owner(ctx)
	must(t, err)
	photos, err := photofile.Open(dir)
	must(t, err)
	f.Config = identify.Config{Store: st, Photos: photos, Embedder: fakeEmbedder{}, DefaultSet: sets["all"],
		Rule: fusion.Near, Psi: 20, Now: func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }}
	f.restart(t)
}

// restart folds the log anew, as a new process would.
func (f *fixture) restart(t *testing.T) {
	t.Helper()
	if f.Service != nil {
		must(t, f.Service.Close())
	}
	s, err := identify.New(context.Background(), f.Config)
	must(t, err)
	f.Service = s
	t.Cleanup(func() { must(t, s.Close()) })
}

// see stores a photo of one colour as a new observation.
func (f *fixture) see(t *testing.T, c color.RGBA) identify.Observation {
	t.Helper()
	f.seen++
	o, _, err := f.Observe(context.Background(), f.Owner, identify.Upload{Photo: paint(t, c), Again: strconv.Itoa(f.seen)}, identify.Question{})
	must(t, err)
	return o
}

// settled waits until nothing is left to consolidate.
func (f *fixture) settled(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		stats, err := f.Stats(context.Background())
		must(t, err)
		if stats.Pending == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still %d events to consolidate", stats.Pending)
		}
	}
}

func paint(t *testing.T, c color.RGBA) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for y := range 32 {
		for x := range 32 {
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
