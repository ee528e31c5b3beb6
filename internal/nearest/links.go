package nearest

import "sync/atomic"

// A list of links is an array of words, its links first, then zeros. A link is
// one more than the number of the node it leads to; its top bit marks a link
// between parent and child, which stays. Each word is written by itself, so a
// search beside a writer may see a list half old and half new: every link in it
// was right a moment ago, which is all that a search needs.
type link uint32

const kin link = 1 << 31

func linkTo(id int32) link { return link(id + 1) }

func (l link) id() int32   { return int32(l&^kin) - 1 }
func (l link) isKin() bool { return l&kin != 0 }

// read appends the links of a list to dst.
func read(list []atomic.Uint32, dst []link) []link {
	for i := range list {
		l := link(list[i].Load())
		if l == 0 {
			break
		}
		dst = append(dst, l)
	}
	return dst
}

// write makes a list hold just links, as many as fit.
func write(list []atomic.Uint32, links []link) {
	for i := range list {
		var l link
		if i < len(links) {
			l = links[i]
		}
		if link(list[i].Load()) != l {
			list[i].Store(uint32(l))
		}
	}
}
