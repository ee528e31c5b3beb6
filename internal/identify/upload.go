package identify

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fieldmark/internal/photo"
)

// Lengths that are taken, in characters.
const (
	maxName  = 200
	maxNotes = 10_000
)

// thumbnailSide is the longer side of a thumbnail in pixels: twice the size at
// which it is shown, for dense screens.
const thumbnailSide = 640

// PhotoNeed is how much must be left of a photo that is decoded for the encoder
// at a smaller scale: twice its tower's side, so that what the tower sees is
// still made by its own resampling, and enough for a thumbnail, whether one is
// made or not, so that a photo has one embedding.
func (e EncoderInfo) PhotoNeed() photo.Need {
	if e.ImageSize <= 0 {
		return photo.Need{}
	}
	return photo.Need{Shorter: 2 * e.ImageSize, Longer: thumbnailSide}
}

// maxAgain is the most characters that Upload.Again may have.
const maxAgain = 100

// check validates what comes with a photo and tidies its texts.
func (up *Upload) check() error {
	if len(up.Again) > maxAgain || !utf8.ValidString(up.Again) {
		return Errorf(Invalid, "again", "A word that tells uploads of the same photo apart has at most %d bytes: a UUID, for example.", maxAgain)
	}
	d := Details{ObservedAt: up.ObservedAt, Latitude: up.Latitude, Longitude: up.Longitude,
		License: up.License, RightsHolder: up.RightsHolder, Notes: up.Notes}
	err := d.check()
	up.License, up.RightsHolder, up.Notes = d.License, d.RightsHolder, d.Notes
	return err
}

// key is what the upload is known by. It never is a photo's hash where Again is
// given.
func (up *Upload) key() string {
	if up.Again != "" {
		return "again " + up.Again
	}
	return photo.Hash(up.Photo)
}

// notAPhoto is an *Error that says why a photo was refused.
func notAPhoto(data []byte, err error) error {
	if len(data) == 0 {
		return Errorf(Invalid, "photo", "There is no photo here, or an empty file. Choose a JPEG, PNG, GIF, WebP, HEIC or AVIF file.")
	}
	kind := NotAPhoto
	if errors.Is(err, photo.ErrTooLarge) || errors.Is(err, photo.ErrTooManyPixels) {
		kind = TooLarge
	}
	if refused := (*photo.Error)(nil); errors.As(err, &refused) {
		return photoNotice(refused).Error(kind, "photo").Because(err)
	}
	return Errorf(kind, "photo", "This file cannot be read as a photo. Choose a JPEG, PNG, GIF, WebP, HEIC or AVIF file.").Because(err)
}

// photoNotice is why a photo was refused.
func photoNotice(e *photo.Error) Notice {
	list := make([]Notice, len(e.Says))
	for i, s := range e.Says {
		list[i] = Notice(s)
	}
	return Sentences(list...)
}

// cleanName validates a typed name of a taxon or a label and folds its white
// space.
func cleanName(field, name string) (string, error) {
	if utf8.RuneCountInString(name) > maxName {
		return "", Errorf(Invalid, field, "This name is too long: at most %d characters are taken.", maxName)
	}
	if !utf8.ValidString(name) {
		return "", Errorf(Invalid, field, "This name is not valid text. Type it again.")
	}
	name = norm.NFC.String(strings.Join(strings.Fields(name), " "))
	if name == "" {
		return "", Errorf(Invalid, field, "The name is empty. Type the name of what the photo shows.")
	}
	letters := 0
	for _, r := range name {
		if hidden(r) {
			return "", Errorf(Invalid, field, "This name has characters in it that cannot be seen. Type it again.")
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters == 0 {
		return "", Errorf(Invalid, field, "A name needs at least one letter.")
	}
	return name, nil
}

// hidden reports characters that show nothing or turn the text around them:
// with them two names could look alike and be two taxa. Joiners, which Persian
// and Indic names need, and line breaks are none.
func hidden(r rune) bool {
	switch r {
	case '\n', '\r', '\t', '\u200c', '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// PhotoKinds lists the kinds of files that are read as photos.
func PhotoKinds() []photo.Kind { return photo.Kinds() }
