package identify

import (
	"slices"
	"strconv"
	"strings"
)

// MergeDecisions are what a person chose; where they say nothing, what is proposed
// is done.
type MergeDecisions struct {
	LeaveNew bool
	Groups   map[string]bool // by MergeGroup.Key, or by GroupKind for all others of that kind: taken or left out
	Taxa     map[int64]TaxonDecision
	Others   TaxonDecision // about taxa that Taxa does not name
}

// TaxonDecision is what is done with a taxon that is not known here. At most one is
// set; where none is, what is proposed is done.
type TaxonDecision struct {
	Taxon  TaxonID // it is this one
	Name   string  // it is the one of ours with this name
	Create bool    // it becomes a local taxon
	Leave  bool    // its rows are left out
}

// about returns what was decided about a taxon of a bundle.
func (d MergeDecisions) about(id int64) TaxonDecision {
	if x, is := d.Taxa[id]; is {
		return x
	}
	return d.Others
}

// take returns what was decided about a group, or else what is proposed.
func (d MergeDecisions) take(g *MergeGroup) bool {
	for _, key := range []string{g.Key, string(g.Kind)} {
		if take, is := d.Groups[key]; is {
			return take
		}
	}
	return g.Take
}

// suggested is the word for what is proposed.
const suggested = "suggested"

// ReadMergeDecisions reads decisions that are written down, in an address or on a
// command line. take and leave hold keys of groups, or kinds of groups for all others
// of that kind; taxa holds "7:create", "7:leave", "7:suggested", "7:1234" or
// "7:Common Blue", by the taxon's number in the preview, and without number and colon
// create, leave or suggested for all other taxa. Errors are about "leave" and "taxa".
func ReadMergeDecisions(take, leave, taxa []string) (MergeDecisions, error) {
	d := MergeDecisions{Groups: map[string]bool{}, Taxa: map[int64]TaxonDecision{}}
	for _, key := range take {
		d.Groups[key] = true
	}
	for _, key := range leave {
		if d.Groups[key] {
			return d, Errorf(Invalid, "leave", "The group %.60q is to be taken and to be left out. Decide for one.", key)
		}
		d.Groups[key] = false
	}
	for _, text := range taxa {
		wrong := Errorf(Invalid, "taxa", "%.60q is no decision. It is a taxon's id in the preview, a colon, and create, leave, suggested, or the id or the name of a taxon here: 7:create. "+
			"Without id and colon, create, leave or suggested is decided about all others.", text)
		of, what, one := strings.Cut(text, ":")
		if !one {
			if slices.Contains([]string{"create", "leave", suggested}, text) {
				d.Others = readTaxonDecision(text)
				continue
			}
			return d, wrong
		}
		id, err := strconv.ParseInt(of, 10, 64)
		if what = strings.TrimSpace(what); err != nil || what == "" {
			return d, wrong
		}
		if d.Taxa[id] = readTaxonDecision(what); what == "0" || strings.HasPrefix(what, "-") {
			return d, wrong
		}
	}
	return d, nil
}

func readTaxonDecision(text string) TaxonDecision {
	switch id, err := strconv.ParseInt(text, 10, 64); {
	case text == suggested:
		return TaxonDecision{}
	case text == "create":
		return TaxonDecision{Create: true}
	case text == "leave":
		return TaxonDecision{Leave: true}
	case err == nil:
		return TaxonDecision{Taxon: TaxonID(id)}
	}
	return TaxonDecision{Name: text}
}

// Fit refuses decisions about groups and taxa that a bundle does not have, which were
// mistyped or are about another.
func (d MergeDecisions) Fit(p MergePlan) error {
	if p.Resumes != nil {
		return nil // decided about before
	}
	for id := range d.Taxa {
		if q := p.taxa.doubts[id]; q == nil || q.Rows == 0 {
			return Errorf(Invalid, "taxa", "This bundle has no unknown taxon %d. Look at its preview: it lists their ids.", id)
		}
	}
	for key, take := range d.Groups {
		switch GroupKind(key) {
		case SamePhoto, NearPhoto, TakenBack:
			continue
		}
		if slices.ContainsFunc(p.Groups, func(g MergeGroup) bool { return g.Key == key }) {
			continue
		}
		field := "leave"
		if take {
			field = "take"
		}
		return Errorf(Invalid, field, "This bundle has no group %.60q. Look at its preview: it lists their keys.", key)
	}
	return nil
}
