package tree

// array maps 0, 1, 2… to values of T and shares storage between its versions: a
// radix tree of fan-out width. What was never set is the zero T and takes no
// room. get costs O(log n); set copies the nodes on one path, unless these belong
// to the same edit, which then changes them in place. A copy of an array is
// another version of it.
type array[T any] struct {
	n     int // one more than the greatest index that was set
	depth int // levels of inner nodes above the leaves
	root  *trie[T]
}

const (
	widthBits = 6
	width     = 1 << widthBits
	widthMask = width - 1
)

// trie is a node of array: inner nodes have children, leaves have values.
type trie[T any] struct {
	owner    *owner
	children *[width]*trie[T]
	values   *[width]T
}

// owner marks the nodes that one edit made and may change. (Not of size zero:
// each must have an address of its own.)
type owner struct{ _ byte }

func (a *array[T]) len() int { return a.n }

func (a *array[T]) get(i int) T {
	if uint(i) >= uint(a.n) {
		panic("tree: index out of range")
	}
	node := a.root
	for level := a.depth; node != nil && level > 0; level-- {
		node = node.children[i>>(level*widthBits)&widthMask]
	}
	if node == nil {
		var zero T
		return zero
	}
	return node.values[i&widthMask]
}

// set makes v the value at i. Nodes that by does not own are copied first.
func (a *array[T]) set(i int, v T, by *owner) {
	if i < 0 {
		panic("tree: index out of range")
	}
	a.n = max(a.n, i+1)
	for i>>((a.depth+1)*widthBits) > 0 { // one level more
		children := &[width]*trie[T]{a.root}
		a.root, a.depth = &trie[T]{owner: by, children: children}, a.depth+1
	}
	at := &a.root
	for level := a.depth; ; level-- {
		*at = (*at).ownedBy(by, level)
		if level == 0 {
			(*at).values[i&widthMask] = v
			return
		}
		at = &(*at).children[i>>(level*widthBits)&widthMask]
	}
}

// ownedBy is node itself if by owns it, a copy that by owns otherwise, and a new
// node where there is none.
func (node *trie[T]) ownedBy(by *owner, level int) *trie[T] {
	if node != nil && node.owner == by {
		return node
	}
	fresh := &trie[T]{owner: by}
	if level > 0 {
		fresh.children = new([width]*trie[T])
		if node != nil {
			*fresh.children = *node.children
		}
	} else {
		fresh.values = new([width]T)
		if node != nil {
			*fresh.values = *node.values
		}
	}
	return fresh
}
