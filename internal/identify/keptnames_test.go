package identify_test

import (
	"context"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/snapshotfile"
)

// namedEmbedder says what its names are known by, and counts those that it embeds.
type namedEmbedder struct {
	fakeEmbedder
	digest   string
	embedded *int
}

func (e namedEmbedder) Info() identify.EncoderInfo {
	i := e.fakeEmbedder.Info()
	i.NameDigest = e.digest
	return i
}

func (e namedEmbedder) EmbedNames(ctx context.Context, names [][]string) ([][]float32, error) {
	*e.embedded += len(names)
	return e.fakeEmbedder.EmbedNames(ctx, names)
}

// A start embeds no name that an earlier one has embedded with the same text tower, and
// answers the same; what is kept of another, is torn, damaged or not what was written is
// not believed, and is replaced.
func TestNamesAreEmbeddedOnce(t *testing.T) {
	dir, embedded := t.TempDir(), 0
	f := &fixture{}
	f.open(t, dir)
	f.Config.Memory.Snapshots = snapshotfile.Open(dir)
	start := func(tower byte) int {
		t.Helper()
		embedded = 0
		f.Config.Embedder = namedEmbedder{digest: strings.Repeat(string(tower), 64), embedded: &embedded}
		f.restart(t)
		return embedded
	}
	path := func(tower byte) string {
		return filepath.Join(dir, "snapshots", "names-"+strings.Repeat(string(tower), 64))
	}
	all := start('a')
	if all < 3 {
		t.Fatalf("%d names are embedded at the first start", all)
	}
	photo := paint(t, color.RGBA{R: 203, G: 9, A: 255})
	want, err := f.Classify(t.Context(), photo, identify.Question{})
	must(t, err)
	if n := start('a'); n != 0 {
		t.Errorf("%d names are embedded at the next start", n)
	}
	got, err := f.Classify(t.Context(), photo, identify.Question{})
	must(t, err)
	sameAnswer(t, "by the names that were kept", got, want)
	if n := start('b'); n != all {
		t.Errorf("another text tower embeds %d of %d names", n, all)
	}

	whole, err := os.ReadFile(path('a'))
	must(t, err)
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 1
	other, err := os.ReadFile(path('b'))
	must(t, err)
	for what, data := range map[string][]byte{"torn": whole[:len(whole)-9], "damaged": flipped, "empty": {}, "another's": other} {
		must(t, os.WriteFile(path('a'), data, 0o600))
		if n := start('a'); n != all {
			t.Errorf("%s: %d of %d names are embedded", what, n, all)
		}
		if n := start('a'); n != 0 {
			t.Errorf("%s: it was not replaced, %d names are embedded again", what, n)
		}
	}

	// A name that is new is embedded by itself.
	_, err = f.Identify(t.Context(), f.Owner, f.see(t, color.RGBA{G: 250, A: 255}).ID, identify.Answer{Label: "Never heard of"}, identify.Question{})
	must(t, err)
	if n := start('a'); n != 1 {
		t.Errorf("%d names are embedded after a new one came up", n)
	}
	if n := start('a'); n != 0 {
		t.Errorf("%d names are embedded once it is kept", n)
	}
}
