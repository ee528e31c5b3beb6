package identify

import (
	"context"
	"slices"
	"strings"
)

// ResolvedNames are the taxa that a list of names means.
type ResolvedNames struct {
	Taxa    []TaxonID // each once, in the order of the first of its names
	Twice   int       // names that were given again, or name a taxon that another one named
	Unknown []UnknownName
}

// UnknownName is a name that no taxon has.
type UnknownName struct {
	Name string
	Near []Taxon // whose names are spelled much like it, the nearest first
}

// ResolveNames finds taxa by any of their names. For the first 50 names that nothing
// has it looks for others that are spelled alike.
func (s *Service) ResolveNames(ctx context.Context, list []string) (ResolvedNames, error) {
	var r ResolvedNames
	if len(list) > maxSet {
		return r, Errorf(Invalid, "labels", "A label set holds at most %d names.", maxSet)
	}
	given, named := map[string]bool{}, map[TaxonID]bool{}
	for _, text := range list {
		name, err := cleanName("labels", text)
		if err != nil {
			return r, err
		}
		key := strings.ToLower(name)
		if given[key] {
			r.Twice++
			continue
		}
		given[key] = true
		t, err := s.Store.TaxonByName(ctx, name)
		switch {
		case KindOf(err) == NotFound:
			r.Unknown = append(r.Unknown, UnknownName{Name: name})
		case err != nil:
			return r, err
		case named[t.ID]:
			r.Twice++
		default:
			named[t.ID], r.Taxa = true, append(r.Taxa, t.ID)
		}
	}
	return r, s.suggestNames(ctx, r.Unknown)
}

func (s *Service) suggestNames(ctx context.Context, unknown []UnknownName) error {
	if len(unknown) == 0 {
		return nil
	}
	taxa, err := s.Store.Taxa(ctx)
	if err != nil {
		return err
	}
	for i := range unknown[:min(suggestedFor, len(unknown))] {
		unknown[i].Near = alike(taxa, unknown[i].Name)
	}
	return ctx.Err()
}

// TaxaOf describes the taxa of a label set, by label.
func (s *Service) TaxaOf(ctx context.Context, set LabelSet) ([]Taxon, error) {
	list := make([]Taxon, 0, len(set.Taxa))
	for _, id := range set.Taxa {
		t, err := s.meet(ctx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b Taxon) int { return strings.Compare(strings.ToLower(a.Label()), strings.ToLower(b.Label())) })
	return list, nil
}
