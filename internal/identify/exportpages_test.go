package identify

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// Lessons come in order and each once, in pages of at most exemplarPage, of which no more
// are read than the one after next; what either side fails with ends it, and then nothing
// reads any more.
func TestPages(t *testing.T) {
	errRead, errVisit := errors.New("no reading"), errors.New("no visit")
	for _, c := range []struct {
		name             string
		lessons          int
		failsAt, leaveAt int // lesson at which reading fails, or the visitor leaves; -1 none
		visited          int
		err              error
	}{
		{"none", 0, -1, -1, 0, nil},
		{"one", 1, -1, -1, 1, nil},
		{"a page", exemplarPage, -1, -1, exemplarPage, nil},
		{"many", 7*exemplarPage + 3, -1, -1, 7*exemplarPage + 3, nil},
		{"reading fails", 7 * exemplarPage, 2 * exemplarPage, -1, 2 * exemplarPage, errRead},
		{"the visitor leaves", 7 * exemplarPage, -1, 10, 10, errVisit},
	} {
		t.Run(c.name, func(t *testing.T) {
			var refs []ExemplarRef
			for i := range c.lessons {
				refs = append(refs, ExemplarRef{Seq: Seq(i + 1)})
			}
			var read atomic.Int64 // pages
			ended := 0            // of them; a reader that is left behind races with its last use
			var visited []Seq
			err := pages(refs, func(seqs []Seq) ([]Seq, error) {
				defer func() { ended++ }()
				if n := read.Add(1); len(seqs) == 0 || len(seqs) > exemplarPage {
					t.Errorf("page %d has %d lessons", n, len(seqs))
				}
				if int(seqs[0]) == c.failsAt+1 && c.failsAt >= 0 {
					return nil, errRead
				}
				return slices.Clone(seqs), nil
			}, func(s Seq) error {
				if len(visited) == c.leaveAt {
					return errVisit
				}
				visited = append(visited, s)
				if before := int64(len(visited)-1)/exemplarPage + 1; read.Load() > before+2 {
					t.Fatalf("%d pages are read while page %d is visited", read.Load(), before)
				}
				return nil
			})
			if !errors.Is(err, c.err) || len(visited) != c.visited || int64(ended) != read.Load() {
				t.Errorf("%d of %d visited, %v", len(visited), c.lessons, err)
			}
			for i, s := range visited {
				if s != Seq(i+1) {
					t.Fatalf("lesson %d comes as number %d", s, i)
				}
			}
		})
	}
}
