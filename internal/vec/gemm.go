package vec

import "fmt"

// Lanes is the width of a panel: as many elements as two of the widest vector
// registers hold.
func Lanes[T Float]() int {
	var zero T
	if _, single := any(zero).(float32); single {
		return 32
	}
	return 16
}

// RowGroup is what the number of rows of A and C in MulAdd is a multiple of.
const RowGroup = 4

// Panels packs a matrix B [t × n], whose rows are ld elements apart, for MulAdd:
// panel by panel of Lanes columns, each row by row, the last one filled up with
// zeros. The result has t·⌈n/Lanes⌉·Lanes elements, in buf if that is large enough.
func Panels[T Float](buf, b []T, t, n, ld int) []T {
	lanes := Lanes[T]()
	panels := (n + lanes - 1) / lanes
	buf = grow(buf, t*panels*lanes)
	for i := range t {
		row := b[i*ld : i*ld+n]
		for p := range panels {
			out := buf[(p*t+i)*lanes:][:lanes]
			clear(out[copy(out, row[p*lanes:]):])
		}
	}
	return buf
}

// PanelsTransposed is Panels of Bᵀ [t × n] for B [n × t], whose rows are ld
// elements apart.
func PanelsTransposed[T Float](buf, b []T, t, n, ld int) []T {
	lanes := Lanes[T]()
	panels := (n + lanes - 1) / lanes
	buf = grow(buf, t*panels*lanes)
	if t == 0 {
		return buf
	}
	const together = 8 // rows of B that share a cache line where they are written
	whole := n / together * together
	for from := 0; from < whole; from += together {
		out := buf[from/lanes*t*lanes+from%lanes:]
		b0, b1, b2, b3 := b[from*ld:][:t], b[(from+1)*ld:][:t], b[(from+2)*ld:][:t], b[(from+3)*ld:][:t]
		b4, b5, b6, b7 := b[(from+4)*ld:][:t], b[(from+5)*ld:][:t], b[(from+6)*ld:][:t], b[(from+7)*ld:][:t]
		for i := range t {
			o := (*[together]T)(out[i*lanes:])
			o[0], o[1], o[2], o[3] = b0[i], b1[i], b2[i], b3[i]
			o[4], o[5], o[6], o[7] = b4[i], b5[i], b6[i], b7[i]
		}
	}
	for column := whole; column < panels*lanes; column++ {
		out := buf[column/lanes*t*lanes+column%lanes:]
		for i := range t {
			if column < n {
				out[i*lanes] = b[column*ld+i]
			} else {
				out[i*lanes] = 0
			}
		}
	}
	return buf
}

func grow[T Float](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	return buf[:n]
}

// MulAdd adds A·B to C, for A [rows × t] and C [rows × ldc], both row by row at
// distances lda and ldc, and B [t × n] packed by Panels. rows is a multiple of
// RowGroup, and a row of C has room for ⌈n/Lanes⌉·Lanes elements. An element of
// the result is a sum over t in ascending order, to be rounded in ways that
// differ between processors, but not with rows or n.
func MulAdd[T Float](rows, t, n int, a []T, lda int, b, c []T, ldc int) {
	lanes := Lanes[T]()
	panels := (n + lanes - 1) / lanes
	if rows == 0 || t == 0 || n == 0 {
		return
	}
	if rows%RowGroup != 0 || lda < t || ldc < panels*lanes ||
		len(a) < (rows-1)*lda+t || len(b) < t*panels*lanes || len(c) < (rows-1)*ldc+panels*lanes {
		panic(fmt.Sprintf("vec: MulAdd of %d × %d × %d with %d, %d and %d elements at %d and %d", rows, t, n, len(a), len(b), len(c), lda, ldc))
	}
	for p := range panels {
		for r := 0; r < rows; {
			height := RowGroup
			if rows-r >= 3*RowGroup {
				height = 3 * RowGroup
			}
			tile(height, t, a[r*lda:], lda, b[p*t*lanes:], c[r*ldc+p*lanes:], ldc)
			r += height
		}
	}
}

// tileGo adds A [rows × t] · B [t × Lanes] to C [rows × Lanes] in plain Go.
func tileGo[T Float](rows, t int, a []T, lda int, b []T, c []T, ldc int) {
	lanes := Lanes[T]()
	for r := range rows {
		for half := 0; half < lanes; half += 8 {
			var s [8]T
			for i, v := range a[r*lda : r*lda+t] {
				w := (*[8]T)(b[i*lanes+half:])
				s[0] += v * w[0]
				s[1] += v * w[1]
				s[2] += v * w[2]
				s[3] += v * w[3]
				s[4] += v * w[4]
				s[5] += v * w[5]
				s[6] += v * w[6]
				s[7] += v * w[7]
			}
			for i, v := range s {
				c[r*ldc+half+i] += v
			}
		}
	}
}
