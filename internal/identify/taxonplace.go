package identify

import (
	"context"
	"slices"
	"strings"
)

// placeable says why a taxon cannot have a name or a place, nil if it can.
func (s *Service) placeable(ctx context.Context, t Taxon, e TaxonEdit) error {
	if e.Parent != 0 && e.Parent != t.Parent {
		parent, err := s.meet(ctx, e.Parent)
		if err != nil {
			return stored(err, "parent")
		}
		if parent.ID == t.ID || slices.ContainsFunc(s.taxonomy.ancestors(parent.ID), func(up Taxon) bool { return up.ID == t.ID }) {
			return Errorf(Invalid, "parent", "%s is below %s, so it cannot be above it too.", parent.Name(), t.Name())
		}
	}
	if e.ScientificName == t.ScientificName || e.ScientificName == "" {
		return nil
	}
	named, err := s.Store.TaxaNamed(ctx, []string{e.ScientificName})
	if err != nil {
		return err
	}
	for _, n := range named[e.ScientificName] {
		other, err := s.meet(ctx, n.Taxon)
		if err != nil {
			return err
		}
		if n.Scientific && other.ID != t.ID && other.Rank == e.Rank {
			return Errorf(Conflict, "scientific_name", "Another %s has the name %q already: the taxon %d.", other.Rank, e.ScientificName, other.ID)
		}
	}
	return nil
}

// difference says what an edit changes, nothing if nothing does.
func (s *Service) difference(t Taxon, e TaxonEdit) Notice {
	var list []Notice
	changed := func(what Notice, before, after any) {
		if before != after {
			list = append(list, Noticef("%s: %s → %s", what, orNone(before), orNone(after)))
		}
	}
	changed(Noticef("scientific name"), t.ScientificName, e.ScientificName)
	changed(Noticef("English name"), t.EnglishName, e.EnglishName)
	changed(Noticef("rank"), t.Rank, e.Rank)
	if t.Parent != e.Parent {
		changed(Noticef("above it"), s.nameOf(t.Parent), s.nameOf(e.Parent))
	}
	changed(Noticef("synonyms"), strings.Join(t.Synonyms, ", "), strings.Join(e.Synonyms, ", "))
	changed(Noticef("in other languages"), vernacularText(t.Vernacular), vernacularText(e.Vernacular))
	if len(list) == 0 {
		return Notice{}
	}
	return joined(list, "; ")
}

// orNone is a value that is a text, a rank or a taxon's name, in words if it is empty.
func orNone(value any) any {
	switch value {
	case "", Rank(""), TaxonName{}:
		return Noticef("none")
	}
	return value
}

func (s *shared) labelOf(id TaxonID) string {
	return s.nameOf(id).Label
}

func (s *shared) nameOf(id TaxonID) TaxonName {
	t, _ := s.taxonomy.taxon(id)
	return t.Name()
}
