package store

import (
	"context"
	"database/sql"
	"strings"

	"fieldmark/internal/identify"
)

// defaultLimit is how many observations a page has unless the filter says.
const defaultLimit = 50

// Observations lists the observations that match, newest first, at most
// f.Limit; more says that older ones match.
func (s *Store) Observations(ctx context.Context, f identify.ObservationFilter) (list []identify.Observation, more bool, err error) {
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	clause, args := where(f)
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		// The page is chosen before anything is joined to it.
		list, err = observations(ctx, tx, `WHERE o.id IN (SELECT o.id FROM observations o `+clause+` ORDER BY o.id DESC LIMIT ?)
			ORDER BY o.id DESC`, append(args, f.Limit+1)...)
		return err
	})
	if len(list) > f.Limit {
		list, more = list[:f.Limit], true
	}
	return list, more, err
}

// conditions gathers the parts of a clause, joined by AND.
type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) add(part string, values ...any) {
	c.parts, c.args = append(c.parts, part), append(c.args, values...)
}

// clause is "" where there are no conditions.
func (c *conditions) clause(word string) string {
	if len(c.parts) == 0 {
		return ""
	}
	return word + ` ` + strings.Join(c.parts, ` AND `)
}

// where turns a filter into a clause over observations o.
func where(f identify.ObservationFilter) (string, []any) {
	var c conditions
	if f.Before > 0 {
		c.add(`o.id < ?`, f.Before)
	}
	if f.Disputed {
		c.add(`o.disputed = 1`)
	}
	named(&c, f)
	if f.Observer != 0 {
		c.add(`o.observer_id = ?`, f.Observer)
	}
	if f.Import != 0 {
		c.add(`o.import_id = ?`, f.Import)
	}
	if f.Photo != "" {
		c.add(`o.photo_hash = ?`, f.Photo)
	}
	if f.From != nil {
		c.add(`o.observed_at >= ?`, micros(*f.From))
	}
	if f.To != nil {
		c.add(`o.observed_at < ?`, micros(*f.To))
	}
	switch f.License {
	case "":
	case identify.NoLicense:
		c.add(`o.license = ''`)
	default:
		c.add(`o.license = ?`, f.License)
	}
	placed(&c, f)
	if !f.Said.IsZero() {
		var said conditions
		identified(&said, f)
		c.add(`o.id IN (SELECT i.observation_id FROM identifications i `+said.clause(`WHERE`)+`)`, said.args...)
	}
	if folded := fold(f.Query); folded != "" {
		// What an observation is called: its identification, or else what was
		// suggested first, which may be free text.
		looked := spelled(folded)
		c.add(`(coalesce(o.current_taxon_id, o.suggested_taxon_id) IN (
				WITH m (id) AS MATERIALIZED (SELECT n.taxon_id FROM taxon_names n WHERE instr(n.folded, ?) > 0 OR instr(n.words, ?) > 0)
				SELECT id FROM m UNION SELECT s.id FROM m JOIN taxa s ON s.accepted_id = m.id)
			OR (o.current_taxon_id IS NULL AND instr(o.folded_suggestion, ?) > 0)
			OR instr(o.folded_notes, ?) > 0)`, folded, looked, looked, looked)
	}
	return c.clause(`WHERE`), c.args
}

// observed turns a filter into a further condition over events e, that they are about an
// observation that matches: none where all do.
func observed(f identify.ObservationFilter) (string, []any) {
	clause, args := where(f)
	if clause == "" {
		return "", nil
	}
	return `AND e.observation_id IN (SELECT o.id FROM observations o ` + clause + `)`, args
}

// below selects the ids of a taxon, or of what it is a synonym of, and its descendants.
// What was withdrawn before they were found to be synonyms keeps their ids, so these
// are among them.
const below = `(WITH RECURSIVE below (id) AS (
	SELECT coalesce(accepted_id, id) FROM taxa WHERE id = ? UNION SELECT t.id FROM taxa t JOIN below ON t.parent_id = below.id)
	SELECT id FROM below UNION ALL SELECT s.id FROM below b JOIN taxa s ON s.accepted_id = b.id)`

// members selects the ids of a label set's taxa, or of what those are synonyms of, and of
// all synonyms of these.
const members = `(WITH m (id) AS (SELECT coalesce(t.accepted_id, t.id) FROM label_set_taxa l JOIN taxa t ON t.id = l.taxon_id WHERE l.label_set_id = ?)
	SELECT id FROM m UNION SELECT s.id FROM m JOIN taxa s ON s.accepted_id = m.id)`

// named narrows by what observations are called. Where withdrawn identifications
// are asked for, identified does: what they named may not be called so any more.
func named(c *conditions, f identify.ObservationFilter) {
	if f.Said.State != identify.StateWithdrawn {
		if f.Taxon != 0 {
			c.add(`o.current_taxon_id IN `+below, f.Taxon)
		}
		if f.LabelSet != 0 {
			c.add(`o.current_taxon_id IN `+members, f.LabelSet)
		}
	}
	switch f.Status {
	case "identified":
		c.add(`o.current_taxon_id IS NOT NULL`)
	case "unidentified":
		c.add(`o.current_taxon_id IS NULL`)
	}
}

// placed narrows by where observations were made or, for those who may not know it,
// are shown to be. What has no place is nowhere.
func placed(c *conditions, f identify.ObservationFilter) {
	if f.Box == nil && f.Near == nil {
		return
	}
	but, blind := f.Blind()
	var exact conditions
	within(&exact, f, `o.latitude`, `o.longitude`)
	if !blind {
		c.add(exact.clause(``), exact.args...)
		return
	}
	// What is shown is less than the side of a square away: look there.
	for _, b := range bounds(f) {
		boxed(c, b.Wider(), `o.latitude`, `o.longitude`)
	}
	var shown conditions
	within(&shown, f, `coarse_latitude(o.latitude)`, `coarse_longitude(o.longitude)`)
	args := append([]any{but}, shown.args...)
	c.add(`CASE WHEN o.latitude IS NULL OR o.longitude IS NULL THEN 0 WHEN o.observer_id <> ? AND `+sensitive+
		` THEN `+shown.clause(``)+` ELSE `+exact.clause(``)+` END`, append(args, exact.args...)...)
}

// bounds are boxes that everything which matches is in. An index finds them.
func bounds(f identify.ObservationFilter) (list []identify.Box) {
	if f.Box != nil {
		list = append(list, *f.Box)
	}
	if f.Near != nil {
		list = append(list, f.Near.Bounds())
	}
	return list
}

// within is what a place, given by two expressions, meets.
func within(c *conditions, f identify.ObservationFilter, latitude, longitude string) {
	for _, b := range bounds(f) {
		boxed(c, b, latitude, longitude)
	}
	if x := f.Near; x != nil {
		c.add(`km(`+latitude+`, `+longitude+`, ?, ?) <= ?`, x.Latitude, x.Longitude, x.Km)
	}
}

func boxed(c *conditions, b identify.Box, latitude, longitude string) {
	c.add(latitude+` BETWEEN ? AND ?`, b.South, b.North)
	if b.West <= b.East {
		c.add(longitude+` BETWEEN ? AND ?`, b.West, b.East)
	} else {
		c.add(`(`+longitude+` >= ? OR `+longitude+` <= ?)`, b.West, b.East)
	}
}

// identified turns the part of a filter that is about identifications into
// conditions over identifications i, as identify.IdentificationFilter.Matches
// decides.
func identified(c *conditions, f identify.ObservationFilter) {
	said := f.Said
	if said.By != 0 {
		c.add(`i.user_id = ?`, said.By)
	}
	if said.From != nil {
		c.add(`i.created_at >= ?`, micros(*said.From))
	}
	if said.To != nil {
		c.add(`i.created_at < ?`, micros(*said.To))
	}
	switch said.State {
	case identify.StateStanding:
		c.add(`i.withdrawn_at IS NULL`)
	case identify.StateWithdrawn:
		c.add(`i.withdrawn_at IS NOT NULL`)
		if f.Taxon != 0 {
			c.add(`i.taxon_id IN `+below, f.Taxon)
		}
		if f.LabelSet != 0 {
			c.add(`i.taxon_id IN `+members, f.LabelSet)
		}
	}
}
