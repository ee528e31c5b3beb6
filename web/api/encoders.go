package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// EncoderService is what the API about encoders needs of the domain.
type EncoderService interface {
	EncoderWork() *identify.EncoderWork
	EncoderStates(ctx context.Context, u identify.User) ([]identify.EncoderState, error)
	LostLessons(ctx context.Context, u identify.User, model string, limit int) (list []identify.LostLesson, total int, err error)
	UseEncoder(ctx context.Context, u identify.User, model string) error
	CancelEncoder(ctx context.Context, u identify.User) error
	PauseEncoder(ctx context.Context, u identify.User, paused bool) error
	RetryPhotos(ctx context.Context, u identify.User, model string) error
}

type encoderState struct {
	Encoder  string `json:"encoder" doc:"What it is chosen by"`
	Title    string `json:"title,omitempty"`
	License  string `json:"license,omitempty"`
	Digest   string `json:"digest,omitempty" doc:"Identity of its embeddings"`
	Dim      int    `json:"dim,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
	Fault    string `json:"fault,omitempty" doc:"Why it cannot be used"`
	Serving  bool   `json:"serving" doc:"It answers now"`
	Ready    bool   `json:"ready" doc:"Its memory is at hand: to use it takes no time if it lacks nothing"`
	Wanted   bool   `json:"wanted" doc:"It is being prepared, to serve then"`
	Photos   int    `json:"photos" doc:"How many photos are kept"`
	Embedded int    `json:"embedded" doc:"How many of them it has read"`
	Failed   int    `json:"failed" doc:"How many of them it cannot be shown"`
}

// encoderWork is what is being done in the background for an encoder.
type encoderWork struct {
	Encoder string  `json:"encoder"`
	Switch  bool    `json:"switch" doc:"It is to serve when this is done; otherwise it serves already, and what was taught comes into its memory as photos are read"`
	Phase   string  `json:"phase" enum:"opening,embedding,folding"`
	Done    int     `json:"done" doc:"Photos that it has read"`
	Failed  int     `json:"failed" doc:"Photos that it cannot be shown"`
	Total   int     `json:"total"`
	Rate    float64 `json:"photos_per_second"`
	Left    float64 `json:"seconds_left" doc:"Estimated; 0 if it cannot be"`
	Paused  bool    `json:"paused"`
	Problem string  `json:"problem,omitempty" doc:"What stopped it"`
}

func newEncoderWork(w *identify.EncoderWork) *encoderWork {
	if w == nil {
		return nil
	}
	return &encoderWork{Encoder: w.Model, Switch: w.Switch, Phase: string(w.Phase), Done: w.Done, Failed: w.Failed, Total: w.Total,
		Rate: w.Rate, Left: w.Left.Round(time.Second).Seconds(), Paused: w.Paused, Problem: w.Problem.String()}
}

type encodersOutput struct {
	Body struct {
		Encoders []encoderState `json:"encoders" nullable:"false" doc:"The built-in one first"`
		Work     *encoderWork   `json:"work,omitempty" doc:"Left out if nothing is being done"`
	}
}

type encoderInput struct {
	Encoder string `path:"encoder"`
}

type lostInput struct {
	Encoder string `path:"encoder"`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type lostLesson struct {
	ObservationID int64  `json:"observation_id"`
	TaxonID       int64  `json:"taxon_id"`
	Label         string `json:"label"`
	TaughtBy      string `json:"taught_by"`
	Reason        string `json:"reason"`
}

type lostOutput struct {
	Body struct {
		Total   int          `json:"total"`
		Lessons []lostLesson `json:"lessons" nullable:"false" doc:"Newest observation first"`
	}
}

func (s *server) registerEncoders(h huma.API) {
	const path = "/api/v1/encoders"
	op := func(id, method, path, summary string, errors ...int) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{"encoders"},
			Errors: append([]int{http.StatusUnauthorized, http.StatusForbidden}, errors...)}
	}
	list := op("list-encoders", http.MethodGet, path, "The encoders, and how far the memory of each is")
	list.Description = "Needs the role curator. Choosing and pausing need the role admin."
	add(s, h, list, s.encoders)
	add(s, h, op("list-lost-lessons", http.MethodGet, path+"/{encoder}/lost", "Exemplars without a photo: lessons that an encoder's memory lacks because their photo cannot be read",
		http.StatusNotFound), s.lostLessons)
	change := func(id, path, summary string, do func(ctx context.Context, u identify.User, encoder string) error) {
		o := op(id, http.MethodPost, path, summary, http.StatusNotFound)
		o.DefaultStatus = http.StatusAccepted
		add(s, h, o, func(ctx context.Context, in *encoderInput) (*encodersOutput, error) {
			if err := do(ctx, auth.UserFrom(ctx), in.Encoder); err != nil {
				return nil, err
			}
			return s.encoders(ctx, nil)
		})
	}
	change("use-encoder", path+"/{encoder}/use", "Let an encoder serve: at once if its memory is at hand, otherwise when it has read the photos", s.service.UseEncoder)
	change("retry-photos", path+"/{encoder}/retry", "Let an encoder be shown the photos again that it could not be shown", s.service.RetryPhotos)
	work := func(id, action, summary string, do func(ctx context.Context, u identify.User) error) {
		o := op(id, http.MethodPost, path+"/"+action, summary)
		o.DefaultStatus = http.StatusAccepted
		add(s, h, o, func(ctx context.Context, _ *struct{}) (*encodersOutput, error) {
			if err := do(ctx, auth.UserFrom(ctx)); err != nil {
				return nil, err
			}
			return s.encoders(ctx, nil)
		})
	}
	work("pause-encoder", "pause", "Pause the work in the background", func(ctx context.Context, u identify.User) error {
		return s.service.PauseEncoder(ctx, u, true)
	})
	work("resume-encoder", "resume", "Go on with the work in the background", func(ctx context.Context, u identify.User) error {
		return s.service.PauseEncoder(ctx, u, false)
	})
	work("cancel-encoder", "cancel", "Take the wish for another encoder back; what it has read stays", s.service.CancelEncoder)
}

func (s *server) encoders(ctx context.Context, _ *struct{}) (*encodersOutput, error) {
	states, err := s.service.EncoderStates(ctx, auth.UserFrom(ctx))
	if err != nil {
		return nil, err
	}
	out := &encodersOutput{}
	out.Body.Encoders, out.Body.Work = make([]encoderState, len(states)), newEncoderWork(s.service.EncoderWork())
	for i, x := range states {
		out.Body.Encoders[i] = encoderState{Encoder: x.Model, Title: x.Title, License: x.License, Digest: x.Digest, Dim: x.Dim, Bytes: x.Bytes,
			Fault: x.Fault.String(), Serving: x.Serving, Ready: x.Ready, Wanted: x.Wanted,
			Photos: x.Counts.Photos, Embedded: x.Counts.Embedded, Failed: x.Counts.Failed}
	}
	return out, nil
}

func (s *server) lostLessons(ctx context.Context, in *lostInput) (*lostOutput, error) {
	list, total, err := s.service.LostLessons(ctx, auth.UserFrom(ctx), in.Encoder, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &lostOutput{}
	out.Body.Total, out.Body.Lessons = total, make([]lostLesson, len(list))
	for i, l := range list {
		out.Body.Lessons[i] = lostLesson{int64(l.Observation), int64(l.Taxon), l.Label, l.TaughtBy, l.Reason.String()}
	}
	return out, nil
}
