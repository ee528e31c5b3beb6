package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fieldmark/internal/protocol"
	"fieldmark/internal/vec"
)

// readVectors reads a task of embeddings that were made elsewhere.
func (l *loader) readVectors(ctx context.Context, i int) error {
	spec := l.manifest.Tasks[i]
	taught, asked, texts, err := l.readFiles(spec)
	if err != nil {
		return err
	}
	if spec.Texts != "" {
		if texts, err = l.readTexts(spec.Texts, spec.TextLabels); err != nil {
			return err
		}
	}
	t := protocol.Task{Name: spec.Name, ZeroShot: spec.ZeroShot}
	if t.Classes, err = classesOf(texts, taught, asked); err != nil {
		return err
	}
	if t.Train, err = splitOf(taught, t.Classes); err != nil {
		return err
	}
	if t.Test, err = splitOf(asked, t.Classes); err != nil {
		return err
	}
	if t.Texts = texts.vectors; t.Texts != nil && spec.Prompt != "" {
		return errors.New("its text_embeddings are made already: leave out prompt")
	}
	if t.Texts == nil {
		names := make([][]string, len(t.Classes))
		for c, class := range t.Classes {
			names[c] = []string{class}
		}
		if t.Texts, err = l.texts(ctx, spec, names); err != nil {
			return fmt.Errorf("its labels have no text_embeddings: %w", err)
		}
	}
	for _, v := range t.Texts {
		vec.Normalize(v)
	}
	l.tasks[i] = t
	return errors.Join(l.madeBy(spec.Name, taught.encoder), l.madeBy(spec.Name, asked.encoder))
}

// madeBy holds the encoder that a file names against the one in use.
func (l *loader) madeBy(task, digest string) error {
	switch have := l.options.Encoder; {
	case digest == "" && have != nil:
		note := fmt.Sprintf("%s: its file does not say which encoder made its embeddings; they are taken to be the one's in use", task)
		if !slices.Contains(l.notes, note) {
			l.notes = append(l.notes, note)
		}
	case digest == "":
	case have != nil && digest != have.Digest():
		return fmt.Errorf("another encoder (%.12s…) made its embeddings than the one in use (%.12s…)", digest, have.Digest())
	case l.digest != "" && digest != l.digest:
		return fmt.Errorf("another encoder (%.12s…) made its embeddings than those of the tasks before it (%.12s…)", digest, l.digest)
	default:
		l.digest = digest
	}
	return nil
}

// readFiles reads the embeddings to teach and to ask. Text embeddings come with
// them where they are in the same file.
func (l *loader) readFiles(spec Task) (taught, asked labelled, texts named, err error) {
	if spec.Embeddings != "" {
		all, texts, err := l.readFile(spec.Embeddings, "")
		if err != nil {
			return taught, asked, texts, err
		}
		taught, asked, err = all.divide(spec.ZeroShot)
		return taught, asked, texts, err
	}
	if spec.Train != "" && !spec.ZeroShot {
		if taught, texts, err = l.readFile(spec.Train, spec.TrainLabels); err != nil {
			return taught, asked, texts, err
		}
	}
	asked, own, err := l.readFile(spec.Test, spec.TestLabels)
	if texts.labels == nil {
		texts = own
	}
	return taught, asked, texts, err
}
