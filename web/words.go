package web

import (
	"context"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// share puts a probability into words and into a length of 0 to 1000. It never
// rounds to certainty or to nothing.
func share(ctx context.Context, p float64) templates.Share {
	p = math.Max(0, math.Min(1, p))
	return templates.Share{Length: int(math.Round(1000 * p)), Percent: words.Percent(ctx, p)}
}

// moment shows when something was done, by the server's clock.
func moment(ctx context.Context, at time.Time) templates.Moment {
	return templates.Moment{Text: words.DateTime(ctx, at.Local()), At: at}
}

// aboveSpecies reports whether a taxon of the rank stands for several species.
func aboveSpecies(rank identify.Rank) bool {
	switch rank {
	case "genus", "tribe", "subfamily", "family", "superfamily", "suborder", "order", "class", "phylum", "kingdom":
		return true
	}
	return false
}

// ranked is a name with its rank, where that is above the species.
func ranked(ctx context.Context, name string, rank identify.Rank) string {
	if aboveSpecies(rank) {
		return name + " (" + rankWord(ctx, rank) + ")"
	}
	return name
}

// detail says what kind of taxon it is: "species · birds", "added here".
func detail(ctx context.Context, rank identify.Rank, group string, local bool) string {
	var parts []string
	if rank != identify.RankNone && rank != identify.RankUnranked && rank != "" {
		parts = append(parts, rankWord(ctx, rank))
	}
	if group != "" && group != "none" {
		parts = append(parts, groupWord(ctx, group))
	}
	if local {
		parts = append(parts, words.T(ctx, "added here"))
	}
	return strings.Join(parts, " · ")
}

// remaining is "about 3 minutes left", "" where nothing can be said.
func remaining(ctx context.Context, d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return words.T(ctx, "less than a minute left")
	case d < 90*time.Minute:
		return words.T(ctx, "about %d minutes left", int(d.Round(time.Minute)/time.Minute))
	}
	return words.T(ctx, "about %d hours left", int(d.Round(time.Hour)/time.Hour))
}

// capital makes the first letter a capital.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// day shows when something was seen, in the time zone it was noted in.
func day(ctx context.Context, t *time.Time) string {
	if t == nil {
		return ""
	}
	return words.Date(ctx, *t)
}

// unlike returns the scientific name, "" where it is the label already.
func unlike(scientific, label string) string {
	if strings.EqualFold(scientific, label) {
		return ""
	}
	return scientific
}

// kicker is the line above the headline's name. Where the answer stops at an
// ancestor of the likeliest candidate it reads on into the name: "Probably a
// member of the family" Paridae.
func kicker(ctx context.Context, p identify.Prediction) string {
	h := p.Headline
	switch {
	case h.Label == "":
		return words.T(ctx, "No answer")
	case h.Certain && h.Rank == identify.RankNone:
		return words.T(ctx, "Nothing that lives")
	case h.Certain && len(p.Candidates) > 0:
		first := p.Candidates[0]
		return capital(detail(ctx, h.Rank, first.Group, first.Local))
	case h.Certain:
		return capital(detail(ctx, h.Rank, "", false))
	case len(p.Candidates) > 0 && p.Candidates[0].Taxon == h.Taxon && p.Candidates[0].Label == h.Label:
		if aboveSpecies(h.Rank) {
			return words.T(ctx, "Not sure. Perhaps the %s", rankWord(ctx, h.Rank))
		}
		return words.T(ctx, "Not sure. Perhaps")
	}
	return words.T(ctx, "Probably a member of the %s", rankWord(ctx, h.Rank))
}
