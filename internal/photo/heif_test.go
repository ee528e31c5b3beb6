package photo

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
)

// given is a decoder that returns whatever picture it likes.
type given struct{ picture image.Image }

func (g given) Decode([]byte, int64) (image.Image, error) { return g.picture, nil }

// A decoder in the sandbox may be in the hands of a file: of more pixels than the file
// declares, for which room was made, or of none, no picture is made.
func TestAPictureThatIsNotTheOneDeclared(t *testing.T) {
	file := slices.Concat(box("ftyp", []byte("avif\x00\x00\x00\x00avif")),
		full("meta", 0, 0, box("iprp", box("ipco", full("ispe", 0, 0, numbers(4, 64, 4, 32))))))
	for size, fits := range map[image.Point]bool{{64, 32}: true, {32, 64}: true, {40, 20}: true, {64, 33}: false, {4096, 4096}: false, {0, 32}: false} {
		d := Decoder{AVIF: given{image.NewNRGBA(image.Rectangle{Max: size})}}
		p, err := d.Decode(file, Need{})
		if !fits {
			if !errors.Is(err, ErrTruncated) {
				t.Errorf("%v: %v", size, err)
			}
			continue
		}
		if err != nil || p.Image.Rect.Size() != size {
			t.Errorf("%v: %+v, %v", size, p, err)
		}
	}
}

// unloadable is a decoder that could not be loaded.
type unloadable struct{}

func (unloadable) Decode([]byte, int64) (image.Image, error) {
	return nil, fmt.Errorf("%w: no module", ErrNoDecoder)
}

// A decoder that cannot be loaded is no fault of the photo's, and is not said to be.
func TestADecoderThatCannotBeLoaded(t *testing.T) {
	for kind, d := range map[string]Decoder{"heic": {HEIC: unloadable{}}, "avif": {AVIF: unloadable{}}} {
		file := slices.Concat(box("ftyp", []byte(kind+"\x00\x00\x00\x00"+kind)),
			full("meta", 0, 0, box("iprp", box("ipco", full("ispe", 0, 0, numbers(4, 64, 4, 32))))))
		_, err := d.Decode(file, Need{})
		if !errors.Is(err, ErrNoDecoder) || errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), "cannot read "+strings.ToUpper(kind)+" photos at the moment") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// An item is in the table once; a second entry of it, and all that follow, are passed
// over, or a file of nothing else would be listed property by property.
func TestAnItemsPropertiesAreListedOnce(t *testing.T) {
	entry := numbers(2, 7, 1, 2, 1, 1, 1, 2)
	ipma := full("ipma", 0, 0, numbers(4, 1<<20), slices.Repeat(entry, 1<<20))[8:]
	if got := associated(ipma, 7); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%d numbers", len(got))
	}
}
