package clip

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"
)

// charsMap is SentencePiece's compiled normalisation: a trie of what is
// replaced, and what it is replaced by. The trie is a double array in the
// format of darts-clone.
type charsMap struct {
	units []uint32
	texts []byte // each ends in a zero byte
}

// readCharsMap reads a "Precompiled" normalizer: the trie's size in bytes, the
// trie, the replacements.
func readCharsMap(raw []byte) (normalizer, error) {
	if len(raw) == 0 {
		return func(s string) string { return s }, nil
	}
	if len(raw) < 4 {
		return nil, errors.New("normalizer: the precompiled map is cut short")
	}
	size := binary.LittleEndian.Uint32(raw)
	raw = raw[4:]
	if uint64(size) > uint64(len(raw)) || size%4 != 0 {
		return nil, errors.New("normalizer: the precompiled map is cut short")
	}
	m := charsMap{units: make([]uint32, size/4), texts: raw[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return m.normalize, nil
}

// normalize replaces, from left to right, the longest part that the map knows,
// and keeps characters that begin none.
func (m charsMap) normalize(text string) string {
	var out strings.Builder
	for text != "" {
		if n, with := m.longest(text); n > 0 {
			out.WriteString(with)
			text = text[n:]
			continue
		}
		_, n := utf8.DecodeRuneInString(text)
		out.WriteString(text[:n])
		text = text[n:]
	}
	return out.String()
}

// longest gives the length of the longest beginning of text that is replaced,
// and what by; 0 if none is.
func (m charsMap) longest(text string) (n int, with string) {
	unit, at, ok := m.child(0, 0, 0)
	for i := 0; ok && i < len(text) && text[i] != 0; i++ {
		if unit, at, ok = m.child(unit, at, text[i]); !ok || unit>>8&1 == 0 {
			continue // a part that begins longer ones only
		}
		if leaf := at ^ offset(unit); leaf < uint32(len(m.units)) {
			if value := m.units[leaf] & (1<<31 - 1); value < uint32(len(m.texts)) {
				replaced, _, _ := bytes.Cut(m.texts[value:], []byte{0})
				n, with = i+1, string(replaced)
			}
		}
	}
	return n, with
}

// child goes from a node along a byte; the byte 0 from (0, 0) gives the root.
func (m charsMap) child(unit, at uint32, label byte) (next, place uint32, ok bool) {
	if label != 0 {
		at ^= offset(unit) ^ uint32(label)
	}
	if at >= uint32(len(m.units)) {
		return 0, 0, false
	}
	next = m.units[at]
	return next, at, label == 0 || next&(1<<31|0xff) == uint32(label)
}

// offset leads from a node to its children.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
