package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
)

// colours is an encoder: a photo is its mean colour, a name a random direction.
type colours struct{}

func (colours) Info() identify.EncoderInfo {
	return identify.EncoderInfo{Name: "colours", Digest: "sha256:colours", Dim: 4, LogitScale: 20, Names: []string{"scientific", "english"}, NearSlope: 50, NearMid: 0.9}
}

func (colours) EmbedImage(_ context.Context, img image.Image) ([]float32, error) {
	r, g, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	return []float32{float32(r) / 65535, float32(g) / 65535, float32(b) / 65535, 0.1}, nil
}

func (colours) EmbedNames(_ context.Context, names [][]string) ([][]float32, error) {
	rows := make([][]float32, len(names))
	for i, list := range names {
		h := fnv.New64a()
		h.Write([]byte(list[0]))
		rng := rand.New(rand.NewPCG(h.Sum64(), 1))
		v, norm := make([]float32, 4), 0.0
		for j := range v {
			x := rng.NormFloat64()
			v[j], norm = float32(x), norm+x*x
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm))
		}
		rows[i] = v
	}
	return rows, nil
}

// plainPNG is a PNG of one colour.
func plainPNG(t *testing.T, c color.Color) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.Set(i%64, i/64, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// whole is the API over the real domain and the real store.
func whole(t *testing.T) (http.Handler, identify.User) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	st, err := store.Open(ctx, filepath.Join(dir, "fieldmark.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	var ids map[string]identify.LabelSetID
	photos, err := photofile.Open(dir)
	if err == nil {
		err = st.RegisterEncoder(ctx, colours{}.Info())
	}
	if err == nil {
		err = st.SeedTaxa(ctx, []identify.Taxon{
			{ID: 1, ScientificName: "Passer", EnglishName: "Sparrows", Rank: "genus"},
			{ID: 2, ScientificName: "Passer domesticus", EnglishName: "House Sparrow", Rank: "species", Parent: 1},
			{ID: 3, ScientificName: "Passer montanus", EnglishName: "Tree Sparrow", Rank: "species", Parent: 1},
		}, "1")
	}
	if err == nil {
		ids, err = st.SeedLabelSets(ctx, []store.BuiltinSet{{Key: "all", Name: "All", Taxa: []identify.TaxonID{2, 3}}}, "1")
	}
	if err != nil {
		t.Fatal(err)
	}
	service, err := identify.New(ctx, identify.Config{Store: st, Photos: photos, Embedder: colours{}, DefaultSet: ids["all"],
		Rule: "near", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	owner, err := st.Owner(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(service, Options{Log: slog.New(slog.DiscardHandler), Bundles: service, Checklists: service})
	if err != nil {
		t.Fatal(err)
	}
	return h, owner
}

// A photo is taught a name that nothing had, is named so, and the lesson is
// taken back.
func TestFromAPhotoToALesson(t *testing.T) {
	h, owner := whole(t)
	red := plainPNG(t, color.RGBA{200, 10, 10, 255})
	contentType, body := form(t, "photo", red, "notes", "=by the wall")
	before := decode[observed](t, ask(h, owner, http.MethodPost, "/api/v1/observations", contentType, body), 201)
	if len(before.Predictions) != 2 || before.MemorySeq != 0 || before.Neighbours == nil {
		t.Fatalf("%+v", before)
	}
	teach := fmt.Sprintf("/api/v1/observations/%d/identifications", before.ID)
	lesson := decode[correction](t, ask(h, owner, http.MethodPost, teach, "application/json", `{"label":"Red Rosella"}`), 201)
	if lesson.MemorySeq != 1 || lesson.After[0].Label != "Red Rosella" || !lesson.After[0].Local || lesson.Before[0].Label == "Red Rosella" {
		t.Errorf("%+v", lesson)
	}
	contentType, body = form(t, "photo", red)
	after := decode[Prediction](t, ask(h, owner, http.MethodPost, "/api/v1/classify", contentType, body), 200)
	if after.Predictions[0].Label != "Red Rosella" || after.MemorySeq != 1 || after.Neighbours[0].ObservationID != before.ID {
		t.Errorf("%+v", after)
	}
	wantProblem(t, "the same again", ask(h, owner, http.MethodPost, teach, "application/json", `{"label":"red rosella"}`), 409, "label")
	wantProblem(t, "a very long name", ask(h, owner, http.MethodPost, teach, "application/json", `{"label":"`+strings.Repeat("x", 10_000)+`"}`), 422, "label")
	wantProblem(t, "an unknown taxon", ask(h, owner, http.MethodPost, teach, "application/json", `{"taxon_id":77}`), 422, "taxon_id")
	wantProblem(t, "an unknown observation", ask(h, owner, http.MethodGet, "/api/v1/observations/99", "", ""), 404, "id")

	contentType, body = form(t, "notes", "no photo")
	wantProblem(t, "no photo", ask(h, owner, http.MethodPost, "/api/v1/observations", contentType, body), 422, "photo")
	contentType, body = form(t, "photo", "not a photo")
	wantProblem(t, "not a photo", ask(h, owner, http.MethodPost, "/api/v1/observations", contentType, body), 415, "photo")
	contentType, body = form(t, "photo", red, "latitude", "91", "longitude", "0")
	wantProblem(t, "a latitude", ask(h, owner, http.MethodPost, "/api/v1/observations", contentType, body), 422, "latitude")

	rows, err := csv.NewReader(ask(h, owner, http.MethodGet, "/api/v1/export?status=identified", "", "").Body).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][3] != "Red Rosella" || rows[1][17] != "'=by the wall" {
		t.Errorf("%q, %v", rows, err)
	}
	undone := decode[correction](t, ask(h, owner, http.MethodDelete, fmt.Sprintf("%s/%d", teach, lesson.ID), "", ""), 200)
	// The name stays a candidate, with what the encoder alone gives it: next to nothing.
	if undone.MemorySeq != 2 || undone.After[0].Label != lesson.Before[0].Label || math.Abs(undone.After[0].Probability-lesson.Before[0].Probability) > 1e-6 {
		t.Errorf("after the withdrawal %+v, before the lesson %+v", undone.After, lesson.Before)
	}
	wantProblem(t, "a second withdrawal", ask(h, owner, http.MethodDelete, fmt.Sprintf("%s/%d", teach, lesson.ID), "", ""), 409, "iid")
	type counts struct {
		MemorySeq int `json:"memory_seq"`
		Exemplars int
		Taxa      int
	}
	stats := decode[counts](t, ask(h, owner, http.MethodGet, "/api/v1/stats", "", ""), 200)
	if stats.MemorySeq != 2 || stats.Exemplars != 0 || stats.Taxa != 4 {
		t.Errorf("%+v", stats)
	}
}
