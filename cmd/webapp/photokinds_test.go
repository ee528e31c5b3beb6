package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"fieldmark/internal/avif"
	"fieldmark/internal/heif"
)

// slope is the picture that most files of these tests show, on 48 × 32 squares: another
// one under every turn and mirror.
func slope(x, y int) color.RGBA {
	return color.RGBA{uint8(5 * x), uint8(7 * y), uint8(255 - 5*x), 255}
}

const slopeW, slopeH = 48, 32

// kind is a file that is taken, and what it shows.
type kind struct {
	name      string
	data      []byte
	mediaType string
	width     int
	height    int
	shows     func(x, y int) color.RGBA
}

func ofSlope(name, mediaType string, data []byte) kind {
	return kind{name, data, mediaType, slopeW, slopeH, slope}
}

// drawnSlope is slope in a picture of any kind, as it lies before it is turned by an
// EXIF orientation.
func drawnSlope[M interface{ Set(x, y int, c color.Color) }](m M, orientation int) M {
	w, h := slopeW, slopeH
	if orientation > 4 {
		w, h = h, w
	}
	for y := range h {
		for x := range w {
			// Where the pixel comes to be: TIFF 6.0, tag 274.
			to := [9]image.Point{1: {x, y}, 2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x}}[orientation]
			m.Set(x, y, slope(to.X, to.Y))
		}
	}
	return m
}

func jpegOriented(t *testing.T, orientation int) []byte {
	size := image.Rect(0, 0, slopeW, slopeH)
	if orientation > 4 {
		size = image.Rect(0, 0, slopeH, slopeW)
	}
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, drawnSlope(image.NewRGBA(size), orientation), &jpeg.Options{Quality: 95}))
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	exif = append(binary.BigEndian.AppendUint16(exif, uint16(orientation)), 0, 0, 0, 0, 0, 0)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	return append(append(head, exif...), b.Bytes()[2:]...)
}

// animatedGIF has slope, in 16 × 16 colours, as its first frame and black as its second.
func animatedGIF(t *testing.T) []byte {
	var palette color.Palette
	for y := 1; y < slopeH; y += 2 {
		for x := 1; x < slopeW; x += 3 {
			palette = append(palette, slope(x, y))
		}
	}
	first := drawnSlope(image.NewPaletted(image.Rect(0, 0, slopeW, slopeH), palette), 1)
	var b bytes.Buffer
	must(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, image.NewPaletted(first.Rect, color.Palette{color.Black})},
		Delay: []int{10, 10}}))
	return b.Bytes()
}

func fileOf(t *testing.T, packageName, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../internal", packageName, "testdata", name))
	must(t, err)
	return data
}

// kinds are all that are taken, those in a sandbox only where there is one.
func kinds(t *testing.T) []kind {
	var deep bytes.Buffer
	must(t, png.Encode(&deep, drawnSlope(image.NewRGBA64(image.Rect(0, 0, slopeW, slopeH)), 1)))
	list := []kind{
		ofSlope("progressive JPEG", "image/jpeg", fileOf(t, "photo", "progressive.jpg")),
		ofSlope("JPEG in CMYK", "image/jpeg", fileOf(t, "photo", "cmyk.jpg")),
		ofSlope("PNG of 16 bits", "image/png", deep.Bytes()),
		ofSlope("GIF of two frames", "image/gif", animatedGIF(t)),
		ofSlope("WebP", "image/webp", fileOf(t, "photo", "lossy.webp")),
		ofSlope("WebP, turned", "image/webp", fileOf(t, "photo", "turned.webp")),
	}
	for o := 1; o <= 8; o++ {
		list = append(list, ofSlope(fmt.Sprintf("JPEG, orientation %d", o), "image/jpeg", jpegOriented(t, o)))
	}
	larger := func(x, y int) color.RGBA { return slope(x/4, y/4) }
	if _, err := heif.Open(); err != nil {
		t.Log("without HEIC: ", err)
	} else {
		list = append(list,
			kind{"HEIC", fileOf(t, "heif", "made.heic"), "image/heic", 4 * slopeW, 4 * slopeH, larger},
			kind{"HEIC in a grid, turned", fileOf(t, "heif", "grid.heic"), "image/heic", 96, 112, func(x, y int) color.RGBA {
				return [4]color.RGBA{{200, 40, 40, 255}, {40, 180, 60, 255}, {40, 60, 200, 255}, {128, 128, 128, 255}}[(95-x)/64*2+y/64]
			}})
	}
	if _, err := avif.Open(); err != nil {
		t.Log("without AVIF: ", err)
	} else {
		quarters := func(x, y int) color.RGBA {
			return [4]color.RGBA{{200, 40, 40, 255}, {40, 180, 60, 255}, {40, 60, 200, 255}, {128, 128, 128, 255}}[y/32*2+x/48]
		}
		list = append(list, kind{"AVIF", fileOf(t, "avif", "made.avif"), "image/avif", 96, 64, quarters},
			kind{"AVIF of 10 bits", fileOf(t, "avif", "bt709-full-10bit.avif"), "image/avif", 96, 64, quarters})
	}
	return list
}

// photoAnswer is what the API says of an observation's photo.
type photoAnswer struct {
	MediaType string `json:"media_type"`
	Width     int
	Height    int
	Thumbnail string `json:"thumbnail_url"`
	URL       string
}

// Every kind of photo is taken, whatever its name says, and is shown upright and in its
// colours, by a JPEG or a file that browsers know.
func TestEveryKindOfPhotoIsTaken(t *testing.T) {
	a := startApp(t, t.TempDir())
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			contentType, body := form(t, nil, k.data) // called photo.jpg, whatever it is
			var sent struct{ ID int64 }
			must(t, post(http.DefaultClient, a.URL()+"/api/v1/observations", contentType, body, &sent))
			resp, err := http.Get(fmt.Sprintf("%s/api/v1/observations/%d", a.URL(), sent.ID))
			must(t, err)
			defer resp.Body.Close()
			var o struct{ Photo photoAnswer }
			must(t, json.NewDecoder(resp.Body).Decode(&o))
			if o.Photo.MediaType != k.mediaType || o.Photo.Width != k.width || o.Photo.Height != k.height {
				t.Errorf("%+v", o.Photo)
			}
			expectShown(t, k, a.URL()+o.Photo.Thumbnail)
			expectShown(t, k, a.URL()+o.Photo.URL+"?size=display")
		})
	}
}

// expectShown compares what is served with what a file shows.
func expectShown(t *testing.T, k kind, url string) {
	t.Helper()
	resp, err := http.Get(url)
	must(t, err)
	defer resp.Body.Close()
	kind := resp.Header.Get("Content-Type")
	data, err := io.ReadAll(resp.Body)
	must(t, err)
	if kind == k.mediaType && bytes.Equal(data, k.data) && kind != "image/heic" && kind != "image/avif" {
		return // the file itself, which browsers turn
	}
	if kind != "image/jpeg" {
		t.Fatalf("%s is %s", url, kind)
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	must(t, err)
	if m.Bounds() != image.Rect(0, 0, k.width, k.height) {
		t.Fatalf("%s shows %v", url, m.Bounds())
	}
	const step, edge, near = 8, 4, 40
	for y := edge; y < k.height; y += step {
		for x := edge; x < k.width; x += step {
			r, g, b, _ := m.At(x, y).RGBA()
			want := k.shows(x, y)
			for _, off := range []int{int(r>>8) - int(want.R), int(g>>8) - int(want.G), int(b>>8) - int(want.B)} {
				if off < -near || off > near {
					t.Fatalf("%s: (%d, %d) is %d %d %d, want %v", url, x, y, r>>8, g>>8, b>>8, want)
				}
			}
		}
	}
}

// A photo that was cut after any tenth of its bytes is refused in words, and nothing of
// it is kept; so is an animated WebP.
func TestPhotosThatWereCutAreRefused(t *testing.T) {
	data := t.TempDir()
	a := startApp(t, data)
	refuse := func(t *testing.T, data []byte, status int) {
		t.Helper()
		contentType, body := form(t, nil, data)
		req, err := http.NewRequest(http.MethodPost, a.URL()+"/api/v1/observations", body)
		must(t, err)
		req.Header.Set("Content-Type", contentType)
		wantProblem(t, req, status)
	}
	for _, k := range kinds(t) {
		whole := k.data
		if k.mediaType == "image/gif" { // the first frame ends where the second begins
			whole = whole[:bytes.LastIndex(whole, []byte{0x21, 0xf9})]
		}
		t.Run(k.name, func(t *testing.T) {
			for tenth := 1; tenth < 10; tenth++ {
				refuse(t, whole[:len(whole)*tenth/10], http.StatusUnsupportedMediaType)
			}
		})
	}
	refuse(t, fileOf(t, "photo", "animated.webp"), http.StatusUnsupportedMediaType)
	refuse(t, nil, http.StatusUnprocessableEntity)
	if stats := getStats(t, a); stats.Observations != 0 {
		t.Errorf("something was stored: %+v", stats)
	}
	noFilesIn(t, filepath.Join(data, "photos"))
}
