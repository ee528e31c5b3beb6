package store

import (
	"slices"
	"testing"

	"fieldmark/internal/identify"
)

func TestLabelSets(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	made, err := s.AddLabelSet(ctx, "My garden", []identify.TaxonID{5, 4}, noon)
	if err != nil || made.Builtin || !slices.Equal(made.Taxa, []identify.TaxonID{5, 4}) || !made.CreatedAt.Equal(noon) {
		t.Fatalf("%+v, %v", made, err)
	}
	got, err := s.LabelSet(ctx, made.ID)
	if err != nil || got.Name != "My garden" || !slices.Equal(got.Taxa, made.Taxa) {
		t.Errorf("%+v, %v", got, err)
	}
	changed, err := s.ChangeLabelSet(ctx, made.ID, "MY GARDEN", []identify.TaxonID{6})
	if err != nil || changed.Name != "MY GARDEN" || !slices.Equal(changed.Taxa, []identify.TaxonID{6}) {
		t.Errorf("%+v, %v", changed, err)
	}
	_, err = s.AddLabelSet(ctx, "my garden", nil, noon)
	wantKind(t, err, identify.Conflict, "name")
	_, err = s.AddLabelSet(ctx, "Other", []identify.TaxonID{4, 99}, noon)
	wantKind(t, err, identify.Invalid, "taxa")
	_, err = s.ChangeLabelSet(ctx, 99, "X", nil)
	wantKind(t, err, identify.NotFound, "")

	if err := s.DeleteLabelSet(ctx, made.ID); err != nil {
		t.Error(err)
	}
	wantKind(t, s.DeleteLabelSet(ctx, made.ID), identify.NotFound, "")
	_, err = s.LabelSet(ctx, made.ID)
	wantKind(t, err, identify.NotFound, "")
	if sets, err := s.LabelSets(ctx); err != nil || len(sets) != 0 {
		t.Errorf("%+v, %v; want none: what failed must leave nothing", sets, err)
	}
	check(t, s)
}

func TestSeedLabelSets(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	if _, err := s.AddLabelSet(ctx, "A garden", []identify.TaxonID{4}, noon); err != nil {
		t.Fatal(err)
	}
	all := BuiltinSet{Key: "all", Name: "Everything", Taxa: []identify.TaxonID{4, 5, 6, 7}}
	birds := BuiltinSet{Key: "birds", Name: "Birds", Taxa: []identify.TaxonID{4, 5}}
	ids, err := s.SeedLabelSets(ctx, []BuiltinSet{birds, all}, "1")
	if err != nil || len(ids) != 2 {
		t.Fatalf("%v, %v", ids, err)
	}
	if again, err := s.SeedLabelSets(ctx, []BuiltinSet{birds, all}, "1"); err != nil || again["all"] != ids["all"] {
		t.Errorf("%v, %v", again, err)
	}
	wantSets(t, s, "Birds", "Everything", "A garden")

	_, err = s.ChangeLabelSet(ctx, ids["all"], "Mine", nil)
	wantKind(t, err, identify.Conflict, "")
	wantKind(t, s.DeleteLabelSet(ctx, ids["all"]), identify.Conflict, "")

	// A newer vocabulary has another order and no birds.
	newer, err := s.SeedLabelSets(ctx, []BuiltinSet{all, {Key: "plants", Name: "A garden", Taxa: []identify.TaxonID{6}}}, "2")
	if err != nil || newer["all"] != ids["all"] {
		t.Errorf("%v, %v; want the same id of what stayed", newer, err)
	}
	wantSets(t, s, "Everything", "A garden", "A garden")
	if _, err := s.SeedLabelSets(ctx, []BuiltinSet{{Key: "x", Taxa: []identify.TaxonID{99}}}, "3"); err == nil {
		t.Error("a taxon that is not there was taken")
	}
	check(t, s)
}

func wantSets(t *testing.T, s *Store, want ...string) {
	t.Helper()
	sets, err := s.LabelSets(t.Context())
	var names []string
	for _, set := range sets {
		names = append(names, set.Name)
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v; want %q", names, err, want)
	}
}
