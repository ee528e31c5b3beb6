package identify

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// resolved says which taxon each row of a file is of. A taxon id that a file
// gives goes before the label, if it is one of the starting vocabulary: local
// taxa have other ids elsewhere, so one of those counts only with its name.
type resolved struct {
	byLabel map[string]Taxon // by the label as the file has it; without an id where nothing has that name
	builtin map[TaxonID]Taxon
}

// of returns the taxon of a row, the zero Taxon where its label is a new name.
func (r *resolved) of(row EmbeddingRow) Taxon {
	return r.meant(row.Label, row.Taxon)
}

func (r *resolved) meant(label string, taxon TaxonID) Taxon {
	if t, is := r.builtin[taxon]; is {
		return t
	}
	return r.byLabel[label]
}

// resolve reads a file through, checks every row and finds the taxon of each.
func (p *ImportPlan) resolve(ctx context.Context, st Store, f EmbeddingFile, skipBad bool) error {
	r, err := newResolved(ctx, st)
	if err != nil {
		return err
	}
	labels := labelCount{}
	err = f.Each(func(row EmbeddingRow) error {
		if row.Row%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if problem, err := r.check(ctx, st, row); err != nil {
			return err
		} else if problem != nil {
			p.badRow(BadRow{Row: row.Row, Why: problem})
			if p.Bad.Count == maxBadRows && !skipBad && row.Row+1 < f.Rows() {
				p.Bad.More = true
				return p.Bad.refusal()
			}
			return nil
		}
		return labels.add(row.Label, r.of(row))
	})
	if err != nil {
		return err
	}
	p.taxa, p.Labels = r, labels.sorted()
	return p.judge(f.Rows(), skipBad)
}

// judge refuses a plan with bad rows, unless those are to be left out and others
// remain.
func (p *ImportPlan) judge(rows int, skipBad bool) error {
	p.Bad.Good, p.skipBad = rows-p.Bad.Count, skipBad
	if p.Bad.Count > 0 && (!skipBad || p.Bad.Good == 0) {
		return p.Bad.refusal()
	}
	return nil
}

// labelCount counts the rows of each taxon, or of each name that is to be one.
type labelCount map[meant]*ImportLabel

type meant struct {
	taxon TaxonID
	name  string // of a new one, in lower case
}

func meantBy(t Taxon) meant {
	if t.ID != 0 {
		return meant{taxon: t.ID}
	}
	return meant{name: strings.ToLower(t.ScientificName)}
}

func (c labelCount) add(label string, t Taxon) error {
	key := meantBy(t)
	if c[key] == nil {
		if len(c) == maxImportLabels {
			return errTooManyLabels
		}
		if c[key] = (&ImportLabel{Label: label, Taxon: t}); t.ID == 0 {
			c[key].Label, c[key].Taxon = t.ScientificName, Taxon{}
		}
	}
	c[key].Rows++
	return nil
}

// sorted lists the most frequent first.
func (c labelCount) sorted() []ImportLabel {
	labels := make([]ImportLabel, 0, len(c))
	for _, l := range c {
		labels = append(labels, *l)
	}
	slices.SortFunc(labels, func(a, b ImportLabel) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Label, b.Label))
	})
	return labels
}

var errTooManyLabels = Errorf(Invalid, "file", "This file has more than %d different labels. Split it.", maxImportLabels)

// settle finds the taxa of what were new names, once they are stored.
func (r *resolved) settle(ctx context.Context, st Store) error {
	for label, t := range r.byLabel {
		if t.ID != 0 {
			continue
		}
		found, err := st.TaxonByName(ctx, t.ScientificName)
		if err != nil {
			return err
		}
		r.byLabel[label] = found
	}
	return nil
}

func newResolved(ctx context.Context, st Store) (*resolved, error) {
	taxa, err := st.Taxa(ctx)
	if err != nil {
		return nil, err
	}
	r := &resolved{byLabel: map[string]Taxon{}, builtin: make(map[TaxonID]Taxon, len(taxa))}
	here := newTaxonomy(taxa)
	for _, t := range taxa {
		if !t.Local {
			r.builtin[t.ID], _ = here.taxon(here.accepted(t.ID))
		}
	}
	return r, nil
}

// check says what is wrong with a row, nil if nothing is, and looks its label up.
func (r *resolved) check(ctx context.Context, st Store, row EmbeddingRow) (problem *Error, err error) {
	if row.Problem != nil {
		return row.Problem, nil
	}
	if problem := unusable(row.Embedding); problem != nil {
		return problem, nil
	}
	return r.look(ctx, st, row.Label, row.Taxon)
}

// look looks up what a row is said to be, and says why that cannot be a name.
func (r *resolved) look(ctx context.Context, st Store, label string, taxon TaxonID) (problem *Error, err error) {
	if _, is := r.builtin[taxon]; is {
		return nil, nil
	}
	if _, known := r.byLabel[label]; known {
		return nil, nil
	}
	name, err := cleanName("label", label)
	if err != nil {
		return badRow("its label cannot be a name. %s", err), nil
	}
	t, err := st.TaxonByName(ctx, name)
	switch {
	case KindOf(err) == NotFound:
		t = Taxon{ScientificName: name}
	case err != nil:
		return nil, err
	}
	if len(r.byLabel) > 2*maxImportLabels {
		return nil, errTooManyLabels
	}
	r.byLabel[label] = t
	return nil, nil
}
