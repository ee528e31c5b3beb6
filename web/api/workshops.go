package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// WorkshopService is what the operations about workshops need of the domain;
// *identify.Workshops has it.
type WorkshopService interface {
	Start(ctx context.Context, u identify.User, p identify.WorkshopPlan) (identify.Workshop, error)
	Workshops(ctx context.Context, u identify.User) ([]identify.Workshop, error)
	Workshop(ctx context.Context, u identify.User, id identify.WorkshopID) (identify.Workshop, []identify.WorkshopGuest, error)
	Extend(ctx context.Context, u identify.User, id identify.WorkshopID, lasts time.Duration) error
	End(ctx context.Context, u identify.User, id identify.WorkshopID) error
	Reset(ctx context.Context, u identify.User, id identify.WorkshopID, own bool) (lessons int, err error)
	Restore(ctx context.Context, u identify.User, id identify.WorkshopID) (lessons int, err error)
}

type startWorkshopInput struct {
	Body struct {
		Title    string  `json:"title"`
		Role     string  `json:"role" enum:"viewer,expert" doc:"Of guests"`
		Hours    float64 `json:"hours" doc:"How long it lasts, up to a month"`
		LabelSet int64   `json:"label_set,omitempty" minimum:"1" doc:"That guests' questions begin with"`
	}
}

// WorkshopPath names a workshop in an address.
type WorkshopPath struct {
	ID int64 `path:"id" minimum:"1"`
}

type extendWorkshopInput struct {
	WorkshopPath
	Body struct {
		Hours float64 `json:"hours" doc:"How long it lasts from now, up to a month"`
	}
}

type resetWorkshopInput struct {
	WorkshopPath
	Own bool `query:"own" doc:"Withdraw what the host taught meanwhile as well, for good"`
}

type startedOutput struct {
	Location string `header:"Location"`
	Body     workshop
}

type workshopOutput struct {
	Body struct {
		workshop
		People []workshopGuest `json:"people" nullable:"false" doc:"Guests, the latest first"`
	}
}

type workshopsOutput struct {
	Body struct {
		Workshops []workshop `json:"workshops" nullable:"false" doc:"Newest first"`
	}
}

// workshop is some hours in which people look at photos together.
type workshop struct {
	ID        int64      `json:"id"`
	Title     string     `json:"title"`
	Role      string     `json:"role" enum:"viewer,expert"`
	Code      string     `json:"code,omitempty" doc:"People join by it, at /join; left out once it was ended"`
	Host      person     `json:"host"`
	StartedAt time.Time  `json:"started_at"`
	EndsAt    time.Time  `json:"ends_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty" doc:"Ended before that"`
	ResetAt   *time.Time `json:"reset_at,omitempty" doc:"What its guests taught does not stand"`
	Guests    int        `json:"guests"`
	Photos    int        `json:"photos"`
	Lessons   int        `json:"lessons"`
}

type workshopGuest struct {
	person
	JoinedAt time.Time `json:"joined_at"`
	Photos   int       `json:"photos"`
	Lessons  int       `json:"lessons"`
}

type resetOutput struct {
	Body struct {
		Lessons int `json:"lessons" doc:"That left the memory, or came back"`
	}
}

func (s *server) registerWorkshops(h huma.API) {
	const path = "/api/v1/workshops"
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Tags: []string{"workshops"}, DefaultStatus: http.StatusOK, Summary: summary,
			Description: "Needs the role admin.", Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}}
	}
	start := op("start-workshop", http.MethodPost, path, "Start a workshop, and get the code to join it by")
	start.DefaultStatus = http.StatusCreated
	add(s, h, start, s.startWorkshop)
	add(s, h, op("list-workshops", http.MethodGet, path, "The workshops"), s.listWorkshops)
	add(s, h, op("get-workshop", http.MethodGet, path+"/{id}", "How a workshop stands, and who joined"), s.workshop)
	add(s, h, op("extend-workshop", http.MethodPost, path+"/{id}/extend", "Let a workshop last so many hours from now"), s.extendWorkshop)
	end := op("end-workshop", http.MethodPost, path+"/{id}/end", "End a workshop: nobody can join, and its guests are signed out")
	end.DefaultStatus = http.StatusNoContent
	add(s, h, end, func(ctx context.Context, in *WorkshopPath) (*struct{}, error) {
		return nil, s.workshops.End(ctx, auth.UserFrom(ctx), identify.WorkshopID(in.ID))
	})
	add(s, h, op("reset-workshop", http.MethodPost, path+"/{id}/reset", "Take what its guests taught out of the memory, reversibly"),
		func(ctx context.Context, in *resetWorkshopInput) (*resetOutput, error) {
			return newReset(s.workshops.Reset(ctx, auth.UserFrom(ctx), identify.WorkshopID(in.ID), in.Own))
		})
	add(s, h, op("restore-workshop", http.MethodPost, path+"/{id}/restore", "Bring back what a reset took of the guests' lessons"),
		func(ctx context.Context, in *WorkshopPath) (*resetOutput, error) {
			return newReset(s.workshops.Restore(ctx, auth.UserFrom(ctx), identify.WorkshopID(in.ID)))
		})
}

func (s *server) startWorkshop(ctx context.Context, in *startWorkshopInput) (*startedOutput, error) {
	b := in.Body
	w, err := s.workshops.Start(ctx, auth.UserFrom(ctx), identify.WorkshopPlan{Title: b.Title, Role: identify.Role(b.Role), LabelSet: identify.LabelSetID(b.LabelSet),
		Lasts: hours(b.Hours)})
	return &startedOutput{fmt.Sprintf("/api/v1/workshops/%d", w.ID), newWorkshop(w)}, err
}

// hours are a duration; what none can hold is one that is refused as too long.
func hours(n float64) time.Duration {
	return time.Duration(max(0, min(n, 10_000)) * float64(time.Hour))
}

func (s *server) extendWorkshop(ctx context.Context, in *extendWorkshopInput) (*workshopOutput, error) {
	if err := s.workshops.Extend(ctx, auth.UserFrom(ctx), identify.WorkshopID(in.ID), hours(in.Body.Hours)); err != nil {
		return nil, err
	}
	return s.workshop(ctx, &in.WorkshopPath)
}

func (s *server) listWorkshops(ctx context.Context, _ *struct{}) (*workshopsOutput, error) {
	list, err := s.workshops.Workshops(ctx, auth.UserFrom(ctx))
	out := &workshopsOutput{}
	out.Body.Workshops = make([]workshop, len(list))
	for i, w := range list {
		out.Body.Workshops[i] = newWorkshop(w)
	}
	return out, err
}

func (s *server) workshop(ctx context.Context, in *WorkshopPath) (*workshopOutput, error) {
	w, guests, err := s.workshops.Workshop(ctx, auth.UserFrom(ctx), identify.WorkshopID(in.ID))
	out := &workshopOutput{}
	out.Body.workshop, out.Body.People = newWorkshop(w), make([]workshopGuest, len(guests))
	for i, g := range guests {
		out.Body.People[i] = workshopGuest{person{int64(g.ID), g.Name}, g.JoinedAt, g.Photos, g.Lessons}
	}
	return out, err
}

func newWorkshop(w identify.Workshop) workshop {
	return workshop{int64(w.ID), w.Title, string(w.Role), w.Code, person{int64(w.Host), w.HostName}, w.StartedAt, w.EndsAt, w.EndedAt, w.ResetAt, w.Guests, w.Photos, w.Lessons}
}

func newReset(lessons int, err error) (*resetOutput, error) {
	out := &resetOutput{}
	out.Body.Lessons = lessons
	return out, err
}
