package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/eval"
	"fieldmark/internal/identify"
)

// fakeCuration is a log in which one person, number 3, taught nonsense.
type fakeCuration struct {
	quarantine *identify.Quarantine
	pending    identify.Seq // of what is decided next
	ended      identify.QuarantineOutcome
	history    []identify.HistoryEntry
	asked      identify.HistoryFilter
	learning   identify.Learning
}

func (f *fakeCuration) report() identify.SourceReport {
	r := identify.SourceReport{Source: identify.Source{User: 3}, Name: "Nina", Taught: 10, Standing: 6, Overruled: 3, TakenBack: 1, Disputed: 2, LastAt: noon}
	if f.quarantine != nil {
		r.Quarantine, r.Standing, r.Waiting = f.quarantine, 0, 6
		if f.quarantine.UnderWay != identify.NoStep {
			r.Standing, r.Waiting = 2, 4
		}
	}
	return r
}

func (f *fakeCuration) Sources(_ context.Context, u identify.User) ([]identify.SourceReport, error) {
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "To see who taught what takes the role curator.")
	}
	return []identify.SourceReport{f.report(), {Source: identify.Source{Import: 4}, Name: "moss.npz", By: "Ann", Taught: 50_000, Standing: 50_000, LastAt: noon}}, nil
}

func (f *fakeCuration) Source(_ context.Context, _ identify.User, of identify.Source) (identify.SourceReport, error) {
	if of.User != 3 {
		return identify.SourceReport{}, identify.Errorf(identify.NotFound, "source", "Nothing has ever been taught by this source.")
	}
	return f.report(), nil
}

func (f *fakeCuration) PreviewQuarantine(context.Context, identify.User, identify.Source) (identify.QuarantinePreview, error) {
	return identify.QuarantinePreview{SourceReport: f.report(), Lessons: 6, Named: 20, Unnamed: 5, With: 10, Without: 13, Changed: 70, Exemplars: 100,
		List: []identify.ChangedAnswer{{Observation: 9, File: true, Truth: identify.TaxonName{Taxon: 1, Label: "Great Tit"}, Before: identify.PreviewAnswer{Label: "Coal Tit", Probability: .5},
			After: identify.PreviewAnswer{Label: "Great Tit", Probability: .9, Right: true}}}}, nil
}

func (f *fakeCuration) BeginQuarantine(_ context.Context, u identify.User, _ identify.Source, reason string) (identify.Quarantine, error) {
	if len(reason) > 500 {
		return identify.Quarantine{}, identify.Errorf(identify.Invalid, "reason", "The reason has at most 500 characters.")
	}
	f.quarantine = &identify.Quarantine{Lessons: 6, Reason: reason, ByName: u.Name, BeganAt: noon, Pending: f.pending}
	return *f.quarantine, nil
}

func (f *fakeCuration) EndQuarantine(_ context.Context, _ identify.User, _ identify.Source, outcome identify.QuarantineOutcome) (identify.Quarantine, error) {
	f.quarantine, f.ended = nil, outcome
	return identify.Quarantine{Pending: f.pending}, nil
}

func (f *fakeCuration) History(_ context.Context, _ identify.User, q identify.HistoryFilter) ([]identify.HistoryEntry, bool, error) {
	f.asked = q
	if q.Before == "second" {
		return f.history[1:], false, nil
	}
	return f.history[:min(1, len(f.history))], len(f.history) > 1, nil
}

func (f *fakeCuration) Doers(context.Context, identify.User) ([]identify.User, error) {
	return []identify.User{{ID: 3, Name: "Nina"}}, nil
}

func (f *fakeCuration) Learning(context.Context) (identify.Learning, error) { return f.learning, nil }

// curation asks a site that has nothing else for a page.
func curation(t *testing.T, f *fakeCuration, role identify.Role, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	h, err := New(Config{Service: newFake(), Log: slog.New(slog.DiscardHandler), Sources: f, History: f, Learning: f,
		User: func(*http.Request) identify.User { return identify.User{ID: 7, Name: "Cy", Role: role} }})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func getPage(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

func postForm(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func wantText(t *testing.T, w *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d", w.Code, status)
	}
	for _, x := range texts {
		if !strings.Contains(w.Body.String(), x) {
			t.Errorf("there is no %q in the page", x)
		}
	}
}

func TestSourcesPages(t *testing.T) {
	f := &fakeCuration{}
	wantText(t, curation(t, f, identify.Expert, getPage("/memory/sources")), 403)
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/sources")), 200, "Nina", "moss.npz", "50,010 lessons from 1 person and 1 import",
		`href="/memory/sources/people/3?preview=1"`, "6 standing, 3 overruled, 1 taken back, of 10 lessons")
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/sources/people/3?preview=1")), 200, "right more often without it: 3 photos gained",
		"50%", "65%", "10 of 20", "70 of 25", "Great Tit", "The first 1 of 70 are shown", "Put in quarantine")
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/sources/people/8")), 404)
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/sources/planets/3")), 404)
	wantText(t, curation(t, f, identify.Curator, postForm("/memory/sources/people/3/quarantine", "reason="+strings.Repeat("x", 501))), 422, "at most 500 characters")
	if w := curation(t, f, identify.Curator, postForm("/memory/sources/people/3/quarantine", "reason=nonsense")); w.Code != 303 || f.quarantine == nil || f.quarantine.Reason != "nonsense" {
		t.Errorf("status %d, %+v", w.Code, f.quarantine)
	}
	w := curation(t, f, identify.Curator, getPage("/memory/sources/people/3"))
	wantText(t, w, 200, "In quarantine.", "6 lessons wait outside the memory", "nonsense", "/memory/sources/people/3/release", "/memory/sources/people/3/remove")
	if strings.Contains(w.Body.String(), "Put in quarantine") {
		t.Error("what is in quarantine can be put there once more")
	}
	if w := curation(t, f, identify.Curator, postForm("/memory/sources/people/3/remove", "")); w.Code != 303 || f.ended != identify.Removed {
		t.Errorf("status %d, %q", w.Code, f.ended)
	}
}

// TestQuarantineUnderWay: while many lessons leave in stretches, or come back, or are
// removed, the pages say which, and how far that is, and offer no second decision.
func TestQuarantineUnderWay(t *testing.T) {
	for step, says := range map[identify.QuarantineStep][]string{
		identify.TakingOut:    {"On the way into quarantine.", "Taken out of the memory so far: 4 of 6."},
		identify.BringingBack: {"On the way back from quarantine.", "Brought back into the memory so far: 2 of 6."},
		identify.Removing:     {"Being removed for good.", "Still to be withdrawn: 4."},
	} {
		f := &fakeCuration{quarantine: &identify.Quarantine{Lessons: 2, ByName: "Ann", BeganAt: noon, UnderWay: step}}
		for _, path := range []string{"/memory/sources", "/memory/sources/people/3"} {
			w := curation(t, f, identify.Curator, getPage(path))
			wantText(t, w, 200, append(says, "goes on by itself, after a restart too")...)
			for _, action := range []string{"quarantine", "release", "remove"} {
				if strings.Contains(w.Body.String(), "/memory/sources/people/3/"+action) {
					t.Errorf("%s offers to %s while %q is under way", path, action, step)
				}
			}
		}
		f.quarantine.UnderWay = identify.NoStep
		w := curation(t, f, identify.Curator, getPage("/memory/sources/people/3"))
		wantText(t, w, 200, "In quarantine.", "/memory/sources/people/3/release")
		if strings.Contains(w.Body.String(), "goes on by itself") {
			t.Error("when it is done it is said to go on")
		}
	}
}

// The fake's memory has learned nothing: it has come to event 0.
func TestSourceThatIsForgottenLate(t *testing.T) {
	f := &fakeCuration{pending: 7}
	for _, do := range []string{"quarantine", "release"} {
		w := curation(t, f, identify.Curator, postForm("/memory/sources/people/3/"+do, ""))
		if got := w.Header().Get("Location"); got != "/memory/sources/people/3?learning=7" {
			t.Errorf("%s leads to %q", do, got)
		}
	}
	const late = "still taking it in"
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/sources/people/3?learning=7")), 200, late)
	for _, path := range []string{"/memory/sources/people/3", "/memory/sources/people/3?learning=0", "/memory/sources/people/3?learning=x"} {
		if w := curation(t, f, identify.Curator, getPage(path)); w.Code != 200 || strings.Contains(w.Body.String(), late) {
			t.Errorf("%s: status %d, and it says that the memory is late", path, w.Code)
		}
	}
}

func TestHistoryPage(t *testing.T) {
	f := &fakeCuration{}
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/history")), 200, "Nothing has been done yet")
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/history?kind=withdrawn")), 200, "Nothing of that kind")
	f.history = []identify.HistoryEntry{{At: noon, UserName: "Nina", User: 3, Kind: identify.DidTeach, Subject: "Great Tit", Observation: 9, Cursor: "second"},
		{At: noon, Kind: identify.DidLetIn, Subject: "=Nina()"}}
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/history?who=3&kind=taught&from=2026-05-01&to=2026-05-03")), 200,
		"Nina", "taught", `href="/observations/9"`, "before=second", "Download as CSV")
	if f.asked.User != 3 || f.asked.Kind != identify.DidTeach || f.asked.To.Sub(*f.asked.From) != 72*time.Hour {
		t.Errorf("asked %+v", f.asked)
	}
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/history?before=second")), 200, "Somebody", "let in")
	wantText(t, curation(t, f, identify.Curator, getPage("/memory/history?from=may")), 422, "Write days as")
	w := curation(t, f, identify.Curator, getPage("/memory/history.csv"))
	want := "at,user_id,user,kind,subject,detail,observation_id\n2026-05-03T12:00:00Z,3,Nina,taught,Great Tit,,9\n2026-05-03T12:00:00Z,,,let in,'=Nina(),,\n"
	if w.Body.String() != want {
		t.Errorf("%s, want %s", w.Body, want)
	}
}

func TestLearningPage(t *testing.T) {
	f := &fakeCuration{}
	wantText(t, curation(t, f, identify.Viewer, getPage("/memory/learning")), 200, "No lesson has been tested yet")
	score := identify.Score{Asked: 40, Right: 30, Low: .6, High: .86, ECE: .05, Bins: []eval.Bin{{}, {Asked: 40, Right: 30, Confidence: 32}}}
	f.learning = identify.Learning{Encoder: "fieldmark-1", Fused: score, ZeroShot: score, Recent: identify.RecentScores{Fused: score, ZeroShot: score},
		Counts: identify.TrialCounts{Lessons: 100, Imported: 50, Repeated: 1, Unnamed: 9},
		Curve:  []identify.CurvePoint{{Lesson: 1, At: noon, Fused: 1}, {Lesson: 40, At: noon, Fused: .75, ZeroShot: .5}},
		Groups: []identify.GroupScores{{Group: "bees-wasps", Fused: score, ZeroShot: score, Unknown: 2}},
		Sure:   identify.SureThreshold{ThresholdRule: eval.ThresholdRule{Target: .9, Enough: 100, Every: 25, Inertia: .03}, Threshold: eval.Threshold{Value: .6}}}
	wantText(t, curation(t, f, identify.Viewer, getPage("/memory/learning")), 200, "75%", "[60–86%]", "40 lessons are counted, of 100 ever given",
		"50 lessons came with imports", "1 was about a photo", "9 were withdrawn", "Bees, wasps", "5.0 points", "by convention, until 100 lessons",
		`d="M0.0 0.0L1000.0 100.0"`, `d="M0.0 400.0L1000.0 200.0"`)
	f.learning.Sure.Threshold = eval.Threshold{Value: .43, Measured: true, Met: true, Answers: 200, Said: 150, Right: 140}
	wantText(t, curation(t, f, identify.Viewer, getPage("/memory/learning")), 200, "from 43% on", "reached by 150, of which 140 were right", "90% are right")
}
