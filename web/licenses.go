package web

import (
	"context"

	"fieldmark/internal/words"
	"fieldmark/templates"
)

// license is one that is offered: its short name, and what it is called.
type license struct {
	short string
	name  words.Key
}

// licenses are those that are offered.
func licenses() []license {
	return []license{
		{"", words.Key("not stated")},
		{"CC0-1.0", words.Key("CC0: no rights reserved")},
		{"CC-BY-4.0", words.Key("CC BY 4.0: with the name")},
		{"CC-BY-SA-4.0", words.Key("CC BY-SA 4.0: with the name, under the same licence")},
		{"CC-BY-NC-4.0", words.Key("CC BY-NC 4.0: with the name, not for profit")},
		{"CC-BY-NC-SA-4.0", words.Key("CC BY-NC-SA 4.0: not for profit, under the same licence")},
		{"all-rights-reserved", words.Key("all rights reserved")},
	}
}

// licenseOptions are the licences to choose from, and whatever else is chosen.
func licenseOptions(ctx context.Context, chosen string) []templates.Option {
	var list []templates.Option
	found := false
	for _, l := range licenses() {
		found = found || l.short == chosen
		list = append(list, templates.Option{Value: l.short, Label: words.T(ctx, l.name), Selected: l.short == chosen})
	}
	if !found {
		list = append(list, templates.Option{Value: chosen, Label: chosen, Selected: true})
	}
	return list
}

// licenseName is what a licence is called.
func licenseName(ctx context.Context, short string) string {
	for _, l := range licenses() {
		if l.short == short && short != "" {
			return capital(words.T(ctx, l.name))
		}
	}
	return short
}
