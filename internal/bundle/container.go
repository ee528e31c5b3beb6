package bundle

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"io"
	"io/fs"
	"regexp"
)

// Signatures and sizes of a zip's records (APPNOTE 4.3).
const (
	headerSignature  = 0x02014b50 // central directory header
	headerSize       = 46
	endSignature     = 0x06054b50 // end of central directory
	endSize          = 22
	locatorSignature = 0x07064b50 // Zip64 end of central directory locator
	locatorSize      = 20
	end64Signature   = 0x06064b50 // Zip64 end of central directory
	end64Size        = 56
)

// directory finds where a zip's directory begins and ends. A zip of which it is
// unclear, because something lies between or after its records, is refused: two
// readers could see two archives in it.
func directory(r io.ReaderAt, size int64) (from, to int64, err error) {
	none := refuse("This file is no bundle: it is no zip archive, or was cut off. Ask for it again.")
	end := make([]byte, endSize)
	if size < endSize || readAt(r, end, size-endSize) != nil || le32(end) != endSignature || le16(end[20:]) != 0 {
		return 0, 0, none
	}
	to = size - endSize
	length, from := int64(le32(end[12:])), int64(le32(end[16:]))
	if length == 0xffffffff || from == 0xffffffff || le16(end[10:]) == 0xffff {
		b := make([]byte, end64Size+locatorSize)
		to -= int64(len(b))
		locator := b[end64Size:]
		if readAt(r, b, to) != nil || le32(b) != end64Signature || le32(locator) != locatorSignature || le64(locator[8:]) != to {
			return 0, 0, none
		}
		length, from = le64(b[40:]), le64(b[48:])
	}
	if length < 0 || from < 0 || length > to || from != to-length {
		return 0, 0, none
	}
	if length > maxDirectory {
		return 0, 0, refuse("This bundle lists more than it can have: its directory has %d MB.", length>>20)
	}
	return from, to, nil
}

// countMembers walks a zip's directory, before anything is kept of it.
func countMembers(r io.ReaderAt, from, to int64) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), 64<<10)
	header := make([]byte, headerSize)
	for n, at := 1, from; at < to; n++ {
		if n > maxMembers {
			return refuse("This bundle has more than %d members, which no bundle needs.", maxMembers)
		}
		if _, err := io.ReadFull(in, header); err != nil || le32(header) != headerSignature {
			return damaged("its directory", err)
		}
		rest := int64(le16(header[28:])) + int64(le16(header[30:])) + int64(le16(header[32:]))
		if at += headerSize + rest; at > to {
			return damaged("its directory", nil)
		}
		if _, err := in.Discard(int(rest)); err != nil {
			return damaged("its directory", err)
		}
	}
	return nil
}

// fileName matches thumbnails (group 1) and photos (group 2).
var fileName = regexp.MustCompile(`^(?:thumbnails/([0-9a-f]{64})\.jpg|photos/([0-9a-f]{64}))$`)

// container reads the directory of a zip and checks all that can be checked there.
func container(r io.ReaderAt, size int64) (map[string]*zip.File, error) {
	from, to, err := directory(r, size)
	if err != nil {
		return nil, err
	}
	if err := countMembers(r, from, to); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		e := refuse("This file is no bundle: its directory cannot be read. Ask for it again.")
		e.Err = err
		return nil, e
	}
	members := make(map[string]*zip.File, len(z.File))
	left := uint64(size)
	for _, f := range z.File {
		if err := checkMember(f); err != nil {
			return nil, err
		}
		if members[f.Name] != nil {
			return nil, refuse("The bundle has two members with the name %q. It was tampered with.", f.Name)
		}
		if f.CompressedSize64 > left {
			return nil, refuse("The members of the bundle are larger than the bundle itself. It was tampered with.")
		}
		left -= f.CompressedSize64
		members[f.Name] = f
	}
	return members, nil
}

// checkMember refuses a member that a bundle does not have.
func checkMember(f *zip.File) error {
	stored := f.Method == zip.Store
	var limit uint64
	switch f.Name {
	case taxaName:
		limit, stored = maxTaxaBytes, stored || f.Method == zip.Deflate
	case exemplarsName:
		limit, stored = 1<<20+meanLine*maxExemplars, stored || f.Method == zip.Deflate
	case embeddingsName, viewsName:
		limit = 1 << 62
	case filesName:
		limit = maxFiles
	case manifestName:
		limit = maxManifest
	case signatureName:
		limit = 64
	default:
		m := fileName.FindStringSubmatch(f.Name)
		if m == nil {
			return refuse("The bundle has a member %q, which no bundle has. It was not made by Fieldmark, or tampered with.", shown(f.Name))
		}
		if limit = maxPhoto; m[1] != "" {
			limit = maxThumbnail
		}
	}
	switch {
	case f.Mode()&fs.ModeType != 0:
		return refuse("The member %q of the bundle is a link or no file. It was tampered with.", shown(f.Name))
	case f.Flags&1 != 0 || !stored:
		return refuse("The member %q of the bundle is encrypted, or compressed in a way that no bundle is.", shown(f.Name))
	case f.UncompressedSize64 > limit:
		return refuse("The member %q of the bundle is larger than it can be: it says %d bytes.", shown(f.Name), f.UncompressedSize64)
	case f.Method == zip.Store && f.CompressedSize64 != f.UncompressedSize64:
		return refuse("The member %q of the bundle has not the size that it says.", shown(f.Name))
	}
	return nil
}

func readAt(r io.ReaderAt, b []byte, at int64) error {
	if at < 0 {
		return io.ErrUnexpectedEOF
	}
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return err
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func le64(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
