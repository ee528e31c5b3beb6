package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// SeedTaxa puts the starting vocabulary in, or brings it up to date: every
// taxon has an id below identify.FirstLocalTaxon. What was seeded last, under
// the same version and with the same content, is not done again. What a curator
// or a checklist changed stays as they left it.
//
// Taxa that a newer vocabulary no longer has stay, since identifications may
// refer to them. Where a newer one brings a taxon under the name of a local
// one, both stay, with the exemplars that each has; the local one, if it stood
// alone, becomes a child of the other, so that filters and common ancestors
// gather both, and from then on the name means the built-in one.
func (s *Store) SeedTaxa(ctx context.Context, taxa []identify.Taxon, version string) error {
	for _, t := range taxa {
		if t.ID < 1 || t.ID >= identify.FirstLocalTaxon {
			return fmt.Errorf("vocabulary: the id %d of %q is not from 1 to %d", t.ID, t.Label(), identify.FirstLocalTaxon-1)
		}
	}
	return s.seed(ctx, "taxa", version, taxa, func(tx *sql.Tx) error {
		w, err := newTaxonWriter(ctx, tx, time.Now())
		if err != nil {
			return err
		}
		defer w.close()
		for _, t := range taxa {
			if err := w.put(ctx, t); err != nil {
				return fmt.Errorf("vocabulary: %q: %w", t.Label(), err)
			}
		}
		return adopt(ctx, tx)
	})
}

// seed runs do in a transaction unless the same content was seeded last.
func (s *Store) seed(ctx context.Context, what, version string, content any, do func(tx *sql.Tx) error) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	return s.update(ctx, func(tx *sql.Tx) error {
		var lastVersion, lastDigest string
		err := tx.QueryRowContext(ctx, `SELECT version, digest FROM seeds WHERE what = ?`, what).Scan(&lastVersion, &lastDigest)
		if err == nil && lastVersion == version && lastDigest == digest {
			return nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := do(tx); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO seeds (what, version, digest) VALUES (?, ?, ?)
			ON CONFLICT (what) DO UPDATE SET version = excluded.version, digest = excluded.digest`, what, version, digest)
		return err
	})
}

// adopt gives local taxa without a parent the built-in taxon of their name.
func adopt(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE taxa SET parent_id = (
			SELECT b.id FROM taxon_names mine JOIN taxon_names theirs ON theirs.folded = mine.folded
			JOIN taxa b ON b.id = theirs.taxon_id
			WHERE mine.taxon_id = taxa.id AND NOT b.local AND b.accepted_id IS NULL
			ORDER BY theirs.kind, b.rank <> 'species', b.id LIMIT 1)
		WHERE local AND parent_id IS NULL AND accepted_id IS NULL`)
	return err
}

// addLocal creates a taxon that is not in the vocabulary, under its name as
// typed.
func addLocal(ctx context.Context, tx *sql.Tx, name string, at time.Time) (identify.TaxonID, error) {
	if fold(name) == "" {
		return 0, identify.Errorf(identify.Invalid, "label", "A name needs at least one letter.")
	}
	t := identify.Taxon{ScientificName: name, Rank: identify.RankUnranked, Local: true}
	var err error
	if t.ID, err = nextLocal(ctx, tx); err != nil {
		return 0, err
	}
	w, err := newTaxonWriter(ctx, tx, at)
	if err != nil {
		return 0, err
	}
	defer w.close()
	return t.ID, w.put(ctx, t)
}
