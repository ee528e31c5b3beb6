package web

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// share puts a probability into words and into a length of 0 to 1000. It never
// rounds to certainty or to nothing.
func share(p float64) templates.Share {
	p = math.Max(0, math.Min(1, p))
	s := templates.Share{Length: int(math.Round(1000 * p))}
	switch {
	case p > 0.99 && p < 1:
		s.Percent = ">99%"
	case p > 0 && p < 0.01:
		s.Percent = "<1%"
	default:
		s.Percent = fmt.Sprintf("%.0f%%", 100*p)
	}
	return s
}

// shareOf puts a probability into words and into a length of 0 to 1000.
func shareOf(ctx context.Context, p float64) templates.Share {
	p = math.Max(0, math.Min(1, p))
	return templates.Share{Length: int(math.Round(1000 * p)), Percent: words.Percent(ctx, p)}
}

// momentOf shows when something was done, by the server's clock.
func momentOf(ctx context.Context, at time.Time) templates.Moment {
	return templates.Moment{Text: words.DateTime(ctx, at.Local()), At: at}
}

// number writes 1240 as 1,240.
func number(n int) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

// fileSize is "4 kB", "2.5 MB".
func fileSize(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%d kB", max(1, (n+500)/1000))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// aboveSpecies is the rank of a taxon that stands for several species, "" for
// any other.
func aboveSpecies(rank identify.Rank) string {
	switch rank {
	case "genus", "tribe", "subfamily", "family", "superfamily", "suborder", "order", "class", "phylum", "kingdom":
		return string(rank)
	}
	return ""
}

// ranked is a name with its rank, where that is above the species.
func ranked(name string, rank identify.Rank) string {
	if r := aboveSpecies(rank); r != "" {
		return name + " (" + r + ")"
	}
	return name
}

// plural is "1 name", "1,240 names".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// times is "once", "twice", "3 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return number(n) + " times"
}

// capital makes the first letter a capital.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// moment shows when something was done, by the server's clock.
func moment(t time.Time) templates.Moment {
	return templates.Moment{Text: t.Local().Format("2 Jan 2006, 15:04"), At: t}
}

// day shows when something was seen, in the time zone it was noted in.
func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format("2 Jan 2006")
}

// unlike returns the scientific name, "" where it is the label already.
func unlike(scientific, label string) string {
	if strings.EqualFold(scientific, label) {
		return ""
	}
	return scientific
}

// groupWords is the key of a group as words: "bees-wasps-ants".
func groupWords(group string) string { return strings.ReplaceAll(group, "-", ", ") }

// detail says what kind of taxon it is: "species · birds", "added here".
func detail(rank identify.Rank, group string, local bool) string {
	var parts []string
	if rank != identify.RankNone && rank != identify.RankUnranked && rank != "" {
		parts = append(parts, string(rank))
	}
	if group != "" && group != "none" {
		parts = append(parts, groupWords(group))
	}
	if local {
		parts = append(parts, "added here")
	}
	return strings.Join(parts, " · ")
}

// kicker is the line above the headline's name. Where the answer stops at an
// ancestor of the likeliest candidate it reads on into the name: "Probably a
// member of the family" Paridae.
func kicker(p identify.Prediction) string {
	h := p.Headline
	switch {
	case h.Label == "":
		return "No answer"
	case h.Certain && h.Rank == identify.RankNone:
		return "Nothing that lives"
	case h.Certain && len(p.Candidates) > 0:
		first := p.Candidates[0]
		return capital(detail(h.Rank, first.Group, first.Local))
	case h.Certain:
		return capital(detail(h.Rank, "", false))
	case len(p.Candidates) > 0 && p.Candidates[0].Taxon == h.Taxon && p.Candidates[0].Label == h.Label:
		if rank := aboveSpecies(h.Rank); rank != "" {
			return "Not sure. Perhaps the " + rank
		}
		return "Not sure. Perhaps"
	}
	return "Probably a member of the " + string(h.Rank)
}
