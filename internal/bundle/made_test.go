package bundle_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/bundle"
)

// key is a key that is the same in every run.
func key(of string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(of))
	return ed25519.NewKeyFromSeed(seed[:])
}

var site = strings.Repeat("a", 32)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// made is a Source in memory.
type made struct {
	taxa       []bundle.Taxon
	exemplars  []bundle.Exemplar
	embeddings [][]float32
	views      [][][]float32
	thumbnails [][2]string // the photo's hash, the data
	photos     []string    // data
}

func each[T any](list []T, visit func(T) error) error {
	for _, x := range list {
		if err := visit(x); err != nil {
			return err
		}
	}
	return nil
}

func (m *made) Taxa(visit func(bundle.Taxon) error) error         { return each(m.taxa, visit) }
func (m *made) Exemplars(visit func(bundle.Exemplar) error) error { return each(m.exemplars, visit) }
func (m *made) Embeddings(visit func([]float32) error) error      { return each(m.embeddings, visit) }
func (m *made) Views(visit func([][]float32) error) error         { return each(m.views, visit) }
func (m *made) Thumbnails(visit func(string, []byte) error) error {
	return each(m.thumbnails, func(t [2]string) error { return visit(t[0], []byte(t[1])) })
}
func (m *made) Photos(visit func(string, []byte) error) error {
	return each(m.photos, func(p string) error { return visit(hashOf([]byte(p)), []byte(p)) })
}

func manifest() bundle.Manifest {
	return bundle.Manifest{
		Instance: bundle.Instance{ID: site, Name: "Lab A"}, CreatedAt: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC),
		Scope: bundle.Standing, Log: bundle.LogRange{From: 3, To: 9},
		Encoder: bundle.Encoder{Name: "made up", Digest: "sha256:made-up", Dim: 3, ViewScheme: 1},
	}
}

// sample has two lessons of one photo, and one that never had a photo.
func sample() *made {
	photo := "a photo"
	lat, lon := 47.5, -8.25
	when := time.Date(2026, 4, 1, 8, 30, 0, 0, time.FixedZone("", 7200))
	of := bundle.Photo{SHA256: hashOf([]byte(photo)), MediaType: "image/jpeg", Bytes: int64(len(photo)), Width: 40, Height: 30, TakenAt: &when}
	return &made{
		taxa: []bundle.Taxon{
			{ID: 1, ScientificName: "Rosaceae", EnglishName: "Rose Family", Rank: "family"},
			{ID: 7, ScientificName: "Rubus ruber", Synonyms: []string{"Rubus rufus"}, Rank: "species", Group: "plants", Parent: 1},
			{ID: 1_000_001, ScientificName: "Velvet Moss", Rank: "unranked", Local: []bundle.Origin{{Instance: site, ID: 1_000_001}}},
		},
		exemplars: []bundle.Exemplar{
			{Seq: 3, Observation: bundle.Origin{Instance: site, ID: 4}, Taxon: 7, TaughtBy: "Ada", TaughtAt: when.UTC(), Observer: "Bo",
				ObservedAt: &when, Latitude: &lat, Longitude: &lon, License: "CC-BY-4.0", RightsHolder: "Bo", Notes: "under <a> stone", Photo: of, Views: 2},
			{Seq: 5, Observation: bundle.Origin{Instance: site, ID: 4}, Taxon: 1_000_001, TaughtBy: "Cy", TaughtAt: when.UTC(), Photo: of, Views: 2},
			{Seq: 9, Observation: bundle.Origin{Instance: site, ID: 6}, Taxon: 7, TaughtAt: when.UTC(), Photo: bundle.Photo{SHA256: hashOf([]byte("e"))}},
		},
		embeddings: [][]float32{{1, 2, 3}, {1, 2, 3}, {-1, 0, 0.5}},
		views:      [][][]float32{{{1, 2, 2}, {1, 1, 3}}, {{1, 2, 2}, {1, 1, 3}}},
		thumbnails: [][2]string{{hashOf([]byte(photo)), "small"}},
		photos:     []string{photo},
	}
}

func written(t testing.TB, m bundle.Manifest, s bundle.Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := bundle.Write(&b, key("a"), m, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads everything that a bundle has.
func readAll(data []byte) (*bundle.Bundle, *made, error) {
	b, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	var got made
	if got.taxa, err = b.Taxa(); err != nil {
		return b, nil, err
	}
	err = b.Each(func(r bundle.Row) error {
		if r.Index != len(got.exemplars) {
			return fmt.Errorf("row %d comes after %d others", r.Index, len(got.exemplars))
		}
		got.exemplars, got.embeddings = append(got.exemplars, r.Exemplar), append(got.embeddings, slices.Clone(r.Embedding))
		if len(r.Views) > 0 {
			var views [][]float32
			for _, v := range r.Views {
				views = append(views, slices.Clone(v))
			}
			got.views = append(got.views, views)
		}
		return nil
	})
	if err != nil {
		return b, nil, err
	}
	seen := map[string]bool{}
	for _, x := range got.exemplars {
		h := x.Photo.SHA256
		if seen[h] {
			continue
		}
		seen[h] = true
		thumbnail, err := b.Thumbnail(h)
		if err != nil {
			return b, nil, err
		}
		photo, err := b.Photo(h)
		if err != nil {
			return b, nil, err
		}
		if thumbnail != nil {
			got.thumbnails = append(got.thumbnails, [2]string{h, string(thumbnail)})
		}
		if photo != nil {
			got.photos = append(got.photos, string(photo))
		}
	}
	return b, &got, nil
}

// part is one member of an archive that is taken apart to be spoilt.
type part struct {
	zip.FileHeader
	data []byte
}

func apart(t testing.TB, data []byte) []part {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{zip.FileHeader{Name: f.Name, Method: f.Method}, content})
	}
	return parts
}

func together(t testing.TB, parts []part) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range parts {
		h := parts[i].FileHeader
		w, err := z.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		if len(parts[i].data) == 0 {
			continue
		}
		if _, err := w.Write(parts[i].data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func named(t testing.TB, parts []part, name string) *part {
	t.Helper()
	for i := range parts {
		if parts[i].Name == name {
			return &parts[i]
		}
	}
	t.Fatalf("there is no member %q", name)
	return nil
}

// resign makes the manifest true to the members as they are now, after change, and
// signs it: what a signer who lies could do.
func resign(t testing.TB, parts []part, change func(*bundle.Manifest)) []byte {
	t.Helper()
	var m bundle.Manifest
	text := named(t, parts, "manifest.json")
	if err := json.Unmarshal(text.data, &m); err != nil {
		t.Fatal(err)
	}
	for i := range m.Members {
		data := named(t, parts, m.Members[i].Name).data
		m.Members[i].Bytes, m.Members[i].SHA256 = int64(len(data)), hashOf(data)
	}
	if change != nil {
		change(&m)
	}
	var err error
	if text.data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	named(t, parts, "signature").data = ed25519.Sign(key("a"), append([]byte("fieldmark bundle 1\n"), text.data...))
	return together(t, parts)
}
