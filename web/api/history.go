package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// HistoryService is what the audit trail needs of the domain.
type HistoryService interface {
	History(ctx context.Context, u identify.User, f identify.HistoryFilter) (list []identify.HistoryEntry, more bool, err error)
}

type historyInput struct {
	User   int64  `query:"user_id" minimum:"1" doc:"Who did it"`
	Kind   string `query:"kind" maxLength:"40" doc:"What was done, as entries have it"`
	From   string `query:"from" doc:"At this time or later: RFC 3339 or a day"`
	To     string `query:"to" doc:"Before this time, or on this day at the latest"`
	Cursor string `query:"cursor" maxLength:"100" doc:"next_cursor of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type historyOutput struct {
	Body struct {
		Entries    []historyEntry `json:"entries" nullable:"false" doc:"Newest first"`
		NextCursor string         `json:"next_cursor,omitempty" doc:"Left out on the last page"`
	}
}

type historyEntry struct {
	At            time.Time `json:"at"`
	By            *person   `json:"by,omitempty" doc:"Left out where that is not recorded"`
	Kind          string    `json:"kind"`
	Subject       string    `json:"subject,omitempty"`
	Detail        string    `json:"detail,omitempty"`
	ObservationID int64     `json:"observation_id,omitempty"`
}

func (s *server) registerHistory(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "history", Method: http.MethodGet, Path: "/api/v1/history", Tags: []string{"memory"},
		Summary: "Who did what, and when", Description: "What was done to many lessons at once is one entry. Needs the role curator.",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden},
	}, s.listHistory)
}

func (s *server) listHistory(ctx context.Context, in *historyInput) (*historyOutput, error) {
	from, to, err := span(in.From, in.To)
	if err != nil {
		return nil, err
	}
	list, more, err := s.history.History(ctx, auth.UserFrom(ctx), identify.HistoryFilter{User: identify.UserID(in.User), Kind: identify.HistoryKind(in.Kind),
		From: from, To: to, Before: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &historyOutput{}
	out.Body.Entries = make([]historyEntry, len(list))
	for i, e := range list {
		out.Body.Entries[i] = historyEntry{At: e.At, Kind: string(e.Kind), Subject: e.Subject, Detail: e.Detail.String(), ObservationID: int64(e.Observation)}
		if e.User != 0 {
			out.Body.Entries[i].By = &person{int64(e.User), e.UserName}
		}
		if more {
			out.Body.NextCursor = e.Cursor
		}
	}
	return out, nil
}

// span reads two times as the filters of observations are read.
func span(from, to string) (first, after *time.Time, err error) {
	texts := map[string]string{"from": from, "to": to}
	f, err := identify.ReadFilter(func(name string) string { return texts[name] })
	return f.From, f.To, err
}
