package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMulAddAgainstOracle(t *testing.T) {
	testMulAdd[float32](t, 1e-6)
	testMulAdd[float64](t, 1e-14)
}

func testMulAdd[T Float](t *testing.T, tolerance float64) {
	r := rand.New(rand.NewPCG(11, 12))
	lanes := Lanes[T]()
	for _, s := range []struct{ rows, t, n int }{
		{4, 1, 1}, {8, 3, lanes - 1}, {12, 7, lanes}, {16, 20, lanes + 1}, {20, 33, 3 * lanes}, {100, 64, 70}, {0, 4, 4}, {4, 0, 4},
	} {
		lda, ldc := s.t+3, (s.n+lanes-1)/lanes*lanes+5
		a, b := random[T](r, s.rows*lda), random[T](r, s.t*s.n)
		transposed := make([]T, len(b))
		for i := range s.t {
			for j := range s.n {
				transposed[j*s.t+i] = b[i*s.n+j]
			}
		}
		byRow := Panels(nil, b, s.t, s.n, s.n)
		byColumn := PanelsTransposed(nil, transposed, s.t, s.n, s.t)
		start := random[T](r, s.rows*ldc)
		for name, multiply := range map[string]func(c []T){
			"Panels":           func(c []T) { MulAdd(s.rows, s.t, s.n, a, lda, byRow, c, ldc) },
			"PanelsTransposed": func(c []T) { MulAdd(s.rows, s.t, s.n, a, lda, byColumn, c, ldc) },
			"plain": func(c []T) {
				for p := 0; s.t > 0 && p < s.n; p += lanes {
					tileGo(s.rows, s.t, a, lda, byRow[p*s.t:], c[p:], ldc)
				}
			},
		} {
			c := append([]T(nil), start...)
			multiply(c)
			for i := range s.rows {
				for j := range ldc {
					want, abs := float64(start[i*ldc+j]), math.Abs(float64(start[i*ldc+j]))
					if j < s.n {
						for k := range s.t {
							p := float64(a[i*lda+k]) * float64(b[k*s.n+j])
							want += p
							abs += math.Abs(p)
						}
					}
					if got := float64(c[i*ldc+j]); math.Abs(got-want) > tolerance*abs*float64(s.t+1) {
						t.Fatalf("%d×%d×%d %s: C[%d,%d] = %v, want %v", s.rows, s.t, s.n, name, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestMulAddRefusesWhatDoesNotFit(t *testing.T) {
	b := make([]float32, 4*32)
	for name, f := range map[string]func(){
		"rows":    func() { MulAdd(3, 4, 4, make([]float32, 12), 4, b, make([]float32, 96), 32) },
		"short A": func() { MulAdd(4, 4, 4, make([]float32, 15), 4, b, make([]float32, 128), 32) },
		"short B": func() { MulAdd(4, 5, 4, make([]float32, 20), 5, b, make([]float32, 128), 32) },
		"short C": func() { MulAdd(4, 4, 4, make([]float32, 16), 4, b, make([]float32, 127), 32) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkMulAdd(b *testing.B) {
	b.Run("float32", benchmarkMulAdd[float32])
	b.Run("float64", benchmarkMulAdd[float64])
	b.Run("plain", func(b *testing.B) {
		x, y, c := make([]float32, 12*512), make([]float32, 512*32), make([]float32, 12*32)
		for b.Loop() {
			tileGo(12, 512, x, 512, y, c, 32)
		}
		b.ReportMetric(2*12*512*32*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

// The logits of a block of 256 embeddings among 100 classes.
func benchmarkMulAdd[T Float](b *testing.B) {
	const rows, t, n = 100, 512, 256
	r := rand.New(rand.NewPCG(1, 1))
	const lda = t + 16 // not a power of two: its rows would share cache sets
	a, c := random[T](r, rows*lda), make([]T, rows*n)
	panels := Panels(nil, random[T](r, t*n), t, n, n)
	for b.Loop() {
		MulAdd(rows, t, n, a, lda, panels, c, n)
	}
	b.ReportMetric(2*rows*t*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
