package web

import (
	"context"
	"slices"

	"fieldmark/internal/identify"
)

// fakeTaxa keeps what curators say of the names of a fake.
type fakeTaxa struct {
	*fake
	edited map[identify.TaxonID]identify.TaxonEdit
	taken  []identify.ChecklistChoice
}

func (f *fakeTaxa) Ancestors(_ context.Context, id identify.TaxonID) ([]identify.Taxon, error) {
	if id < 5 {
		return []identify.Taxon{f.taxa[4]}, nil // the tits' family
	}
	return nil, nil
}

func (f *fakeTaxa) TaxonDetails(_ context.Context, id identify.TaxonID) (identify.TaxonDetails, error) {
	d := identify.TaxonDetails{Lessons: 3, Observations: 4, Sets: f.sets[1:2]}
	if id == 5 {
		d.Children = 3
	}
	return d, nil
}

func (f *fakeTaxa) TaxaBelow(_ context.Context, parent identify.TaxonID, skip, limit int) ([]identify.Taxon, bool, error) {
	list := f.taxa[:3]
	if parent != 5 && parent != 0 {
		list = nil
	}
	list = list[min(skip, len(list)):]
	return list[:min(limit, len(list))], len(list) > limit, nil
}

func (f *fakeTaxa) Seen(t identify.Taxon) (seen, said bool) { return t.Group == "birds", true }

func (f *fakeTaxa) EditTaxon(_ context.Context, u identify.User, id identify.TaxonID, e identify.TaxonEdit) (identify.Taxon, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.Taxon{}, identify.Errorf(identify.Forbidden, "", "To change names takes the role curator.")
	}
	if e.Rank == "clan" {
		return identify.Taxon{}, identify.Errorf(identify.Invalid, "rank", "%q is no rank.", e.Rank)
	}
	if f.edited == nil {
		f.edited = map[identify.TaxonID]identify.TaxonEdit{}
	}
	f.edited[id] = e
	return f.taxa[id-1], nil
}

func (f *fakeTaxa) PlanChecklist(_ context.Context, _ identify.User, c identify.Checklist) (identify.ChecklistPlan, error) {
	p := identify.ChecklistPlan{Name: c.Name, Rows: len(c.Rows), New: 1, Changed: 1, Problems: []identify.ChecklistProblem{{Line: 4, Name: "Pica", Why: identify.Errorf(identify.Invalid, "row", "here this is a name in another kingdom: the taxon %d, %s", 9, "Pica")}}}
	p.Taxa = []identify.ChecklistTaxon{{Line: 2, State: identify.ChecklistNew, Taxon: identify.Taxon{ScientificName: c.Rows[0].Name, Rank: "species"}, Parent: -1},
		{Line: 3, State: identify.ChecklistChanged, Taxon: f.taxa[0], Changes: []identify.TaxonDifference{{In: identify.PartEnglishName, Before: "Great Tit", After: "Big Tit"}}, Parent: -1}}
	return p, nil
}

func (f *fakeTaxa) TakeChecklist(_ context.Context, _ identify.User, _ identify.Checklist, choice identify.ChecklistChoice, told func(identify.ImportProgress)) (identify.TakenChecklist, error) {
	if choice.Set == "Birds" {
		return identify.TakenChecklist{}, identify.Errorf(identify.Conflict, "set", "There is a label set with the name “Birds” already.")
	}
	f.taken = append(f.taken, choice)
	return identify.TakenChecklist{New: 1, Changed: 1, Set: 2}, nil
}

func (f *fakeTaxa) ResolveNames(_ context.Context, list []string) (r identify.ResolvedNames, err error) {
	for _, name := range list {
		i := slices.IndexFunc(f.taxa, func(t identify.Taxon) bool { return t.EnglishName == name || t.ScientificName == name })
		switch {
		case i < 0:
			u := identify.UnknownName{Name: name}
			if name == "Graet Tit" {
				u.Near = f.taxa[:1]
			}
			r.Unknown = append(r.Unknown, u)
		case slices.Contains(r.Taxa, f.taxa[i].ID):
			r.Twice++
		default:
			r.Taxa = append(r.Taxa, f.taxa[i].ID)
		}
	}
	return r, nil
}

func (f *fakeTaxa) LabelSet(_ context.Context, id identify.LabelSetID) (identify.LabelSet, error) {
	i := slices.IndexFunc(f.sets, func(s identify.LabelSet) bool { return s.ID == id })
	if i < 0 {
		return identify.LabelSet{}, identify.Errorf(identify.NotFound, "label_set", "There is no such label set.")
	}
	return f.sets[i], nil
}

func (f *fakeTaxa) TaxaOf(_ context.Context, set identify.LabelSet) (list []identify.Taxon, err error) {
	for _, id := range set.Taxa {
		list = append(list, f.taxa[id-1])
	}
	return list, nil
}

func (f *fakeTaxa) ChangeLabelSet(_ context.Context, _ identify.User, id identify.LabelSetID, name string, _ []string, taxa []identify.TaxonID) (identify.LabelSet, error) {
	set, err := f.LabelSet(context.Background(), id)
	if err != nil {
		return set, err
	}
	set.Name, set.Taxa = name, taxa
	f.sets[id-1] = set
	return set, nil
}
