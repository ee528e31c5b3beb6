package nearest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is encoded and taken back is the same to the bit, in either format: also
// where a greatest element has been rounded up to the next power of two, which
// rounding once more would take as another unit.
func TestEncodedVectorsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	rows := [][]float32{{32767.99, 1e-5, 3e-8, 0, 0}, {1e-6, 0, 0, -1e-14, 1e-7}, {0, -1, 0, 0, 0}}
	for m := 1.0; m < 100; m++ { // of a length that is just allowed, and once it is rounded perhaps not any more
		rows = append(rows, []float32{float32(1e-15 * (1 + m*1e-5)), 0, 0, 0, 0}, []float32{0, float32(1e15 * (1 - m*1e-5)), 0, 0, 0})
	}
	for range 600 {
		row := make([]float32, 5)
		for j := range row {
			row[j] = float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(7))))
		}
		rows = append(rows, row)
	}
	for _, format := range []Format{Float32, Half} {
		was, is := NewVectors(5, format), NewVectors(5, format)
		for id, row := range rows {
			var err error
			if was, err = was.Append(row); err != nil {
				t.Fatal(err)
			}
			b := was.Encoded(id, nil)
			if is, err = is.AppendEncoded(b); err != nil {
				t.Fatal(err)
			}
			if len(b) != was.EncodedLen() || !slices.Equal(is.Row(id, nil), was.Row(id, nil)) || is.Norm(id) != was.Norm(id) || !bytes.Equal(is.Encoded(id, nil), b) {
				t.Fatalf("format %d: %v came back as %v", format, was.Row(id, nil), is.Row(id, nil))
			}
		}
	}
}

func TestAppendEncodedRefuses(t *testing.T) {
	half := func(scale float32, h ...uint16) []byte {
		b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(scale))
		for _, x := range h {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	const one, inf = 0x3c00, 0x7c00
	for name, c := range map[string]struct {
		format Format
		b      []byte
		want   error
	}{
		"too short":        {Float32, make([]byte, 7), ErrDimension},
		"zero":             {Float32, make([]byte, 8), ErrNorm},
		"halves too long":  {Half, make([]byte, 9), ErrDimension},
		"unit of zero":     {Half, half(0, one, one), ErrNotFinite},
		"unit of 3":        {Half, half(3, one, one), ErrNotFinite},
		"negative unit":    {Half, half(-1, one, one), ErrNotFinite},
		"infinite unit":    {Half, half(float32(math.Inf(1)), one, one), ErrNotFinite},
		"an infinite half": {Half, half(1, one, inf), ErrNotFinite},
		"zero halves":      {Half, half(1, 0, 0), ErrNorm},
		"a huge unit":      {Half, half(0x1p120, one, one), ErrNorm},
	} {
		if _, err := NewVectors(2, c.format).AppendEncoded(c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := NewVectors(2, Half).AppendEncoded(half(1, one, 0)); err != nil {
		t.Error(err)
	}
}
