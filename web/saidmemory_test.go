package web

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/eval"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// names are those of the fakes: data, in every language the same.
var names = []string{"Eurasian Blue Tit", "Great Tit", "Coal Tit", "Tits and chickadees", "European Robin", "Red clover", "White clover", "Ana", "Vic", "Bo"}

// saidAll looks at pages in the marked language; data is what is no language beside
// names.
func saidAll(b *bench, data []string, pages ...string) {
	b.Helper()
	for _, path := range pages {
		b.said(b.marked(path, http.StatusOK), slices.Concat(data, names)...)
	}
}

// saidAnswers looks at what is answered to forms that are refused.
func saidAnswers(b *bench, status int, data []string, requests ...*http.Request) {
	b.Helper()
	for _, r := range requests {
		b.said(b.markedAnswer(r, status), slices.Concat(data, names)...)
	}
}

func TestPagesAreSaidReview(t *testing.T) {
	for _, n := range []int{0, 1, 4} {
		b, f := newReview(t, owner, n)
		saidAll(b, nil, "/review", "/review/groups", "/review?whose=all&order=time")
		if n < 4 {
			continue
		}
		saidAll(b, nil, "/review/like?at=2", "/review/aside")
		f.reads = map[identify.ObservationID]identify.Reading{3: {Label: "Eurasian Blue Tit", Taxon: 2}}
		saidAll(b, nil, "/review/like?at=2")
		f.changed = identify.Changed{Seq: 1, Waiting: 3, Looked: 2}
		for _, decide := range []*http.Request{
			form("/review/decisions", "observation", "1", "suggestion", "2"), form("/review/decisions", "observation", "2", "do", "skip"),
			form("/review/decisions", "observation", "3", "do", "aside")} {
			saidAnswers(b, http.StatusOK, nil, fragment(decide))
		}
		saidAll(b, nil, "/review", "/review/groups", "/review/aside", "/review/changed?seq=1")
		saidAnswers(b, http.StatusUnprocessableEntity, []string{"unicorn"}, form("/review/decisions", "observation", "4", "q", "unicorn"))
		saidAnswers(b, http.StatusOK, nil, fragment(form("/review/undo")))
	}
	guest, _ := newReview(t, viewer, 2)
	saidAll(guest, nil, "/review")
}

func TestPagesAreSaidGallery(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{kept: slices.Repeat([]identify.KeptDoubt{{Identification: 11, Observation: 1, Label: "Great Tit", UserName: "Bo", At: noon}, {At: noon}}, 7)}))
	saidAll(b, nil, "/memory", "/memory?teacher=1&photo=without&before=40", "/memory?by=leaf", "/memory?by=teacher", "/memory/leaves/3?from=1",
		"/memory/doubts", "/memory/doubts?taxon=1&after=4", "/memory/map", "/memory/map?by=family&cluster=1", "/memory/map?by=order")
	b.said(b.marked("/memory?photo=perhaps", http.StatusUnprocessableEntity), names...)
	saidAnswers(b, http.StatusUnprocessableEntity, nil, form("/memory/doubts/11/rename", "q", "tit"), form("/memory/doubts/11/rename", "q", " "))
	saidAll(newBench(t, viewer, withGallery(&fakeGallery{})), nil, "/memory", "/memory/map")
	empty := newBench(t, owner, withGallery(&fakeGallery{empty: true, now: 1}))
	saidAll(empty, nil, "/memory", "/memory/map")
	empty.fake.seq = 1
	saidAll(empty, nil, "/memory")
}

// What else a list of doubts, a leaf or a map can say.
func TestEveryStateIsSaidGallery(t *testing.T) {
	b := newBench(t, owner)
	pages := b.handler.(*Site).pages
	marked := pages.words.Marked().All()[0]
	ctx := words.With(t.Context(), marked)
	d := identify.Doubts{Judged: 2, Exemplars: 4, At: noon, Seq: 2, Now: 4}
	texts := []string{freshness(ctx, d), noDoubts(ctx, identify.Doubts{Failed: true}, identify.DoubtFilter{}), noDoubts(ctx, identify.Doubts{}, identify.DoubtFilter{}),
		noDoubts(ctx, identify.Doubts{At: noon}, identify.DoubtFilter{}), noDoubts(ctx, d, identify.DoubtFilter{Taxon: 1}), noDoubts(ctx, d, identify.DoubtFilter{}),
		mapSummary(ctx, identify.MemoryMap{Points: make([]identify.MapPoint, 3), All: 5}), mapFreshness(ctx, identify.MemoryMap{At: noon, Now: 1}),
		mapFreshness(ctx, identify.MemoryMap{At: noon, Now: 1, Working: true}), clusterName(ctx, identify.MapCluster{})}
	d.Working = true
	texts = append(texts, freshness(ctx, d))
	for _, state := range []identify.LeafState{identify.LeafFitted, identify.LeafLearning, identify.LeafUnfitted} {
		x := leafOf(ctx, identify.GalleryLeaf{Leaf: 1, State: state, Unsplit: true, Retrained: &noon})
		texts = append(texts, x.Title, x.Size, x.State, x.StateWord)
	}
	for _, x := range []int{0, identify.MapSide / 2, identify.MapSide - 1} {
		for _, y := range []int{0, identify.MapSide / 2, identify.MapSide - 1} {
			texts = append(texts, placeOnMap(ctx, x, y))
		}
	}
	for _, text := range texts {
		for _, found := range unsaid("<p>" + text + "</p>") {
			t.Errorf("not said in the reader's language: %q", found)
		}
	}
}

func TestPagesAreSaidSources(t *testing.T) {
	f := &fakeCuration{}
	b := newBench(t, owner, func(c *Config) { c.Sources, c.History, c.Learning = f, f, f })
	saidAll(b, []string{"Nina", "moss.npz", "Ann"}, "/memory/sources", "/memory/sources/people/3", "/memory/sources/people/3?preview=1", "/memory/sources/people/3?learning=7")
	f.quarantine = &identify.Quarantine{Lessons: 6, Reason: "nonsense", ByName: "Cy", BeganAt: noon}
	saidAll(b, []string{"Nina", "moss.npz", "Ann"}, "/memory/sources", "/memory/sources/people/3")
	for _, step := range []identify.QuarantineStep{identify.TakingOut, identify.BringingBack, identify.Removing} {
		f.quarantine.UnderWay = step
		saidAll(b, []string{"Nina"}, "/memory/sources/people/3")
	}
	saidAll(b, []string{"Nina"}, "/memory/history", "/memory/history?kind=withdrawn", "/memory/learning")
	for _, kind := range append(identify.HistoryKinds(), "unheard of") {
		f.history = []identify.HistoryEntry{{At: noon, UserName: "Nina", Kind: kind, Subject: "observed at", Detail: identify.PlainNotice("as it was written"), Observation: 9}}
		saidAll(b, []string{"Nina"}, "/memory/history")
	}
	f.history = []identify.HistoryEntry{{At: noon, Kind: identify.DidLetIn, Subject: "Nina", Cursor: "second"}, {At: noon, Kind: identify.DidLetIn, Subject: "Nina"}}
	saidAll(b, []string{"Nina"}, "/memory/history")
}

func TestPagesAreSaidLearning(t *testing.T) {
	f := &fakeCuration{}
	b := newBench(t, viewer, func(c *Config) { c.Learning = f })
	saidAll(b, nil, "/memory/learning")
	score := identify.Score{Asked: 40, Right: 30, Low: .6, High: .86, ECE: .05, Bins: []eval.Bin{{}, {Asked: 40, Right: 30, Confidence: 32}}}
	f.learning = identify.Learning{Encoder: "fieldmark-1", Fused: score, ZeroShot: score, Recent: identify.RecentScores{Fused: score, ZeroShot: score},
		Counts: identify.TrialCounts{Lessons: 100, Imported: 50, Repeated: 1, Unnamed: 9, Untested: 2},
		Curve:  []identify.CurvePoint{{Lesson: 1, At: noon, Fused: 1}, {Lesson: 40, At: noon, Fused: .75, ZeroShot: .5}},
		Groups: []identify.GroupScores{{Group: "birds", Fused: score, ZeroShot: score, Unknown: 2}, {Fused: score, ZeroShot: score}},
		Sure:   identify.SureThreshold{ThresholdRule: eval.ThresholdRule{Target: .9, Enough: 100, Every: 25, Inertia: .03}, Threshold: eval.Threshold{Value: .6}}}
	saidAll(b, nil, "/memory/learning")
	for _, met := range []bool{false, true} {
		f.learning.Sure.Threshold = eval.Threshold{Value: .43, Measured: true, Met: met, Answers: 200, Said: 150, Right: 140}
		saidAll(b, nil, "/memory/learning")
	}
}

func TestPagesAreSaidNames(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	saidAll(b, []string{"Kohlmeise", "German"}, "/taxa", "/taxa?q=tit", "/taxa?q=unicorn", "/taxa/1", "/taxa/5", "/label-sets/1", "/taxa/import")
	saidAnswers(b, http.StatusUnprocessableEntity, []string{"Kohlmeise", "German", "Typed", "clan"}, form("/taxa/1", "scientific_name", "Typed", "rank", "clan"))
	saidAnswers(b, http.StatusUnprocessableEntity, []string{"Garden", "Graet Tit", "Unicorn", "Parus major"}, form("/label-sets", "name", "Garden", "names", "Graet Tit\nUnicorn"))
	b.do(form("/label-sets", "name", "Garden", "names", "Great Tit\nWhite clover"), http.StatusSeeOther)
	saidAll(b, []string{"Garden"}, "/label-sets/4")
	at := b.do(fileForm(t, "/taxa/import", "reserve.csv", "scientificName\nParus novus\n"), http.StatusSeeOther).Header.Get("Location")
	saidAll(b, []string{"Parus novus", "Pica", "Big Tit"}, at)
	saidAnswers(b, http.StatusConflict, []string{"Parus novus", "Pica", "Big Tit", "Birds"}, form(at, "changes", "1", "set", "Birds"))
	saidAll(b, nil, "/taxa/import?new=1&changed=2&set=1")
	saidAll(newBench(t, viewer), []string{"Kohlmeise", "German"}, "/taxa", "/taxa/1", "/label-sets/1")
}

// Every rank, group and built-in label set has a name in each language.
func TestRanksAndGroupsAreSaid(t *testing.T) {
	german := newBench(t, owner).handler.(*Site).pages.words.Choose("de", "")
	ctx := words.With(t.Context(), german)
	for rank, want := range map[identify.Rank]string{"species": "Art", "kingdom": "Reich", "clan": "clan"} {
		if got := rankWord(ctx, rank); got != want {
			t.Errorf("the rank %q is %q, want %q", rank, got, want)
		}
	}
	for _, rank := range identify.Ranks() {
		if rankKey(rank) == "" {
			t.Errorf("the rank %q has no name", rank)
		}
	}
	if got := groupWord(ctx, "bees-wasps-ants"); got != "Bienen, Wespen, Ameisen" {
		t.Errorf("the group is %q", got)
	}
	if got := labelSetName(ctx, identify.LabelSet{Name: "Birds", Builtin: true}); got != "Vögel" {
		t.Errorf("the label set is %q", got)
	}
	if got := labelSetName(ctx, identify.LabelSet{Name: "Birds"}); got != "Birds" {
		t.Errorf("what somebody called Birds is %q", got)
	}
}

// The German pages say numbers, plurals and days as German does.
func TestGermanMemory(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	german := func(path string) reply {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Language", "de")
		return b.do(r, http.StatusOK)
	}
	b.want(german("/memory?by=leaf"), "2 Exemplare, 1 Name", "Wird noch neu trainiert")
	p := german("/memory/doubts")
	b.want(p, "Eurasian Blue Tit, 84 %", "Kosinus 0,980", "3,0-mal so weit")
	if day := noon.Local().Format(time.DateOnly); !strings.Contains(p.body, day) {
		t.Errorf("no moment of %s", day)
	}
	b.want(german("/taxa/1"), "Art · Vögel", "Deutsch", "Kohlmeise")
}
