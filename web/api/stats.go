package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type statsOutput struct {
	Body struct {
		MemorySeq    int64        `json:"memory_seq" doc:"Number of the last event that is learned"`
		Exemplars    int          `json:"exemplars"`
		Labels       int          `json:"labels" doc:"Taxa with at least one exemplar"`
		Leaves       int          `json:"leaves" doc:"Of the clustering tree"`
		Pending      int          `json:"pending" doc:"Events whose consolidating stroke is still to come"`
		Observations int          `json:"observations"`
		Photos       int          `json:"photos"`
		Taxa         int          `json:"taxa"`
		Users        int          `json:"users"`
		Encoder      encoder      `json:"encoder"`
		Work         *encoderWork `json:"work,omitempty" doc:"What is being done in the background for an encoder; left out if nothing is"`
	}
}

type encoder struct {
	Name   string `json:"name"`
	Digest string `json:"digest" doc:"Identity of its embeddings"`
	Dim    int    `json:"dim"`
}

func (s *server) registerStats(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "stats", Method: http.MethodGet, Path: "/api/v1/stats", Tags: []string{"stats"},
		Summary: "The memory and what is stored, at this moment", Errors: []int{http.StatusUnauthorized},
	}, s.stats)
}

func (s *server) stats(ctx context.Context, _ *struct{}) (*statsOutput, error) {
	x, err := s.service.Stats(ctx)
	if err != nil {
		return nil, err
	}
	out := &statsOutput{}
	b := &out.Body
	b.MemorySeq, b.Exemplars, b.Labels, b.Leaves, b.Pending = int64(x.Seq), x.Exemplars, x.Labels, x.Leaves, x.Pending
	b.Observations, b.Photos, b.Taxa, b.Users = x.Observations, x.Photos, x.Taxa, x.Users
	b.Encoder = encoder{Name: x.Encoder.Name, Digest: x.Encoder.Digest, Dim: x.Encoder.Dim}
	b.Work = newEncoderWork(x.Work)
	return out, nil
}

// Healthz answers that the process runs.
func Healthz(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }

// Readyz answers whether the service can answer, as ready says it.
func Readyz(ready func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			plain(w, http.StatusServiceUnavailable, err.Error()+"\n")
			return
		}
		plain(w, http.StatusOK, "ready\n")
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(text)) // the client may have gone; then nobody is left to tell
}
