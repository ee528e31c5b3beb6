package web

import (
	"context"
	"slices"

	"fieldmark/internal/identify"
)

// fakeEncoders are two encoders, of which the domain's rules hold: who may look
// and who may choose.
type fakeEncoders struct {
	work   *identify.EncoderWork
	states []identify.EncoderState
	lost   []identify.LostLesson
	asked  []string // what was asked for, in order
}

func newFakeEncoders() fakeEncoders {
	return fakeEncoders{states: []identify.EncoderState{
		{InstalledEncoder: identify.InstalledEncoder{Model: "fake-1", Title: "fake-1", Digest: "01", Dim: 512, Bytes: 24_100_000, License: "Apache-2.0"},
			Serving: true, Ready: true, Counts: identify.EmbeddingCounts{Photos: 1240, Embedded: 1240}},
		{InstalledEncoder: identify.InstalledEncoder{Model: "bioclip", Title: "BioCLIP, ViT-B/16", Digest: "02", Dim: 512, Bytes: 600_000_000, License: "MIT"},
			Counts: identify.EmbeddingCounts{Photos: 1240, Embedded: 300, Failed: 2}},
		{InstalledEncoder: identify.InstalledEncoder{Model: "torn", Fault: identify.PlainNotice("manifest.json is not JSON")}},
	}}
}

func (f *fakeEncoders) EncoderWork() *identify.EncoderWork { return f.work }

func (f *fakeEncoders) EncoderStates(_ context.Context, u identify.User) ([]identify.EncoderState, error) {
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	return slices.Clone(f.states), nil
}

func (f *fakeEncoders) LostLessons(_ context.Context, _ identify.User, _ string, limit int) ([]identify.LostLesson, int, error) {
	return f.lost[:min(limit, len(f.lost))], len(f.lost), nil
}

func (f *fakeEncoders) ask(u identify.User, what string) error {
	if !u.Role.Allows(identify.Admin) {
		return identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	f.asked = append(f.asked, what)
	return nil
}

func (f *fakeEncoders) UseEncoder(_ context.Context, u identify.User, model string) error {
	if !slices.ContainsFunc(f.states, func(x identify.EncoderState) bool { return x.Model == model }) {
		return identify.Errorf(identify.NotFound, "encoder", "There is no encoder %q here.", model)
	}
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

func (f *fake) CompareObservation(_ context.Context, _ identify.User, id identify.ObservationID, models []string, q identify.Question) ([]identify.Compared, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	return f.compared(f.photos[id], models, q), nil
}

func (f *fake) ComparePhoto(_ context.Context, _ identify.User, photo []byte, models []string, q identify.Question) ([]identify.Compared, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(photo) == 0 {
		return nil, identify.Errorf(identify.Invalid, "photo", "There is no photo here.")
	}
	return f.compared(photo, models, q), nil
}

func (f *fake) compared(photo []byte, models []string, q identify.Question) []identify.Compared {
	var list []identify.Compared
	for _, model := range models {
		i := slices.IndexFunc(f.states, func(x identify.EncoderState) bool { return x.Model == model })
		list = append(list, identify.Compared{Encoder: f.states[i], Prediction: f.predict(photo, q), Exemplars: 1200 * i})
	}
	return list
}
