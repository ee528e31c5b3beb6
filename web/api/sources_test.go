package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"fieldmark/internal/eval"
	"fieldmark/internal/identify"
)

// fakeSources knows one person who taught, and what would be without them.
type fakeSources struct {
	began  identify.Source
	reason string
	ended  identify.QuarantineOutcome
}

func (f *fakeSources) Sources(_ context.Context, u identify.User) ([]identify.SourceReport, error) {
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "To see who taught what takes the role curator.")
	}
	return []identify.SourceReport{{Source: identify.Source{User: 3}, Name: "Ann", Taught: 5, Standing: 2, Waiting: 1, Overruled: 2, LastAt: time.Unix(0, 0),
		Quarantine: &identify.Quarantine{Lessons: 1, Reason: "nonsense", ByName: "Cy", UnderWay: identify.BringingBack}},
		{Source: identify.Source{Import: 4}, Name: "moss.npz", Taught: 7, Standing: 7}}, nil
}

func (f *fakeSources) PreviewQuarantine(_ context.Context, _ identify.User, of identify.Source) (identify.QuarantinePreview, error) {
	if of.User != 3 {
		return identify.QuarantinePreview{}, identify.Errorf(identify.NotFound, "source", "Nothing has ever been taught by this source.")
	}
	return identify.QuarantinePreview{Lessons: 5, Named: 10, With: 6, Without: 8, Changed: 1,
		List: []identify.ChangedAnswer{{Observation: 9, Truth: identify.TaxonName{Taxon: 1, Label: "Great Tit"}, Before: identify.PreviewAnswer{Label: "Coal Tit"}, After: identify.PreviewAnswer{Label: "Great Tit"}}}}, nil
}

func (f *fakeSources) BeginQuarantine(_ context.Context, _ identify.User, of identify.Source, reason string) (identify.Quarantine, error) {
	f.began, f.reason = of, reason
	return identify.Quarantine{Lessons: 5, Reason: reason}, nil
}

func (f *fakeSources) EndQuarantine(_ context.Context, _ identify.User, _ identify.Source, outcome identify.QuarantineOutcome) (identify.Quarantine, error) {
	if f.ended != "" {
		return identify.Quarantine{}, identify.Errorf(identify.Conflict, "source", "This source is not in quarantine.")
	}
	f.ended = outcome
	return identify.Quarantine{Outcome: outcome, EndedBy: "Cy"}, nil
}

func (f *fakeSources) Learning(context.Context) (identify.Learning, error) {
	return identify.Learning{Encoder: "test", Counts: identify.TrialCounts{Lessons: 9, Imported: 4},
		Fused:  identify.Score{Asked: 5, Right: 4, ECE: .1, Bins: []eval.Bin{{Asked: 2, Right: 1, Confidence: 1.2}, {}}},
		Curve:  []identify.CurvePoint{{Lesson: 1, Fused: 1}},
		Groups: []identify.GroupScores{{Group: "birds", Fused: identify.Score{Asked: 5, Right: 4}, Unknown: 1}},
		Sure:   identify.SureThreshold{ThresholdRule: eval.ThresholdRule{Target: .9}, Threshold: eval.Threshold{Value: .6}}}, nil
}

func TestSources(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	list := decode[struct{ Sources []lessonSource }](t, ask(h, curator, http.MethodGet, "/api/v1/sources", "", ""), 200)
	if len(list.Sources) != 2 || list.Sources[0].Kind != "people" || list.Sources[0].ID != 3 || list.Sources[0].Quarantine.Reason != "nonsense" || list.Sources[0].Quarantine.UnderWay != "released" ||
		list.Sources[1].Kind != "imports" || list.Sources[1].ID != 4 || list.Sources[1].Quarantine != nil {
		t.Errorf("%+v", list)
	}
	p := decode[struct {
		With    int `json:"right_with"`
		Without int `json:"right_without"`
		Answers []changedAnswer
	}](t, ask(h, curator, http.MethodGet, "/api/v1/sources/people/3/preview", "", ""), 200)
	if p.With != 6 || p.Without != 8 || len(p.Answers) != 1 || p.Answers[0].After != "Great Tit" {
		t.Errorf("%+v", p)
	}
	decode[quarantine](t, ask(h, curator, http.MethodPut, "/api/v1/sources/imports/4/quarantine", "application/json", `{"reason":"mislabelled"}`), 200)
	if f.began.Import != 4 || f.began.User != 0 || f.reason != "mislabelled" {
		t.Errorf("%+v, %q", f.began, f.reason)
	}
	q := decode[quarantine](t, ask(h, curator, http.MethodDelete, "/api/v1/sources/imports/4/quarantine?outcome=released", "", ""), 200)
	if q.Outcome != "released" || q.UnderWay != "" || f.ended != identify.Restored {
		t.Errorf("%+v", q)
	}
	if w := ask(h, curator, http.MethodDelete, "/api/v1/sources/imports/4/quarantine?outcome=released", "", ""); w.Code != http.StatusConflict {
		t.Errorf("status %d", w.Code)
	}
	if w := ask(h, curator, http.MethodDelete, "/api/v1/sources/imports/4/quarantine", "", ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("status %d", w.Code)
	}
}

func TestLearning(t *testing.T) {
	l := decode[struct {
		Lessons   learningCounts
		Fused     score
		Groups    []groupScores
		Threshold sureThreshold
	}](t, ask(handler(t, &fake{}), curator, http.MethodGet, "/api/v1/learning", "", ""), 200)
	if l.Lessons.Given != 9 || l.Lessons.Counted != 5 || l.Fused.Right != 4 || l.Fused.Reliability[0].Confidence != .6 || l.Fused.Reliability[1].Confidence != 0 ||
		l.Groups[0].NewNames != 1 || l.Threshold.Value != .6 || l.Threshold.Measured || l.Threshold.Target != .9 {
		t.Errorf("%+v", l)
	}
}
