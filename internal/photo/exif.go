package photo

import (
	"bufio"
	"bytes"
	"math"
	"strings"
	"time"

	"github.com/evanoberholster/imagemeta/exif2"
	"github.com/evanoberholster/imagemeta/exif2/ifds"
	"github.com/evanoberholster/imagemeta/exif2/ifds/exififd"
	"github.com/evanoberholster/imagemeta/exif2/ifds/gpsifd"
	"github.com/evanoberholster/imagemeta/exif2/tag"
	"github.com/evanoberholster/imagemeta/imagetype"
	"github.com/evanoberholster/imagemeta/meta"
	"github.com/evanoberholster/imagemeta/meta/utils"
)

// EXIF is what a photo's own record says of its taking.
type EXIF struct {
	Orientation int // 1 to 8; 1, upright, where the record has none or an invalid one

	// TakenAt is when the shutter was released, nil if unknown. Most cameras
	// note the clock on the wall only: then HasOffset is false, and the wall
	// clock's reading stands in UTC.
	TakenAt   *time.Time
	HasOffset bool

	// Latitude and Longitude in degrees, north and east positive (WGS 84);
	// both set or both nil.
	Latitude, Longitude *float64
}

// exifTags are the raw values that an EXIF is made from; "" and nil are absent.
type exifTags struct {
	orientation             uint16
	original, digitized     string // wall clock
	originalOff, digitalOff string // offset from UTC
	lat, lon                *float64
	latRef, lonRef          byte
}

// readEXIF reads the TIFF structure of an EXIF record. What cannot be read
// counts as absent.
func readEXIF(block []byte) EXIF {
	tags := scanEXIF(block)
	e := EXIF{Orientation: 1}
	if tags.orientation >= 1 && tags.orientation <= 8 {
		e.Orientation = int(tags.orientation)
	}
	e.TakenAt, e.HasOffset = takenAt(tags.original, tags.originalOff)
	if e.TakenAt == nil {
		e.TakenAt, e.HasOffset = takenAt(tags.digitized, tags.digitalOff)
	}
	lat, lon := signed(tags.lat, tags.latRef, 'N', 'S', 90), signed(tags.lon, tags.lonRef, 'E', 'W', 180)
	if lat != nil && lon != nil && (*lat != 0 || *lon != 0) { // 0, 0 is a camera without a fix
		e.Latitude, e.Longitude = lat, lon
	}
	return e
}

// maxEXIF is how much of a record is looked at. Cameras write 64 KiB at most,
// which is all that a JPEG has room for; the tags that matter come first.
const maxEXIF = 256 << 10

// scanEXIF walks the record with imagemeta, collecting the tags that matter.
func scanEXIF(block []byte) (tags exifTags) {
	if len(block) < 8 {
		return tags
	}
	block = block[:min(len(block), maxEXIF)]
	order := utils.BinaryOrder(block)
	if order == utils.UnknownEndian {
		return tags
	}
	// The library reads a little beyond a directory, and indexes what it got
	// without looking: zeros spare records that end early, and what is still
	// amiss is a damaged record, of which the tags read so far stand.
	defer func() { _ = recover() }()
	padded := append(bytes.Clone(block), make([]byte, 64)...)

	reader := exif2.NewIfdReader(exif2.Logger)
	defer reader.Close()
	reader.SetCustomTagParser(func(p exif2.TagParser, t exif2.Tag) error {
		tags.add(p, t)
		return nil
	})
	header := meta.NewExifHeader(order, order.Uint32(block[4:8]), 0, uint32(len(padded)), imagetype.ImageTiff)
	// An error here means the same as a panic.
	_ = reader.DecodeTiff(bufio.NewReaderSize(bytes.NewReader(padded), len(padded)), header)
	return tags
}

func (tags *exifTags) add(p exif2.TagParser, t exif2.Tag) {
	switch ifds.IfdType(t.Ifd) {
	case ifds.IFD0:
		if t.ID == ifds.Orientation {
			tags.orientation = p.ParseUint16(t)
		}
	case ifds.ExifIFD:
		switch t.ID {
		case ifds.DateTimeOriginal:
			tags.original = p.ParseString(t)
		case ifds.DateTimeDigitized:
			tags.digitized = p.ParseString(t)
		case exififd.OffsetTimeOriginal:
			tags.originalOff = p.ParseString(t)
		case exififd.OffsetTimeDigitized:
			tags.digitalOff = p.ParseString(t)
		}
	case ifds.GPSIFD:
		switch t.ID {
		case gpsifd.GPSLatitudeRef:
			tags.latRef = firstByte(t)
		case gpsifd.GPSLongitudeRef:
			tags.lonRef = firstByte(t)
		case gpsifd.GPSLatitude:
			v := p.ParseGPSCoord(t)
			tags.lat = &v
		case gpsifd.GPSLongitude:
			v := p.ParseGPSCoord(t)
			tags.lon = &v
		}
	}
}

// firstByte of a short text; the library's own reader loses texts of one letter.
func firstByte(t exif2.Tag) byte {
	if !t.IsType(tag.TypeASCII) || !t.IsEmbedded() {
		return 0
	}
	var value [4]byte
	t.EmbeddedValue(value[:])
	return value[0]
}

func takenAt(clock, offset string) (at *time.Time, hasOffset bool) {
	const layout = "2006:01:02 15:04:05"
	clean := func(s string) string { return strings.Trim(s, "\x00 ") }
	if t, err := time.Parse(layout+"-07:00", clean(clock)+clean(offset)); err == nil {
		return &t, true
	}
	if t, err := time.Parse(layout, clean(clock)); err == nil {
		return &t, false
	}
	return nil, false
}

// signed gives a coordinate its sign; nil if it, or its direction, is absent
// or impossible.
func signed(v *float64, ref, positive, negative byte, limit float64) *float64 {
	if v == nil || math.IsNaN(*v) || *v < 0 || *v > limit {
		return nil
	}
	degrees := *v
	switch ref {
	case positive:
	case negative:
		degrees = -degrees
	default:
		return nil
	}
	return &degrees
}
