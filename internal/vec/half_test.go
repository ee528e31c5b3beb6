package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// halfValue is the value of a finite half by the definition in IEEE 754, 3.4.
func halfValue(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h&0x8000 != 0 {
		sign = -1
	}
	if exponent == 0 {
		return sign * fraction * 0x1p-24
	}
	return sign * math.Ldexp(1+fraction/1024, exponent-15)
}

func finiteHalves() []uint16 {
	var all []uint16
	for h := range 1 << 16 {
		if h&0x7c00 != 0x7c00 {
			all = append(all, uint16(h))
		}
	}
	return all
}

func TestEveryHalfHasItsValue(t *testing.T) {
	all := finiteHalves()
	for name, f := range fromHalfForms() {
		got := make([]float32, len(all))
		f(got, all, 1)
		for i, h := range all {
			if want := halfValue(h); float64(got[i]) != want || math.Signbit(float64(got[i])) != (h&0x8000 != 0) {
				t.Fatalf("%s: half %#04x is %v, want %v", name, h, got[i], want)
			}
		}
		f(got, all, 0x1p-20)
		for i, h := range all {
			if want := halfValue(h) * 0x1p-20; float64(got[i]) != want {
				t.Fatalf("%s: half %#04x scaled is %v, want %v", name, h, got[i], want)
			}
		}
	}
	for h, want := range map[uint16]float64{0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x7e00: math.NaN()} {
		if got := float64(fromHalf(h)); got != want && got == got {
			t.Errorf("half %#04x is %v, want %v", h, got, want)
		}
	}
}

// nearestHalf is the definition of rounding: of the two halves around x the
// nearer, of two as near the one with an even last bit.
func nearestHalf(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if x >= 65520 {
		return sign | 0x7c00
	}
	below := uint16(0) // the greatest finite half ≤ x, by bisection: halves ascend with their bits
	for bit := uint16(1 << 14); bit > 0; bit >>= 1 {
		if h := below | bit; h < 0x7c00 && halfValue(h) <= x {
			below = h
		}
	}
	if below == 0x7bff {
		return sign | below // x < 65520 is nearer to the greatest half
	}
	down, up := x-halfValue(below), halfValue(below+1)-x
	if up < down || up == down && below&1 == 1 {
		below++
	}
	return sign | below
}

func TestToHalfRoundsToNearest(t *testing.T) {
	check := func(x float32) {
		t.Helper()
		if got, want := toHalf(x), nearestHalf(float64(x)); got != want {
			t.Fatalf("toHalf(%v) = %#04x, want %#04x", x, got, want)
		}
	}
	for _, h := range finiteHalves() {
		x := float32(halfValue(h))
		for _, near := range []float32{x, math.Nextafter32(x, 1e9), math.Nextafter32(x, -1e9)} {
			check(near)
		}
		if next := h + 1; next&0x7c00 != 0x7c00 { // ties, exactly and nearly
			tie := float32((halfValue(h) + halfValue(next)) / 2)
			for _, near := range []float32{tie, math.Nextafter32(tie, 1e9), math.Nextafter32(tie, -1e9)} {
				check(near)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		if x := math.Float32frombits(r.Uint32()); x == x {
			check(x)
		}
	}
	for _, x := range []float32{65504, 65519.996, 65520, 1e30, float32(math.Inf(1)), math.SmallestNonzeroFloat32} {
		check(x)
		check(-x)
	}
	if h := toHalf(float32(math.NaN())); fromHalf(h) == fromHalf(h) {
		t.Errorf("NaN became %#04x", h)
	}
}

func TestDotHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		h := make([]uint16, n)
		ToHalf(h, random[float32](r, n))
		q := random[float32](r, n)
		sum, abs := new(big.Float), 0.0
		for i := range h {
			p := halfValue(h[i]) * float64(q[i])
			sum.Add(sum, big.NewFloat(p))
			abs += math.Abs(p)
		}
		want, _ := sum.Float64()
		for name, f := range dotHalfForms() {
			if got := float64(f(h, q)); math.Abs(got-want) > abs*DotError(n) {
				t.Errorf("%s of %d is %v, want %v", name, n, got, want)
			}
		}
	}
}

func BenchmarkHalf512(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, h := random[float32](r, 512), make([]uint16, 512)
	dst := make([]float32, 512)
	b.Run("ToHalf", func(b *testing.B) {
		for b.Loop() {
			ToHalf(h, x)
		}
	})
	for name, f := range fromHalfForms() {
		b.Run("FromHalf/"+name, func(b *testing.B) {
			for b.Loop() {
				f(dst, h, 1)
			}
		})
	}
	var sink float32
	for name, f := range dotHalfForms() {
		b.Run("DotHalf/"+name, func(b *testing.B) {
			for b.Loop() {
				sink += f(h, x)
			}
		})
	}
}
