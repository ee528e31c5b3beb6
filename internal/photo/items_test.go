package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"testing"
)

// box makes one; full makes one with version and flags.
func box(kind string, content ...[]byte) []byte {
	c := slices.Concat(content...)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(c))), kind...), c...)
}

func full(kind string, version, flags byte, content ...[]byte) []byte {
	return box(kind, append([][]byte{{version, 0, 0, flags}}, content...)...)
}

// numbers writes each of the given width, in bytes, and value.
func numbers(pairs ...int) (b []byte) {
	for i := 0; i < len(pairs); i += 2 {
		v := binary.BigEndian.AppendUint64(nil, uint64(pairs[i+1]))
		b = append(b, v[8-pairs[i]:]...)
	}
	return b
}

// TestEXIFItem: the item is found in each way that the container has to say where it
// is: in the file or in a box of its own, whole or in two stretches, with numbers of
// items of 16 or of 32 bits, and with or without the prefix of cameras.
func TestEXIFItem(t *testing.T) {
	tiff := []byte("MM\x00*\x00\x00\x00\x08 and more")
	plain := append(numbers(4, 0), tiff...)
	prefixed := append(append(numbers(4, 6), exifPrefix...), tiff...)
	entry2 := full("infe", 2, 0, numbers(2, 7, 2, 0), []byte("Exif"), []byte{0})
	entry3 := full("infe", 3, 0, numbers(4, 70000, 2, 0), []byte("Exif"), []byte{0})
	other := full("infe", 2, 0, numbers(2, 1, 2, 0), []byte("av01"), []byte{0})
	infos := full("iinf", 0, 0, numbers(2, 2), other, entry2)
	start := box("ftyp", []byte("avif\x00\x00\x00\x00avif"))
	from := len(start) + 8 // of the content of mdat, which follows
	for name, meta := range map[string]struct {
		item  []byte
		boxes [][]byte
	}{
		"version 0, of the file": {plain, [][]byte{infos,
			full("iloc", 0, 0, []byte{0x44, 0}, numbers(2, 2), numbers(2, 1, 2, 0, 2, 1, 4, 0, 4, 5), numbers(2, 7, 2, 0, 2, 1, 4, from, 4, len(plain)))}},
		"two stretches, from a base": {prefixed, [][]byte{infos,
			full("iloc", 0, 0, []byte{0x44, 0x40}, numbers(2, 1), numbers(2, 7, 2, 0, 4, from, 2, 2, 4, 0, 4, 9, 4, 9, 4, len(prefixed)-9))}},
		"version 1, in idat": {nil, [][]byte{infos, box("idat", []byte("xx"), prefixed),
			full("iloc", 1, 0, []byte{0x44, 0}, numbers(2, 1), numbers(2, 7, 2, 1, 2, 0, 2, 1, 4, 2, 4, len(prefixed)))}},
		"version 2, with indices": {plain, [][]byte{full("iinf", 1, 0, numbers(4, 2), other, entry3),
			full("iloc", 2, 0, []byte{0x88, 0x04}, numbers(4, 1), numbers(4, 70000, 2, 0, 2, 0, 2, 1, 4, 0, 8, from, 8, len(plain)))}},
	} {
		file := slices.Concat(start, box("mdat", meta.item), full("meta", 0, 0, meta.boxes...))
		if got := itemEXIF(file); !bytes.Equal(got, tiff) {
			t.Errorf("%s: %q", name, got)
		}
		for n := range file { // cut anywhere: less of it, or nothing
			if got := itemEXIF(file[:n]); len(got) > len(tiff) {
				t.Fatalf("%s, %d bytes: %q", name, n, got)
			}
		}
	}
}

// TestItemBombs: tables that name the same bytes again and again, or nothing, without
// end, are passed over at once, and no more of an item is kept than is read.
func TestItemBombs(t *testing.T) {
	infos := full("iinf", 0, 0, numbers(2, 1), full("infe", 2, 0, numbers(2, 7, 2, 0), []byte("Exif"), []byte{0}))
	whole := bytes.Repeat(numbers(4, 0, 4, 1<<20), 65535)
	nothing := bytes.Repeat(numbers(4, 1, 2, 0, 2, 0, 2, 65535), 1<<18) // of other items: 65,535 extents of no bytes each
	for name, table := range map[string][]byte{
		"the whole file 65,535 times": full("iloc", 0, 0, []byte{0x44, 0}, numbers(2, 1), numbers(2, 7, 2, 0, 2, 65535), whole),
		"no bytes 17 billion times":   full("iloc", 2, 0, []byte{0, 0}, numbers(4, 1<<18), nothing),
	} {
		file := append(box("ftyp", []byte("avif\x00\x00\x00\x00avif")), full("meta", 0, 0, infos, table)...)
		if got := itemEXIF(file); len(got) > 2*maxEXIF {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// TestCleanAperture by hand: of 100 × 80, a part of 40 × 20 whose centre lies 10 to the
// right of the picture's and 5 above it begins at 50 + 10 - 20 and 40 - 5 - 10.
func TestCleanAperture(t *testing.T) {
	aperture := func(n ...int) []property {
		return []property{{kind: "ispe"}, {"clap", numbers(4, n[0], 4, n[1], 4, n[2], 4, n[3], 4, n[4], 4, n[5], 4, n[6], 4, n[7])}}
	}
	size, none := image.Pt(100, 80), image.Rectangle{}
	for name, c := range map[string]struct {
		says []property
		want image.Rectangle
	}{
		"a part":               {aperture(40, 1, 20, 1, 10, 1, -5, 1), image.Rect(40, 25, 80, 45)},
		"in fractions":         {aperture(81, 2, 21, 1, 1, 4, 1, 2), image.Rect(30, 30, 71, 51)},
		"all":                  {aperture(100, 1, 80, 1, 0, 1, 0, 1), image.Rect(0, 0, 100, 80)},
		"beyond the edge":      {aperture(40, 1, 20, 1, 31, 1, 0, 1), none},
		"larger":               {aperture(101, 1, 80, 1, 0, 1, 0, 1), none},
		"nothing":              {aperture(0, 1, 20, 1, 0, 1, 0, 1), none},
		"divided by zero":      {aperture(40, 0, 20, 1, 0, 1, 0, 1), none},
		"cut":                  {[]property{{"clap", numbers(4, 40, 4, 1)}}, none},
		"nothing is said":      {[]property{{kind: "irot"}}, none},
		"of a negative extent": {aperture(-40, 1, 20, 1, 0, 1, 0, 1), none},
	} {
		if got := cleanAperture(c.says, size); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMainProperties: those that ipma gives the item that pitm names, by numbers of 7
// or 15 bits, and no others.
func TestMainProperties(t *testing.T) {
	properties := box("ipco", box("aaaa"), box("bbbb"), box("cccc"))
	for name, c := range map[string]struct{ pitm, ipma []byte }{
		"small numbers": {full("pitm", 0, 0, numbers(2, 2)),
			full("ipma", 0, 0, numbers(4, 2), numbers(2, 1, 1, 1, 1, 2), numbers(2, 2, 1, 2, 1, 0x83, 1, 1))},
		"large numbers": {full("pitm", 1, 0, numbers(4, 70000)),
			full("ipma", 1, 1, numbers(4, 2), numbers(4, 1, 1, 1, 2, 2), numbers(4, 70000, 1, 3, 2, 0x8003, 2, 1, 2, 77))},
	} {
		file := full("meta", 0, 0, c.pitm, box("iprp", properties, c.ipma))
		var kinds []string
		for _, p := range mainProperties(file) {
			kinds = append(kinds, p.kind)
		}
		if !slices.Equal(kinds, []string{"cccc", "aaaa"}) {
			t.Errorf("%s: %v", name, kinds)
		}
		for n := range file {
			mainProperties(file[:n]) // does not panic
		}
	}
}
