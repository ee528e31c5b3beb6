package web

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// A sentence of the domain is said in the reader's language; the number of an
// observation is its name, and is not grouped.
func TestErrorsInTheReadersLanguage(t *testing.T) {
	said, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	gone := identify.Errorf(identify.NotFound, "", "There is no observation with the id %d.", identify.ObservationID(1240))
	full := identify.Errorf(identify.Invalid, "", "A label set holds at most %d names.", 5000)
	for language, want := range map[string][2]string{
		"en": {"There is no observation with the id 1240.", "A label set holds at most 5,000 names."},
		"de": {"Es gibt keine Beobachtung mit der Nummer 1240.", "Eine Namensliste fasst höchstens 5.000 Namen."},
	} {
		ctx := words.With(t.Context(), said.Choose(language, ""))
		if got := [2]string{sentence(ctx, gone), sentence(ctx, full)}; got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}

// A page that its reader has left while it was drawn is no failure: nothing is logged.
func TestAReaderWhoLeavesIsNoError(t *testing.T) {
	var log bytes.Buffer
	b := newBench(t, owner, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	ctx, leave := context.WithCancel(t.Context())
	leave()
	b.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/about", nil).WithContext(ctx))
	if log.Len() > 0 {
		t.Errorf("logged: %s", &log)
	}
}
