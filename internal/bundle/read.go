package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"
)

// Bundle is a bundle that was opened. It may be read as often as need be; its file
// must not change.
type Bundle struct {
	Manifest Manifest
	members  map[string]*zip.File
	sums     map[string][sha256.Size]byte // of thumbnails and photos
}

// Open reads the directory and the manifest of a bundle of some size in bytes, and
// checks the signature. Its errors are *Error. Digests are compared when the
// members are read.
func Open(r io.ReaderAt, size int64) (*Bundle, error) {
	members, err := container(r, size)
	if err != nil {
		return nil, err
	}
	b := &Bundle{members: members}
	if err := b.readManifest(); err != nil {
		return nil, err
	}
	if err := b.checkManifest(); err != nil {
		return nil, err
	}
	return b, b.checkMembers()
}

// Signer is the key that signed.
func (b *Bundle) Signer() ed25519.PublicKey { return b.Manifest.Signer.PublicKey }

// readManifest reads the manifest and checks that it was signed by its key.
func (b *Bundle) readManifest() error {
	text, err := b.whole(manifestName)
	if err != nil {
		return err
	}
	m := &b.Manifest
	if err := json.Unmarshal(text, m); err != nil {
		return damaged(manifestName, err)
	}
	if m.Format != Format || m.Version != Version {
		return refuse("This bundle is a %q of version %d; this Fieldmark reads %q of version %d. Ask for it in that version, or update.",
			shown(m.Format), m.Version, Format, Version)
	}
	signature, err := b.whole(signatureName)
	if err != nil {
		return err
	}
	if len(m.Signer.PublicKey) != ed25519.PublicKeySize || !ed25519.Verify(m.Signer.PublicKey, append([]byte(signed), text...), signature) {
		return refuse("The signature of this bundle is wrong: it was changed after it was signed. Nothing of it is taken; ask for it again.")
	}
	return nil
}

var (
	instanceID = regexp.MustCompile(`^[0-9a-f]{32}$`)
	sha256Hex  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// checkManifest refuses what a manifest cannot say.
func (b *Bundle) checkManifest() error {
	m := &b.Manifest
	wrong := func(what string) error {
		return refuse("The manifest of this bundle cannot be true: %s.", what)
	}
	c := m.Counts
	switch {
	case !instanceID.MatchString(m.Instance.ID):
		return wrong("where it comes from has no proper id")
	case !texts(m.Instance.Name, m.Software, m.Filter, m.Encoder.Name, m.Encoder.Digest):
		return wrong("its texts are too long")
	case m.Scope != Standing && m.Scope != WholeLog:
		return wrong("its scope is unknown")
	case m.Encoder.Dim < 1 || m.Encoder.Dim > maxDim:
		return wrong("no embedding has so many numbers")
	case m.Encoder.Digest == "":
		return wrong("it does not say which encoder made its embeddings")
	case c.Taxa < 0 || c.Exemplars < 0 || c.Views < 0 || c.Thumbnails < 0 || c.Photos < 0:
		return wrong("it counts less than nothing")
	case c.Taxa > maxTaxa || c.Exemplars > maxExemplars || c.Views > maxViews*c.Exemplars:
		return wrong("it counts more than a bundle can have")
	}
	return nil
}

// checkMembers compares what the manifest lists with what is there.
func (b *Bundle) checkMembers() error {
	m := &b.Manifest
	listed := map[string]bool{manifestName: true, signatureName: true}
	for _, x := range m.Members {
		f := b.members[x.Name]
		switch {
		case listed[x.Name] || fileName.MatchString(x.Name):
			return refuse("The manifest of this bundle lists %q where it must not.", shown(x.Name))
		case f == nil:
			return refuse("The bundle lacks its member %q: it was cut off or changed. Ask for it again.", shown(x.Name))
		case x.Bytes < 0 || uint64(x.Bytes) != f.UncompressedSize64 || !sha256Hex.MatchString(x.SHA256):
			return refuse("The member %q of the bundle has not the size that its manifest says.", x.Name)
		}
		listed[x.Name] = true
	}
	c := m.Counts
	for name, need := range map[string]bool{taxaName: true, exemplarsName: true, embeddingsName: true,
		viewsName: c.Views > 0, filesName: c.Thumbnails+c.Photos > 0} {
		if need != listed[name] {
			return refuse("The manifest of this bundle does not fit its counts: its member %q.", name)
		}
	}
	for _, x := range []struct {
		name string
		rows int
	}{{embeddingsName, c.Exemplars}, {viewsName, c.Views}} {
		if f := b.members[x.name]; f != nil && f.UncompressedSize64 != uint64(npySize(x.rows, m.Encoder.Dim)) {
			return refuse("The bundle says that %s has %d × %d numbers, but its size is another.", x.name, x.rows, m.Encoder.Dim)
		}
	}
	if size := b.members[exemplarsName].UncompressedSize64; size > uint64(1<<20+meanLine*c.Exemplars) {
		return refuse("The member %q of the bundle is larger than it can be: it says %d bytes.", exemplarsName, size)
	}
	return b.checkFiles(listed)
}

// checkFiles reads the digests of thumbnails and photos, and refuses those that
// have none.
func (b *Bundle) checkFiles(listed map[string]bool) error {
	if err := b.readSums(); err != nil {
		return err
	}
	var thumbnails, photos int
	for name := range b.members {
		if listed[name] {
			continue
		}
		if _, has := b.sums[name]; !has {
			return refuse("The bundle has a member %q that was not signed. It was tampered with.", shown(name))
		}
		if strings.HasPrefix(name, "photos/") {
			photos++
		} else {
			thumbnails++
		}
	}
	if c := b.Manifest.Counts; photos != c.Photos || thumbnails != c.Thumbnails || len(b.sums) != photos+thumbnails {
		return refuse("Thumbnails and photos of the bundle: %d and %d. Its manifest says %d and %d.", thumbnails, photos, c.Thumbnails, c.Photos)
	}
	return nil
}

func (b *Bundle) readSums() error {
	b.sums = map[string][sha256.Size]byte{}
	if b.members[filesName] == nil {
		return nil
	}
	text, err := b.whole(filesName)
	if err != nil {
		return err
	}
	if err := b.compare(filesName, sha256.Sum256(text)); err != nil {
		return err
	}
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		digest, name, ok := strings.Cut(string(line), "  ")
		sum, err := hex.DecodeString(digest)
		if !ok || err != nil || len(sum) != sha256.Size || !fileName.MatchString(name) || len(b.sums) > maxMembers {
			return damaged(filesName, err)
		}
		b.sums[name] = [sha256.Size]byte(sum)
	}
	return nil
}

// compare refuses a member whose digest is not what the manifest says.
func (b *Bundle) compare(name string, sum [sha256.Size]byte) error {
	for _, m := range b.Manifest.Members {
		if m.Name == name && m.SHA256 == hex.EncodeToString(sum[:]) {
			return nil
		}
	}
	return refuse("The bundle is damaged: its member %q is not what was signed. Nothing of it is taken; ask for it again.", name)
}

// whole reads a member that fits into memory; checkMember has limited it.
func (b *Bundle) whole(name string) ([]byte, error) {
	f := b.members[name]
	if f == nil {
		return nil, refuse("The bundle lacks its member %q: it was cut off or changed. Ask for it again.", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	defer r.Close()
	// A member may be longer than its header says; zip's reader stops there.
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil || uint64(len(data)) != f.UncompressedSize64 {
		return nil, damaged(name, err)
	}
	return data, nil
}

// Photo returns the bytes of a photo, nil if it does not travel with the bundle.
func (b *Bundle) Photo(hash string) ([]byte, error) { return b.file(photoName(hash)) }

// Thumbnail returns a JPEG, nil if it does not travel with the bundle.
func (b *Bundle) Thumbnail(hash string) ([]byte, error) { return b.file(thumbnailName(hash)) }

// HasPhoto reports whether a photo travels with the bundle.
func (b *Bundle) HasPhoto(hash string) bool { return b.members[photoName(hash)] != nil }

// HasPicture reports whether a photo travels with the bundle, or a thumbnail of it.
func (b *Bundle) HasPicture(hash string) bool {
	return b.HasPhoto(hash) || b.members[thumbnailName(hash)] != nil
}

func (b *Bundle) file(name string) ([]byte, error) {
	if b.members[name] == nil {
		return nil, nil
	}
	data, err := b.whole(name)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); sum != b.sums[name] || strings.HasPrefix(name, "photos/") && name != photoName(hex.EncodeToString(sum[:])) {
		return nil, refuse("The bundle is damaged: its member %q is not what was signed. Nothing of it is taken; ask for it again.", name)
	}
	return data, nil
}

// texts reports whether strings are such as a line may have.
func texts(list ...string) bool {
	for _, s := range list {
		if len(s) > maxText {
			return false
		}
	}
	return true
}

// sane refuses times that no calendar or database holds.
func sane(t *time.Time) bool { return t == nil || t.Year() >= 1 && t.Year() <= 9999 }

// CheckFiles compares the digest of every thumbnail and photo.
func (b *Bundle) CheckFiles() error {
	return b.EachFile(func(string) error { return nil })
}

// EachFile compares the digest of every thumbnail and photo, and visits the name of
// each that is as it was signed, until visit returns an error, which it returns.
func (b *Bundle) EachFile(visit func(name string) error) error {
	for name := range b.sums {
		if _, err := b.file(name); err != nil {
			return err
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	return nil
}
