package main

import (
	"context"
	"fmt"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
	"fieldmark/internal/vocabulary"
)

// everything is the key of the label set that is asked where none is chosen.
const everything = "everything"

// seed brings the starting vocabulary and its label sets up to date.
func seed(ctx context.Context, st *store.Store) error {
	taxa, _, err := vocabulary.Load()
	if err != nil {
		return err
	}
	list := make([]identify.Taxon, len(taxa))
	for i, t := range taxa {
		list[i] = identify.Taxon{
			ID: identify.TaxonID(t.ID), Parent: identify.TaxonID(t.ParentID),
			ScientificName: t.ScientificName, EnglishName: t.EnglishName, Synonyms: t.Synonyms,
			Rank: identify.Rank(t.Rank), Group: t.Group,
		}
	}
	sets, err := vocabulary.LabelSets(taxa)
	if err != nil {
		return err
	}
	builtin := make([]identify.LabelSet, len(sets))
	for i, s := range sets {
		builtin[i] = identify.LabelSet{ID: identify.LabelSetID(i + 1), Name: s.Name, Builtin: true}
		for _, id := range s.Taxa {
			builtin[i].Taxa = append(builtin[i].Taxa, identify.TaxonID(id))
		}
	}
	if err := st.SeedTaxa(ctx, list); err != nil {
		return fmt.Errorf("putting the starting vocabulary in: %w", err)
	}
	if err := st.SeedLabelSets(ctx, builtin); err != nil {
		return fmt.Errorf("putting the starting label sets in: %w", err)
	}
	return nil
}

// defaultSet finds the label set of everything.
func defaultSet() (identify.LabelSetID, error) {
	taxa, _, err := vocabulary.Load()
	if err != nil {
		return 0, err
	}
	sets, err := vocabulary.LabelSets(taxa)
	if err != nil {
		return 0, err
	}
	for i, s := range sets {
		if s.Key == everything {
			return identify.LabelSetID(i + 1), nil
		}
	}
	return 0, fmt.Errorf("the vocabulary has no label set %q", everything)
}
