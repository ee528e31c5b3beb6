package identify

import (
	"context"
	"slices"
	"strings"
	"time"
)

// TaxonDetails is what is known of a taxon beside its names.
type TaxonDetails struct {
	Children     int
	Lessons      int        // identifications of it, and of all below, that stand
	Observations int        // whose name is it, or one below
	Sets         []LabelSet // that it is in, without their taxa
	Edited       bool       // by a curator or a checklist; a newer vocabulary leaves it as it is
}

// TaxonEdit is what a curator may say of a taxon.
type TaxonEdit struct {
	ScientificName string // "" only for what is no organism
	EnglishName    string
	Synonyms       []string
	Vernacular     []VernacularName // of a language's, the first is shown
	Rank           Rank
	Parent         TaxonID // 0 at the top
}

// NamedTaxon is a taxon that has a certain name.
type NamedTaxon struct {
	Taxon      TaxonID
	Scientific bool // it is the scientific name, else a synonym
}

// TaxonStore keeps what curators say of taxa.
type TaxonStore interface {
	// TaxonDetails describes one taxon; KindOf NotFound if there is none.
	TaxonDetails(ctx context.Context, id TaxonID) (TaxonDetails, error)
	// TaxaBelow lists the children of a taxon by name, those of 0 at the top by rank
	// and name; at most limit after the first skip.
	TaxaBelow(ctx context.Context, parent TaxonID, skip, limit int) ([]Taxon, error)
	// EditTaxon replaces what is said of a taxon and notes it in the audit trail,
	// with what changed.
	EditTaxon(ctx context.Context, id TaxonID, e TaxonEdit, what Notice, by UserID, at time.Time) (Taxon, error)
	// TaxaNamed lists for each name, folded, the taxa that have it as a scientific
	// name or as a synonym, the former first. Names that nothing has are left out.
	TaxaNamed(ctx context.Context, names []string) (map[string][]NamedTaxon, error)
	// BeginChecklist writes down what is to be stored of a checklist, all or nothing:
	// nothing of it is there yet, and from then on all of it comes to be there, by
	// GoOnChecklist. told is called with how many taxa are ready to be written down. A
	// label set's name that is taken, another checklist that is not done, and a taxon
	// that would be above itself are Conflicts.
	BeginChecklist(ctx context.Context, c ChecklistChanges, told func(ready int)) error
	// GoOnChecklist stores the next stretch of what is written down, also by a process
	// that was killed; nothing, without an error, if nothing is.
	GoOnChecklist(ctx context.Context) (ChecklistStretch, error)
}

// Ranks lists the ranks that a taxon may be given, the highest first.
func Ranks() []Rank {
	return []Rank{"kingdom", "phylum", "class", "order", "family", "genus", "species", "subspecies", "hybrid", "breed", RankUnranked}
}

// TaxonDetails describes a taxon beside its names.
func (s *Service) TaxonDetails(ctx context.Context, id TaxonID) (TaxonDetails, error) {
	d, err := s.Store.TaxonDetails(ctx, id)
	return d, stored(err, "taxon_id")
}

// maxBelow bounds the children that are listed at once.
const maxBelow = 500

// TaxaBelow lists the children of a taxon, 0 being the top, by name; more says that
// there are others after these.
func (s *Service) TaxaBelow(ctx context.Context, parent TaxonID, skip, limit int) (list []Taxon, more bool, err error) {
	if limit < 1 || limit > maxBelow || skip < 0 {
		return nil, false, Errorf(Invalid, "limit", "Ask for 1 to %d taxa at a time.", maxBelow)
	}
	list, err = s.Store.TaxaBelow(ctx, parent, skip, limit+1)
	if len(list) > limit {
		list, more = list[:limit], true
	}
	return list, more, err
}

// Seen reports whether the photo tower of the encoder that serves has learned to see
// a taxon under any of its scientific names; said is false if it does not say.
func (s *Service) Seen(t Taxon) (seen, said bool) {
	known := s.serving().info.Seen
	return sees(known, t), known != nil
}

// sees reports whether a taxon, under its scientific name or one that it had, is among
// those that a photo tower has learned to see.
func sees(known map[string]bool, t Taxon) bool {
	return known[t.ScientificName] || slices.ContainsFunc(t.Synonyms, func(name string) bool { return known[name] })
}

// EditTaxon renames a taxon, gives it other names or another place. Lessons follow
// its id, so nothing that was taught changes; a scientific name that is given up
// stays as a synonym.
func (s *Service) EditTaxon(ctx context.Context, u User, id TaxonID, e TaxonEdit) (Taxon, error) {
	if err := allow(u, Curator, "change names"); err != nil {
		return Taxon{}, err
	}
	t, err := s.Taxon(ctx, id)
	if err != nil {
		return t, err
	}
	if t.Accepted != 0 {
		return t, Errorf(Conflict, "", "%s is a synonym of %s. Change that one, or undo the merge.", t.Name(), s.nameOf(t.Accepted))
	}
	if e, err = e.clean(t); err != nil {
		return t, err
	}
	e.Parent = s.taxonomy.accepted(e.Parent)
	if err := s.placeable(ctx, t, e); err != nil {
		return t, err
	}
	what := s.difference(t, e)
	if what.Format == "" {
		return t, nil
	}
	if t, err = s.Store.EditTaxon(ctx, id, e, what, u.ID, s.Now()); err != nil {
		return t, stored(err, "scientific_name")
	}
	s.learned(t)
	return t, nil
}

// learned puts a taxon as it is now before everyone: its new names are embedded when
// they are next asked for.
func (s *Service) learned(t Taxon) {
	s.taxonomy.add(t)
	for _, e := range s.lineup.Load().engines() {
		e.names.taxa.forget(t.ID)
	}
}

// clean checks what can be checked without looking at other taxa.
func (e TaxonEdit) clean(t Taxon) (TaxonEdit, error) {
	var err error
	if e.ScientificName != "" || t.Rank != RankNone {
		if e.ScientificName, err = cleanName("scientific_name", e.ScientificName); err != nil {
			return e, err
		}
	}
	if e.EnglishName != "" {
		if e.EnglishName, err = cleanName("english_name", e.EnglishName); err != nil {
			return e, err
		}
	}
	if e.Rank != t.Rank && !slices.Contains(Ranks(), e.Rank) {
		return e, Errorf(Invalid, "rank", "%q is no rank. Choose one from the list.", e.Rank)
	}
	synonyms := e.Synonyms
	if t.ScientificName != e.ScientificName && t.ScientificName != "" {
		synonyms = append(slices.Clone(synonyms), t.ScientificName)
	}
	e.Synonyms = nil
	has := map[string]bool{strings.ToLower(e.ScientificName): true, strings.ToLower(e.EnglishName): true}
	for _, name := range synonyms {
		if name, err = cleanName("synonyms", name); err != nil {
			return e, err
		}
		if key := strings.ToLower(name); !has[key] {
			has[key], e.Synonyms = true, append(e.Synonyms, name)
		}
	}
	e.Vernacular, err = cleanVernacular(e.Vernacular)
	if len(e.Synonyms)+len(e.Vernacular) > maxNames {
		return e, Errorf(Invalid, "synonyms", "A taxon has at most %d names.", maxNames)
	}
	return e, err
}

// maxNames bounds the synonyms and names in other languages of one taxon.
const maxNames = 200
