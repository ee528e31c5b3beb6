package vec

import (
	"math/rand/v2"
	"testing"
)

// codes draws n codes from −127 to 127, with the extremes often among them.
func codes(r *rand.Rand, n int) []int8 {
	x := make([]int8, n)
	for i := range x {
		switch r.IntN(4) {
		case 0:
			x[i] = 127
		case 1:
			x[i] = -127
		default:
			x[i] = int8(r.IntN(255) - 127)
		}
	}
	return x
}

func TestDotInt8IsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		checkDotInt8(t, codes(r, n), codes(r, n))
	}
	for _, n := range []int{512, 768, 1024, 4096, 1 << 17} {
		checkDotInt8(t, codes(r, n), codes(r, n))
		extreme := make([]int8, n)
		for i := range extreme {
			extreme[i] = 127
		}
		checkDotInt8(t, extreme, extreme)
	}
}

func checkDotInt8(t *testing.T, a, b []int8) {
	t.Helper()
	var want int64
	for i := range a {
		want += int64(a[i]) * int64(b[i])
	}
	for name, f := range int8Forms() {
		if got := f(a, b); int64(got) != want {
			t.Fatalf("%s of %d codes is %d, want %d", name, len(a), got, want)
		}
	}
}

func BenchmarkDotInt8(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := codes(r, 512), codes(r, 512)
	var sink int32
	for name, f := range int8Forms() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink += f(x, y)
			}
		})
	}
}
