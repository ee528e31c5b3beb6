package api

import (
	"time"

	"fieldmark/internal/identify"
)

// MergePlan is what taking a bundle in would do, as JSON.
type MergePlan struct {
	From        string       `json:"from"`
	Instance    string       `json:"instance"`
	MadeAt      time.Time    `json:"made_at"`
	Narrowed    string       `json:"narrowed_to,omitempty" doc:"The filters with which it was made"`
	Fingerprint string       `json:"fingerprint" doc:"Of the key that signed it"`
	Signer      string       `json:"signer,omitempty" doc:"Whose key that is; left out if nobody here knows it"`
	Own         bool         `json:"own" doc:"Signed here"`
	Encoder     string       `json:"encoder" doc:"Name of the encoder that made its embeddings"`
	Reembed     bool         `json:"reembed" doc:"That is another one: its photos are read anew"`
	Rows        int          `json:"rows"`
	New         int          `json:"new"`
	TakeNew     bool         `json:"take_new"`
	Known       int          `json:"known"`
	Withdrawn   int          `json:"withdrawn" doc:"Taken back where they come from: not taught"`
	Unseen      int          `json:"unseen" doc:"Without a photo that could be read anew: cannot be taken"`
	LeftOut     int          `json:"left_with_taxa" doc:"Of unknown taxa that are left out"`
	Take        int          `json:"take" doc:"Rows that would be taught"`
	Conflicts   []mergeGroup `json:"conflicts" nullable:"false"`
	Unknown     []mergeTaxon `json:"unknown_taxa" nullable:"false" doc:"The most frequent first, 500 at most"`
	MoreUnknown int          `json:"more_unknown_taxa,omitempty" doc:"How many further ones there are"`
	Resumes     *imported    `json:"resumes,omitempty"`
}

type mergeGroup struct {
	Key      string         `json:"key" doc:"Names it in take and leave"`
	Kind     string         `json:"kind" enum:"photo,near,withdrawn"`
	Theirs   string         `json:"theirs"`
	Ours     string         `json:"ours"`
	Rows     int            `json:"rows"`
	Take     bool           `json:"take"`
	Examples []mergeExample `json:"examples" nullable:"false"`
}

type mergeExample struct {
	Photo       string  `json:"photo_sha256" doc:"Theirs"`
	Observation int64   `json:"observation_id" doc:"Ours"`
	Similarity  float64 `json:"similarity" doc:"Cosine; 1 for the same photo"`
}

type mergeTaxon struct {
	ID        int64      `json:"id" doc:"Names it in taxa"`
	Name      string     `json:"scientific_name"`
	English   string     `json:"english_name,omitempty"`
	Rank      string     `json:"rank"`
	Below     string     `json:"below,omitempty" doc:"The nearest taxon above it that is known here"`
	Rows      int        `json:"rows"`
	What      string     `json:"decision" enum:"taxon,create,leave" doc:"taxon: it is taxon_id; create: it becomes a local one; leave: its lessons are left out"`
	TaxonID   int64      `json:"taxon_id,omitempty" doc:"The taxon here that it is taken for"`
	Suggested bool       `json:"suggested" doc:"That is what is suggested"`
	Near      []nearName `json:"near,omitempty" doc:"Taxa here that it could be"`
}

// NewMergePlan puts a preview into the form of the API, which is that of the command
// too.
func NewMergePlan(p identify.MergePreview) *MergePlan {
	m := p.Manifest
	out := &MergePlan{From: m.Instance.Name, Instance: m.Instance.ID, MadeAt: m.CreatedAt, Narrowed: m.Filter, Fingerprint: p.Signer.Fingerprint,
		Signer: p.Signer.Name, Own: p.Signer.Own, Encoder: m.Encoder.Name, Reembed: p.Reembed, Rows: m.Counts.Exemplars, New: p.New, TakeNew: p.TakeNew,
		Known: p.Known, Withdrawn: p.Withdrawn, Unseen: p.Unseen, LeftOut: p.LeftTaxa, Take: p.Take(), Conflicts: []mergeGroup{}, Unknown: []mergeTaxon{},
		MoreUnknown: p.MoreTaxa}
	for _, g := range p.Groups {
		x := mergeGroup{Key: g.Key, Kind: string(g.Kind), Theirs: g.Theirs, Ours: g.Ours, Rows: g.Rows, Take: g.Take, Examples: []mergeExample{}}
		for _, e := range g.Examples {
			x.Examples = append(x.Examples, mergeExample{string(e.Photo), int64(e.Observation), e.Similarity})
		}
		out.Conflicts = append(out.Conflicts, x)
	}
	for _, q := range p.Taxa {
		out.Unknown = append(out.Unknown, newMergeTaxon(q))
	}
	if p.Resumes != nil {
		m := newImported(*p.Resumes)
		out.Resumes = &m
	}
	return out
}

func newMergeTaxon(q identify.TaxonQuestion) mergeTaxon {
	t := mergeTaxon{ID: q.ID, Name: q.Taxon.ScientificName, English: q.Taxon.EnglishName, Rank: q.Taxon.Rank, Below: q.Below, Rows: q.Rows,
		What: "taxon", TaxonID: int64(q.Decision.Taxon), Suggested: q.Decision == q.Proposed}
	if q.Decision.Create {
		t.What = "create"
	} else if q.Decision.Leave {
		t.What = "leave"
	}
	for _, x := range q.Similar {
		t.Near = append(t.Near, nearName{x.Label(), int64(x.ID)})
	}
	return t
}
