// Package words says the sentences of the pages in the language of whoever reads
// them.
//
// English is written where it is used, and is the key: words.T(ctx, "Skip to the
// content"). The other languages, and the plurals of English, are catalogues in
// messages/LANGUAGE/*.json, which map a key to a sentence, or to one sentence for
// each plural form of the language:
//
//	"Skip to the content": "Zum Inhalt",
//	"%d photos": {"one": "%d Foto", "other": "%d Fotos"}
//
// Formatting, numbers and plurals are golang.org/x/text's. The sentences of scripts
// have catalogues of their own, messages/LANGUAGE/scripts*.json, whose places for
// values are written {0}, {1}.
package words

import (
	"context"
	"encoding/json"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Words are the sentences of one language. They do not change after Load, and may be
// used by many at once.
type Words struct {
	Tag     language.Tag
	Name    string // what the language calls itself: "Deutsch"
	Scripts []byte // the catalogue for scripts, a JSON object; nil in English
	printer *message.Printer
	marked  bool // each sentence stands in ⟦⟧
}

// Key is a sentence that is in the catalogues and is said elsewhere: tables of names
// are made of keys, so that a test finds them.
type Key string

type inContext struct{}

// With returns a context in which T speaks w's language.
func With(ctx context.Context, w *Words) context.Context {
	return context.WithValue(ctx, inContext{}, w)
}

// In returns the words that a context speaks in, nil if none were chosen.
func In(ctx context.Context) *Words {
	w, _ := ctx.Value(inContext{}).(*Words)
	return w
}

// T says a sentence in the language of the context; where none was chosen, as English
// does, and where the catalogue lacks the sentence, in English. Integers under %d are
// grouped as the language does ("1,240"); numbers that are names, a year or "No. 1240",
// are given as strings. Where the catalogue has plural forms, the first argument counts.
func T[K ~string](ctx context.Context, key K, args ...any) string {
	w := In(ctx)
	if w == nil {
		return English(string(key), args...)
	}
	said := w.printer.Sprintf(string(key), args...)
	if w.marked {
		return "⟦" + said + "⟧"
	}
	return said
}

// ScriptsJSON is the catalogue for scripts as it is put into a page, nil if the
// scripts speak English.
func ScriptsJSON(ctx context.Context) json.RawMessage {
	if w := In(ctx); w != nil {
		return w.Scripts
	}
	return nil
}

// Tag is the language of the context for an attribute lang: "en", "de".
func Tag(ctx context.Context) string {
	if w := In(ctx); w != nil {
		return w.Tag.String()
	}
	return language.English.String()
}
