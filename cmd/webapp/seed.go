package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
	"fieldmark/internal/vocabulary"
)

// everything is the key of the label set that is asked where none is chosen.
const everything = "everything"

// seed brings the starting vocabulary and its label sets up to date and returns
// the label set of everything.
func seed(ctx context.Context, st *store.Store) (identify.LabelSetID, error) {
	taxa, _, err := vocabulary.Load()
	if err != nil {
		return 0, err
	}
	list := make([]identify.Taxon, len(taxa))
	for i, t := range taxa {
		list[i] = identify.Taxon{
			ID: identify.TaxonID(t.ID), Parent: identify.TaxonID(t.ParentID),
			ScientificName: t.ScientificName, EnglishName: t.EnglishName, Synonyms: t.Synonyms,
			Rank: identify.Rank(t.Rank), Group: t.Group,
		}
		if t.GermanName != "" {
			list[i].Vernacular = []identify.VernacularName{{Language: "de", Name: t.GermanName}}
		}
	}
	if err := st.SeedTaxa(ctx, list, version()); err != nil {
		return 0, fmt.Errorf("putting the starting vocabulary in: %w", err)
	}
	sets, err := vocabulary.LabelSets(taxa)
	if err != nil {
		return 0, err
	}
	builtin := make([]store.BuiltinSet, len(sets))
	for i, s := range sets {
		builtin[i] = store.BuiltinSet{Key: s.Key, Name: s.Name}
		for _, id := range s.Taxa {
			builtin[i].Taxa = append(builtin[i].Taxa, identify.TaxonID(id))
		}
	}
	ids, err := st.SeedLabelSets(ctx, builtin, version())
	if err != nil {
		return 0, fmt.Errorf("putting the starting label sets in: %w", err)
	}
	if ids[everything] == 0 {
		return 0, fmt.Errorf("the vocabulary has no label set %q", everything)
	}
	return ids[everything], nil
}

// release is the version of a release archive: the linker sets it (-X main.release),
// since such an archive is the same bytes wherever it is built, and Go's own record
// depends on the folder.
var release string

// version is the program's version: of the release, or as Go recorded it.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
