package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// taxonWriter stores taxa with their names within one transaction.
type taxonWriter struct {
	at                              int64 // when what is new was created
	taxon, forget, addName, addWord *sql.Stmt
}

func newTaxonWriter(ctx context.Context, tx *sql.Tx, at time.Time) (*taxonWriter, error) {
	w := &taxonWriter{at: micros(at)}
	for _, p := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&w.taxon, `
			INSERT INTO taxa (id, scientific_name, english_name, rank, group_key, parent_id, local, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET scientific_name = excluded.scientific_name, english_name = excluded.english_name,
				rank = excluded.rank, group_key = excluded.group_key, parent_id = excluded.parent_id`},
		{&w.forget, `DELETE FROM taxon_names WHERE taxon_id = ?`},
		{&w.addName, `INSERT INTO taxon_names (taxon_id, kind, name, folded, words) VALUES (?, ?, ?, ?, ?)`},
		{&w.addWord, `INSERT INTO taxon_words (word, name_id) VALUES (?, ?)`},
	} {
		var err error
		if *p.statement, err = tx.PrepareContext(ctx, p.text); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

func (w *taxonWriter) close() error {
	var err error
	for _, s := range []*sql.Stmt{w.taxon, w.forget, w.addName, w.addWord} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// put inserts a taxon with its names, or replaces what is known of it.
func (w *taxonWriter) put(ctx context.Context, t identify.Taxon) error {
	_, err := w.taxon.ExecContext(ctx, t.ID, t.ScientificName, t.EnglishName, t.Rank, t.Group, number(t.Parent), t.Local, w.at)
	if err != nil {
		return err
	}
	if _, err := w.forget.ExecContext(ctx, t.ID); err != nil {
		return err
	}
	if err := w.name(ctx, t.ID, scientificName, t.ScientificName); err != nil {
		return err
	}
	if err := w.name(ctx, t.ID, englishName, t.EnglishName); err != nil {
		return err
	}
	for _, name := range t.Synonyms {
		if err := w.name(ctx, t.ID, synonym, name); err != nil {
			return err
		}
	}
	return nil
}

func (w *taxonWriter) name(ctx context.Context, id identify.TaxonID, kind int, name string) error {
	if name == "" {
		return nil
	}
	folded := fold(name)
	list := words(folded)
	r, err := w.addName.ExecContext(ctx, id, kind, name, folded, " "+strings.Join(list, " "))
	if err != nil {
		return err
	}
	row, err := r.LastInsertId()
	if err != nil {
		return err
	}
	for _, word := range list {
		if _, err := w.addWord.ExecContext(ctx, word, row); err != nil {
			return err
		}
	}
	return nil
}
