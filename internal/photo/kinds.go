package photo

import (
	"bytes"
	"strings"
)

// kindOf says in a sentence or two what a file is that is not read, and what to
// do with it. It never is empty.
func kindOf(data []byte) string {
	for _, k := range kinds {
		if bytes.HasPrefix(data[min(k.at, len(data)):], []byte(k.magic)) {
			return k.says
		}
	}
	if tiff(data) {
		return tiffKind(data)
	}
	if len(data) >= 12 && string(data[4:8]) == "ftyp" {
		return isoKind(string(data[8:min(len(data), 32)]))
	}
	return textKind(data)
}

const (
	rawAdvice   = " Export it as JPEG from the camera's program or a photo program."
	saveAdvice  = " Open it in a photo program and save it as JPEG."
	frameAdvice = " Save one picture of it."
)

// kinds are known by bytes at a fixed place; the first that fits counts.
var kinds = []struct {
	at    int
	magic string
	says  string
}{
	{0, "FUJIFILMCCD-RAW", "This is a raw photo of a Fujifilm camera (RAF)." + rawAdvice},
	{0, "IIU\x00", "This is a raw photo of a Panasonic or Leica camera (RW2)." + rawAdvice},
	{0, "IIRO", "This is a raw photo of an Olympus camera (ORF)." + rawAdvice},
	{0, "IIRS", "This is a raw photo of an Olympus camera (ORF)." + rawAdvice},
	{0, "MMOR", "This is a raw photo of an Olympus camera (ORF)." + rawAdvice},
	{0, "\x00MRM", "This is a raw photo of a Minolta camera (MRW)." + rawAdvice},
	{0, "FOVb", "This is a raw photo of a Sigma camera (X3F)." + rawAdvice},
	{8, "CR\x02", "This is a raw photo of a Canon camera (CR2)." + rawAdvice},
	{6, "HEAPCCDR", "This is a raw photo of a Canon camera (CRW)." + rawAdvice},
	{0, "BM", "This is a BMP picture." + saveAdvice},
	{0, "8BPS", "This is a Photoshop document." + saveAdvice},
	{0, "gimp xcf", "This is a GIMP document." + saveAdvice},
	{0, "\x00\x00\x01\x00", "This is an icon."},
	{0, "\xff\x0a", "This is a JPEG XL photo." + saveAdvice},
	{0, "\x00\x00\x00\x0cJXL ", "This is a JPEG XL photo." + saveAdvice},
	{0, "\x00\x00\x00\x0cjP  ", "This is a JPEG 2000 photo." + saveAdvice},
	{0, "\xff\x4f\xff\x51", "This is a JPEG 2000 photo." + saveAdvice},
	{0, "%PDF", "This is a PDF document: save the photo that is in it."},
	{0, "PK\x03\x04", "This is a ZIP archive or an office document. Unpack it and send the photos in it."},
	{0, "\x1f\x8b", "This is a gzip archive. Unpack it and send the photos in it."},
	{0, "7z\xbc\xaf\x27\x1c", "This is a 7z archive. Unpack it and send the photos in it."},
	{0, "Rar!", "This is a RAR archive. Unpack it and send the photos in it."},
	{0, "\x1a\x45\xdf\xa3", "This is a video (WebM or Matroska)." + frameAdvice},
	{0, "\x00\x00\x01\xba", "This is a video (MPEG)." + frameAdvice},
	{8, "AVI ", "This is a video (AVI)." + frameAdvice},
	{8, "WAVE", "This is a sound recording."},
	{0, "ID3", "This is a sound recording."},
	{0, "OggS", "This is a sound or video file."},
	{0, "fLaC", "This is a sound recording."},
}

// tiff reports whether a file begins as a TIFF does. So do the raw photos of
// most cameras.
func tiff(data []byte) bool {
	return bytes.HasPrefix(data, []byte("II*\x00")) || bytes.HasPrefix(data, []byte("MM\x00*"))
}

// tiffKind tells raw photos by the maker's name, which stands near the
// beginning.
func tiffKind(data []byte) string {
	head := data[:min(len(data), 64<<10)]
	for _, maker := range []struct{ magic, says string }{
		{"NIKON", "This is a TIFF file or a raw photo of a Nikon camera (NEF)."},
		{"SONY", "This is a TIFF file or a raw photo of a Sony camera (ARW)."},
		{"PENTAX", "This is a TIFF file or a raw photo of a Pentax camera (PEF or DNG)."},
		{"SAMSUNG", "This is a TIFF file or a raw photo of a Samsung camera (SRW or DNG)."},
		{"Hasselblad", "This is a TIFF file or a raw photo of a Hasselblad camera (3FR)."},
		{"Canon", "This is a TIFF file or a raw photo of a Canon camera."},
		{"Apple", "This is a TIFF file or a raw photo of an iPhone (DNG)."},
	} {
		if bytes.Contains(head, []byte(maker.magic)) {
			return maker.says + rawAdvice
		}
	}
	return "This is a TIFF file or a raw photo (DNG)." + saveAdvice
}

// isoKind names the kin of MP4 by their brands.
func isoKind(brands string) string {
	switch {
	case strings.Contains(brands, "avis"):
		return "This is a moving picture (AVIF sequence)." + frameAdvice
	case strings.HasPrefix(brands, "crx"):
		return "This is a raw photo of a Canon camera (CR3)." + rawAdvice
	case strings.HasPrefix(brands, "hevc"), strings.HasPrefix(brands, "hevx"), strings.HasPrefix(brands, "msf1"):
		return "This is a burst or a live photo (HEIF sequence)." + frameAdvice
	}
	return "This is a video, or a kind of picture that is not known here." + frameAdvice
}

// textKind is for what is no picture in bytes.
func textKind(data []byte) string {
	head := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(data[:min(len(data), 1024)], []byte("\xef\xbb\xbf"))))
	switch {
	case bytes.HasPrefix(head, []byte("<svg")), bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("<svg")):
		return "This is a drawing (SVG), not a photo."
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "This is a web page: open the photo in it and save that."
	}
	return "This is not a photo, or not of a kind that can be read."
}
