package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"fieldmark/internal/identify"
)

// moved is what a synonymy took along beside the lessons, so that undoing it takes
// just that back.
type moved struct {
	Names      []string                  `json:"names,omitempty"` // that the accepted taxon did not have
	Vernacular []identify.VernacularName `json:"vernacular,omitempty"`
	Children   []identify.TaxonID        `json:"children,omitempty"` // that were below the synonym
}

// move gives a taxon's names, and what is below it, to the taxon that it becomes a
// synonym of. Its own names stay with it, out of everybody's way. Where its places are
// told less exactly, so are those of the other from then on: what was known of a
// sensitive taxon must not get out by being given another name. That is left as it is
// when the synonymy is undone: what was taught meanwhile may be of the sensitive one,
// and a curator can take the other off the list.
func move(ctx context.Context, tx *sql.Tx, from, into identify.Taxon, by identify.UserID, at time.Time) (moved, error) {
	m := newNames(from, into)
	w, err := newTaxonWriter(ctx, tx, at)
	if err != nil {
		return m, err
	}
	defer w.close()
	if err := w.add(ctx, into.ID, m.Names, m.Vernacular); err != nil {
		return m, err
	}
	rows, err := tx.QueryContext(ctx, `UPDATE taxa SET parent_id = ? WHERE parent_id = ? RETURNING id`, into.ID, from.ID)
	m.Children, err = collect(rows, err, func(rows *sql.Rows) (t identify.TaxonID, err error) { return t, rows.Scan(&t) })
	if err != nil {
		return m, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sensitive_taxa (taxon_id, user_id, added_at) SELECT ?, ?, ? WHERE `+isSensitive+` AND NOT `+isSensitive,
		into.ID, by, micros(at), from.ID, into.ID)
	if err != nil || len(m.Children) == 0 {
		return m, err
	}
	return m, refreshDisputesOf(ctx, tx, disputable)
}

// isSensitive is the condition that a taxon, or one above it, is listed as sensitive.
const isSensitive = `EXISTS (WITH RECURSIVE up (id) AS (VALUES (?) UNION SELECT t.parent_id FROM up JOIN taxa t ON t.id = up.id WHERE t.parent_id IS NOT NULL)
	SELECT 1 FROM up JOIN sensitive_taxa x ON x.taxon_id = up.id)`

// newNames are those of a taxon that another does not have.
func newNames(from, into identify.Taxon) moved {
	var m moved
	has := map[string]bool{"": true}
	for _, name := range append([]string{into.ScientificName, into.EnglishName}, into.Synonyms...) {
		has[fold(name)] = true
	}
	for _, name := range append([]string{from.ScientificName, from.EnglishName}, from.Synonyms...) {
		if key := fold(name); !has[key] {
			has[key], m.Names = true, append(m.Names, name)
		}
	}
	for _, v := range from.Vernacular {
		if !slices.Contains(into.Vernacular, v) {
			m.Vernacular = append(m.Vernacular, v)
		}
	}
	return m
}

// moveBack takes back what a synonymy took along, as far as it is still there.
func moveBack(ctx context.Context, tx *sql.Tx, y identify.Synonymy) (moved, error) {
	var text []byte
	var m moved
	if err := tx.QueryRowContext(ctx, `SELECT moved FROM synonymies WHERE id = ?`, y.ID).Scan(&text); err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	for _, name := range m.Names {
		if err := dropName(ctx, tx, y.Accepted, name, ""); err != nil {
			return m, err
		}
	}
	for _, v := range m.Vernacular {
		if err := dropName(ctx, tx, y.Accepted, v.Name, v.Language); err != nil {
			return m, err
		}
	}
	for _, child := range m.Children {
		if _, err := tx.ExecContext(ctx, `UPDATE taxa SET parent_id = ? WHERE id = ? AND parent_id = ?`, y.Synonym, child, y.Accepted); err != nil {
			return m, err
		}
		t, err := taxon(ctx, tx, child)
		if err != nil {
			return m, err
		}
		if err := notAboveItself(ctx, tx, t); err != nil {
			return m, err
		}
	}
	if len(m.Children) == 0 {
		return m, nil
	}
	return m, refreshDisputesOf(ctx, tx, disputable)
}

// dropName takes a synonym, or a name in another language, from a taxon.
func dropName(ctx context.Context, tx *sql.Tx, id identify.TaxonID, name, language string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM taxon_names WHERE taxon_id = ? AND kind = ? AND name = ? AND coalesce(language, '') = ?`, id, synonym, name, language)
	return err
}
