package bundle

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
)

// Source is what goes into a bundle. Each method visits everything of its kind in
// order until visit returns an error, and returns that. What is passed is valid
// until visit returns.
type Source interface {
	Taxa(visit func(Taxon) error) error
	Exemplars(visit func(Exemplar) error) error
	// Embeddings visits the raw vector [D] of each exemplar.
	Embeddings(visit func([]float32) error) error
	// Views visits the raw vectors of each exemplar that has Views.
	Views(visit func([][]float32) error) error
	// Thumbnails and Photos visit files by the SHA-256 of the photo, each once.
	Thumbnails(visit func(photo string, data []byte) error) error
	Photos(visit func(photo string, data []byte) error) error
}

// Write writes a bundle in one go, in memory that grows only with the number of
// thumbnails and photos (some 300 bytes each), and returns its manifest.
func Write(out io.Writer, key ed25519.PrivateKey, m Manifest, s Source) (Manifest, error) {
	buffered := bufio.NewWriterSize(out, 256<<10)
	w := &writer{zip: zip.NewWriter(buffered), manifest: m}
	w.zip.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	for _, part := range []func(Source) error{w.taxa, w.exemplars, w.embeddings, w.views, w.thumbnails, w.photos, w.listFiles} {
		if err := part(s); err != nil {
			return w.manifest, err
		}
	}
	if err := w.sign(key); err != nil {
		return w.manifest, err
	}
	if err := w.zip.Close(); err != nil {
		return w.manifest, err
	}
	return w.manifest, buffered.Flush()
}

type writer struct {
	zip      *zip.Writer
	manifest Manifest
	files    []byte // files.sha256
}

// member begins a member whose digest goes into the manifest when end is called.
func (w *writer) member(name string, method uint16) (out io.Writer, end func(), err error) {
	z, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		return nil, nil, err
	}
	d := &digested{out: z, hash: sha256.New()}
	return d, func() {
		w.manifest.Members = append(w.manifest.Members, Member{Name: name, Bytes: d.bytes, SHA256: hex.EncodeToString(d.hash.Sum(nil))})
	}, nil
}

// digested counts and hashes what goes through.
type digested struct {
	out   io.Writer
	hash  hash.Hash
	bytes int64
}

func (d *digested) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.hash.Write(p[:n])
	d.bytes += int64(n)
	return n, err
}

// lineBuffer is how much of a member is gathered before it is compressed.
const lineBuffer = 64 << 10

// lines writes a member of JSON lines.
func (w *writer) lines(name string, each func(line func(any) error) error) error {
	out, end, err := w.member(name, zip.Deflate)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(out, lineBuffer)
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := each(encoder.Encode); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	end()
	return nil
}

func (w *writer) taxa(s Source) error {
	return w.lines(taxaName, func(line func(any) error) error {
		return s.Taxa(func(t Taxon) error {
			w.manifest.Counts.Taxa++
			return line(t)
		})
	})
}

func (w *writer) exemplars(s Source) error {
	c := &w.manifest.Counts
	return w.lines(exemplarsName, func(line func(any) error) error {
		return s.Exemplars(func(x Exemplar) error {
			c.Exemplars++
			c.Views += x.Views
			return line(x)
		})
	})
}

// arrays writes an .npy of n rows.
func (w *writer) arrays(name string, n int, each func(row func([]float32) error) error) error {
	out, end, err := w.member(name, zip.Store)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(out, lineBuffer)
	dim, rows := w.manifest.Encoder.Dim, 0
	if _, err := b.Write(npyHeader(n, dim)); err != nil {
		return err
	}
	var raw []byte
	err = each(func(v []float32) error {
		if rows++; len(v) != dim || rows > n {
			return fmt.Errorf("row %d of %s has %d numbers; there were to be %d rows of %d", rows, name, len(v), n, dim)
		}
		raw = appendFloats(raw[:0], v)
		_, err := b.Write(raw)
		return err
	})
	if err == nil && rows != n {
		err = fmt.Errorf("%s has %d rows, not %d", name, rows, n)
	}
	if err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	end()
	return nil
}

func (w *writer) embeddings(s Source) error {
	return w.arrays(embeddingsName, w.manifest.Counts.Exemplars, s.Embeddings)
}

func (w *writer) views(s Source) error {
	if w.manifest.Counts.Views == 0 {
		return nil
	}
	return w.arrays(viewsName, w.manifest.Counts.Views, func(row func([]float32) error) error {
		return s.Views(func(list [][]float32) error {
			for _, v := range list {
				if err := row(v); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (w *writer) thumbnails(s Source) error {
	return s.Thumbnails(func(photo string, data []byte) error {
		w.manifest.Counts.Thumbnails++
		return w.file(thumbnailName(photo), data)
	})
}

func (w *writer) photos(s Source) error {
	return s.Photos(func(photo string, data []byte) error {
		w.manifest.Counts.Photos++
		return w.file(photoName(photo), data)
	})
}

func (w *writer) file(name string, data []byte) error {
	sum := sha256.Sum256(data)
	w.files = append(hex.AppendEncode(w.files, sum[:]), "  "+name+"\n"...)
	return w.whole(name, data)
}

// whole writes a member that is in memory.
func (w *writer) whole(name string, data []byte) error {
	z, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = z.Write(data)
	}
	return err
}

func (w *writer) listFiles(Source) error {
	if len(w.files) == 0 {
		return nil
	}
	out, end, err := w.member(filesName, zip.Store)
	if err != nil {
		return err
	}
	if _, err := out.Write(w.files); err != nil {
		return err
	}
	end()
	return nil
}

func (w *writer) sign(key ed25519.PrivateKey) error {
	m := &w.manifest
	m.Format, m.Version = Format, Version
	m.Signer.PublicKey = key.Public().(ed25519.PublicKey)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := w.whole(manifestName, text); err != nil {
		return err
	}
	return w.whole(signatureName, ed25519.Sign(key, append([]byte(signed), text...)))
}

func thumbnailName(photo string) string { return "thumbnails/" + photo + ".jpg" }

func photoName(photo string) string { return "photos/" + photo }
