package words

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// English says a sentence where nobody's language is known: in commands, in the API, in
// logs. It has the plural forms of the English catalogue, by the first argument; numbers
// are not grouped, since programs read them too.
func English(key string, args ...any) string {
	form := key
	if len(args) > 0 {
		if n := reflect.ValueOf(args[0]); n.CanInt() {
			form = englishForm(key, n.Int())
		}
	}
	if !strings.Contains(form, "%") {
		return form // "taught once": it needs no number
	}
	return fmt.Sprintf(form, args...)
}

// englishForm is how a sentence about n things reads in English.
func englishForm(key string, n int64) string {
	forms := englishPlurals()[key].forms
	for _, name := range []string{fmt.Sprintf("=%d", n), map[bool]string{true: "one", false: "other"}[n == 1]} {
		if form, is := forms[name]; is {
			return form
		}
	}
	return key
}

// englishPlurals is the English catalogue, which holds plurals alone. It is read once: it
// is part of the program, and TestEverySentenceIsTranslated reads it too.
var englishPlurals = sync.OnceValue(func() map[string]sentence {
	pages, _, err := read(messages, "messages/en")
	if err != nil {
		panic(err)
	}
	return pages
})
