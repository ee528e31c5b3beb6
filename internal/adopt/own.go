package adopt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"fieldmark/internal/clip"
)

// readOwn drafts an encoder whose folder has a manifest already: every file is
// checked against it. What was said goes before what the manifest says where
// that changes no embedding, and is refused elsewhere.
func readOwn(folder fs.FS, said Options) (*draft, error) {
	m, err := clip.ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	// What may be said anew changes no embedding.
	rest := said
	rest.Name, rest.Title, rest.License, rest.LogitScale, rest.Length = "", "", "", 0, 0
	rest.Prompts, rest.Names, rest.Near = nil, nil, nil
	if !reflect.DeepEqual(rest, Options{}) {
		return nil, fmt.Errorf("its %s says what its files are and how photos and texts are made ready: leave out the flags on that", clip.ManifestFile)
	}
	m.Name = said.Name
	m.Title = cmp.Or(said.Title, m.Title)
	m.License = cmp.Or(said.License, m.License)
	m.LogitScale = cmp.Or(said.LogitScale, m.LogitScale)
	if said.Prompts != nil {
		m.Prompts = said.Prompts
	}
	if said.Names != nil {
		m.Names = said.Names
	}
	if said.Near != nil {
		m.Near = *said.Near
	}
	d := &draft{folder: folder, said: said, manifest: m}
	for _, entry := range d.manifest.Entries() {
		want := *entry
		d.write(entry, want.File, func() ([]byte, error) { return checked(folder, want) })
	}
	d.note("%s: read as it is", clip.ManifestFile)
	return d, nil
}

// checked reads a file if it is the one that its entry means.
func checked(folder fs.FS, want clip.File) ([]byte, error) {
	data, err := fs.ReadFile(folder, want.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s names %s, which is not there: fetch it again", clip.ManifestFile, want.File)
	} else if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want.SHA256 {
		return nil, fmt.Errorf("%s is not the file that %s describes: fetch it again", want.File, clip.ManifestFile)
	}
	return data, nil
}
