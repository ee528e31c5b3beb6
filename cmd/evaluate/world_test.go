package main

import (
	"slices"
	"testing"

	"fieldmark/internal/vocabulary"
)

// The default candidates are the classes, which are taught, seen or not; what is
// seen; and what is no organism. Each is there once.
func TestDefaultCandidates(t *testing.T) {
	const classes = 2
	w, err := newWorld([]string{"Pica pica", "Vanessa atalanta"}, nil, []string{"scientific"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"Pica pica": true, "Turdus merula": true}
	got, err := w.byDefault(seen, classes)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, x := range w.taxa {
		if x.Rank == vocabulary.None {
			want = append(want, x.Name())
		}
	}
	if len(want) == 0 {
		t.Fatal("the vocabulary has nothing that is no organism")
	}
	want = append(want, "Pica pica", "Vanessa atalanta", "Turdus merula")
	var names []string
	for _, label := range got.Labels {
		names = append(names, w.names[label][0])
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("candidates %q, want %q", names, want)
	}

	all, err := w.set("everything", classes)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := w.byDefault(nil, classes)
	if err != nil || len(unknown.Labels) != len(all.Labels) || len(all.Labels) <= len(got.Labels) {
		t.Errorf("%d candidates where it is not known what is seen, %d of everything: %v", len(unknown.Labels), len(all.Labels), err)
	}
}
