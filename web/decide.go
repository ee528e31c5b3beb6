package web

import (
	"net/http"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// decide takes a decision about one photo or many: a name, "skip" or "can't tell".
func (s *site) decide(w http.ResponseWriter, r *http.Request) error {
	q, ids, err := readDecision(r)
	if err != nil {
		return err
	}
	u := s.User(r)
	var d identify.Decided
	switch r.PostForm.Get("do") {
	case "skip":
		d, err = s.Review.Skip(r.Context(), u, ids)
	case "aside":
		d, err = s.Review.SetAside(r.Context(), u, ids)
	default:
		a, choose, invalid := s.answer(r)
		if err = invalid; err == nil {
			d, err = s.Review.TeachMany(r.Context(), u, ids, a)
		}
		if identify.KindOf(err) == identify.Invalid {
			return s.decideAgain(w, r, q, ids, choose, err)
		}
	}
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		return s.decideAgain(w, r, q, ids, nil, err)
	} else if err != nil {
		return err
	}
	if q.changed = d.Seq; len(ids) > 1 {
		q.was = ids[0] // whose answer was shown
	}
	if q.view == viewLike {
		q.view = viewSingle
	}
	return s.afterDecision(w, r, q, decidedSentence(r.Context(), d.Decision))
}

// readDecision reads which photos are decided on, and what the page showed.
func readDecision(r *http.Request) (q queueQuery, ids []identify.ObservationID, err error) {
	if err := parseForm(r); err != nil {
		return q, nil, err
	}
	if q, err = readQueue(r.PostForm); err != nil {
		return q, nil, err
	}
	for _, text := range r.PostForm["observation"] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return q, nil, identify.Errorf(identify.Invalid, "observation", "%q is no observation's number.", shortened(text))
		}
		ids = append(ids, identify.ObservationID(n))
	}
	return q, ids, nil
}

// afterDecision shows what follows a decision: at once, or as the page that the
// browser is sent to.
func (s *site) afterDecision(w http.ResponseWriter, r *http.Request, q queueQuery, said string) error {
	if !isFragment(r) {
		if q.at == 0 && len(q.next) > 0 {
			q.at = q.next[0]
		}
		return seeOther(w, r, q.path())
	}
	page, err := s.reviewPage(r.Context(), s.User(r), q)
	if err != nil {
		return err
	}
	if page.Card != nil {
		page.Said = words.T(r.Context(), "%[1]s Next: %[2]s", said, page.Said)
	} else {
		page.Said = said + " " + page.Said
	}
	return s.renderReview(w, r, http.StatusOK, page)
}

// decideAgain shows the same photos with what is wrong with the decision, and what
// there is to choose from.
func (s *site) decideAgain(w http.ResponseWriter, r *http.Request, q queueQuery, ids []identify.ObservationID, choose *templates.Matches, cause error) error {
	if q.at = q.lead; q.at == 0 && len(ids) > 0 {
		q.at = ids[0]
	}
	page, err := s.reviewPage(r.Context(), s.User(r), q)
	if err != nil {
		return err
	}
	p := problem(r.Context(), cause)
	page.Said = p.Message
	if page.Card == nil {
		return cause
	}
	if identify.KindOf(cause) == identify.Conflict || fieldOf(cause) == "observation" {
		page.Card.Stale = p.Message
	} else {
		page.Card.Problem, page.Card.Matches = p.Message, choose
	}
	if choose == nil && r.PostForm.Get("q") != "" {
		page.Card.Matches = &templates.Matches{Query: shortened(r.PostForm.Get("q"))}
	}
	for i := range page.Card.Tiles {
		page.Card.Tiles[i].Off = !slices.Contains(ids, identify.ObservationID(page.Card.Tiles[i].Photo.Observation))
	}
	return s.renderReview(w, r, p.Status, page)
}

// undoDecision takes back the last decision, or the one that the form names, and
// shows what it was about.
func (s *site) undoDecision(w http.ResponseWriter, r *http.Request) error {
	q, _, err := readDecision(r)
	if err != nil {
		return err
	}
	var id int64
	if text := r.PostForm.Get("decision"); text != "" {
		if id, err = strconv.ParseInt(text, 10, 64); err != nil || id < 0 {
			return identify.Errorf(identify.Invalid, "decision", "This is no decision’s number.")
		}
	}
	d, err := s.Review.Undo(r.Context(), s.User(r), identify.DecisionID(id))
	if err != nil {
		return err
	}
	q.at = d.Decision.Items[0].Observation
	if slices.ContainsFunc(d.Decision.Items, func(i identify.DecisionItem) bool { return i.Observation == q.was }) {
		q.at = q.was
	}
	if q.view == viewLike {
		q.view = viewSingle
	}
	q.changed, q.was = 0, 0
	return s.afterDecision(w, r, q, words.T(r.Context(), "Undone: %s.", words.T(r.Context(), "%d photos", len(d.Decision.Items))))
}
