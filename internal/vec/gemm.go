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

// Panels packs the n columns of a matrix B [t × n] for MulAdd: panel by panel of
// Lanes columns, each row by row, the last one filled up with zeros. at(i, row)
// copies row i of B, 0 ≤ i < t, into row [n]. The result has
// t·⌈n/Lanes⌉·Lanes elements, in buf if that is large enough.
func Panels[T Float](buf []T, t, n int, at func(i int, row []T)) []T {
	lanes := Lanes[T]()
	panels := (n + lanes - 1) / lanes
	buf = grow(buf, t*panels*lanes)
	row := make([]T, panels*lanes)
	for i := range t {
		at(i, row[:n])
		for p := range panels {
			copy(buf[(p*t+i)*lanes:][:lanes], row[p*lanes:])
		}
	}
	return buf
}

// PanelsTransposed is Panels of Bᵀ: at(i, row) copies column i of B [t × n],
// 0 ≤ i < n, into row [t].
func PanelsTransposed[T Float](buf []T, t, n int, at func(i int, row []T)) []T {
	lanes := Lanes[T]()
	panels := (n + lanes - 1) / lanes
	buf = grow(buf, t*panels*lanes)
	const together = 8 // columns that share a cache line where they are written
	columns := make([]T, together*t)
	for from := 0; t > 0 && from < panels*lanes; from += together {
		for c := range together {
			if column := columns[c*t : (c+1)*t]; from+c < n {
				at(from+c, column)
			} else {
				clear(column)
			}
		}
		out := buf[from/lanes*t*lanes+from%lanes:]
		for i := range t {
			o := (*[together]T)(out[i*lanes:])
			for c := range o {
				o[c] = columns[c*t+i]
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
