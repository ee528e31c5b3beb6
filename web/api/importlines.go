package api

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"os"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/spool"
)

// imported is an import.
type imported struct {
	ID          int64      `json:"id"`
	Kind        string     `json:"kind"`
	Name        string     `json:"name,omitempty"`
	SHA256      string     `json:"sha256" doc:"Of the file"`
	Rows        int        `json:"rows"`
	Done        int        `json:"done" doc:"Rows taken in so far, in order"`
	Taught      int        `json:"taught" doc:"Exemplars added"`
	Known       int        `json:"known" doc:"Rows that were not taught again: an exemplar of the same embedding and taxon stood already"`
	Skipped     int        `json:"skipped" doc:"Rows that were left out because they could not be taken"`
	Withdrawn   int        `json:"withdrawn" doc:"Rows taken back"`
	State       string     `json:"state" enum:"complete,unfinished,withdrawn,half withdrawn"`
	ImportedBy  person     `json:"imported_by"`
	BeganAt     time.Time  `json:"began_at"`
	EndedAt     *time.Time `json:"ended_at,omitempty"`
	WithdrawnAt *time.Time `json:"withdrawn_at,omitempty"`
}

func newImported(m identify.Import) imported {
	return imported{ID: int64(m.ID), Kind: m.Kind, Name: m.Name, SHA256: m.Digest, Rows: m.Total, Done: m.Done, Taught: m.Taught(),
		Known: m.Known, Skipped: m.Skipped, Withdrawn: m.Withdrawn, State: m.State(), ImportedBy: person{int64(m.User), m.UserName},
		BeganAt: m.BeganAt, EndedAt: m.EndedAt, WithdrawnAt: m.WithdrawnAt}
}

// importLine is one line of the answer to an import: it has one of its members.
type importLine struct {
	Plan     *importPlan     `json:"plan,omitempty"`
	Progress *importProgress `json:"progress,omitempty"`
	Import   *imported       `json:"import,omitempty" doc:"The last line of an import that came to its end"`
	Problem  *Problem        `json:"problem,omitempty" doc:"The last line of one that did not; the same request goes on from there"`
}

type importPlan struct {
	Rows    int           `json:"rows"`
	Labels  []importLabel `json:"labels" nullable:"false" doc:"The most frequent first"`
	New     []string      `json:"new" nullable:"false" doc:"Names that nothing has: they become local taxa"`
	Bad     []FieldError  `json:"bad,omitempty" doc:"Rows that are left out; the first 100"`
	Notes   []string      `json:"notes,omitempty" doc:"What else there is to be said of the file"`
	Resumes *imported     `json:"resumes,omitempty" doc:"An import of this file that did not come to its end"`
}

type importLabel struct {
	Label   string     `json:"label"`
	TaxonID int64      `json:"taxon_id,omitempty" doc:"Left out for a new name"`
	Rows    int        `json:"rows"`
	Near    []nearName `json:"near,omitempty" doc:"Taxa with names that are spelled much like a new one"`
}

type nearName struct {
	Label   string `json:"label"`
	TaxonID int64  `json:"taxon_id"`
}

type importProgress struct {
	Done        int          `json:"done"`
	Rows        int          `json:"rows"`
	SecondsLeft float64      `json:"seconds_left"`
	Bad         []FieldError `json:"bad,omitempty" doc:"Rows that proved to be bad since the last line, and were left out"`
}

func newImportPlan(p identify.ImportPlan) *importPlan {
	out := &importPlan{Rows: p.Source.Total, Labels: make([]importLabel, len(p.Labels)), New: append([]string{}, p.New()...),
		Bad: fieldErrors(p.Bad.Rows), Notes: notes(p.Notes)}
	for i, l := range p.Labels {
		out.Labels[i] = importLabel{Label: l.Label, TaxonID: int64(l.Taxon.ID), Rows: l.Rows}
		for _, t := range l.Near {
			out.Labels[i].Near = append(out.Labels[i].Near, nearName{t.Label(), int64(t.ID)})
		}
	}
	if p.Resumes != nil {
		m := newImported(*p.Resumes)
		out.Resumes = &m
	}
	return out
}

// notes are notices in English.
func notes(list []identify.Notice) []string {
	var texts []string
	for _, n := range list {
		texts = append(texts, n.String())
	}
	return texts
}

// fieldErrors lists bad rows by where they are.
func fieldErrors(rows []identify.BadRow) (list []FieldError) {
	for _, r := range rows {
		list = append(list, FieldError{r.Place().String(), r.Why.Message})
	}
	return list
}

// lines writes an answer of JSON lines, each as soon as it is there.
type lines struct {
	s     *server
	w     http.ResponseWriter
	r     *http.Request
	began bool
}

func newLines(s *server, w http.ResponseWriter, r *http.Request) *lines {
	return &lines{s: s, w: w, r: r}
}

func (l *lines) write(line importLine) { l.writeAny(line) }

// writeAny writes a line of another kind of answer.
func (l *lines) writeAny(line any) {
	if !l.began {
		l.began = true
		l.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	// The client may have gone: then its context ends what is under way.
	_ = json.NewEncoder(l.w).Encode(line)
	_ = http.NewResponseController(l.w).Flush()
}

func (l *lines) progress(p identify.ImportProgress) {
	l.write(importLine{Progress: &importProgress{Done: p.Done, Rows: p.Total, SecondsLeft: p.Left.Seconds(), Bad: fieldErrors(p.Bad)}})
}

// end writes the last line: the import, or the problem that ended it, which is
// the whole answer if nothing was written before.
func (l *lines) end(m *identify.Import, err error) {
	if err == nil {
		if m != nil {
			x := newImported(*m)
			l.write(importLine{Import: &x})
		}
		return
	}
	p, is := l.s.problem(l.r.Context(), err).(*Problem)
	if !is {
		p = broken()
	}
	var bad *identify.BadRows
	if errors.As(err, &bad) {
		p.Errors = append(p.Errors, fieldErrors(bad.Rows)...)
	}
	if l.began {
		l.write(importLine{Problem: p})
		return
	}
	writeProblem(l.w, p)
}

// body keeps the body of the request in a file that is gone when it is closed. A form is
// refused: its parts are not the file.
func (l *lines) body() (*os.File, error) {
	if kind, _, _ := mime.ParseMediaType(l.r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		return nil, identify.Errorf(identify.Invalid, "file", "This is a form. Send the file itself as the body of the request, as curl --data-binary @FILE does.")
	}
	_ = http.NewResponseController(l.w).SetReadDeadline(time.Now().Add(spool.Time)) // fails only where there is no connection
	return spool.Take(l.r.Body)
}
