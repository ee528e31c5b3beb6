package web

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/spool"
)

// shelve puts the file of a form on the shelf, if it is a bundle, and returns by what it
// is found there. One that waits already is not kept twice.
func (s *site) shelve(r *http.Request) (id string, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", identify.Errorf(identify.Invalid, "file", "Send the file as a form.")
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return "", identify.Errorf(identify.Invalid, "file", "Choose a .fieldmark file first, then send it.")
		case err != nil:
			return "", spool.Broken(err)
		case part.FormName() == "file":
			return s.shelvePart(part, s.User(r))
		}
	}
}

func (s *site) shelvePart(part *multipart.Part, u identify.User) (id string, err error) {
	if id, err = s.Shelf.Put(part); err != nil {
		return "", err
	}
	note, err := s.noteOf(id, path.Base("/"+part.FileName()))
	if err != nil {
		return "", errors.Join(err, s.Shelf.Remove(id))
	}
	list, err := s.Shelf.List()
	if err != nil {
		return "", err
	}
	for _, x := range list {
		if x.Digest == note.Digest {
			return x.ID, s.Shelf.Remove(id)
		}
	}
	note.By, note.At = u.Name, time.Now()
	return id, s.Shelf.Keep(id, note)
}

// noteOf says what an upload is, if it is a bundle.
func (s *site) noteOf(id, name string) (_ spool.Note, err error) {
	f, err := s.Shelf.Open(id)
	if err != nil {
		return spool.Note{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, source, err := spool.OpenBundle(f, name)
	if err != nil {
		return spool.Note{}, err
	}
	return spool.Note{Name: name, Digest: source.Digest, From: b.Manifest.Instance.Name, Lessons: b.Manifest.Counts.Exemplars}, nil
}

// waitingBundles lists the bundles that nobody has decided about, whoever sent them.
func (s *site) waitingBundles(ctx context.Context) (list []templates.WaitingBundle, err error) {
	noted, err := s.Shelf.List()
	for _, x := range noted {
		v := templates.WaitingBundle{Path: bundleAddress(x.ID), Name: x.Name, From: x.From, By: x.By, When: moment(ctx, x.At),
			Sum: words.T(ctx, "%d lessons", x.Lessons), Size: words.Size(ctx, x.Bytes)}
		if s.Jobs.Runs(x.Digest) {
			v.State = words.T(ctx, "under way")
		}
		list = append(list, v)
	}
	return list, err
}
