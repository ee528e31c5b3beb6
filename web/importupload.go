package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"

	"fieldmark/internal/identify"
	"fieldmark/web/spool"
)

// importUpload is the form of an import.
type importUpload struct {
	file    *os.File
	name    string
	current bool
	check   bool // only check it
}

// readImport reads the form; its file may be open with an error, too.
func readImport(r *http.Request) (up importUpload, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return up, identify.Errorf(identify.Invalid, "file", "Send the file as a form.")
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && up.file == nil:
			return up, identify.Errorf(identify.Invalid, "file", "Choose a file first, then send it.")
		case errors.Is(err, io.EOF):
			return up, nil
		case err != nil:
			return up, spool.Broken(err)
		}
		if err := up.read(part); err != nil {
			return up, err
		}
	}
}

func (up *importUpload) read(part *multipart.Part) (err error) {
	if part.FormName() == "file" && up.file == nil {
		up.name = path.Base("/" + part.FileName())
		up.file, err = spool.Take(part)
		return err
	}
	value, err := io.ReadAll(io.LimitReader(part, 32))
	switch part.FormName() {
	case "encoder":
		up.current = string(value) == "current"
	case "do":
		up.check = string(value) == "check"
	}
	if err != nil {
		return spool.Broken(err)
	}
	return nil
}
