package identify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// ImportPlan is what an import would do, worked out before it does anything.
type ImportPlan struct {
	Source  ImportSource
	Labels  []ImportLabel // each label of the file once, the most frequent first
	Resumes *Import       // an import of the same file that did not come to its end; nil if there is none
	taxa    *resolved
}

// ImportLabel is one label of a file, and the taxon that it is taken for.
type ImportLabel struct {
	Label string
	Taxon Taxon // the zero Taxon where it becomes a local taxon
	Rows  int
}

// New lists the labels that become local taxa.
func (p ImportPlan) New() []string {
	var list []string
	for _, l := range p.Labels {
		if l.Taxon.ID == 0 {
			list = append(list, l.Label)
		}
	}
	return list
}

// BadRow is a row that cannot be taken, and why.
type BadRow struct {
	Row     int // from 0
	Message string
}

// BadRows is the cause of the error by which a file with bad rows is refused.
type BadRows struct {
	Rows []BadRow
	More bool // the rest of the file was not looked at
}

// Error names the first few.
func (b *BadRows) Error() string {
	text := "rows are counted from 0:"
	for _, r := range b.Rows[:min(3, len(b.Rows))] {
		text += fmt.Sprintf(" row %d: %s;", r.Row, r.Message)
	}
	return text[:len(text)-1]
}

const (
	// maxBadRows is how many bad rows are looked for.
	maxBadRows = 100
	// maxImportLabels is how many different labels a file may have.
	maxImportLabels = 50_000
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

// PlanImport reads a file through and works out what an import of it under an
// encoder would do. Nothing is stored. A file that cannot be taken whole is
// refused with an *Error about the field "file"; where rows are to blame, its
// cause is a *BadRows. current says that the file's embeddings are this
// encoder's where it does not say so itself.
func PlanImport(ctx context.Context, st Store, info EncoderInfo, source ImportSource, f EmbeddingFile, current bool) (ImportPlan, error) {
	if err := fits(info, f, current); err != nil {
		return ImportPlan{}, err
	}
	source.Encoder, source.Total = info.Digest, f.Rows()
	plan := ImportPlan{Source: source}
	switch m, err := st.ImportOf(ctx, source.Digest, source.Encoder); {
	case err == nil && m.Unfinished():
		plan.Resumes = &m
	case err == nil:
		return plan, Errorf(Conflict, "file", "This file was imported on %s already (import %d, %d exemplars). Withdraw that import to take it in anew.",
			m.BeganAt.Format("2 January 2006"), m.ID, m.Taught())
	case KindOf(err) != NotFound:
		return plan, err
	}
	var err error
	plan.taxa, plan.Labels, err = resolve(ctx, st, f)
	return plan, err
}

// fits refuses embeddings that are not this encoder's.
func fits(info EncoderInfo, f EmbeddingFile, current bool) error {
	switch {
	case f.Encoder() != "" && f.Encoder() != info.Digest:
		return Errorf(Invalid, "encoder", "These embeddings were made by another encoder (digest %.20s…), and mean nothing to %s (%.20s…). "+
			"Import them where that encoder serves, or bring the photos themselves.", f.Encoder(), info.Name, info.Digest)
	case f.Dim() != info.Dim:
		return Errorf(Invalid, "file", "These embeddings have %d numbers each, and those of the encoder %s have %d: another encoder made them.",
			f.Dim(), info.Name, info.Dim)
	case f.Encoder() == "" && !current:
		return Errorf(Invalid, "encoder", "The file does not say which encoder made its embeddings. "+
			"If it was %s, which serves here, say so: --encoder current, or encoder=current over the API.", info.Name)
	}
	return nil
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

// unusable says why an embedding cannot be learned, "" if it can.
func unusable(v []float32) string {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return "its embedding has numbers that are not finite"
	case square == 0:
		return "its embedding is all zeros"
	case math.Sqrt(square) < 1e-12 || math.Sqrt(square) > 1e12:
		return fmt.Sprintf("its embedding has the length %.3g, which no encoder gives", math.Sqrt(square))
	}
	return ""
}

// refusal is the error of a file with bad rows.
func (b *BadRows) refusal() error {
	what := fmt.Sprintf("%d rows of this file cannot be taken", len(b.Rows))
	switch {
	case b.More:
		what = fmt.Sprintf("The first %d bad rows of this file were found, and it was not read further", len(b.Rows))
	case len(b.Rows) == 1:
		what = "1 row of this file cannot be taken"
	}
	return &Error{Kind: Invalid, Field: "file", Err: b,
		Message: fmt.Sprintf("%s, so nothing was (%s). Mend or leave out those rows and import it again.", what, b.Error())}
}
