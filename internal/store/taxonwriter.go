package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// taxonWriter stores taxa with their names within one transaction.
type taxonWriter struct {
	at                                            int64 // when what is new was created
	taxon, edited, mark, forget, addName, addWord *sql.Stmt
}

func newTaxonWriter(ctx context.Context, tx *sql.Tx, at time.Time) (*taxonWriter, error) {
	w := &taxonWriter{at: micros(at)}
	for _, p := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&w.taxon, `
			INSERT INTO taxa (id, scientific_name, english_name, rank, group_key, parent_id, local, created_at)
			VALUES (?1, ?2, ?3, ?4, ?5, coalesce((SELECT accepted_id FROM taxa WHERE id = ?6), ?6), ?7, ?8)
			ON CONFLICT (id) DO UPDATE SET scientific_name = excluded.scientific_name, english_name = excluded.english_name,
				rank = excluded.rank, group_key = excluded.group_key, parent_id = excluded.parent_id`},
		{&w.edited, `SELECT EXISTS (SELECT 1 FROM taxa WHERE id = ? AND edited_at IS NOT NULL)`},
		{&w.mark, `UPDATE taxa SET edited_at = ? WHERE id = ?`},
		{&w.forget, `DELETE FROM taxon_names WHERE taxon_id = ?`},
		{&w.addName, `INSERT INTO taxon_names (taxon_id, kind, name, folded, words, language) VALUES (?, ?, ?, ?, ?, nullif(?, ''))`},
		{&w.addWord, `INSERT INTO taxon_words (word, name_id, first) VALUES (?, ?, ?)`},
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
	for _, s := range []*sql.Stmt{w.taxon, w.edited, w.mark, w.forget, w.addName, w.addWord} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// put inserts a taxon of the vocabulary, or a local one, with its names, or replaces
// what is known of it unless a curator or a checklist said that.
func (w *taxonWriter) put(ctx context.Context, t identify.Taxon) error {
	var edited bool
	if err := w.edited.QueryRowContext(ctx, t.ID).Scan(&edited); err != nil || edited {
		return err
	}
	return w.write(ctx, t)
}

// add gives a taxon further synonyms and names in other languages, as somebody says.
func (w *taxonWriter) add(ctx context.Context, id identify.TaxonID, synonyms []string, vernacular []identify.VernacularName) error {
	if err := w.others(ctx, id, synonyms, vernacular); err != nil {
		return err
	}
	_, err := w.mark.ExecContext(ctx, w.at, id)
	return err
}

// edit inserts or replaces a taxon with all its names, as somebody says.
func (w *taxonWriter) edit(ctx context.Context, t identify.Taxon) error {
	if err := w.write(ctx, t); err != nil {
		return err
	}
	return w.add(ctx, t.ID, nil, nil)
}

func (w *taxonWriter) write(ctx context.Context, t identify.Taxon) error {
	_, err := w.taxon.ExecContext(ctx, t.ID, t.ScientificName, t.EnglishName, t.Rank, t.Group, number(t.Parent), t.Local, w.at)
	if err != nil {
		return err
	}
	if _, err := w.forget.ExecContext(ctx, t.ID); err != nil {
		return err
	}
	if err := w.name(ctx, t.ID, scientificName, t.ScientificName, ""); err != nil {
		return err
	}
	if err := w.name(ctx, t.ID, englishName, t.EnglishName, ""); err != nil {
		return err
	}
	return w.others(ctx, t.ID, t.Synonyms, t.Vernacular)
}

// others adds synonyms and names in other languages.
func (w *taxonWriter) others(ctx context.Context, id identify.TaxonID, synonyms []string, vernacular []identify.VernacularName) error {
	for _, name := range synonyms {
		if err := w.name(ctx, id, synonym, name, ""); err != nil {
			return err
		}
	}
	for _, v := range vernacular {
		if err := w.name(ctx, id, synonym, v.Name, v.Language); err != nil {
			return err
		}
	}
	return nil
}

// name adds a name; language is "" for one that is scientific or English.
func (w *taxonWriter) name(ctx context.Context, id identify.TaxonID, kind int, name, language string) error {
	if name == "" {
		return nil
	}
	folded := fold(name)
	r, err := w.addName.ExecContext(ctx, id, kind, name, folded, spacedWords(folded), language)
	if err != nil {
		return err
	}
	row, err := r.LastInsertId()
	if err != nil {
		return err
	}
	for _, x := range index(spelled(folded)) {
		if _, err := w.addWord.ExecContext(ctx, x.Word, row, x.First); err != nil {
			return err
		}
	}
	return nil
}
