package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeReview keeps what it was asked, and lets experts review.
type fakeReview struct {
	user     identify.User
	observer identify.UserID
	order    identify.ReviewOrder
	ids      []identify.ObservationID
	answer   identify.Answer
	undone   identify.DecisionID
	history  identify.HistoryFilter
}

func (f *fakeReview) may(u identify.User, need identify.Role) error {
	f.user = u
	if u.Role.Allows(need) {
		return nil
	}
	return identify.Errorf(identify.Forbidden, "", "Not with this role.")
}

func (f *fakeReview) Queue(_ context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Queue, error) {
	f.observer, f.order = observer, order
	return identify.Queue{List: []identify.Queued{{Observation: 5}, {Observation: 3}, {Observation: 4}}, Mine: 1, All: 3, Seq: 9}, f.may(u, identify.Expert)
}

func (f *fakeReview) Waiting(_ context.Context, u identify.User, ids []identify.ObservationID) (list []identify.Waiting, err error) {
	lat := 48.1
	for _, id := range ids {
		list = append(list, identify.Waiting{Observation: id, Observer: 2, Latitude: &lat, Longitude: &lat,
			Reading: identify.Reading{Taxon: 4, Label: "House Sparrow", Chance: 0.75, Second: 0.25, Seq: 8, From: 0.7}})
	}
	return list, f.may(u, identify.Expert)
}

func (f *fakeReview) alike(id identify.ObservationID) identify.LookAlikes {
	return identify.LookAlikes{List: []identify.Waiting{{Observation: id}, {Observation: 9}}}
}

func (f *fakeReview) Groups(_ context.Context, u identify.User, _ identify.UserID, _ identify.ReviewOrder) (identify.Groups, error) {
	return identify.Groups{List: []identify.LookAlikes{f.alike(1), f.alike(2)}, Looked: 5, Lone: 1}, f.may(u, identify.Expert)
}

func (f *fakeReview) Like(_ context.Context, u identify.User, id identify.ObservationID) (identify.LookAlikes, error) {
	return f.alike(id), f.may(u, identify.Expert)
}

func (f *fakeReview) decided(u identify.User, kind identify.DecisionKind, ids []identify.ObservationID) (identify.Decided, error) {
	f.ids = ids
	d := identify.Decided{Decision: identify.Decision{ID: 6, Kind: kind}}
	for _, id := range ids {
		d.Decision.Items = append(d.Decision.Items, identify.DecisionItem{Observation: id})
	}
	if slices.Contains(ids, 404) {
		return identify.Decided{}, identify.Errorf(identify.NotFound, "observation", "There is no such observation.")
	}
	return d, f.may(u, identify.Expert)
}

func (f *fakeReview) TeachMany(_ context.Context, u identify.User, ids []identify.ObservationID, a identify.Answer) (identify.Decided, error) {
	f.answer = a
	d, err := f.decided(u, identify.DecidedTaught, ids)
	d.Label, d.Seq, d.Learned = "House Sparrow", 12, 1500*time.Microsecond
	return d, err
}

func (f *fakeReview) SetAside(_ context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error) {
	return f.decided(u, identify.DecidedSetAside, ids)
}

func (f *fakeReview) Skip(_ context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error) {
	return f.decided(u, identify.DecidedSkipped, ids)
}

func (f *fakeReview) Undo(_ context.Context, u identify.User, id identify.DecisionID) (identify.Decided, error) {
	f.undone = id
	return f.decided(u, identify.DecidedTaught, []identify.ObservationID{3})
}

func (f *fakeReview) Changed(_ context.Context, u identify.User, seq identify.Seq) (identify.Changed, error) {
	return identify.Changed{Seq: seq, Looked: 20, Waiting: 30, List: []identify.ChangedReading{
		{Observation: 7, Before: identify.Reading{Label: "Tree Sparrow"}, After: identify.Reading{Label: "House Sparrow"}}}}, f.may(u, identify.Expert)
}

func (f *fakeReview) Asides(_ context.Context, u identify.User) ([]identify.Aside, error) {
	place := 48.1
	return []identify.Aside{{Observation: identify.Observation{ID: 4, Latitude: &place}, Decision: 9, User: 3, UserName: "Ben", At: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)}}, f.may(u, identify.Expert)
}

func (f *fakeReview) History(_ context.Context, u identify.User, x identify.HistoryFilter) ([]identify.HistoryEntry, bool, error) {
	f.history = x
	return []identify.HistoryEntry{{User: 2, UserName: "Ann", Kind: identify.DidTeach, Subject: "House Sparrow", Observation: 3, Cursor: "a"},
		{Kind: identify.DidImport, Cursor: "b"}}, true, f.may(u, identify.Curator)
}

var expert = identify.User{ID: 3, Name: "Ben", Role: identify.Expert}

func TestReviewQueue(t *testing.T) {
	f := &fakeReview{}
	h := handlerOf(t, &fake{}, f, &fakeMemory{}, &fakePeople{})
	type queue struct {
		Waiting, Mine int
		Photos        []waiting
	}
	w := ask(h, expert, http.MethodGet, "/api/v1/review?order=place&observer_id=2&limit=2", "", "")
	if strings.Contains(w.Body.String(), "48.1") {
		t.Errorf("the queue tells places: %s", w.Body)
	}
	q := decode[queue](t, w, 200)
	if q.Waiting != 3 || q.Mine != 1 || len(q.Photos) != 2 || q.Photos[0].ObservationID != 5 || q.Photos[1].ObservationID != 3 || f.order != identify.ByPlace || f.observer != 2 || f.user != expert {
		t.Errorf("%+v, %+v", q, f)
	}
	if r := q.Photos[0].Reading; !r.Certain || r.Doubt != 0.5 || r.Label != "House Sparrow" || r.MemorySeq != 8 {
		t.Errorf("%+v", r)
	}
	wantProblem(t, "an order", ask(h, expert, http.MethodGet, "/api/v1/review?order=beauty", "", ""), 422, "order")
	type groups struct{ Groups []alike }
	if g := decode[groups](t, ask(h, expert, http.MethodGet, "/api/v1/review/groups", "", ""), 200); len(g.Groups) != 2 || g.Groups[1].Photos[0].ObservationID != 2 {
		t.Errorf("%+v", g)
	}
	if a := decode[alike](t, ask(h, expert, http.MethodGet, "/api/v1/review/like/4", "", ""), 200); a.Photos[0].ObservationID != 4 {
		t.Errorf("%+v", a)
	}
	type asides struct{ Photos []aside }
	w = ask(h, expert, http.MethodGet, "/api/v1/review/aside", "", "")
	if strings.Contains(w.Body.String(), "48.1") {
		t.Errorf("the list tells places: %s", w.Body)
	}
	if a := decode[asides](t, w, 200); len(a.Photos) != 1 || a.Photos[0].ObservationID != 4 || a.Photos[0].DecisionID != 9 || a.Photos[0].By != (person{3, "Ben"}) || a.Photos[0].At.Day() != 3 {
		t.Errorf("%+v", a)
	}
	type changed struct{ Photos []changedReading }
	if c := decode[changed](t, ask(h, expert, http.MethodGet, "/api/v1/review/changed/12", "", ""), 200); c.Photos[0].After.Label != "House Sparrow" {
		t.Errorf("%+v", c)
	}
}

func TestDecisions(t *testing.T) {
	f := &fakeReview{}
	h := handlerOf(t, &fake{}, f, &fakeMemory{}, &fakePeople{})
	const path = "/api/v1/review/decisions"
	for body, kind := range map[string]string{
		`{"kind":"taught","observation_ids":[3,4],"taxon_id":4,"from_suggestion":true}`: "taught",
		`{"kind":"set-aside","observation_ids":[3,4]}`:                                  "set-aside",
		`{"kind":"skipped","observation_ids":[3,4]}`:                                    "skipped",
	} {
		d := decode[decided](t, ask(h, expert, http.MethodPost, path, "application/json", body), 201)
		if d.ID != 6 || d.Kind != kind || len(d.Items) != 2 || d.Items[1].ObservationID != 4 || !slices.Equal(f.ids, []identify.ObservationID{3, 4}) {
			t.Errorf("%s: %+v", kind, d)
		}
		if kind == "taught" && (d.LearnedMS != 1.5 || d.MemorySeq != 12 || f.answer != identify.Answer{Taxon: 4, FromSuggestion: true}) {
			t.Errorf("%+v, %+v", d, f.answer)
		}
	}
	wantProblem(t, "nothing decided on", ask(h, expert, http.MethodPost, path, "application/json", `{"kind":"taught","observation_ids":[]}`), 422, "observation_ids")
	wantProblem(t, "no observation", ask(h, expert, http.MethodPost, path, "application/json", `{"kind":"skipped","observation_ids":[404]}`), 404, "observation_ids")
	if d := decode[decided](t, ask(h, expert, http.MethodDelete, path+"/0", "", ""), 200); d.Items[0].ObservationID != 3 || f.undone != 0 {
		t.Errorf("%+v", d)
	}
}

func TestHistory(t *testing.T) {
	f := &fakeReview{}
	h := handlerOf(t, &fake{}, f, &fakeMemory{}, &fakePeople{})
	type page struct {
		Entries    []historyEntry
		NextCursor string `json:"next_cursor"`
	}
	p := decode[page](t, ask(h, curator, http.MethodGet, "/api/v1/history?user_id=2&kind=taught&to=2024-05-03&cursor=z", "", ""), 200)
	if len(p.Entries) != 2 || p.NextCursor != "b" || p.Entries[0].By.Name != "Ann" || p.Entries[1].By != nil || p.Entries[0].ObservationID != 3 {
		t.Errorf("%+v", p)
	}
	if x := f.history; x.User != 2 || x.Kind != identify.DidTeach || x.Before != "z" || x.Limit != 50 || x.To.Day() != 4 {
		t.Errorf("%+v", x)
	}
	wantProblem(t, "an expert", ask(h, expert, http.MethodGet, "/api/v1/history", "", ""), 403, "")
	wantProblem(t, "a time", ask(h, curator, http.MethodGet, "/api/v1/history?from=May", "", ""), 422, "from")
}
