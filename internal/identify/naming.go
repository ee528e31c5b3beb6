package identify

import (
	"context"
	"slices"
)

// Taxon returns one taxon.
func (s *Service) Taxon(ctx context.Context, id TaxonID) (Taxon, error) {
	t, err := s.meet(ctx, id)
	return t, stored(err, "taxon_id")
}

// meet returns a taxon, from the store if it was created since it was last
// looked at.
func (s *shared) meet(ctx context.Context, id TaxonID) (Taxon, error) {
	if t, known := s.taxonomy.taxon(id); known {
		return t, nil
	}
	t, err := s.Store.Taxon(ctx, id)
	if err == nil {
		s.taxonomy.add(t)
	}
	return t, err
}

// Ancestors returns the taxa above id, nearest first.
func (s *Service) Ancestors(ctx context.Context, id TaxonID) ([]Taxon, error) {
	if _, err := s.Taxon(ctx, id); err != nil {
		return nil, err
	}
	return s.taxonomy.ancestors(id), nil
}

// SearchTaxa finds taxa by the beginning of a word of any of their names, best first.
func (s *Service) SearchTaxa(ctx context.Context, query string, limit int) ([]TaxonMatch, error) {
	if limit < 1 || limit > 100 {
		return nil, Errorf(Invalid, "limit", "Ask for 1 to 100 taxa at a time.")
	}
	if len(query) == 0 {
		return nil, nil
	}
	query, err := cleanName("q", query)
	if err != nil {
		return nil, err
	}
	return s.Store.SearchTaxa(ctx, query, limit)
}

// LabelSets lists the label sets, those of the vocabulary first.
func (s *Service) LabelSets(ctx context.Context) ([]LabelSet, error) {
	sets, err := s.Store.LabelSets(ctx)
	for i := range sets {
		sets[i].Seen = s.seen(sets[i].Taxa)
	}
	return sets, err
}

// LabelSet returns one label set.
func (s *Service) LabelSet(ctx context.Context, id LabelSetID) (LabelSet, error) {
	set, err := s.Store.LabelSet(ctx, id)
	set.Seen = s.seen(set.Taxa)
	return set, stored(err, "label_set")
}

// AddLabelSet makes a label set of taxa and of names, each of which must be
// one of a taxon's.
func (s *Service) AddLabelSet(ctx context.Context, u User, name string, labels []string, taxa []TaxonID) (LabelSet, error) {
	name, taxa, err := s.labelSet(ctx, u, name, labels, taxa)
	if err != nil {
		return LabelSet{}, err
	}
	set, err := s.Store.AddLabelSet(ctx, name, taxa, s.Now())
	set.Seen = s.seen(set.Taxa)
	return set, stored(err, "name")
}

// ChangeLabelSet replaces a label set's name and taxa.
func (s *Service) ChangeLabelSet(ctx context.Context, u User, id LabelSetID, name string, labels []string, taxa []TaxonID) (LabelSet, error) {
	name, taxa, err := s.labelSet(ctx, u, name, labels, taxa)
	if err != nil {
		return LabelSet{}, err
	}
	set, err := s.Store.ChangeLabelSet(ctx, id, name, taxa)
	set.Seen = s.seen(set.Taxa)
	return set, stored(err, "label_set")
}

// DeleteLabelSet removes a label set; what was taught stays.
func (s *Service) DeleteLabelSet(ctx context.Context, u User, id LabelSetID) error {
	if err := allow(u, Curator, "delete label sets"); err != nil {
		return err
	}
	return stored(s.Store.DeleteLabelSet(ctx, id), "label_set")
}

// maxSet bounds the taxa of one label set.
const maxSet = 20_000

func (s *Service) labelSet(ctx context.Context, u User, name string, labels []string, taxa []TaxonID) (string, []TaxonID, error) {
	if err := allow(u, Curator, "make label sets"); err != nil {
		return "", nil, err
	}
	name, err := cleanName("name", name)
	if err != nil {
		return "", nil, err
	}
	if len(labels)+len(taxa) > maxSet {
		return "", nil, Errorf(Invalid, "labels", "A label set holds at most %d names.", maxSet)
	}
	ids := slices.Clone(taxa)
	for _, id := range taxa {
		if _, known := s.taxonomy.taxon(id); !known {
			return "", nil, Errorf(Invalid, "taxa", "There is no taxon with the id %d.", id)
		}
	}
	for _, label := range labels {
		clean, err := cleanName("labels", label)
		if err != nil {
			return "", nil, err
		}
		t, err := s.Store.TaxonByName(ctx, clean)
		if KindOf(err) == NotFound {
			return "", nil, Errorf(Invalid, "labels", "No taxon has the name %q. Check its spelling, or teach it with a photo first.", clean)
		} else if err != nil {
			return "", nil, err
		}
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return "", nil, Errorf(Invalid, "labels", "A label set needs at least one name.")
	}
	return name, ids, nil
}

// seen counts the taxa that the photo tower has learned to see; -1 if the
// encoder does not say.
func (s *Service) seen(taxa []TaxonID) int {
	known := s.serving().info.Seen
	if known == nil {
		return -1
	}
	n := 0
	for _, id := range taxa {
		if t, is := s.taxonomy.taxon(id); is && sees(known, t) {
			n++
		}
	}
	return n
}
