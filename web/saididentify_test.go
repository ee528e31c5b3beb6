package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// taxonNames are the names of the fake's taxa, and of one that was typed.
var taxonNames = []string{"Great Tit", "Eurasian Blue Tit", "Coal Tit", "European Robin", "Tits and chickadees", "Paridae", "Red clover", "White clover", "Unicorn"}

func (b *bench) saidIdentify(page string) {
	b.Helper()
	b.said(page, append(taxonNames, "Ana", "Vic", "Cleo", "Bo", "UTC", "on the wall")...)
}

func TestPagesAreSaidIdentify(t *testing.T) {
	b, d := newDetailsBench(t, owner)
	b.saidIdentify(b.marked("/", 200))
	b.saidIdentify(b.marked("/observations", 200))
	b.saidIdentify(b.markedAnswer(upload(t, "0"), 422))
	b.saidIdentify(b.markedAnswer(upload(t, "0", []byte("no photo")), 415))
	b.observe(picture(red), picture(blue))
	for _, page := range []string{"/", "/?shown=1,2&known=2&more=3", "/?label_set=3&shown=1", "/?label_set=2&label=Unicorn", "/observations", "/observations?status=identified&taxon=1",
		"/observations/1", "/observations/1?label_set=2", "/about", "/offline"} {
		b.saidIdentify(b.marked(page, 200))
	}
	b.saidIdentify(b.marked("/observations?from=2026-05-04&to=2026-05-03", 422))
	b.saidIdentify(b.markedAnswer(form(details, "latitude", "north"), 422))
	b.saidIdentify(b.markedAnswer(form("/observations/1/identifications", "q", "clover"), 422))
	b.saidIdentify(b.markedAnswer(fragment(form("/observations/1/identifications", "q", "unicorn")), 422))
	b.saidIdentify(b.markedAnswer(fragment(form("/observations/1/identifications", "taxon", "1")), 200))
	d.edits = []identify.Edit{{User: 3, UserName: "Bo", At: noon, Field: "notes", After: "on the wall"}, {User: owner.ID, At: noon, Field: "license", After: "CC0-1.0"}}
	o := &d.list[0]
	o.License, o.RightsHolder, o.Notes = "CC0-1.0", "Bo", "on the wall"
	for _, page := range []string{"/", "/observations/1", "/observations/2", "/?shown=1,2"} {
		b.saidIdentify(b.marked(page, 200))
	}
	b.saidIdentify(b.markedAnswer(fragment(form("/observations/1/identifications/1/withdraw")), 200))
	b.saidIdentify(b.marked("/observations/1", 200))
	v := newBench(t, viewer)
	v.fake.list, v.fake.photos = b.fake.list, b.fake.photos
	for _, page := range []string{"/", "/observations", "/observations/1"} {
		v.saidIdentify(v.marked(page, 200))
	}
}

func TestPagesAreSaidByMany(t *testing.T) {
	b, f := newReview(t, owner, 2)
	o := &f.list[0]
	for i, u := range []identify.User{{ID: 5, Name: "Bo"}, owner, {ID: 6, Name: "Vic"}} {
		o.Identifications = append(o.Identifications, identify.Identification{ID: identify.IdentificationID(i + 1), Observation: 1, Taxon: 1, TaxonLabel: "Great Tit", User: u.ID, UserName: u.Name, CreatedAt: noon, FromSuggestion: i == 0})
	}
	o.Identifications[1].WithdrawnAt = &noon
	o.Identifications[2].WithdrawnAt, o.Identifications[2].Quarantined = &noon, true
	b.saidIdentify(b.marked("/observations/1", 200))
	b.saidIdentify(b.marked("/review/aside", 200))
	f.decisions = []identify.Decision{{ID: 1, Kind: identify.DecidedSetAside, User: 5, At: noon, Items: []identify.DecisionItem{{Observation: 2}}}}
	b.saidIdentify(b.marked("/review/aside", 200))
	b.saidIdentify(b.marked("/review/changed?seq=1", 200))
	f.changed = identify.Changed{Seq: 1, Looked: 2, Waiting: 3}
	b.saidIdentify(b.marked("/review/changed?seq=1", 200))
	for range changedShown + 1 {
		f.changed.List = append(f.changed.List, identify.ChangedReading{Observation: 2, Before: identify.Reading{Label: "Coal Tit", Chance: 0.4}, After: identify.Reading{Label: "Great Tit", Taxon: 1, Chance: 0.8}})
	}
	b.saidIdentify(b.marked("/review/changed?seq=1", 200))
}

func TestPagesAreSaidEncoders(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.said(b.marked("/encoders", 200), "Ana", "manifest.json is not JSON", "Apache-2.0", "MIT")
	b.fake.lost = []identify.LostLesson{{Observation: 12, Label: "Great Tit", TaughtBy: "Bo", Reason: identify.PlainNotice("The file of this photo is missing.")}}
	for _, work := range []identify.EncoderWork{
		{Model: "bioclip", Switch: true, Phase: identify.Embedding, Done: 300, Failed: 2, Total: 1240, Left: 200 * time.Second},
		{Model: "bioclip", Phase: identify.Folding, Total: 1240}, {Model: "bioclip", Phase: identify.Opening},
		{Model: "bioclip", Paused: true}, {Model: "bioclip", Paused: true, Done: 3, Total: 9}, {Model: "bioclip", Problem: identify.PlainNotice("The disk is full.")},
	} {
		b.fake.work = &work
		b.said(b.marked("/encoders", 200), "Ana", "manifest.json is not JSON", "The file of this photo is missing.", "Great Tit", "Apache-2.0", "MIT", "The disk is full.")
	}
	b.fake.work = nil
	b.saidIdentify(b.marked("/encoders/progress", 200))
	for _, page := range []string{"/compare", "/compare?observation=1"} {
		b.said(b.marked(page, 200), append(taxonNames, "Ana", "fake-1", "bioclip")...)
	}
	c := newBench(t, curator)
	c.said(c.marked("/encoders", 200), "Cleo", "manifest.json is not JSON", "Apache-2.0", "MIT")
}

func TestAnswersInGerman(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	german := func(r *http.Request) *http.Request {
		r.Header.Set("Accept-Language", "de")
		return r
	}
	p := b.do(german(httptest.NewRequest("GET", "/observations/1?label_set=2", nil)), 200)
	b.want(p, "Wahrscheinlich Familie Tits and chickadees 80 %", "unter diesen 4 Namen", "Vielleicht Kohlmeise", "Namen verglichen", "3. Mai 2026, 12:00 Uhr")
	p = b.do(german(fragment(form("/observations/1/identifications", "q", "great tit"))), 200)
	b.want(p, "Von Ihnen als Kohlmeise gelehrt", "einmal gelehrt", "Jetzt sagt es", "Gelernt in 12 ms.")
	if said := attr(p.find(".card")[0], "data-said"); said != "Gelehrt als Kohlmeise. Jetzt sagt es: Kohlmeise, 90\u00a0%" {
		t.Errorf("a screen reader says %q", said)
	}
	b.want(b.do(german(form("/observations/1/identifications", "q", "")), 422), "Geben Sie den Namen dessen ein")
}
