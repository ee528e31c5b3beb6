package identify_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// What is kept of a notice says the same as the notice, in English and to whoever says
// it in another language.
func TestNoticesAreKept(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	tit := identify.TaxonName{Taxon: 4, Label: "Great Tit"}
	for english, n := range map[string]identify.Notice{
		"":                               {},
		"as it was written":              identify.PlainNotice("as it was written"),
		`{"say":"spoof"}`:                identify.PlainNotice(`{"say":"spoof"}`), // a text that looks like a kept notice stays a text
		"100%":                           identify.PlainNotice("100%"),
		"now Great Tit: 3 lessons":       identify.Noticef("now %s: %s", tit, identify.Noticef("%d lessons", 3)),
		"rank: genus → species":          identify.Noticef("%s: %s → %s", identify.Noticef("rank"), identify.Rank("genus"), identify.Rank("species")),
		"now curator":                    identify.Noticef("now %s", identify.Curator),
		"until 2026-05-03 12:00 UTC":     identify.Noticef("until %s", at),
		"observation 1240 has 0.5, \"\"": identify.Noticef("observation %d has %.1f, %q", identify.ObservationID(1240), 0.5, ""),
		"a b":                            identify.Sentences(identify.Noticef("a"), identify.Noticef("b")),
	} {
		kept := identify.ParseNotice(n.Text())
		if n.String() != english || kept.String() != english {
			t.Errorf("%+v says %q, kept %q; want %q", n, n, kept, english)
		}
		if again := identify.ParseNotice(kept.Text()); !reflect.DeepEqual(again, kept) {
			t.Errorf("%+v, kept twice %+v", kept, again)
		}
	}
	// What another language needs is there: the taxon, not only its English name.
	kept := identify.ParseNotice(identify.Noticef("now %s", tit).Text())
	if kept.Format != "now %s" || len(kept.Args) != 1 || kept.Args[0] != tit {
		t.Errorf("%+v", kept)
	}
	if kept := identify.ParseNotice(`{"say":3}`); kept.String() != `{"say":3}` {
		t.Errorf("what is no notice is said as %q", kept)
	}
}

func TestNoticeOfAnError(t *testing.T) {
	own := identify.Errorf(identify.NotFound, "", "The photo %d is missing.", 3)
	for want, err := range map[string]error{
		"":                        nil,
		"The photo 3 is missing.": fmt.Errorf("opening: %w", own),
		"The disk is on fire.":    errors.New("the disk is on fire"),
	} {
		if n := identify.NoticeOf(err); n.String() != want {
			t.Errorf("%v is told as %q, want %q", err, n, want)
		}
	}
	if n := identify.NoticeOf(own); n.Format != own.Format {
		t.Errorf("%+v has lost what it was made of", n)
	}
}
