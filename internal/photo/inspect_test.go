package photo

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"
)

// What Inspect refuses, Decode refuses for the same reason; and Inspect looks at
// no pixel.
func TestInspect(t *testing.T) {
	var whole bytes.Buffer
	if err := png.Encode(&whole, image.NewGray(image.Rect(0, 0, 64, 32))); err != nil {
		t.Fatal(err)
	}
	header := whole.Bytes()[:8+25] // signature and IHDR
	for name, c := range map[string]struct {
		data   []byte
		limits Limits
		want   error
	}{
		"whole":         {whole.Bytes(), Limits{}, nil},
		"empty":         {nil, Limits{}, ErrNotAPhoto},
		"words":         {[]byte("just some words"), Limits{}, ErrNotAPhoto},
		"too heavy":     {whole.Bytes(), Limits{MaxBytes: 10}, ErrTooLarge},
		"too large":     {whole.Bytes(), Limits{MaxPixels: 64 * 31}, ErrTooManyPixels},
		"too small":     {whole.Bytes(), Limits{MinSide: 33}, ErrTooSmall},
		"half a header": {header[:20], Limits{}, ErrTruncated},
	} {
		err := Decoder{Limits: c.limits}.Inspect(c.data)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, other := Decode(c.data, c.limits); !errors.Is(other, c.want) {
			t.Errorf("%s: Decode says %v", name, other)
		}
	}
	cut := whole.Bytes()[:whole.Len()-20]
	if err := (Decoder{}).Inspect(cut); err != nil {
		t.Errorf("a photo that is cut further on: %v", err)
	}
	if _, err := Decode(cut, Limits{}); !errors.Is(err, ErrTruncated) {
		t.Errorf("Decode takes it: %v", err)
	}
}
