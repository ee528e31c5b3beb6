package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// side is where a photo belongs.
type side int

const (
	undecided side = iota
	train
	test
)

// photoRef is a photo of a task as it lies on the disk. Photos are told apart by
// the SHA-256 of their bytes.
type photoRef struct {
	name  string // below the root
	class string // the folder that it is in
	side  side
	hash  [sha256.Size]byte
}

// pile is the photos of one task.
type pile struct {
	task   Task
	photos []photoRef
	odd    []string // that lie neither as CLASS/FILE nor as train/CLASS/FILE
	list   []string // of classes, in order, before any photo was set aside
}

// place says where a photo of the root belongs within the task, if it does.
func (p *pile) place(name string) (ref photoRef, mine bool) {
	below := name
	if folder := strings.Trim(p.task.Folder, "/"); folder != "" {
		if below, mine = strings.CutPrefix(name, folder+"/"); !mine {
			return ref, false
		}
	}
	parts := strings.Split(below, "/")
	ref = photoRef{name: name}
	switch {
	case len(parts) == 2:
		ref.class = parts[0]
	case len(parts) == 3 && parts[0] == "train":
		ref.class, ref.side = parts[1], train
	case len(parts) == 3 && parts[0] == "test":
		ref.class, ref.side = parts[1], test
	default:
		p.odd = append(p.odd, name)
		return ref, false
	}
	if slices.Contains(p.task.LeaveOut, ref.class) {
		return ref, false
	}
	return ref, len(p.task.Classes) == 0 || slices.Contains(p.task.Classes, ref.class)
}

// key is the class under which the table of names may have it.
func (p *pile) key(class string) string {
	parts := strings.Split(strings.Trim(p.task.Folder, "/"), "/")
	return strings.TrimPrefix(parts[len(parts)-1]+"/"+class, "/")
}

// gather lists and hashes the photos of the piles, all of which lie below root,
// and puts them into order: of classes, then of names. It calls found for every
// photo there, and unreadable for those that it had to leave out.
func gather(ctx context.Context, root string, piles []*pile, found func(), unreadable func(name string, err error)) error {
	err := walkPhotos(root, func(name string, read func() ([]byte, error)) error {
		found()
		var data []byte
		for _, p := range piles {
			ref, mine := p.place(name)
			if !mine {
				continue
			}
			if data == nil {
				var err error
				if data, err = read(); err != nil {
					unreadable(name, err)
					return ctx.Err()
				}
			}
			ref.hash = sha256.Sum256(data)
			p.photos = append(p.photos, ref)
		}
		return ctx.Err()
	})
	for _, p := range piles {
		slices.SortFunc(p.photos, func(a, b photoRef) int {
			return strings.Compare(a.class+"\x00"+a.name, b.class+"\x00"+b.name)
		})
	}
	return err
}

// classes are those that have a photo now, in order.
func (p *pile) classes() []string {
	var list []string
	for _, x := range p.photos {
		if len(list) == 0 || list[len(list)-1] != x.class {
			list = append(list, x.class)
		}
	}
	return list
}

// check says what is wrong with how the photos of a task lie.
func (p *pile) check() error {
	if len(p.photos) == 0 {
		hint := "photos lie as CLASS/FILE, or as train/CLASS/FILE and test/CLASS/FILE"
		if len(p.odd) > 0 {
			hint += fmt.Sprintf("; %s does not: name the folder above the classes with folder", p.odd[0])
		}
		return fmt.Errorf("there is no photo of it: %s", hint)
	}
	have := p.classes()
	for _, c := range p.task.Classes {
		if !slices.Contains(have, c) {
			return fmt.Errorf("there is no photo of the class %q", c)
		}
	}
	if len(have) < 2 {
		return fmt.Errorf("it has one class, %q: at least two are needed", have[0])
	}
	sides := map[side]int{}
	for _, x := range p.photos {
		sides[x.side]++
	}
	divided := p.task.TestEvery > 0 || p.task.TestShare > 0
	switch {
	case sides[undecided] > 0 && len(sides) > 1:
		return fmt.Errorf("some of its photos are in folders train and test, and some are in neither")
	case sides[undecided] == 0 && divided:
		return fmt.Errorf("its photos are in folders train and test already: leave out test_every and test_share")
	case sides[undecided] > 0 && !divided && !p.task.ZeroShot:
		return fmt.Errorf("its photos are not in folders train and test: say with test_every or test_share which of them test")
	}
	return nil
}
