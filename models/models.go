// Package models holds the encoder that is built into the program. How it was
// trained is in train/, what it scores in fieldmark-1/README.md.
package models

import (
	"embed"
	"io/fs"
)

//go:embed fieldmark-1/manifest.json fieldmark-1/visual.onnx fieldmark-1/text.onnx
//go:embed fieldmark-1/vocab.json fieldmark-1/merges.txt fieldmark-1/seen.txt
var files embed.FS

// Builtin is the folder of the built-in encoder.
func Builtin() fs.FS {
	folder, err := fs.Sub(files, "fieldmark-1")
	if err != nil {
		panic(err) // the name is a constant, and valid
	}
	return folder
}
