package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"fieldmark/internal/identify"
)

// checklistWriter stores one stretch of a checklist within a transaction.
type checklistWriter struct {
	tx        *sql.Tx
	list      checklistRow
	names     *taxonWriter
	next      identify.TaxonID            // of the next new taxon
	became    map[int]identify.TaxonID    // taxa of the list by their positions: those above the stretch's, and its own
	meanwhile map[string][]identify.Taxon // that others added since it was decided, by folded name: ID and Rank alone
	placed    []placedTaxon
	done      identify.ChecklistStretch
}

// placedTaxon is a row of checklist_taxa.
type placedTaxon struct {
	Position int
	Taxon    identify.TaxonID
	Member   bool
	Below    identify.TaxonID // 0: it is in its place
}

// storeStretch stores the first part that waits.
func storeStretch(ctx context.Context, tx *sql.Tx, c checklistRow) (done identify.ChecklistStretch, err error) {
	var part int64
	var packed []byte
	err = tx.QueryRowContext(ctx, `SELECT id, taxa, EXISTS (SELECT 1 FROM checklist_parts x WHERE x.id > p.id) FROM checklist_parts p ORDER BY id LIMIT 1`).
		Scan(&part, &packed, &done.More)
	if errors.Is(err, sql.ErrNoRows) { // nothing had to be stored
		return done, nil
	} else if err != nil {
		return done, err
	}
	list, err := unpack(packed)
	if err != nil {
		return done, err
	}
	w, err := newChecklistWriter(ctx, tx, c, list)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, w.names.close()) }()
	w.done.More = done.More
	for _, x := range list {
		if err := w.take(ctx, x); err != nil {
			return done, err
		}
	}
	if err := w.keepPlaces(ctx); err != nil {
		return done, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM checklist_parts WHERE id = ?`, part); err != nil {
		return done, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE checklist SET added = added + ?, changed = changed + ?`, w.done.New, w.done.Changed)
	return w.done, err
}

func newChecklistWriter(ctx context.Context, tx *sql.Tx, c checklistRow, list []waitingTaxon) (*checklistWriter, error) {
	w := &checklistWriter{tx: tx, list: c}
	var err error
	if w.next, err = nextLocal(ctx, tx); err != nil {
		return nil, err
	}
	if w.became, err = placesOf(ctx, tx, list); err != nil {
		return nil, err
	}
	if w.meanwhile, err = addedMeanwhile(ctx, tx, c.newest, list); err != nil {
		return nil, err
	}
	w.names, err = newTaxonWriter(ctx, tx, c.at)
	return w, err
}

// take stores a taxon of the list, or finds what it is here by now.
func (w *checklistWriter) take(ctx context.Context, x waitingTaxon) error {
	p := placedTaxon{Position: x.Position, Taxon: x.Taxon.ID, Member: x.Member}
	if x.Below >= 0 {
		x.Taxon.Parent = w.became[x.Below]
	}
	var err error
	switch {
	case !x.Write:
	case x.Taxon.ID == 0:
		p.Taxon, err = w.add(ctx, x.Taxon)
	default:
		p.Below, err = w.change(ctx, x)
	}
	if err != nil {
		return err
	}
	if x.Write {
		w.done.Passed++
	}
	w.became[x.Position] = p.Taxon
	w.placed = append(w.placed, p)
	return nil
}

// add stores a new taxon, unless somebody added one of its name meanwhile: that is it.
func (w *checklistWriter) add(ctx context.Context, t identify.Taxon) (identify.TaxonID, error) {
	for _, other := range w.meanwhile[fold(t.ScientificName)] {
		if other.Rank == t.Rank || other.Rank == identify.RankUnranked || t.Rank == identify.RankUnranked {
			return other.ID, nil
		}
	}
	t.ID, t.CreatedAt = w.next, w.list.at
	w.next++
	w.done.New++
	w.done.Taxa = append(w.done.Taxa, t)
	return t.ID, w.names.edit(ctx, t)
}

// change stores what the list says of a known taxon, unless somebody changed that
// meanwhile: they had the last word. One that is above the taxon that it is to be below
// stays where it is, which is returned, until others have moved.
func (w *checklistWriter) change(ctx context.Context, x waitingTaxon) (below identify.TaxonID, err error) {
	now, err := taxon(ctx, w.tx, x.Taxon.ID)
	if err != nil || now.Accepted != 0 || x.Before != nil && !alike(now, *x.Before) {
		return 0, err
	}
	t := x.Taxon
	if t.Parent != now.Parent && t.Parent != 0 {
		above, err := isAbove(ctx, w.tx, t.ID, t.Parent)
		if err != nil {
			return 0, err
		}
		if above {
			below, t.Parent = t.Parent, now.Parent
		}
	}
	w.done.Changed++
	w.done.Taxa = append(w.done.Taxa, t)
	return below, w.names.edit(ctx, t)
}

// keepPlaces notes which taxa those of the stretch became.
func (w *checklistWriter) keepPlaces(ctx context.Context) error {
	text, err := json.Marshal(w.placed)
	if err != nil {
		return err
	}
	_, err = w.tx.ExecContext(ctx, `INSERT INTO checklist_taxa (position, taxon_id, member, below)
		SELECT value ->> 'Position', value ->> 'Taxon', value ->> 'Member', nullif(value ->> 'Below', 0) FROM json_each(?)`, string(text))
	return err
}

// placesOf tells which taxa those above the ones of a stretch became, by their positions.
func placesOf(ctx context.Context, tx *sql.Tx, list []waitingTaxon) (map[int]identify.TaxonID, error) {
	var above []int
	for _, x := range list {
		if x.Below >= 0 {
			above = append(above, x.Below)
		}
	}
	became := make(map[int]identify.TaxonID, len(list))
	text, err := json.Marshal(above)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT position, taxon_id FROM checklist_taxa WHERE position IN (SELECT value FROM json_each(?))`, string(text))
	places, err := collect(rows, err, func(rows *sql.Rows) (p placedTaxon, err error) { return p, rows.Scan(&p.Position, &p.Taxon) })
	for _, p := range places {
		became[p.Position] = p.Taxon
	}
	return became, err
}

// addedMeanwhile lists the taxa that came after a checklist was decided, and not with it,
// and that have the scientific name of a new one of a stretch.
func addedMeanwhile(ctx context.Context, tx *sql.Tx, newest identify.TaxonID, list []waitingTaxon) (map[string][]identify.Taxon, error) {
	var names []string
	for _, x := range list {
		if x.Write && x.Taxon.ID == 0 {
			names = append(names, fold(x.Taxon.ScientificName))
		}
	}
	text, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	found := map[string][]identify.Taxon{}
	rows, err := tx.QueryContext(ctx, `
		SELECT DISTINCT n.folded, t.id, t.rank FROM json_each(?) j CROSS JOIN taxon_names n ON n.folded = j.value AND n.kind = 1 CROSS JOIN taxa t ON t.id = n.taxon_id
		WHERE t.id > ? AND t.accepted_id IS NULL AND NOT EXISTS (SELECT 1 FROM checklist_taxa x WHERE x.taxon_id = t.id) ORDER BY t.id`, string(text), newest)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var t identify.Taxon
		if err := rows.Scan(&name, &t.ID, &t.Rank); err != nil {
			return nil, err
		}
		found[name] = append(found[name], t)
	}
	return found, rows.Err()
}

// alike reports whether the same is said of two taxa, in whatever order.
func alike(a, b identify.Taxon) bool {
	synonyms := func(t identify.Taxon) []string { return slices.Sorted(slices.Values(t.Synonyms)) }
	vernacular := func(t identify.Taxon) []identify.VernacularName {
		return slices.SortedFunc(slices.Values(t.Vernacular), func(x, y identify.VernacularName) int {
			return strings.Compare(x.Language+"\x00"+x.Name, y.Language+"\x00"+y.Name)
		})
	}
	return a.ScientificName == b.ScientificName && a.EnglishName == b.EnglishName && a.Rank == b.Rank && a.Parent == b.Parent &&
		slices.Equal(synonyms(a), synonyms(b)) && slices.Equal(vernacular(a), vernacular(b))
}
