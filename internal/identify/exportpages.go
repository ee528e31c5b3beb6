package identify

import (
	"slices"
	"sync"
)

// exemplarPage is how many lessons are read at once.
const exemplarPage = 500

// pages visits what read returns of lessons, in order, until one of the two returns an
// error, and returns that. A page is read while the one before it is visited, so that no
// more than three are in memory; when it returns nothing reads any more.
func pages[T any](refs []ExemplarRef, read func([]Seq) ([]T, error), visit func(T) error) error {
	type page struct {
		list []T
		err  error
	}
	ahead, enough := make(chan page, 1), make(chan struct{})
	var reading sync.WaitGroup
	defer reading.Wait()
	defer close(enough)
	reading.Go(func() {
		defer close(ahead)
		seqs := make([]Seq, 0, exemplarPage)
		for part := range slices.Chunk(refs, exemplarPage) {
			seqs = seqs[:0]
			for _, r := range part {
				seqs = append(seqs, r.Seq)
			}
			list, err := read(seqs)
			select {
			case ahead <- page{list, err}:
			case <-enough:
				return
			}
			if err != nil {
				return
			}
		}
	})
	for p := range ahead {
		for _, x := range p.list {
			if err := visit(x); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}
