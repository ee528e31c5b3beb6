package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// lesson is a form of a card: which observation, and how its page reads photos.
type lesson struct {
	id       identify.ObservationID
	question question
	large    bool
}

func readLesson(r *http.Request) (lesson, error) {
	id, err := idParam(r, "id")
	if err != nil {
		return lesson{}, err
	}
	if err := parseForm(r); err != nil {
		return lesson{}, err
	}
	set, err := labelSetParam(r.PostForm.Get("label_set"))
	l := lesson{id: identify.ObservationID(id), question: question{set: set, labels: labelsParam(r.PostForm["label"])}, large: r.PostForm.Get("large") == "1"}
	l.question.next = localPath(r.PostForm.Get("next"), observationPath(l.id)+l.question.query("?"))
	return l, err
}

// identify teaches what an observation shows: a suggestion that was accepted, a
// taxon that was picked from a search, or a name that was typed. A name that is
// no taxon's is only taught when that was asked for; else what is like it is
// shown to choose from.
func (s *site) identify(w http.ResponseWriter, r *http.Request) error {
	l, err := readLesson(r)
	if err != nil {
		return err
	}
	a, choose, err := s.answer(r)
	if kind := identify.KindOf(err); kind == identify.Invalid {
		return s.askAgain(w, r, l, choose, err)
	} else if err != nil {
		return err
	}
	c, err := s.Service.Identify(r.Context(), s.User(r), l.id, a, l.question.domain())
	if identify.KindOf(err) == identify.Invalid {
		return s.askAgain(w, r, l, choose, err)
	} else if err != nil {
		return s.overtaken(w, r, l, err)
	}
	return s.corrected(w, r, l, c)
}

// answer reads what a person says. An Invalid error comes with what there is to
// choose from, if anything is.
func (s *site) answer(r *http.Request) (a identify.Answer, choose *templates.Matches, err error) {
	form := r.PostForm
	for _, field := range []string{"suggestion", "taxon"} {
		if form.Get(field) == "" {
			continue
		}
		n, err := strconv.ParseInt(form.Get(field), 10, 64)
		if err != nil {
			return a, nil, identify.Errorf(identify.Invalid, field, "This is no taxon's number. Search for its name.")
		}
		return identify.Answer{Taxon: identify.TaxonID(n), FromSuggestion: field == "suggestion"}, nil, nil
	}
	if label := form.Get("suggested_label"); label != "" {
		return identify.Answer{Label: label, FromSuggestion: true}, nil, nil
	}
	name := strings.TrimSpace(form.Get("q"))
	if name == "" {
		return a, nil, identify.Errorf(identify.Invalid, "q", "Type the name of what the photo shows.")
	}
	if form.Get("new") == "1" {
		return identify.Answer{Label: name}, nil, nil
	}
	found, exact, err := s.search(r.Context(), name)
	if err != nil {
		return a, nil, err
	}
	if exact != 0 {
		return identify.Answer{Taxon: exact}, nil, nil
	}
	if len(found.Taxa) == 0 {
		return a, &found, identify.Errorf(identify.Invalid, "q", "No taxon has this name. Check its spelling, or teach it as a new name.")
	}
	return a, &found, identify.Errorf(identify.Invalid, "q", "Which of these do you mean?")
}

// withdraw takes an identification back.
func (s *site) withdraw(w http.ResponseWriter, r *http.Request) error {
	l, err := readLesson(r)
	if err != nil {
		return err
	}
	iid, err := idParam(r, "iid")
	if err != nil {
		return err
	}
	c, err := s.Service.Withdraw(r.Context(), s.User(r), l.id, identify.IdentificationID(iid), l.question.domain())
	if err != nil {
		return s.overtaken(w, r, l, err)
	}
	return s.corrected(w, r, l, c)
}

// corrected shows what a correction changed.
func (s *site) corrected(w http.ResponseWriter, r *http.Request, l lesson, c identify.Correction) error {
	if !isFragment(r) {
		return seeOther(w, r, l.question.path(l.id))
	}
	o, err := s.Service.Observation(r.Context(), s.User(r), l.id)
	if err != nil {
		return err
	}
	x := sighting{observation: o, prediction: c.After, correction: &c, question: l.question, user: s.User(r), elsewhere: s.Review != nil}
	if x.community, err = s.together(r.Context(), o); err != nil {
		return err
	}
	return s.renderCard(w, r, http.StatusOK, l, x, x.card(r.Context()))
}

// askAgain shows the card, or its page, with what is wrong with the name that
// was typed and what there is to choose from.
func (s *site) askAgain(w http.ResponseWriter, r *http.Request, l lesson, choose *templates.Matches, cause error) error {
	x, err := s.look(r.Context(), s.User(r), l.id, l.question)
	if err != nil {
		return err
	}
	card := x.card(r.Context())
	card.Problem = problem(r.Context(), cause).Message
	card.Said = card.Problem
	card.Matches = choose
	if choose != nil {
		answeredFirst(choose.Taxa, func(id int64) bool {
			return slices.ContainsFunc(x.prediction.Candidates, func(c identify.Candidate) bool { return int64(c.Taxon) == id })
		})
	}
	if choose == nil && r.PostForm.Get("q") != "" {
		card.Matches = &templates.Matches{Query: shortened(r.PostForm.Get("q"))}
	}
	return s.renderCard(w, r, http.StatusUnprocessableEntity, l, x, card)
}

// overtaken answers a form that what happened since has made void, as when it
// is sent twice: with the card as it is now, or a page that leads back to it.
// Any other error it returns.
func (s *site) overtaken(w http.ResponseWriter, r *http.Request, l lesson, cause error) error {
	if identify.KindOf(cause) != identify.Conflict {
		return cause
	}
	p := problem(r.Context(), cause)
	if !isFragment(r) {
		p.Back = l.question.path(l.id)
		return s.render(w, r, p.Status, templates.ErrorPage(s.page(r, p.Title, ""), p))
	}
	x, err := s.look(r.Context(), s.User(r), l.id, l.question)
	if err != nil {
		return err
	}
	card := x.card(r.Context())
	card.Stale, card.Said = p.Message, p.Message
	return s.renderCard(w, r, p.Status, l, x, card)
}

// answeredFirst puts the taxa first that the photo was answered with.
func answeredFirst(list []templates.Match, answered func(taxon int64) bool) {
	slices.SortStableFunc(list, func(a, b templates.Match) int {
		switch {
		case answered(a.Taxon) == answered(b.Taxon):
			return 0
		case answered(a.Taxon):
			return -1
		}
		return 1
	})
}

// maxEcho is how many characters of a refused name are put back into its field.
const maxEcho = 300

func shortened(s string) string {
	if runes := []rune(s); len(runes) > maxEcho {
		return string(runes[:maxEcho])
	}
	return s
}

// renderCard answers a card's form: with the card alone, with the card and the
// history of its page, or with the page.
func (s *site) renderCard(w http.ResponseWriter, r *http.Request, status int, l lesson, x sighting, c templates.Card) error {
	if isFragment(r) && !l.large {
		return s.render(w, r, status, templates.ObservationCard(c))
	}
	page, err := s.observationPage(r.Context(), x)
	if err != nil {
		return err
	}
	c.Large = true
	page.Card = c
	if isFragment(r) {
		return s.render(w, r, status, templates.ObservationFragment(page))
	}
	return s.render(w, r, status, templates.Observation(s.observationFrame(r, x), page))
}
