package api

import (
	"time"

	"fieldmark/internal/identify"
)

// Prediction is an answer with its evidence. It is exported for huma, which
// describes what it can see of a struct that is embedded.
type Prediction struct {
	Predictions    []candidate `json:"predictions" nullable:"false" doc:"Likeliest first"`
	Compared       int         `json:"compared" doc:"How many candidate labels were compared"`
	Headline       headline    `json:"headline" doc:"The most specific taxon that is likely enough to be said"`
	WeightExemplar float64     `json:"weight_exemplar" doc:"Share of the exemplar memory in the answer, 0 to 1"`
	Neighbours     []neighbour `json:"neighbours" nullable:"false" doc:"The exemplars nearest to the photo, nearest first"`
	MemorySeq      int64       `json:"memory_seq" doc:"The memory that answered: number of the last event folded into it"`
	Model          string      `json:"model" doc:"Name of the encoder"`
	Fusion         ruleName    `json:"fusion"`
	System         systemName  `json:"system"`
	Timings        timings     `json:"timings_ms" doc:"Where the time went, in milliseconds"`
}

type candidate struct {
	Label          string  `json:"label"`
	ScientificName string  `json:"scientific_name,omitempty"`
	TaxonID        int64   `json:"taxon_id,omitempty" doc:"Left out for free text that names no taxon"`
	Rank           string  `json:"rank,omitempty"`
	Group          string  `json:"group,omitempty"`
	Local          bool    `json:"local" doc:"Added here by a correction"`
	Seen           bool    `json:"seen" doc:"The encoder has learned to see it, as far as it says"`
	Probability    float64 `json:"probability" doc:"Probabilities of all candidates sum to 1"`
	ZeroShot       float64 `json:"zero_shot" doc:"What the encoder alone says"`
	Exemplar       float64 `json:"exemplar" doc:"What the exemplars alone say"`
	Exemplars      int     `json:"exemplars" doc:"How many exemplars of it the memory holds"`
}

type headline struct {
	Label          string  `json:"label"`
	ScientificName string  `json:"scientific_name,omitempty"`
	TaxonID        int64   `json:"taxon_id,omitempty"`
	Rank           string  `json:"rank,omitempty"`
	Probability    float64 `json:"probability"`
	Certain        bool    `json:"certain" doc:"false: a common ancestor of likely candidates, or only a guess"`
}

type neighbour struct {
	ObservationID int64   `json:"observation_id"`
	Label         string  `json:"label"`
	TaxonID       int64   `json:"taxon_id"`
	TaughtBy      string  `json:"taught_by"`
	Similarity    float64 `json:"similarity" doc:"Cosine"`
}

type timings struct {
	Decode  float64 `json:"decode"`
	Embed   float64 `json:"embed"`
	Predict float64 `json:"predict"`
}

func newPrediction(p identify.Prediction) Prediction {
	h := p.Headline
	out := Prediction{
		Predictions: newCandidates(p), Compared: p.Total,
		Headline:       headline{h.Label, h.Scientific, int64(h.Taxon), string(h.Rank), h.Probability, h.Certain},
		WeightExemplar: p.WeightExemplar, Neighbours: make([]neighbour, len(p.Neighbours)),
		MemorySeq: int64(p.Seq), Model: p.Encoder, Fusion: ruleName(p.Rule), System: systemName(p.System),
		Timings: timings{ms(p.Timings.Decode), ms(p.Timings.Embed), ms(p.Timings.Predict)},
	}
	for i, n := range p.Neighbours {
		out.Neighbours[i] = neighbour{int64(n.Observation), n.Label, int64(n.Taxon), n.TaughtBy, n.Similarity}
	}
	return out
}

func newCandidates(p identify.Prediction) []candidate {
	list := make([]candidate, len(p.Candidates))
	for i, c := range p.Candidates {
		list[i] = candidate{
			Label: c.Label, ScientificName: c.Scientific, TaxonID: int64(c.Taxon), Rank: string(c.Rank), Group: c.Group,
			Local: c.Local, Seen: c.Seen, Probability: c.Probability, ZeroShot: c.ZeroShot, Exemplar: c.Exemplar, Exemplars: c.Exemplars,
		}
	}
	return list
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
