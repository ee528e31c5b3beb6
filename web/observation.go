package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// observation is the page of one.
func (s *site) observation(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	set, err := labelSetParam(r.URL.Query().Get("label_set"))
	if err != nil {
		return err
	}
	q, status := question{set: set, labels: labelsParam(r.URL.Query()["label"])}, http.StatusOK
	x, err := s.look(r.Context(), s.User(r), identify.ObservationID(id), q)
	asked, refused := strings.Join(q.labels, ", "), ""
	if identify.KindOf(err) == identify.Invalid && len(q.labels) > 0 {
		// The names cannot be compared: the page says so, and reads by the default.
		status, refused = http.StatusUnprocessableEntity, problem(r.Context(), err).Message
		x, err = s.look(r.Context(), s.User(r), identify.ObservationID(id), question{set: set})
	}
	if err != nil {
		return err
	}
	page, err := s.observationPage(r.Context(), x)
	if err != nil {
		return err
	}
	page.Ask = templates.AskForm{URL: observationPath(x.observation.ID), Labels: asked, Problem: refused}
	return s.render(w, r, status, templates.Observation(s.observationFrame(r, x), page))
}

// observationFrame is what the page of an observation has around it.
func (s *site) observationFrame(r *http.Request, x sighting) templates.Page {
	page := s.page(r, x.title(r.Context()), "observations")
	page.Styles = []string{"observation.css"}
	return page
}

// title names the page: what it was taught as, or its number.
func (x sighting) title(ctx context.Context) string {
	if current, named := x.observation.Current(); named {
		return lessonName(ctx, current)
	}
	return words.T(ctx, "Observation %s", fmt.Sprint(x.observation.ID))
}

func (s *site) observationPage(ctx context.Context, x sighting) (templates.ObservationPage, error) {
	o := x.observation
	page := templates.ObservationPage{Card: x.card(ctx), Facts: facts(ctx, o), Notes: o.Notes, Back: "/observations",
		Ask: templates.AskForm{URL: observationPath(o.ID), Labels: strings.Join(x.question.labels, ", ")}}
	page.Card.Large = true
	if x.user.Role.Allows(identify.Curator) {
		page.Compare = fmt.Sprintf("/compare?observation=%d", o.ID)
	}
	for i := len(o.Identifications) - 1; i >= 0; i-- {
		page.History = append(page.History, entry(ctx, o.Identifications[i], x.user))
	}
	page.Community = communityView(ctx, x.community)
	return page, s.details(ctx, x, &page)
}

func entry(ctx context.Context, i identify.Identification, u identify.User) templates.Entry {
	e := templates.Entry{ID: int64(i.ID), Name: lessonName(ctx, i), Link: taxonPath(i.Taxon), By: who(ctx, i.UserName),
		How: words.T(ctx, "searched for"), When: moment(ctx, i.CreatedAt)}
	if i.User == u.ID {
		e.By = words.T(ctx, "You")
	}
	if i.FromSuggestion {
		e.How = words.T(ctx, "picked from the answers")
	}
	if i.Given != 0 {
		e.How += "; " + words.T(ctx, "given as %s, a synonym now", called(ctx, i.Given, i.GivenLabel))
	}
	switch {
	case i.Quarantined:
		e.How += "; " + words.T(ctx, "in quarantine since %s", moment(ctx, *i.WithdrawnAt).Text)
	case i.Withdrawn():
		at := moment(ctx, *i.WithdrawnAt)
		e.Withdrawn = &at
	}
	if mayWithdraw(u, i) {
		e.UndoURL = fmt.Sprintf("%s/identifications/%d/withdraw", observationPath(i.Observation), i.ID)
	}
	return e
}

// facts is what is known of an observation besides what it shows.
func facts(ctx context.Context, o identify.Observation) []templates.Fact {
	list := []templates.Fact{{Term: words.T(ctx, "Observer"), Value: who(ctx, o.ObserverName), Data: true}}
	add := func(term words.Key, value string) {
		if value != "" {
			list = append(list, templates.Fact{Term: words.T(ctx, term), Value: value})
		}
	}
	if o.ObservedAt != nil {
		add(words.Key("Seen"), seenAt(ctx, *o.ObservedAt))
	}
	add(words.Key("Place"), place(ctx, o))
	add(words.Key("Came in"), words.DateTime(ctx, o.CreatedAt.Local()))
	add(words.Key("Licence"), licenseName(ctx, o.License))
	if o.RightsHolder != "" {
		list = append(list, templates.Fact{Term: words.T(ctx, "Rights"), Value: o.RightsHolder, Data: true})
	}
	hash := words.Key("SHA-256")
	if o.Photo.HasGlimpse() {
		add(words.Key("Photo"), words.T(ctx, "never came: only a small picture came with the bundle"))
	} else if o.Photo.HasFile() {
		add(words.Key("Photo"), words.T(ctx, "%[1]s × %[2]s pixels, %[3]s, %[4]s", fmt.Sprint(o.Photo.Width), fmt.Sprint(o.Photo.Height),
			words.Size(ctx, o.Photo.Bytes), o.Photo.MediaType))
	} else {
		hash = words.Key("SHA-256 of the embedding")
		add(words.Key("Photo"), words.T(ctx, "never came: this is an embedding that was imported"))
	}
	if m := o.Import; m != nil {
		add(words.Key("Came with"), words.T(ctx, "import %[1]s, %[2]s, row %[3]d", fmt.Sprint(m.Import), m.Name, m.Row))
		add(words.Key("Its id there"), m.Ref)
	}
	if len(o.Photo.Hash) >= 12 {
		list = append(list, templates.Fact{Term: words.T(ctx, hash), Value: string(o.Photo.Hash[:12]) + "…", Mono: true})
	}
	return list
}

// seenAt is a time by the clock where it was seen. An offset of 0 is as likely one
// that the camera did not note.
func seenAt(ctx context.Context, t time.Time) string {
	text := words.LongDateTime(ctx, t)
	if _, offset := t.Zone(); offset != 0 {
		text += t.Format(" (UTC-07:00)")
	}
	return text
}
