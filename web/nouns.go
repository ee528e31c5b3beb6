package web

import (
	"context"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// rankWord is what a rank is called; one that a checklist brought along is called
// what it calls itself.
func rankWord(ctx context.Context, rank identify.Rank) string {
	if key := rankKey(rank); key != "" {
		return words.T(ctx, key)
	}
	return string(rank)
}

// rankKey is the word for a rank, "" if there is none.
func rankKey(rank identify.Rank) words.Key {
	switch rank {
	case "kingdom":
		return words.Key("kingdom")
	case "phylum":
		return words.Key("phylum")
	case "class":
		return words.Key("class")
	case "order":
		return words.Key("order")
	case "suborder":
		return words.Key("suborder")
	case "infraorder":
		return words.Key("infraorder")
	case "superfamily":
		return words.Key("superfamily")
	case "epifamily":
		return words.Key("epifamily")
	case "family":
		return words.Key("family")
	case "subfamily":
		return words.Key("subfamily")
	case "tribe":
		return words.Key("tribe")
	case "genus":
		return words.Key("genus")
	case "species":
		return words.Key("species")
	case "subspecies":
		return words.Key("subspecies")
	case "hybrid":
		return words.Key("hybrid")
	case "breed":
		return words.Key("breed")
	case "variety":
		return words.Key("variety")
	case "cultivar":
		return words.Key("cultivar")
	case identify.RankUnranked:
		return words.Key("unranked")
	}
	return ""
}

// groupWord is what a group of taxa is called: "bees, wasps, ants" for
// "bees-wasps-ants".
func groupWord(ctx context.Context, group string) string {
	if key := groupKey(group); key != "" {
		return words.T(ctx, key)
	}
	return strings.ReplaceAll(group, "-", ", ")
}

// groupKey is the word for a group of the vocabulary, "" if it has no such group.
func groupKey(group string) words.Key {
	switch group {
	case "birds":
		return words.Key("birds")
	case "butterflies":
		return words.Key("butterflies")
	case "moths":
		return words.Key("moths")
	case "beetles":
		return words.Key("beetles")
	case "bees-wasps-ants":
		return words.Key("bees, wasps, ants")
	case "flies":
		return words.Key("flies")
	case "dragonflies":
		return words.Key("dragonflies")
	case "bugs":
		return words.Key("bugs")
	case "grasshoppers-crickets":
		return words.Key("grasshoppers, crickets")
	case "other-insects":
		return words.Key("other insects")
	case "arachnids":
		return words.Key("arachnids")
	case "other-arthropods":
		return words.Key("other arthropods")
	case "mammals":
		return words.Key("mammals")
	case "reptiles":
		return words.Key("reptiles")
	case "amphibians":
		return words.Key("amphibians")
	case "fishes":
		return words.Key("fishes")
	case "sea-animals":
		return words.Key("sea animals")
	case "molluscs-worms":
		return words.Key("molluscs, worms")
	case "plants":
		return words.Key("plants")
	case "fungi":
		return words.Key("fungi")
	case "none":
		return words.Key("none")
	}
	return ""
}

// labelSetName is what a label set is called: those that come with the vocabulary
// have names in every language.
func labelSetName(ctx context.Context, set identify.LabelSet) string {
	if set.Builtin {
		if key := builtinSetKey(set.Name); key != "" {
			return words.T(ctx, key)
		}
	}
	return set.Name
}

// builtinSetKey is the name of a label set that comes with the vocabulary, "" if none
// of them has it.
func builtinSetKey(name string) words.Key {
	switch name {
	case "Everything":
		return words.Key("Everything")
	case "Birds":
		return words.Key("Birds")
	case "Butterflies and moths":
		return words.Key("Butterflies and moths")
	case "Insects, spiders and their kin":
		return words.Key("Insects, spiders and their kin")
	case "Mammals":
		return words.Key("Mammals")
	case "Reptiles and amphibians":
		return words.Key("Reptiles and amphibians")
	case "Fishes and sea animals":
		return words.Key("Fishes and sea animals")
	case "All animals":
		return words.Key("All animals")
	case "Plants":
		return words.Key("Plants")
	case "Fungi":
		return words.Key("Fungi")
	}
	return ""
}
