package identify_test

import (
	"context"
	"image/color"
	"runtime"
	"testing"

	"fieldmark/internal/identify"
)

// A version of the memory holds the classifiers and curvatures of its leaves,
// megabytes where leaves are large, so that a server which is taught all day must
// let go of those that nobody asks for any more.
func TestFormerVersionsAreLetGo(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	const lessons = 10 * identify.TurnsKept
	var held []func() bool // whether a version still is
	for i := range lessons {
		o := f.see(t, color.RGBA{uint8(3 * i), uint8(255 - 3*i), uint8(i * i), 255})
		_, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: identify.TaxonID(3 + i%3)}, identify.Question{})
		must(t, err)
		v := f.Version()
		held = append(held, func() bool { return v.Value() != nil })
	}
	f.settled(t)
	runtime.GC()
	n := 0
	for _, is := range held {
		if is() {
			n++
		}
	}
	// Two of each turn, and the published one.
	if most := 2*identify.TurnsKept + 1; n > most {
		t.Errorf("after %d lessons %d versions are held, want %d at most", lessons, n, most)
	}
}
