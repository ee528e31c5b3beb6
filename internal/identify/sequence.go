package identify

// sequence is a list to which things are only appended, and whose versions share
// what they have in common: a copy of it is another version. Only the newest may
// be appended to; older ones can be read meanwhile.
type sequence[T any] struct {
	n      int
	pieces []*[pieceLen]T
}

const pieceLen = 1024

func (s *sequence[T]) len() int { return s.n }

func (s *sequence[T]) append(v T) {
	if s.n%pieceLen == 0 {
		s.pieces = append(s.pieces[:s.n/pieceLen], new([pieceLen]T))
	}
	s.pieces[s.n/pieceLen][s.n%pieceLen] = v
	s.n++
}

// at is the i-th, 0 ≤ i < len. It may be a version that is appended to by now, so
// its own length counts.
func (s *sequence[T]) at(i int) *T {
	if uint(i) >= uint(s.n) {
		panic("identify: sequence: index out of range")
	}
	return &s.pieces[i/pieceLen][i%pieceLen]
}
