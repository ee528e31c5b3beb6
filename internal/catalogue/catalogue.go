// Package catalogue lists encoders that can be downloaded: facts found on their
// publishers' pages and in public programs, none of which was tried here.
// catalogue.json says of each entry what could not be confirmed.
package catalogue

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed catalogue.json
var catalogue []byte

// An Entry is an encoder.
type Entry struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	License     License  `json:"license"`
	Dim         int      `json:"dim"` // of its embeddings
	Settings    Settings `json:"settings"`
	Files       []File   `json:"files"`
	Unconfirmed []string `json:"unconfirmed"` // what is not certain
	Incomplete  string   `json:"incomplete"`  // what must be added by hand before it can be used; "" nothing
}

// License is under what an encoder may be used.
type License struct {
	Name   string `json:"name"`
	URL    string `json:"url"`    // where it, or the publisher's word on it, can be read
	Note   string `json:"note"`   // what it restricts the use to; "" nothing unusual
	Accept bool   `json:"accept"` // it must be accepted before anything is downloaded
}

// Settings are what the files do not say of how photos and names are made ready.
type Settings struct {
	Size          int       `json:"size"`          // of the photo, in pixels
	Resize        string    `json:"resize"`        // "crop" or "squash"
	Interpolation string    `json:"interpolation"` // "bicubic" or "bilinear"
	Mean          []float64 `json:"mean"`          // for red, green and blue, of values from 0 to 1
	Std           []float64 `json:"std"`
	Context       int       `json:"context"` // tokens of a text; 0: there is no text tower
	Pad           *int64    `json:"pad"`     // id that fills up a text; null: the tokenizer says it
	LogitScale    float64   `json:"logit_scale"`
}

// File is one file of an entry. Every one has a digest: what is fetched from a
// place that others can change must be what was looked at.
type File struct {
	URL    string `json:"url"`
	Path   string `json:"path"`   // within the encoder's folder
	Bytes  int64  `json:"bytes"`  // 0: known only to about
	About  int64  `json:"about"`  // where Bytes is 0
	SHA256 string `json:"sha256"` // in lower-case hexadecimal
}

// Size is the size in bytes, as exactly as it is known.
func (f File) Size() int64 {
	if f.Bytes > 0 {
		return f.Bytes
	}
	return f.About
}

// Size of all files in bytes, as exactly as it is known.
func (e Entry) Size() (bytes int64) {
	for _, f := range e.Files {
		bytes += f.Size()
	}
	return bytes
}

// Entries returns the catalogue.
func Entries() ([]Entry, error) {
	var all []Entry
	if err := json.Unmarshal(catalogue, &all); err != nil {
		return nil, fmt.Errorf("the catalogue: %w", err)
	}
	return all, nil
}
