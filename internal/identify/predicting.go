package identify

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// Predict reads the photo of an observation with the present memory.
func (s *Service) Predict(ctx context.Context, id ObservationID, q Question) (Prediction, error) {
	e, release := s.acquire()
	defer release()
	p, _, err := e.predictStored(ctx, e.learner.memory(), id, q)
	return p, err
}

// predictStored reads an observation's photo by its embedding, and returns what
// it read.
func (e *engine) predictStored(ctx context.Context, m *memory, id ObservationID, q Question) (Prediction, storedPhoto, error) {
	o, err := e.Store.Observation(ctx, id)
	if err != nil {
		return Prediction{}, storedPhoto{}, stored(err, "id")
	}
	vector, err := e.embedding(ctx, o.Photo.Hash)
	if err != nil {
		return Prediction{}, storedPhoto{}, err
	}
	p, err := e.predict(ctx, m, vector, q)
	return p, storedPhoto{o.Photo.Hash, o.Photo.HasFile(), vector}, err
}

// storedPhoto is a photo that is kept, as one encoder sees it.
type storedPhoto struct {
	hash   PhotoHash
	file   bool      // it is here itself, not its embedding alone
	vector []float32 // raw embedding [D]
}

// predict answers a question about a raw embedding [D] with one memory.
func (e *engine) predict(ctx context.Context, m *memory, vector []float32, q Question) (Prediction, error) {
	start := time.Now()
	if err := e.settle(&q); err != nil {
		return Prediction{}, err
	}
	c, err := e.candidates(ctx, m, q)
	if err != nil {
		return Prediction{}, err
	}
	a, err := e.ask(ctx, m, vector, q, c)
	if err != nil {
		return Prediction{}, err
	}
	neighbours, err := e.neighbours(ctx, m, a.nearest)
	if err != nil {
		return Prediction{}, err
	}
	info := e.info
	all := a.candidates(info.Seen)
	p := Prediction{
		Candidates: all[:min(q.Top, len(all))], Total: len(all), Headline: headline(all, e.taxonomy, e.sureFrom()),
		WeightExemplar: a.result.Weight, Neighbours: neighbours,
		Seq: m.seq, Encoder: info.Name, Rule: q.Rule, System: q.System,
	}
	p.Timings.Predict = time.Since(start)
	return p, nil
}

// settle fills in a question's defaults and refuses what it cannot ask.
func (e *engine) settle(q *Question) error {
	q.Rule, q.System = cmp.Or(q.Rule, e.Rule), cmp.Or(q.System, fusion.Tree)
	if _, err := RuleNamed(string(q.Rule)); err != nil {
		return err
	}
	if _, err := SystemNamed(string(q.System)); err != nil {
		return err
	}
	if q.Top = cmp.Or(q.Top, 5); q.Top < 1 || q.Top > maxTop {
		return Errorf(Invalid, "top", "Ask for 1 to %d predictions.", maxTop)
	}
	return nil
}

// RuleNamed is the fusion rule of that name.
func RuleNamed(name string) (fusion.Rule, error) {
	r, err := fusion.ParseRule(name)
	if err != nil {
		return "", Errorf(Invalid, "fusion", "There is no fusion rule %.40q. The rules are: %s.", name, listed(fusion.Rules())).Because(err)
	}
	return r, nil
}

// SystemNamed is the exemplar system of that name.
func SystemNamed(name string) (fusion.System, error) {
	s, err := fusion.ParseSystem(name)
	if err != nil {
		return "", Errorf(Invalid, "system", "There is no exemplar system %.40q. The systems are: %s.", name, listed(fusion.Systems())).Because(err)
	}
	return s, nil
}

func listed[T ~string](names []T) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = string(n)
	}
	return strings.Join(list, ", ")
}

// asked is one answer before it is put into words.
type asked struct {
	set     candidateSet
	labels  labelled
	nearest []nearest.Neighbour // exemplars that were asked, by their wholes or, under the rule Near, their best views
	result  fusion.Result
}

// ask lets the exemplar system that was chosen predict, and fuses it with
// zero-shot (METHOD sections 2 to 4 and 7).
func (e *engine) ask(ctx context.Context, m *memory, vector []float32, q Question, c candidateSet) (asked, error) {
	wholes, err := m.nearest(vector, e.K, e.Workers, nil)
	if err != nil {
		return asked{}, err
	}
	e.recall.offer(m, vector, wholes)
	found, err := find(m, vector, q.System, wholes)
	if err != nil {
		return asked{}, err
	}
	near := wholes // what the rule careful, asked for by itself, is given too
	if q.Rule == fusion.Near {
		near = m.nearestByView(vector, e.K, e.Workers, wholes)
	}
	seen, single, err := e.evidence(ctx, m, vector, q, found)
	if err != nil {
		return asked{}, err
	}
	labels := e.labelled(m)
	rows, err := e.labelRows(ctx, labels, c, found, near, single)
	if err != nil {
		return asked{}, err
	}
	info := e.info
	query := fusion.Query{
		Vector: vector, Texts: rows.texts, Candidates: len(c.rows), Known: known(labels, c, q.LongTail),
		Labels: m.tree.Known(),
		Tau:    info.LogitScale, Near: fusion.NearParams{Slope: info.NearSlope, Midpoint: info.NearMid},
	}
	for _, n := range found.Neighbours {
		query.Neighbours = append(query.Neighbours, fusion.Neighbour{
			Cosine: n.Cos, Row: rows.of[n.Label], Predicted: rows.of[n.Predicted]})
	}
	for _, n := range near {
		query.Nearest = append(query.Nearest, fusion.Neighbour{
			Cosine: n.Cos, Row: rows.of[m.tree.Label(n.ID)], Order: n.ID + 1, Vector: m.tree.Vectors().Row(n.ID, nil)})
	}
	scorer, err := fusion.NewScorer(query)
	if err != nil {
		return asked{}, err
	}
	exemplars, err := predictExemplars(scorer, q.System, logProbs(labels, seen, c), single, rows)
	if err != nil {
		return asked{}, err
	}
	result, err := scorer.Fuse(q.Rule, exemplars)
	return asked{set: c, labels: labels, nearest: near, result: result}, err
}

// find returns the nearest exemplars, and for TreeProbe what their leaves say.
func find(m *memory, vector []float32, system fusion.System, wholes []nearest.Neighbour) (tree.Prediction, error) {
	if system == fusion.Tree {
		return m.tree.PredictFrom(vector, wholes)
	}
	var p tree.Prediction
	for _, n := range wholes {
		l := m.tree.Label(n.ID)
		p.Neighbours = append(p.Neighbours, tree.Neighbour{ID: n.ID, Cos: n.Cos, Label: l, Predicted: l})
	}
	return p, nil
}

// evidence returns the distribution of the exemplar system over labels, and
// the likeliest label where the system is a single probe. KNN's comes from the
// neighbours alone.
func (e *engine) evidence(ctx context.Context, m *memory, vector []float32, q Question, found tree.Prediction) (probe.Distribution, int32, error) {
	var d probe.Distribution
	switch q.System {
	case fusion.Tree:
		return found.Exemplar, none, nil
	case fusion.TreeSingle:
		var err error
		if _, d, err = m.tree.PredictLeaf(vector); err != nil {
			return d, none, err
		}
	case fusion.LinProbe:
		model, err := m.tree.LinProbe(ctx, e.Workers)
		if err != nil {
			return d, none, err
		}
		d = model.Predict(vector)
	}
	best, ok := d.Best()
	if !ok {
		best = none
	}
	return d, best, nil
}

// none stands for the label of nothing.
const none int32 = -1

// predictExemplars lets the system speak; one that knows nothing says nothing.
func predictExemplars(s *fusion.Scorer, system fusion.System, logPe []float64, single int32, rows labelRows) (*fusion.Prediction, error) {
	switch system {
	case fusion.Tree:
		return s.Tree(logPe)
	case fusion.TreeSingle, fusion.LinProbe:
		if single == none {
			return nil, nil
		}
		return s.Probe(logPe, rows.of[single])
	default:
		return s.KNN(system)
	}
}

// logProbs lays a distribution out over the candidates, -Inf where it does not
// know one.
func logProbs(labels labelled, d probe.Distribution, c candidateSet) []float64 {
	out := make([]float64, len(c.taxa))
	for y, t := range c.taxa {
		out[y] = math.Inf(-1)
		for _, l := range labels.of(t.ID) {
			if i, known := slices.BinarySearch(d.Labels, l); known {
				out[y] = logSum(out[y], d.LogP[i])
			}
		}
	}
	return out
}

// logSum is log(eᵃ + eᵇ).
func logSum(a, b float64) float64 {
	if math.IsInf(a, -1) {
		return b
	}
	return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

// known tells which candidates have exemplars; in the long-tail variant, which
// of them are not among the rarest two thirds of all taught labels.
func known(labels labelled, c candidateSet, longTail bool) []bool {
	m, head := labels.memory, map[TaxonID]bool{}
	if longTail {
		counts := make([]int, len(m.taught))
		for i, id := range m.taught {
			counts[i] = m.exemplarsOf(id)
		}
		for i, in := range fusion.Head(counts) {
			head[m.taught[i]] = in
		}
	}
	out := make([]bool, len(c.taxa))
	for y, t := range c.taxa {
		out[y] = labels.exemplars(t.ID) > 0 && (!longTail || head[t.ID])
	}
	return out
}
