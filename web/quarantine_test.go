package web

import (
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// Who is in quarantine is told that what they teach waits, and nothing of it passes
// for undone.
func TestHeldLesson(t *testing.T) {
	held := identify.Identification{ID: 4, Observation: 2, Taxon: 5, TaxonLabel: "Coal Tit", User: 7, CreatedAt: noon, WithdrawnAt: &noon, Quarantined: true}
	x := sighting{user: identify.User{ID: 7, Role: identify.Expert}, correction: &identify.Correction{Identification: held},
		observation: identify.Observation{ID: 2, Identifications: []identify.Identification{held}}}
	if c := x.card(t.Context()); !strings.Contains(c.Advice, "in quarantine") || !strings.Contains(c.Advice, "Coal Tit") || c.Change != nil || c.Lesson != nil {
		t.Errorf("%+v", c)
	}
	if x.user.ID = 8; strings.Contains(x.card(t.Context()).Advice, "quarantine") {
		t.Error("others are told so too")
	}
	if e := entry(t.Context(), held, x.user); e.Withdrawn != nil || !strings.Contains(e.How, "in quarantine since") {
		t.Errorf("%+v", e)
	}
}
