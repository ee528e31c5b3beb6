package identify

import (
	"cmp"
	"encoding/hex"
	"sort"
)

// exemplar is what people want to know of one; its vector and its label are in
// the tree. There may be a million: it has no pointers, and 56 bytes.
type exemplar struct {
	identification IdentificationID
	observation    ObservationID
	photo          [32]byte // SHA-256; all zero if it has none
	taughtBy       int32    // index in the memory's people
}

// parseHash reads a photo's hash; "" is that of no photo.
func parseHash(h PhotoHash) (sum [32]byte, err error) {
	if h == "" {
		return sum, nil
	}
	b, err := hex.DecodeString(string(h))
	if err != nil || len(b) != len(sum) {
		return sum, Errorf(Invalid, "photo", "%q is not a photo's SHA-256.", h)
	}
	return [32]byte(b), nil
}

func (x *exemplar) photoHash() PhotoHash {
	if x.photo == [32]byte{} {
		return ""
	}
	return PhotoHash(hex.EncodeToString(x.photo[:]))
}

// folded is what folding has to remember beside the memory; it belongs to
// whoever folds.
type folded struct {
	people map[UserID]int32 // the inverse of the memory's people
	last   IdentificationID // the greatest so far
	// numbers has the exemplar of each identification, if they do not ascend along
	// the log. In a log that the store wrote they do, being numbered in the same
	// transaction, and an exemplar is found by halving: then it is nil.
	numbers map[IdentificationID]int
}

// foldedOf is what has to be remembered of a memory.
func foldedOf(m *memory) *folded {
	f := &folded{people: map[UserID]int32{}}
	for i, p := range m.people {
		f.people[p] = int32(i)
	}
	for id := range m.exemplars.len() {
		f.note(&m.exemplars, id)
	}
	return f
}

// note remembers exemplar id, which is the latest.
func (f *folded) note(exemplars *sequence[exemplar], id int) {
	i := exemplars.at(id).identification
	if i <= f.last && f.numbers == nil {
		f.numbers = make(map[IdentificationID]int, id)
		for earlier := range id {
			f.numbers[exemplars.at(earlier).identification] = earlier
		}
	}
	if f.numbers != nil {
		f.numbers[i] = id
	}
	f.last = max(f.last, i)
}

// number is that of an identification's exemplar; false if it has none, since it
// could not be learned.
func (f *folded) number(exemplars *sequence[exemplar], i IdentificationID) (id int, ok bool) {
	if f.numbers != nil {
		id, ok = f.numbers[i]
		return id, ok
	}
	return sort.Find(exemplars.len(), func(id int) int { return cmp.Compare(i, exemplars.at(id).identification) })
}
