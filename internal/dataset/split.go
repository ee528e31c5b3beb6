package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// unique leaves out photos whose bytes came before, once sides are decided: of two
// copies on different sides the one that tests is kept, otherwise the first. It returns a note
// on what was left out, "" if nothing was.
func (p *pile) unique() string {
	order := slices.Clone(p.photos)
	slices.SortStableFunc(order, func(a, b photoRef) int { return cmp.Compare(b.side, a.side) })
	first := map[[sha256.Size]byte]photoRef{}
	for _, x := range order {
		if _, twice := first[x.hash]; !twice {
			first[x.hash] = x
		}
	}
	twice, elsewhere := 0, 0
	p.photos = slices.DeleteFunc(p.photos, func(x photoRef) bool {
		kept := first[x.hash]
		if kept.name == x.name {
			return false
		}
		twice++
		if kept.class != x.class {
			elsewhere++
		}
		return true
	})
	switch {
	case twice == 0:
		return ""
	case elsewhere == 0:
		return fmt.Sprintf("%s: %s were left out", p.task.Name, plural(twice, "copy of a photo", "copies of photos"))
	}
	return fmt.Sprintf("%s: %s were left out; %d of them are in another class than the one that is kept",
		p.task.Name, plural(twice, "copy of a photo", "copies of photos"), elsewhere)
}

// divide decides the side of every photo and cuts classes down to their size.
func (p *pile) divide(seed uint64) {
	var out []photoRef
	for from := 0; from < len(p.photos); {
		to := from
		for to < len(p.photos) && p.photos[to].class == p.photos[from].class {
			to++
		}
		out = append(out, p.divideClass(slices.Clone(p.photos[from:to]), seed)...)
		from = to
	}
	p.photos = out
}

// divideClass is divide for the photos of one class, in the order of their names.
func (p *pile) divideClass(class []photoRef, seed uint64) []photoRef {
	if class[0].side != undecided {
		return p.atMost(class)
	}
	if p.task.TestEvery == 0 {
		draw(class, seed)
	}
	if p.task.PerClass > 0 {
		class = class[:min(len(class), p.task.PerClass)]
	}
	tests := len(class)
	if share := p.task.TestShare; share > 0 && share < 1 {
		tests = min(max(int(math.Round(share*float64(len(class)))), 1), len(class))
	}
	for i := range class {
		every := p.task.TestEvery
		if class[i].side = train; every > 0 && i%every == 0 || every == 0 && i < tests {
			class[i].side = test
		}
	}
	slices.SortFunc(class, func(a, b photoRef) int { return cmp.Compare(a.name, b.name) })
	return class
}

// atMost keeps Task.PerClass photos of each side.
func (p *pile) atMost(class []photoRef) []photoRef {
	count := map[side]int{}
	return slices.DeleteFunc(class, func(x photoRef) bool {
		count[x.side]++
		return p.task.PerClass > 0 && count[x.side] > p.task.PerClass
	})
}

// draw puts photos into an order that follows from the seed and their bytes
// alone, so that names and other photos have no say in it.
func draw(photos []photoRef, seed uint64) {
	key := func(x photoRef) []byte {
		sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, seed), x.hash[:]...))
		return sum[:]
	}
	slices.SortFunc(photos, func(a, b photoRef) int { return bytes.Compare(key(a), key(b)) })
}

// keepTestsUntaught takes photos that test in one task out of what any other
// task teaches, and returns a note for each task that lost some.
func keepTestsUntaught(piles []*pile) []string {
	tests := map[[sha256.Size]byte]bool{}
	for _, p := range piles {
		for _, x := range p.photos {
			if x.side == test {
				tests[x.hash] = true
			}
		}
	}
	var notes []string
	for _, p := range piles {
		before := len(p.photos)
		p.photos = slices.DeleteFunc(p.photos, func(x photoRef) bool { return x.side == train && tests[x.hash] })
		if n := before - len(p.photos); n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s that test elsewhere are not taught", p.task.Name, plural(n, "photo", "photos")))
		}
	}
	return notes
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
