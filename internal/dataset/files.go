package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fieldmark/internal/exchange"
)

// The arrays of an npz file of a task.
const (
	arrayEmbeddings = "embeddings"
	arrayLabels     = "labels"
	arraySplit      = "split"
	arrayEncoder    = "encoder"
	arrayTexts      = "text_embeddings"
	arrayTextLabels = "text_labels"
)

// labelled is embeddings with their labels as a file has them.
type labelled struct {
	vectors [][]float32
	labels  []string
	numbers bool     // the labels are numbers: they count the text labels
	split   []string // of each, nil if the file does not say
	encoder string   // digest, "" if the file does not say
}

// named is text embeddings with the labels that they are of, in order.
type named struct {
	vectors [][]float32 // nil: the encoder makes them
	labels  []string
}

// readFile reads an npz file, or an npy file with its labels.
func (l *loader) readFile(place, labels string) (x labelled, texts named, err error) {
	file := l.manifest.path(place)
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", place, err)
		}
	}()
	if strings.EqualFold(filepath.Ext(file), ".npz") {
		if labels != "" {
			return x, texts, errors.New("an npz file has its labels in itself: leave out the file of labels")
		}
		return readNPZ(file)
	}
	if labels == "" {
		return x, texts, errors.New("an npy file needs a file of labels beside it")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return x, texts, err
	}
	if x.vectors, err = exchange.ReadMatrix(data); err != nil {
		return x, texts, err
	}
	if x.labels, x.numbers, err = readLabels(l.manifest.path(labels)); err != nil {
		return x, texts, fmt.Errorf("%s: %w", labels, err)
	}
	if len(x.labels) != len(x.vectors) {
		return x, texts, fmt.Errorf("it has %d embeddings, and %s has %d labels", len(x.vectors), labels, len(x.labels))
	}
	return x, texts, nil
}

// readLabels reads an npy file, or one label a line.
func readLabels(file string) (labels []string, numbers bool, err error) {
	if strings.EqualFold(filepath.Ext(file), ".npy") {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, false, err
		}
		return exchange.ReadTexts(data)
	}
	numbers = true
	err = EachLine(file, func(line string) error {
		line = strings.TrimSpace(line)
		if _, err := strconv.Atoi(line); err != nil {
			numbers = false
		}
		labels = append(labels, line)
		return nil
	})
	return labels, numbers, err
}

func readNPZ(file string) (x labelled, texts named, err error) {
	err = withArchive(file, func(a *exchange.Archive) error {
		if x.vectors, err = a.Matrix(arrayEmbeddings); err != nil {
			return err
		}
		if x.labels, x.numbers, err = a.Texts(arrayLabels); err != nil {
			return err
		}
		if len(x.labels) != len(x.vectors) {
			return fmt.Errorf("it has %d embeddings and %d labels", len(x.vectors), len(x.labels))
		}
		if a.Has(arraySplit) {
			if x.split, _, err = a.Texts(arraySplit); err != nil {
				return err
			}
			if len(x.split) != len(x.vectors) {
				return fmt.Errorf("it has %d embeddings, and split has %d entries", len(x.vectors), len(x.split))
			}
		}
		if a.Has(arrayEncoder) {
			digest, _, err := a.Texts(arrayEncoder)
			if err != nil {
				return err
			}
			if len(digest) == 1 {
				x.encoder = strings.TrimSpace(digest[0])
			}
		}
		texts, err = textsOf(a)
		return err
	})
	return x, texts, err
}

// textsOf reads the text embeddings and their labels, as far as they are there.
func textsOf(a *exchange.Archive) (t named, err error) {
	if a.Has(arrayTextLabels) {
		if t.labels, _, err = a.Texts(arrayTextLabels); err != nil {
			return t, err
		}
	}
	if !a.Has(arrayTexts) {
		return t, nil
	}
	if t.vectors, err = a.Matrix(arrayTexts); err != nil {
		return t, err
	}
	return t, t.check()
}

func (t named) check() error {
	if len(t.labels) != len(t.vectors) {
		return fmt.Errorf("it has %d text embeddings and %d text labels", len(t.vectors), len(t.labels))
	}
	return nil
}

func (l *loader) readTexts(place, labels string) (t named, err error) {
	file := l.manifest.path(place)
	if strings.EqualFold(filepath.Ext(file), ".npz") {
		err = withArchive(file, func(a *exchange.Archive) error {
			t, err = textsOf(a)
			return err
		})
	} else {
		t, err = readTextMatrix(file, l.manifest.path(labels))
	}
	if err == nil && t.vectors == nil {
		err = fmt.Errorf("there is no array %q", arrayTexts)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", place, err)
	}
	return t, nil
}

func readTextMatrix(file, labels string) (t named, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	if t.vectors, err = exchange.ReadMatrix(data); err != nil {
		return t, err
	}
	if t.labels, _, err = readLabels(labels); err != nil {
		return t, err
	}
	return t, t.check()
}

func withArchive(file string, use func(*exchange.Archive) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a, err := exchange.OpenArchive(f, info.Size())
	if err != nil {
		return err
	}
	return use(a)
}
