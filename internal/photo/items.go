package photo

import (
	"bytes"
	"image"
	"slices"
)

// The items of a HEIC or AVIF file: pictures, and what is said of them (ISO/IEC
// 14496-12, 8.11; ISO/IEC 23008-12).

// A property is a box that describes an item.
type property struct {
	kind    string
	content []byte
}

// maxProperties is how many can be referred to: their numbers have 15 bits.
const maxProperties = 1<<15 - 1

// allProperties lists the properties that a file has, of whatever item.
func allProperties(data []byte) (list []property, found bool) {
	boxes, found := boxAt(data, "meta", "iprp", "ipco")
	eachBox(boxes, func(kind string, content []byte) {
		if len(list) < maxProperties {
			list = append(list, property{kind, content})
		}
	})
	return list, found
}

// mainProperties are those of the picture that the file is about.
func mainProperties(data []byte) []property {
	all, _ := allProperties(data)
	primary, _ := boxAt(data, "meta", "pitm")
	f := fields{b: primary}
	version, _ := f.version()
	main := f.number(wide(version > 0))
	groups, _ := boxAt(data, "meta", "iprp")
	var list []property
	eachBox(groups, func(kind string, content []byte) {
		if kind != "ipma" {
			return
		}
		for _, i := range associated(content, main) {
			if i >= 1 && i <= len(all) {
				list = append(list, all[i-1])
			}
		}
	})
	return list
}

// associated are the numbers, from 1, of an item's properties in one ipma box.
func associated(ipma []byte, item uint64) (numbers []int) {
	f := fields{b: ipma}
	version, flags := f.version()
	for n := f.number(4); n > 0 && !f.short; n-- {
		id := f.number(wide(version > 0))
		for count := f.number(1); count > 0 && !f.short; count-- {
			number := f.number(1) & 0x7f // the bit above says whether it is essential
			if flags&1 != 0 {
				number = number<<8 | f.number(1)
			}
			if id == item && !f.short {
				numbers = append(numbers, int(number))
			}
		}
		if id == item { // which is there once, or a table of nothing else would be listed
			break
		}
	}
	return numbers
}

// orientation reads a picture's rotation and mirroring, which count in this order
// (ISO/IEC 23000-22, 7.3.6.7), as EXIF counts.
func orientation(properties []property) int {
	angle, axis := byte(0), -1
	for _, p := range properties {
		switch {
		case len(p.content) == 0:
		case p.kind == "irot":
			angle = p.content[0] & 3
		case p.kind == "imir":
			axis = int(p.content[0] & 1)
		}
	}
	// By quarter turns anticlockwise, then not mirrored, top to bottom, left to right.
	return [4][3]int{{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}}[angle][axis+1]
}

// cleanAperture is the part of a picture that is to be seen, before it is turned: its
// width and height, and how far its centre is from the picture's, are four fractions
// (ISO/IEC 14496-12, 12.1.4.1). It is empty where nothing is said, or what does not fit.
func cleanAperture(properties []property, size image.Point) image.Rectangle {
	i := slices.IndexFunc(properties, func(p property) bool { return p.kind == "clap" })
	if i < 0 {
		return image.Rectangle{}
	}
	f := fields{b: properties[i].content}
	var v [4]float64
	for i := range v {
		n, d := int32(f.number(4)), int32(f.number(4))
		if d == 0 {
			return image.Rectangle{}
		}
		v[i] = float64(n) / float64(d)
	}
	part := func(whole int, length, offset float64) (from, to int) {
		from = int(float64(whole)/2 + offset - length/2 + .5)
		return from, from + int(length+.5)
	}
	x0, x1 := part(size.X, v[0], v[2])
	y0, y1 := part(size.Y, v[1], v[3])
	if r := image.Rect(x0, y0, x1, y1); x0 < x1 && y0 < y1 && r.In(image.Rectangle{Max: size}) {
		return r
	}
	return image.Rectangle{}
}

// itemEXIF is the TIFF structure in a file's EXIF item, or nil: four bytes say how far
// it is, past the prefix that cameras write or none (ISO/IEC 23008-12, A.2.1).
func itemEXIF(data []byte) []byte {
	f := fields{b: itemContent(data, "Exif")}
	f.bytes(f.number(4))
	return bytes.TrimPrefix(f.b, exifPrefix)
}

// itemContent is the content of the first item of a type, or nil.
func itemContent(data []byte, kind string) []byte {
	table, _ := boxAt(data, "meta", "iinf")
	f := fields{b: table}
	version, _ := f.version()
	f.number(wide(version > 0)) // how many
	var ids []uint64
	eachBox(f.b, func(_ string, entry []byte) {
		e := fields{b: entry}
		version, _ := e.version()
		id := e.number(wide(version > 2))
		e.number(2) // protection
		if string(e.bytes(4)) == kind {
			ids = append(ids, id)
		}
	})
	if len(ids) == 0 {
		return nil
	}
	return located(data, ids[0])
}

// located joins the stretches of a file that an item is in (iloc: ISO/IEC 14496-12,
// 8.11.3), up to maxEXIF bytes.
func located(data []byte, item uint64) (content []byte) {
	table, _ := boxAt(data, "meta", "iloc")
	f := fields{b: table}
	version, _ := f.version()
	sizes := int(f.number(2))
	offset, length, base, index := sizes>>12, sizes>>8&15, sizes>>4&15, sizes&15
	if version == 0 {
		index = 0
	}
	for n := f.number(wide(version > 1)); n > 0 && !f.short; n-- {
		id, method := f.number(wide(version > 1)), uint64(0)
		if version > 0 {
			method = f.number(2) & 15
		}
		f.number(2) // of another file
		from, extents := f.number(base), f.number(2)
		if id != item {
			f.bytes(extents * uint64(index+offset+length))
			continue
		}
		within := data
		if method == 1 { // in a box of its own
			within, _ = boxAt(data, "meta", "idat")
		}
		for ; extents > 0 && !f.short && len(content) < maxEXIF; extents-- {
			f.number(index)
			e := fields{b: within}
			e.bytes(from + f.number(offset))
			content = append(content, e.bytes(min(f.number(length), maxEXIF))...)
		}
		return content
	}
	return nil
}
