package main

import (
	"fieldmark/internal/clip"
	"fieldmark/internal/vocabulary"
)

// seenTaxa gives the scientific names of what an encoder has learned to see, or
// nil if that is not known. An encoder with a table in place of a text tower
// sees what the table names; a taxon that it doesn't name must not share out
// what belongs to those that it does, so it is no candidate until it is taught.
func seenTaxa(e *clip.Encoder) (map[string]bool, error) {
	if e.Seen() != nil || e.Manifest().Text.Lookup == nil {
		return e.Seen(), nil
	}
	taxa, _, err := vocabulary.Load()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, t := range taxa {
		if e.Knows(t.ScientificName) || e.Knows(t.EnglishName) {
			seen[t.ScientificName] = true
		}
	}
	return seen, nil
}
