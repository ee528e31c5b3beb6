package vec

// DotInt8 is the inner product of two vectors of 8-bit codes, exact: no element
// may be −128, so that a product is at most 127², and 2¹⁷ of them, more than any
// embedding has, still fit in 31 bits. The forms for different processors give
// the same number.
func DotInt8(a, b []int8) int32 {
	sameLength(len(a), len(b))
	return dotInt8(a, b)
}

// dotInt8Go is the plain form of DotInt8.
func dotInt8Go(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
