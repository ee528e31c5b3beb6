package identify

import "context"

// ImportPlan is what an import would do, worked out before it does anything.
type ImportPlan struct {
	Source  ImportSource
	Labels  []ImportLabel // each label of the file once, the most frequent first
	Resumes *Import       // an import of the same file that did not come to its end; nil if there is none
	Bad     BadRows       // rows that are left out
	Notes   []Notice      // what else there is to be said of the file, in sentences
	taxa    *resolved
	skip    map[int]bool // rows that are left out
	skipBad bool         // so is what proves bad later
	photos  planned      // of a PhotoSet
}

// badRow leaves a row out.
func (p *ImportPlan) badRow(r BadRow) {
	if p.skip == nil {
		p.skip = map[int]bool{}
	}
	p.skip[r.Row] = true
	p.Bad.add(r)
}

// ImportLabel is one label of a file, and the taxon that it is taken for.
type ImportLabel struct {
	Label string
	Taxon Taxon // the zero Taxon where it becomes a local taxon
	Rows  int
	Near  []Taxon // taxa with a name that is spelled much like that of a new one, the likeliest first
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

// PlanImport reads a file of embeddings through and works out what an import of it
// under an encoder would do. Nothing is stored. A file that cannot be taken whole
// is refused with an *Error about the field "file"; where rows are to blame, its
// cause is a *BadRows.
func PlanImport(ctx context.Context, st Store, info EncoderInfo, source ImportSource, f EmbeddingFile, o ImportOptions) (ImportPlan, error) {
	if err := fits(info, f, o.Current); err != nil {
		return ImportPlan{}, err
	}
	plan, err := newImportPlan(ctx, st, info, source, f)
	if err != nil {
		return plan, err
	}
	if err := plan.resolve(ctx, st, f, o.SkipBad); err != nil {
		return plan, err
	}
	return plan, plan.suggest(ctx, st)
}

// newImportPlan refuses a file that was imported whole already.
func newImportPlan(ctx context.Context, st Store, info EncoderInfo, source ImportSource, f ImportFile) (ImportPlan, error) {
	source.Encoder, source.Total = info.Digest, f.Rows()
	plan := ImportPlan{Source: source}
	switch m, err := st.ImportOf(ctx, source.Digest, source.Encoder); {
	case err == nil && m.Unfinished():
		plan.Resumes = &m
	case err == nil:
		return plan, Errorf(Conflict, "file", "This file was imported on %s already (import %d, %s). Withdraw that import to take it in anew.",
			m.BeganAt.Format("2 January 2006"), m.ID, Noticef("%d exemplars", m.Taught()))
	case KindOf(err) != NotFound:
		return plan, err
	}
	return plan, nil
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
