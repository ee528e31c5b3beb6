package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive sums in the plainest order, as the oracle of every inner product.
func naive[A, B Float](a []A, b []B) (dot, abs float64) {
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		dot += p
		abs += math.Abs(p)
	}
	return dot, abs
}

func random[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

func TestInnerProductsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 31, 33, 64, 100, 511, 512, 513, 1024, 4099} {
		a, b := random[float32](r, n), random[float32](r, n)
		want, abs := naive(a, b)
		bound := abs*DotError(n) + 1e-30
		for name, got := range map[string]float64{
			"Dot": float64(Dot(a, b)), "plain": float64(dotGo(a, b)),
		} {
			if d := math.Abs(got - want); d > bound {
				t.Errorf("n=%d %s = %v, want %v ± %v", n, name, got, want, bound)
			}
		}
		if got := DotWide(a, b); math.Abs(got-want) > 1e-13*abs+1e-30 {
			t.Errorf("n=%d DotWide = %v, want %v", n, got, want)
		}

		c, d := random[float64](r, n), random[float64](r, n)
		want, abs = naive(c, d)
		for name, got := range map[string]float64{"DotFloat64": DotFloat64(c, d), "plain": dotGo(c, d)} {
			if math.Abs(got-want) > 1e-13*abs+1e-30 {
				t.Errorf("n=%d %s = %v, want %v", n, name, got, want)
			}
		}
	}
}

func FuzzDot(f *testing.F) {
	f.Add(uint64(1), uint16(512))
	f.Add(uint64(7), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		r := rand.New(rand.NewPCG(seed, 0))
		a, b := random[float32](r, int(n%2048)), random[float32](r, int(n%2048))
		want, abs := naive(a, b)
		if d := math.Abs(float64(Dot(a, b)) - want); d > abs*DotError(len(a))+1e-30 {
			t.Errorf("n=%d: Dot is off by %v", len(a), d)
		}
	})
}

func TestDistanceAndNorm(t *testing.T) {
	for _, c := range []struct {
		a, b     []float32
		norm, d2 float64
	}{
		{nil, nil, 0, 0},
		{[]float32{3, 4}, []float32{3, 4}, 5, 0},
		{[]float32{3, 4}, []float32{-4, 3}, 5, 50},
		{[]float32{0, 0}, []float32{1, 0}, 0, 1},
		{[]float32{1, 1, 1, 1, 1}, []float32{-1, -1, -1, -1, -1}, math.Sqrt(5), 20},
		{[]float32{1e30, 0}, []float32{1e30, 0}, 1e30, 0}, // overflows in float32
	} {
		wide := make([]float64, len(c.b))
		Axpy(1, c.b, wide)
		if got := Norm(c.a); math.Abs(got-c.norm) > 1e-7*c.norm {
			t.Errorf("Norm(%v) = %v, want %v", c.a, got, c.norm)
		}
		if got := SquaredDistance(c.a, wide); got != c.d2 {
			t.Errorf("SquaredDistance(%v, %v) = %v, want %v", c.a, c.b, got, c.d2)
		}
	}
}

func TestSquaredDistanceAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		x, c := random[float32](r, n), random[float64](r, n)
		var want float64
		for i := range x {
			want += (float64(x[i]) - c[i]) * (float64(x[i]) - c[i])
		}
		if got := SquaredDistance(x, c); math.Abs(got-want) > 1e-12*(1+want) {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
	}
}

func TestScaleAxpyNormalize(t *testing.T) {
	x := []float32{3, 4}
	if n := Normalize(x); n != 5 || x[0] != 0.6 || x[1] != 0.8 {
		t.Errorf("Normalize gave %v, length %v", x, n)
	}
	zero := []float64{0, 0}
	if n := Normalize(zero); n != 0 || zero[0] != 0 {
		t.Errorf("Normalize of zero gave %v, length %v", zero, n)
	}
	y := []float64{1, 2}
	Axpy(2, []float32{10, 20}, y)
	Scale(0.5, y)
	if y[0] != 10.5 || y[1] != 21 {
		t.Errorf("Axpy and Scale gave %v, want [10.5 21]", y)
	}
}

func TestAxpyFloat64IsAxpy(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 3, 4, 5, 31, 255, 256, 257, 1000} {
		x, y := random[float64](r, n), random[float64](r, n)
		want := slices.Clone(y)
		alpha := r.NormFloat64()
		Axpy(alpha, x, want)
		AxpyFloat64(alpha, x, y)
		if !slices.Equal(y, want) {
			t.Errorf("n=%d: not the same bits", n)
		}
	}
}

func TestFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		x    []float32
		want bool
	}{{nil, true}, {[]float32{1, 0, -3e38}, true}, {[]float32{0, inf}, false}, {[]float32{-inf}, false}, {[]float32{inf - inf, 1}, false}} {
		if got := Finite(c.x); got != c.want {
			t.Errorf("Finite(%v) = %v", c.x, got)
		}
	}
}

func TestLengthsMustAgree(t *testing.T) {
	for name, f := range map[string]func(){
		"Dot":             func() { Dot(make([]float32, 2), make([]float32, 3)) },
		"DotFloat64":      func() { DotFloat64(make([]float64, 2), make([]float64, 3)) },
		"DotWide":         func() { DotWide(make([]float32, 4), make([]float32, 3)) },
		"SquaredDistance": func() { SquaredDistance(make([]float32, 4), make([]float64, 3)) },
		"Axpy":            func() { Axpy(1, make([]float32, 2), make([]float64, 3)) },
		"AxpyFloat64":     func() { AxpyFloat64(1, make([]float64, 2), make([]float64, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepted vectors of different length", name)
				}
			}()
			f()
		}()
	}
}

func TestSoftmaxFamily(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		x      []float64
		lse    float64
		want   []float64
		argmax int
	}{
		{"empty", nil, -inf, nil, -1},
		{"one", []float64{-4}, -4, []float64{1}, 0},
		{"even", []float64{7, 7}, 7 + math.Ln2, []float64{0.5, 0.5}, 0},
		{"thirds", []float64{0, math.Ln2}, math.Log(3), []float64{1. / 3, 2. / 3}, 1},
		{"large", []float64{1000, 1000 + math.Ln2}, 1000 + math.Log(3), []float64{1. / 3, 2. / 3}, 1},
		{"masked", []float64{-inf, 3}, 3, []float64{0, 1}, 1},
		{"all masked", []float64{-inf, -inf}, -inf, []float64{0, 0}, 0},
	} {
		if got := LogSumExp(c.x); got != c.lse && math.Abs(got-c.lse) > 1e-12 {
			t.Errorf("%s: LogSumExp = %v, want %v", c.name, got, c.lse)
		}
		if got := ArgMax(c.x); got != c.argmax {
			t.Errorf("%s: ArgMax = %d, want %d", c.name, got, c.argmax)
		}
		logs := append([]float64(nil), c.x...)
		LogSoftmax(logs)
		p := append([]float64(nil), c.x...)
		Softmax(p)
		for i := range p {
			if math.Abs(p[i]-c.want[i]) > 1e-12 {
				t.Errorf("%s: Softmax = %v, want %v", c.name, p, c.want)
			}
			if math.Abs(math.Exp(logs[i])-c.want[i]) > 1e-12 {
				t.Errorf("%s: LogSoftmax = %v, want the logs of %v", c.name, logs, c.want)
			}
		}
	}
	if got := ArgMax([]float64{math.NaN(), 1, 3, 3}); got != 2 {
		t.Errorf("ArgMax with NaN and a tie = %d, want 2", got)
	}
}

func BenchmarkDot512(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := random[float32](r, 512), random[float32](r, 512)
	x64, y64 := random[float64](r, 512), random[float64](r, 512)
	var sink float64
	b.Run("Dot", func(b *testing.B) {
		for b.Loop() {
			sink += float64(Dot(x, y))
		}
	})
	b.Run("DotFloat64", func(b *testing.B) {
		for b.Loop() {
			sink += DotFloat64(x64, y64)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			sink += float64(dotGo(x, y))
		}
	})
	b.Run("DotWide", func(b *testing.B) {
		for b.Loop() {
			sink += DotWide(x, y)
		}
	})
	b.Run("Axpy", func(b *testing.B) {
		for b.Loop() {
			Axpy(1e-9, x64, y64)
		}
	})
	b.Run("AxpyFloat64", func(b *testing.B) {
		for b.Loop() {
			AxpyFloat64(1e-9, x64, y64)
		}
	})
	b.Run("SquaredDistance", func(b *testing.B) {
		for b.Loop() {
			sink += SquaredDistance(x, y64)
		}
	})
}
