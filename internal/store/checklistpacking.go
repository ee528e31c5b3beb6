package store

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"fieldmark/internal/identify"
)

// waitingTaxon is a taxon of a checklist as it is written down until it is stored.
type waitingTaxon struct {
	Position int // within the list
	Taxon    identify.Taxon
	Before   *identify.Taxon `json:",omitempty"` // a known one, as it was when that was decided
	Below    int             // position of the new taxon above it, -1: Taxon.Parent
	Write    bool
	Member   bool // of the label set
}

// pack prepares a checklist to be written down: what has to be done of it, in parts of a
// stretch each. It returns how many of its taxa are members of the label set.
func pack(ctx context.Context, c identify.ChecklistChanges, told func(ready int)) (parts [][]byte, members int, err error) {
	var part []waitingTaxon
	ready := 0
	end := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		packed, err := deflated(part)
		if err != nil {
			return err
		}
		parts, part = append(parts, packed), part[:0]
		told(ready)
		return nil
	}
	for i, x := range c.Taxa {
		if x.Member {
			members++
		}
		if !x.Write && !x.Member {
			continue
		}
		if x.Write {
			ready++
		}
		if part = append(part, waiting(c, i)); len(part) == stretch {
			if err := end(); err != nil {
				return nil, 0, err
			}
		}
	}
	if len(part) > 0 {
		err = end()
	}
	return parts, members, err
}

// waiting is a taxon of a checklist as it is written down.
func waiting(c identify.ChecklistChanges, i int) waitingTaxon {
	x := c.Taxa[i]
	w := waitingTaxon{Position: i, Taxon: x.Taxon, Before: x.Before, Below: -1, Write: x.Write, Member: x.Member}
	if x.Parent >= 0 {
		if above := c.Taxa[x.Parent].Taxon.ID; above != 0 {
			w.Taxon.Parent = above
		} else {
			w.Below = x.Parent
		}
	}
	return w
}

func deflated(list []waitingTaxon) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	err = errors.Join(json.NewEncoder(w).Encode(list), w.Close())
	return b.Bytes(), err
}

func unpack(packed []byte) (list []waitingTaxon, err error) {
	r := flate.NewReader(bytes.NewReader(packed))
	return list, errors.Join(json.NewDecoder(r).Decode(&list), r.Close())
}

// noCircles returns an error if a taxon that a checklist moves would be above itself once
// all of it is stored.
func noCircles(ctx context.Context, tx *sql.Tx, c identify.ChecklistChanges) error {
	number := func(i int) identify.TaxonID { // a new one's is of its own, below 0
		if id := c.Taxa[i].Taxon.ID; id != 0 {
			return id
		}
		return identify.TaxonID(-1 - i)
	}
	above := map[identify.TaxonID]identify.TaxonID{}
	var moved []int
	for i, x := range c.Taxa {
		if !x.Write {
			continue
		}
		if x.Taxon.ID != 0 {
			moved = append(moved, i)
		}
		if above[number(i)] = x.Taxon.Parent; x.Parent >= 0 {
			above[number(i)] = number(x.Parent)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	if err := parents(ctx, tx, above); err != nil {
		return err
	}
	for _, i := range moved {
		for at, n := above[number(i)], 0; at != 0 && n <= len(above); at, n = above[at], n+1 {
			if at == number(i) {
				return errAboveItself(c.Taxa[i].Taxon)
			}
		}
	}
	return nil
}

// parents adds which taxon each is below, of those that it is not said of yet.
func parents(ctx context.Context, tx *sql.Tx, above map[identify.TaxonID]identify.TaxonID) error {
	rows, err := tx.QueryContext(ctx, `SELECT id, parent_id FROM taxa WHERE parent_id IS NOT NULL`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent identify.TaxonID
		if err := rows.Scan(&id, &parent); err != nil {
			return err
		}
		if _, said := above[id]; !said {
			above[id] = parent
		}
	}
	return rows.Err()
}
