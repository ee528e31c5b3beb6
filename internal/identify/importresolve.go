package identify

import (
	"cmp"
	"context"
	"slices"
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
	if t, is := r.builtin[row.Taxon]; is {
		return t
	}
	return r.byLabel[row.Label]
}

// resolve reads a file through, checks every row and finds the taxon of each.
func resolve(ctx context.Context, st Store, f EmbeddingFile) (*resolved, []ImportLabel, error) {
	r, err := newResolved(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	var bad BadRows
	type meant struct {
		taxon TaxonID
		name  string // of a new one
	}
	seen := map[meant]*ImportLabel{}
	err = f.Each(func(row EmbeddingRow) error {
		if row.Row%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if problem, err := r.check(ctx, st, row); err != nil {
			return err
		} else if problem != "" {
			if bad.Rows = append(bad.Rows, BadRow{row.Row, problem}); len(bad.Rows) == maxBadRows {
				bad.More = row.Row+1 < f.Rows()
				return bad.refusal()
			}
			return nil
		}
		t := r.of(row)
		key := meant{taxon: t.ID}
		if t.ID == 0 {
			key.name = t.ScientificName
		}
		if seen[key] == nil {
			if len(seen) == maxImportLabels {
				return Errorf(Invalid, "file", "This file has more than %d different labels. Split it.", maxImportLabels)
			}
			if seen[key] = (&ImportLabel{Label: row.Label, Taxon: t}); t.ID == 0 {
				seen[key].Label, seen[key].Taxon = key.name, Taxon{}
			}
		}
		seen[key].Rows++
		return nil
	})
	if err == nil && len(bad.Rows) > 0 {
		err = bad.refusal()
	}
	if err != nil {
		return nil, nil, err
	}
	labels := make([]ImportLabel, 0, len(seen))
	for _, l := range seen {
		labels = append(labels, *l)
	}
	slices.SortFunc(labels, func(a, b ImportLabel) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Label, b.Label))
	})
	return r, labels, nil
}

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
	for _, t := range taxa {
		if !t.Local {
			r.builtin[t.ID] = t
		}
	}
	return r, nil
}

// check says what is wrong with a row, "" if nothing is, and looks its label up.
func (r *resolved) check(ctx context.Context, st Store, row EmbeddingRow) (problem string, err error) {
	if row.Problem != "" {
		return row.Problem, nil
	}
	if problem := unusable(row.Embedding); problem != "" {
		return problem, nil
	}
	if _, is := r.builtin[row.Taxon]; is {
		return "", nil
	}
	if _, known := r.byLabel[row.Label]; known {
		return "", nil
	}
	name, err := cleanName("label", row.Label)
	if err != nil {
		return "its label cannot be a name. " + err.Error(), nil
	}
	t, err := st.TaxonByName(ctx, name)
	switch {
	case KindOf(err) == NotFound:
		t = Taxon{ScientificName: name}
	case err != nil:
		return "", err
	}
	if len(r.byLabel) > 2*maxImportLabels {
		return "", Errorf(Invalid, "file", "This file has more than %d different labels. Split it.", maxImportLabels)
	}
	r.byLabel[row.Label] = t
	return "", nil
}
