package dataset

import (
	"bytes"
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/clip"
)

// colours is an encoder whose embedding of a photo is its upper left pixel, and
// of a name three numbers that follow from it. It counts what it embeds.
type colours struct {
	digest        string
	lookup        *clip.Lookup // in place of a text tower
	photos, names int
}

func (c *colours) Digest() string { return c.digest }

func (c *colours) Manifest() clip.Manifest {
	m := clip.Manifest{Name: "colours", Dim: 3, LogitScale: 50, Prompts: []string{"{}"}}
	m.Text.Lookup = c.lookup
	return m
}

func (c *colours) EmbedImages(_ context.Context, images []image.Image) ([][]float32, error) {
	var rows [][]float32
	for _, img := range images {
		r, g, b, _ := img.At(0, 0).RGBA()
		rows = append(rows, []float32{float32(r>>8) + 1, float32(g >> 8), float32(b >> 8)})
		c.photos++
	}
	return rows, nil
}

func (c *colours) EmbedPrompted(_ context.Context, names [][]string, prompts []string) ([][]float32, error) {
	var rows [][]float32
	for _, entry := range names {
		h := fnv.New32a()
		if !slices.Equal(prompts, c.Manifest().Prompts) {
			h.Write([]byte(strings.Join(prompts, "\n")))
		}
		for _, n := range entry {
			h.Write([]byte(n))
		}
		s := h.Sum32()
		rows = append(rows, []float32{1, float32(s % 7), float32(s % 11)})
		c.names++
	}
	return rows, nil
}

// picture is a photo whose upper left pixel is (r, g, b); other pixels too.
func picture(t *testing.T, r, g, b uint8) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		img.SetRGBA(i%16, i/16, color.RGBA{r, g, b, 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// write puts files into a folder, by their names below it.
func write(t *testing.T, root string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// load reads a manifest that stands in root, and embeds by e.
func load(t *testing.T, root, manifest string, e Encoder) (*Loaded, error) {
	t.Helper()
	file := filepath.Join(root, "set.toml")
	if err := os.WriteFile(file, []byte(manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(file)
	if err != nil {
		return nil, err
	}
	o := Options{Encoder: e, Workers: 2}
	if e != nil {
		if o.Cache, err = OpenCache(filepath.Join(root, "cache")); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := o.Cache.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	return Load(t.Context(), m, o)
}
