package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// ReviewService is what the review queue needs of the domain; *identify.Service has
// it.
type ReviewService interface {
	Queue(ctx context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Queue, error)
	Waiting(ctx context.Context, u identify.User, ids []identify.ObservationID) ([]identify.Waiting, error)
	Groups(ctx context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Groups, error)
	Like(ctx context.Context, u identify.User, id identify.ObservationID) (identify.LookAlikes, error)
	TeachMany(ctx context.Context, u identify.User, ids []identify.ObservationID, a identify.Answer) (identify.Decided, error)
	SetAside(ctx context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error)
	Skip(ctx context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error)
	LastDecision(ctx context.Context, u identify.User) (*identify.Decision, error)
	Undo(ctx context.Context, u identify.User, id identify.DecisionID) (identify.Decided, error)
	PutBack(ctx context.Context, u identify.User, id identify.DecisionID, o identify.ObservationID) (identify.Decided, error)
	Asides(ctx context.Context, u identify.User) ([]identify.Aside, error)
	Changed(ctx context.Context, u identify.User, seq identify.Seq) (identify.Changed, error)
	Community(ctx context.Context, o identify.Observation) (identify.Community, error)
}

func (s *site) reviewRoutes(r chi.Router) {
	r.Get("/review", s.handle(s.review))
	r.Get("/review/groups", s.handle(s.reviewGroups))
	r.Get("/review/like", s.handle(s.reviewLike))
	r.Get("/review/changed", s.handle(s.changedElsewhere))
	r.Get("/review/aside", s.handle(s.asides))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/review/decisions", s.handle(s.decide))
		r.Post("/review/undo", s.handle(s.undoDecision))
		r.Post("/review/aside", s.handle(s.putBack))
	})
}

// Views of the review queue.
const (
	viewSingle = ""
	viewGroups = "groups"
	viewLike   = "like"
)

// queueQuery is which queue is shown, and where in it.
type queueQuery struct {
	order   identify.ReviewOrder
	whose   string                   // "mine", "all", "": mine if there are any
	view    string                   // viewSingle, …
	at      identify.ObservationID   // shown if it still waits; 0 for the first
	next    []identify.ObservationID // shown if at is not: the first that still waits
	changed identify.Seq             // whose changes elsewhere are to be loaded; 0 none
	was     identify.ObservationID   // where the last decision was taken, to come back to; 0 if that is not known
	lead    identify.ObservationID   // the first of the look-alikes that a decision is about; 0 if there are none
}

// readQueue reads it from an address or a form.
func readQueue(v url.Values) (queueQuery, error) {
	q := queueQuery{order: identify.ReviewOrder(v.Get("order")), whose: v.Get("whose"), view: v.Get("view")}
	if !slices.Contains([]string{"", "mine", "all"}, q.whose) || !slices.Contains([]string{viewSingle, viewGroups, viewLike}, q.view) {
		return q, identify.Errorf(identify.Invalid, "whose", "This address is not whole. Start again from the review queue.")
	}
	for name, set := range map[string]func(int64){
		"at":      func(n int64) { q.at = identify.ObservationID(n) },
		"changed": func(n int64) { q.changed = identify.Seq(n) },
		"was":     func(n int64) { q.was = identify.ObservationID(n) },
		"lead":    func(n int64) { q.lead = identify.ObservationID(n) },
	} {
		if v.Get(name) == "" {
			continue
		}
		n, err := strconv.ParseInt(v.Get(name), 10, 64)
		if err != nil || n < 1 {
			return q, identify.Errorf(identify.Invalid, name, "This address is not whole. Start again from the review queue.")
		}
		set(n)
	}
	var err error
	q.next, err = shownParam(v.Get("next"))
	return q, err
}

// path is the address of what the query shows.
func (q queueQuery) path() string {
	v := url.Values{}
	if q.order != "" && q.order != identify.ByDoubt {
		v.Set("order", string(q.order))
	}
	if q.whose != "" {
		v.Set("whose", q.whose)
	}
	if q.at != 0 {
		v.Set("at", fmt.Sprint(q.at))
	}
	if q.changed != 0 {
		v.Set("changed", fmt.Sprint(q.changed))
	}
	if q.was != 0 {
		v.Set("was", fmt.Sprint(q.was))
	}
	path := "/review"
	if q.view != viewSingle {
		path += "/" + q.view
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// on is the same queue at another place or in another view.
func (q queueQuery) on(view string, at identify.ObservationID) queueQuery {
	return queueQuery{order: q.order, whose: q.whose, view: view, at: at}
}

// review is the queue, one by one.
func (s *site) review(w http.ResponseWriter, r *http.Request) error {
	return s.showQueue(w, r, viewSingle)
}

// reviewGroups is the queue by look-alikes.
func (s *site) reviewGroups(w http.ResponseWriter, r *http.Request) error {
	return s.showQueue(w, r, viewGroups)
}

// reviewLike is what looks like one photo.
func (s *site) reviewLike(w http.ResponseWriter, r *http.Request) error {
	return s.showQueue(w, r, viewLike)
}

func (s *site) showQueue(w http.ResponseWriter, r *http.Request, view string) error {
	q, err := readQueue(r.URL.Query())
	if err != nil {
		return err
	}
	q.view = view
	u := s.User(r)
	if !u.Role.Allows(identify.Expert) {
		return s.renderReview(w, r, http.StatusOK, templates.ReviewPage{Here: q.path(),
			Refusal: words.T(r.Context(), "To name photos takes the role “expert”. Ask whoever runs this Fieldmark for it. You can look at the observations meanwhile.")})
	}
	page, err := s.reviewPage(r.Context(), u, q)
	if err != nil {
		return err
	}
	return s.renderReview(w, r, http.StatusOK, page)
}

func (s *site) renderReview(w http.ResponseWriter, r *http.Request, status int, page templates.ReviewPage) error {
	if isFragment(r) {
		return s.render(w, r, status, templates.ReviewStage(page))
	}
	p := s.page(r, words.T(r.Context(), "Review"), "review")
	p.Styles, p.Scripts = []string{"review.css"}, []string{"review.js"}
	return s.render(w, r, status, templates.Review(p, page))
}
