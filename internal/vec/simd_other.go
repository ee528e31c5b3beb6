//go:build !(goexperiment.simd && amd64)

package vec

func dotInt8(a, b []int8) int32 { return dotInt8Go(a, b) }

func fromHalves(dst []float32, h []uint16, scale float32) { fromHalvesGo(dst, h, scale) }

func dotHalf(h []uint16, q []float32) float32 { return dotHalfGo(h, q) }
