package photo

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
)

// An exifBlock is the content of an EXIF record in the making.
type exifBlock struct {
	orientation     int
	taken, offset   string // DateTimeOriginal, OffsetTimeOriginal
	digitized       string
	lat, lon        string // directions; "" leaves the coordinate out
	withoutLonValue bool
	degrees         uint32 // of latitude; 0 means 52
}

type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

// bytes lays out a TIFF structure (TIFF 6.0): header, IFD0, the EXIF and the
// GPS directory, each followed by its longer values.
func (b exifBlock) bytes(order binary.AppendByteOrder) []byte {
	const ascii, short, long, rational = 2, 3, 4, 5
	text := func(tag uint16, s string) entry { return entry{tag, ascii, uint32(len(s) + 1), append([]byte(s), 0)} }
	pointer := func(tag uint16, to int) entry { return entry{tag, long, 1, order.AppendUint32(nil, uint32(to))} }
	coordinate := func(tag uint16, degrees uint32) entry { // and 30 minutes, 36 seconds
		var v []byte
		for _, n := range []uint32{degrees, 1, 30, 1, 3600, 100} {
			v = order.AppendUint32(v, n)
		}
		return entry{tag, rational, 3, v}
	}
	first := []entry{}
	if b.orientation != 0 {
		first = append(first, entry{0x112, short, 1, order.AppendUint16(nil, uint16(b.orientation))})
	}
	var camera, gps []entry
	for tag, s := range map[uint16]string{0x9003: b.taken, 0x9004: b.digitized, 0x9011: b.offset} {
		if s != "" {
			camera = append(camera, text(tag, s))
		}
	}
	if b.lat != "" {
		degrees := b.degrees
		if degrees == 0 {
			degrees = 52
		}
		gps = append(gps, text(1, b.lat), coordinate(2, degrees))
	}
	if b.lon != "" {
		gps = append(gps, text(3, b.lon))
		if !b.withoutLonValue {
			gps = append(gps, coordinate(4, 13))
		}
	}
	const header = 8
	cameraAt := header + size(first) + 24 // two pointers more
	gpsAt := cameraAt + size(camera)
	first = append(first, pointer(0x8769, cameraAt), pointer(0x8825, gpsAt))

	mark := "II*\x00"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		mark = "MM\x00*"
	}
	out := order.AppendUint32([]byte(mark), header)
	for _, directory := range [][]entry{first, camera, gps} {
		out = appendDirectory(out, order, directory)
	}
	return out
}

// size of a directory with its longer values.
func size(directory []entry) int {
	n := 2 + 4
	for _, e := range directory {
		n += 12
		if len(e.value) > 4 {
			n += len(e.value)
		}
	}
	return n
}

func appendDirectory(out []byte, order binary.AppendByteOrder, directory []entry) []byte {
	at := len(out) + 2 + 12*len(directory) + 4
	var values []byte
	out = order.AppendUint16(out, uint16(len(directory)))
	for _, e := range directory {
		out = order.AppendUint16(order.AppendUint16(out, e.tag), e.kind)
		out = order.AppendUint32(out, e.count)
		if len(e.value) <= 4 {
			out = append(append(out, e.value...), make([]byte, 4-len(e.value))...)
			continue
		}
		out = order.AppendUint32(out, uint32(at+len(values)))
		values = append(values, e.value...)
	}
	return append(order.AppendUint32(out, 0), values...)
}

func TestEXIFTime(t *testing.T) {
	for _, c := range []struct {
		name      string
		block     exifBlock
		want      string // RFC 3339; "" for unknown
		hasOffset bool
	}{
		{"with offset", exifBlock{taken: "2026:05:01 10:11:12", offset: "+02:00"}, "2026-05-01T10:11:12+02:00", true},
		{"behind UTC", exifBlock{taken: "2026:05:01 10:11:12", offset: "-05:30"}, "2026-05-01T10:11:12-05:30", true},
		{"wall clock", exifBlock{taken: "2026:05:01 10:11:12"}, "2026-05-01T10:11:12Z", false},
		{"scanned", exifBlock{digitized: "2001:02:03 04:05:06"}, "2001-02-03T04:05:06Z", false},
		{"nonsense offset", exifBlock{taken: "2026:05:01 10:11:12", offset: "Berlin"}, "2026-05-01T10:11:12Z", false},
		{"clock not set", exifBlock{taken: "0000:00:00 00:00:00"}, "", false},
		{"nonsense", exifBlock{taken: "the first of May  .."}, "", false},
		{"none", exifBlock{orientation: 1}, "", false},
	} {
		for name, order := range map[string]binary.AppendByteOrder{"II": binary.LittleEndian, "MM": binary.BigEndian} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				e := readEXIF(c.block.bytes(order))
				got := ""
				if e.TakenAt != nil {
					got = e.TakenAt.Format(time.RFC3339)
				}
				if got != c.want || e.HasOffset != c.hasOffset {
					t.Errorf("%q, offset %v; want %q, %v", got, e.HasOffset, c.want, c.hasOffset)
				}
			})
		}
	}
}

func TestEXIFPlace(t *testing.T) {
	const minutes = 30.0/60 + 36.0/3600
	for _, c := range []struct {
		name     string
		block    exifBlock
		known    bool
		lat, lon float64
	}{
		{"north east", exifBlock{lat: "N", lon: "E"}, true, 52 + minutes, 13 + minutes},
		{"south west", exifBlock{lat: "S", lon: "W"}, true, -52 - minutes, -13 - minutes},
		{"no longitude", exifBlock{lat: "N"}, false, 0, 0},
		{"no longitude but its direction", exifBlock{lat: "N", lon: "E", withoutLonValue: true}, false, 0, 0},
		{"no direction", exifBlock{lat: "?", lon: "E"}, false, 0, 0},
		{"beyond the pole", exifBlock{lat: "N", lon: "E", degrees: 95}, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := readEXIF(c.block.bytes(binary.BigEndian))
			if known := e.Latitude != nil && e.Longitude != nil; known != c.known || (e.Latitude == nil) != (e.Longitude == nil) {
				t.Fatalf("latitude %v, longitude %v", e.Latitude, e.Longitude)
			}
			if c.known && (math.Abs(*e.Latitude-c.lat) > 1e-9 || math.Abs(*e.Longitude-c.lon) > 1e-9) {
				t.Errorf("%v, %v; want %v, %v", *e.Latitude, *e.Longitude, c.lat, c.lon)
			}
		})
	}
}

// TestBadEXIFIsNoEXIF: cut anywhere, or with any byte changed, a record gives
// an orientation that can be used and never an error.
func TestBadEXIFIsNoEXIF(t *testing.T) {
	block := exifBlock{orientation: 6, taken: "2026:05:01 10:11:12", offset: "+02:00", lat: "N", lon: "E"}.bytes(binary.LittleEndian)
	for i := range block {
		damaged := append([]byte(nil), block...)
		damaged[i] ^= 0xff
		for _, b := range [][]byte{block[:i], damaged} {
			if e := readEXIF(b); e.Orientation < 1 || e.Orientation > 8 || (e.Latitude == nil) != (e.Longitude == nil) {
				t.Fatalf("byte %d: %+v", i, e)
			}
		}
	}
	p, err := Decode(withAPP1(asJPEG(t, madeImage()), []byte("II*\x00\xff\xff\xff\xff garbage")), Limits{})
	if err != nil || p.EXIF.Orientation != 1 {
		t.Errorf("%v", err)
	}
}

func FuzzEXIF(f *testing.F) {
	f.Add(exifBlock{orientation: 6, taken: "2026:05:01 10:11:12", offset: "+02:00", lat: "N", lon: "E"}.bytes(binary.LittleEndian))
	f.Add(exifBlock{digitized: "2026:05:01 10:11:12", lat: "S", lon: "W"}.bytes(binary.BigEndian))
	f.Fuzz(func(t *testing.T, block []byte) {
		if e := readEXIF(block); e.Orientation < 1 || e.Orientation > 8 {
			t.Fatalf("orientation %d", e.Orientation)
		}
	})
}
