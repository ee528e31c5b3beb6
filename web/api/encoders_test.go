package api

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeEncoders notes what was asked, of whom the role allows it.
type fakeEncoders struct {
	work  *identify.EncoderWork
	asked []string
}

func (f *fakeEncoders) EncoderWork() *identify.EncoderWork { return f.work }

func (f *fakeEncoders) EncoderStates(context.Context, identify.User) ([]identify.EncoderState, error) {
	return []identify.EncoderState{
		{InstalledEncoder: identify.InstalledEncoder{Model: "fieldmark-1", Digest: "aa", Dim: 512}, Serving: true, Ready: true, Counts: identify.EmbeddingCounts{Photos: 9, Embedded: 8, Failed: 1}},
		{InstalledEncoder: identify.InstalledEncoder{Model: "bioclip", Title: "BioCLIP"}, Wanted: true},
	}, nil
}

func (f *fakeEncoders) LostLessons(_ context.Context, _ identify.User, model string, limit int) ([]identify.LostLesson, int, error) {
	if model != "bioclip" {
		return nil, 0, identify.Errorf(identify.NotFound, "encoder", "There is no encoder %q here.", model)
	}
	return []identify.LostLesson{{Observation: 3, Taxon: 4, Label: "Great Tit", TaughtBy: "Ana", Reason: identify.PlainNotice("Its file is missing.")}}[:min(limit, 1)], 12, nil
}

func (f *fakeEncoders) ask(u identify.User, what string) error {
	if !u.Role.Allows(identify.Admin) {
		return identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	f.asked = append(f.asked, what)
	return nil
}

func (f *fakeEncoders) UseEncoder(_ context.Context, u identify.User, model string) error {
	return f.ask(u, "use "+model)
}

func (f *fakeEncoders) CancelEncoder(_ context.Context, u identify.User) error {
	return f.ask(u, "cancel")
}

func (f *fakeEncoders) PauseEncoder(_ context.Context, u identify.User, paused bool) error {
	if paused {
		return f.ask(u, "pause")
	}
	return f.ask(u, "resume")
}

func (f *fakeEncoders) RetryPhotos(_ context.Context, u identify.User, model string) error {
	return f.ask(u, "retry "+model)
}

type encodersAnswer struct {
	Encoders []encoderState
	Work     *encoderWork
}

func TestEncoders(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	got := decode[encodersAnswer](t, ask(h, curator, http.MethodGet, "/api/v1/encoders", "", ""), 200)
	if len(got.Encoders) != 2 || got.Work != nil || !got.Encoders[0].Serving || got.Encoders[0].Embedded != 8 || got.Encoders[0].Failed != 1 || !got.Encoders[1].Wanted {
		t.Errorf("%+v", got)
	}
	admin := identify.User{ID: 1, Role: identify.Admin}
	for _, path := range []string{"bioclip/use", "pause", "resume", "cancel", "bioclip/retry"} {
		path = "/api/v1/encoders/" + path
		decode[encodersAnswer](t, ask(h, admin, http.MethodPost, path, "", ""), 202)
		wantProblem(t, path+" as curator", ask(h, curator, http.MethodPost, path, "", ""), 403, "")
	}
	if want := []string{"use bioclip", "pause", "resume", "cancel", "retry bioclip"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
	lost := decode[struct {
		Total   int
		Lessons []lostLesson
	}](t, ask(h, curator, http.MethodGet, "/api/v1/encoders/bioclip/lost", "", ""), 200)
	if lost.Total != 12 || len(lost.Lessons) != 1 || lost.Lessons[0].ObservationID != 3 || lost.Lessons[0].Reason == "" {
		t.Errorf("%+v", lost)
	}
	wantProblem(t, "an unknown encoder", ask(h, curator, http.MethodGet, "/api/v1/encoders/none/lost", "", ""), 404, "encoder")
}

func TestWorkIsInTheStatistics(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	type stats struct{ Work *encoderWork }
	if got := decode[stats](t, ask(h, curator, http.MethodGet, "/api/v1/stats", "", ""), 200); got.Work != nil {
		t.Errorf("%+v", got.Work)
	}
	f.work = &identify.EncoderWork{Model: "bioclip", Switch: true, Phase: identify.Embedding, Done: 3, Total: 9, Left: 1500 * time.Millisecond, Paused: true}
	got := decode[stats](t, ask(h, curator, http.MethodGet, "/api/v1/stats", "", ""), 200)
	if w := got.Work; w == nil || w.Encoder != "bioclip" || w.Done != 3 || w.Left != 2 || !w.Paused || w.Phase != "embedding" {
		t.Errorf("%+v", w)
	}
}
