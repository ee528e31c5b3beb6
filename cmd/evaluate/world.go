package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/clip"
	"fieldmark/internal/dataset"
	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/vocabulary"
)

// world is the labels of an experiment: first its classes, then the taxa of the
// vocabulary that are none of them, then names that mean nothing.
type world struct {
	names  [][]string // of each label, to embed
	of     map[int64]int
	taxa   []vocabulary.Taxon
	wanted []string // names that the encoder's manifest wants embedded: "scientific", "english"
}

// newWorld starts with the classes as labels 0, 1, 2…
func newWorld(classes []string, names dataset.ClassNames, wanted []string) (*world, error) {
	taxa, _, err := vocabulary.Load()
	if err != nil {
		return nil, err
	}
	w := &world{of: map[int64]int{}, taxa: taxa, wanted: wanted}
	byName := map[string]int64{}
	for _, t := range taxa {
		for _, n := range append([]string{t.ScientificName}, t.Synonyms...) {
			if n = strings.ToLower(n); n != "" && byName[n] == 0 {
				byName[n] = t.ID
			}
		}
	}
	for label, class := range classes {
		n := names.Of(class)
		w.names = append(w.names, n)
		if id := byName[strings.ToLower(n[0])]; id != 0 {
			w.of[id] = label
		}
	}
	return w, nil
}

// add appends a label and returns it.
func (w *world) add(names ...string) int {
	w.names = append(w.names, names)
	return len(w.names) - 1
}

// byDefault is what fieldmark asks where no label set is chosen, once the classes
// are taught: of everything, what the encoder has learned to see (all, if seen is
// nil), what is not an organism, and the classes.
func (w *world) byDefault(seen map[string]bool, classes int) (eval.CandidateSet, error) {
	out, err := w.pick("everything", classes, func(t vocabulary.Taxon) bool {
		return seen == nil || seen[t.ScientificName] || t.Rank == vocabulary.None
	})
	out.Name = fmt.Sprintf("Default (%d)", len(out.Labels))
	return out, err
}

// set returns the labels of a label set of the vocabulary, and those of the
// classes that it lacks.
func (w *world) set(key string, classes int) (eval.CandidateSet, error) {
	return w.pick(key, classes, func(vocabulary.Taxon) bool { return true })
}

// pick is set with only those taxa, beside the classes, that keep keeps.
func (w *world) pick(key string, classes int, keep func(vocabulary.Taxon) bool) (eval.CandidateSet, error) {
	sets, err := vocabulary.LabelSets(w.taxa)
	if err != nil {
		return eval.CandidateSet{}, err
	}
	i := slices.IndexFunc(sets, func(s vocabulary.LabelSet) bool { return s.Key == key })
	if i < 0 {
		var keys []string
		for _, s := range sets {
			keys = append(keys, s.Key)
		}
		return eval.CandidateSet{}, fmt.Errorf("there is no label set %q; choose of %s", key, strings.Join(keys, ", "))
	}
	out := eval.CandidateSet{Labels: seq(classes)}
	for _, t := range w.taxa {
		if !slices.Contains(sets[i].Taxa, t.ID) || !keep(t) {
			continue
		}
		label, known := w.of[t.ID]
		if !known {
			label = w.add(w.namesOf(t)...)
			w.of[t.ID] = label
		}
		if label >= classes {
			out.Labels = append(out.Labels, label)
		}
	}
	out.Name = fmt.Sprintf("%s (%d)", sets[i].Name, len(out.Labels))
	return out, nil
}

// namesOf picks the names of a taxon that the encoder wants, or any it has.
func (w *world) namesOf(t vocabulary.Taxon) []string {
	has := map[string]string{"scientific": t.ScientificName, "english": t.EnglishName}
	var names []string
	for _, kind := range w.wanted {
		if n := has[kind]; n != "" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		names = append(names, t.Name())
	}
	return names
}

// besideVar adds the flag by which a label set is among the candidates.
func besideVar(fs *flag.FlagSet, set *string) {
	fs.StringVar(set, "label-set", "", "label `set` of the vocabulary that is among the candidates besides the classes")
}

// beside are the labels of a label set that are none of the classes; "" has none.
func (w *world) beside(set string, classes int) ([]int, error) {
	if set == "" {
		return nil, nil
	}
	s, err := w.set(set, classes)
	if err != nil {
		return nil, err
	}
	return s.Labels[classes:], nil
}

// neighbours is k of the paper.
const neighbours = 9

// subject is the encoder with the text embedding of every label, once there are no more.
func (w *world) subject(ctx context.Context, e *clip.Encoder) (eval.Subject, error) {
	m := e.Manifest()
	texts, err := e.EmbedNames(ctx, w.names)
	return eval.Subject{Texts: texts, Tau: m.LogitScale, K: neighbours, Near: fusion.NearParams{Slope: m.Near.Slope, Midpoint: m.Near.Midpoint}}, err
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
