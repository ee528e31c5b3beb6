package eval

import (
	"fmt"

	"fieldmark/internal/fusion"
	"fieldmark/internal/vec"
)

// question is one candidate set over a Pack's labels.
type question struct {
	*Candidates
	pack  *Pack
	known []bool // of each candidate
}

func newQuestion(p *Pack, s Stage, set CandidateSet) *question {
	q := &question{Candidates: Among(p.Texts, set.Labels), pack: p, known: make([]bool, len(set.Labels))}
	for _, y := range s.Known {
		if r := q.Row[y]; r < len(q.known) {
			q.known[r] = true
		}
	}
	return q
}

// scorer returns the Scorer of an image; predicted holds the label that each
// neighbour's leaf predicts, nil if no tree is asked.
func (q *question) scorer(m *memory, v []float32, r reading, tauBeta float64, predicted []int) (*fusion.Scorer, error) {
	nbs := make([]fusion.Neighbour, len(r.neighbours))
	for j, nb := range r.neighbours {
		nbs[j] = fusion.Neighbour{Cosine: nb.Cos, Row: q.Row[m.label[nb.ID]]}
		if predicted != nil {
			nbs[j].Predicted = q.Row[predicted[j]]
		}
	}
	return fusion.NewScorer(fusion.Query{
		Vector: v, Texts: q.Texts, Candidates: len(q.Labels), Known: q.known,
		Tau: q.pack.Tau, TauBeta: tauBeta, Neighbours: nbs,
	})
}

// candidates picks the columns of Y out of log p over all labels.
func (q *question) candidates(logP []float64) []float64 {
	out := make([]float64, len(q.Labels))
	for c, y := range q.Labels {
		out[c] = logP[y]
	}
	return out
}

// system is one exemplar system in one variant, under the pack's names.
type system struct {
	name, variant string
	scorer        *fusion.Scorer
	prediction    *fusion.Prediction
}

// probabilityRules and embeddingRules give the pack's names of fusion's rules.
var (
	probabilityRules = []struct {
		name string
		rule fusion.Rule
	}{
		{"prob", fusion.Exemplar},
		{"avg_prob", fusion.AvgProb},
		{"aim_prob_printed", fusion.AIMProbPrinted},
		{"aim_prob_authors", fusion.AIMProb},
		{"aim_prob_repo_logits", fusion.AIMProbProgram},
	}
	embeddingRules = []struct {
		name string
		rule fusion.Rule
	}{
		{"emb", fusion.ExemplarEmb},
		{"avg_emb", fusion.AvgEmbRaw},
		{"avg_emb_unit", fusion.AvgEmb},
		{"aim_emb", fusion.AIMEmb},
	}
)

// answers computes every method of the pack for one image.
func (q *question) answers(m *memory, v []float32, r reading) (map[string][]float64, error) {
	systems, err := q.systems(m, v, r)
	if err != nil {
		return nil, err
	}
	z := systems[0].scorer
	out := map[string][]float64{"zero_shot": z.ZeroShot(), "P_in": {z.PIn()}}
	for _, s := range systems {
		for _, e := range embeddingRules {
			f, err := s.scorer.Fuse(e.rule, s.prediction)
			if err != nil {
				return nil, err
			}
			out[s.name+"."+e.name+"."+s.variant] = f.P
		}
		for _, e := range probabilityRules {
			if name := s.name + "." + e.name; out[name] == nil {
				f, err := s.scorer.Fuse(e.rule, s.prediction)
				if err != nil {
					return nil, err
				}
				out[name] = f.P
			}
		}
	}
	return out, nil
}

func (q *question) systems(m *memory, v []float32, r reading) ([]system, error) {
	paper, err := q.scorer(m, v, r, q.pack.TauBeta, nil)
	if err != nil {
		return nil, err
	}
	flat, err := q.scorer(m, v, r, 1, nil)
	if err != nil {
		return nil, err
	}
	list := []system{
		{"knn", "mv", paper, nil}, {"knn", "avg", paper, nil}, {"knn", "wavg", paper, nil}, {"knn", "wavg_tau1", flat, nil},
	}
	empty := len(m.label) == 0 // then nothing is predicted
	for i, name := range []fusion.System{fusion.KNNMV, fusion.KNNAvg, fusion.KNNWAvg, fusion.KNNWAvg} {
		if empty {
			break
		}
		if list[i].prediction, err = list[i].scorer.KNN(name); err != nil {
			return nil, err
		}
	}
	lin := system{"lin", "argmax", paper, nil}
	if !empty {
		if lin.prediction, err = paper.Probe(q.candidates(r.lin), q.Row[vec.ArgMax(r.lin)]); err != nil {
			return nil, err
		}
	}
	list = append(list, lin)
	for t, part := range m.stage.Partitions {
		for _, variant := range []struct {
			name string
			tau  float64
		}{{"wavg", q.pack.TauBeta}, {"wavg_tau1", 1}} {
			s := system{name: fmt.Sprintf("tree%d", part.Psi), variant: variant.name}
			if s.scorer, err = q.scorer(m, v, r, variant.tau, r.trees[t].predicted); err != nil {
				return nil, err
			}
			if empty {
				list = append(list, s)
				continue
			}
			if s.prediction, err = s.scorer.Tree(q.candidates(r.trees[t].logP)); err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}
