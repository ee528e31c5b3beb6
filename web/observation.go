package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fieldmark/internal/identify"
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
	page := s.page(r, x.title(), "observations")
	page.Styles = []string{"observation.css"}
	return page
}

// title names the page: what it was taught as, or its number.
func (x sighting) title() string {
	if current, named := x.observation.Current(); named {
		return current.TaxonLabel
	}
	return fmt.Sprintf("Observation %d", x.observation.ID)
}

func (s *site) observationPage(ctx context.Context, x sighting) (templates.ObservationPage, error) {
	o := x.observation
	page := templates.ObservationPage{Card: x.card(), Facts: facts(o), Notes: o.Notes, Back: "/observations",
		Ask: templates.AskForm{URL: observationPath(o.ID), Labels: strings.Join(x.question.labels, ", ")}}
	page.Card.Large = true
	if x.user.Role.Allows(identify.Curator) {
		page.Compare = fmt.Sprintf("/compare?observation=%d", o.ID)
	}
	for i := len(o.Identifications) - 1; i >= 0; i-- {
		page.History = append(page.History, entry(o.Identifications[i], x.user))
	}
	page.Community = communityView(x.community)
	return page, s.details(ctx, x, &page)
}

func entry(i identify.Identification, u identify.User) templates.Entry {
	e := templates.Entry{ID: int64(i.ID), Name: i.TaxonLabel, Link: taxonPath(i.Taxon), By: capital(by(i, u)),
		How: "searched for", When: moment(i.CreatedAt)}
	if i.FromSuggestion {
		e.How = "picked from the answers"
	}
	switch {
	case i.Quarantined:
		e.How += "; in quarantine since " + moment(*i.WithdrawnAt).Text
	case i.Withdrawn():
		at := moment(*i.WithdrawnAt)
		e.Withdrawn = &at
	}
	if mayWithdraw(u, i) {
		e.UndoURL = fmt.Sprintf("%s/identifications/%d/withdraw", observationPath(i.Observation), i.ID)
	}
	return e
}

// facts is what is known of an observation besides what it shows.
func facts(o identify.Observation) []templates.Fact {
	list := []templates.Fact{{Term: "Observer", Value: o.ObserverName}}
	add := func(term, value string) {
		if value != "" {
			list = append(list, templates.Fact{Term: term, Value: value})
		}
	}
	if o.ObservedAt != nil {
		add("Seen", seenAt(*o.ObservedAt))
	}
	add("Place", place(o))
	add("Came in", moment(o.CreatedAt).Text)
	add("Licence", licenseName(o.License))
	add("Rights", o.RightsHolder)
	hash := "SHA-256"
	if o.Photo.HasFile() {
		add("Photo", fmt.Sprintf("%d × %d pixels, %s, %s", o.Photo.Width, o.Photo.Height, fileSize(o.Photo.Bytes), o.Photo.MediaType))
	} else {
		hash = "SHA-256 of the embedding"
		add("Photo", "never came: this is an embedding that was imported")
	}
	if m := o.Import; m != nil {
		add("Came with", fmt.Sprintf("import %d, %s, row %d", m.Import, m.Name, m.Row))
		add("Its id there", m.Ref)
	}
	if len(o.Photo.Hash) >= 12 {
		list = append(list, templates.Fact{Term: hash, Value: string(o.Photo.Hash[:12]) + "…", Mono: true})
	}
	return list
}

// seenAt is a time by the clock where it was seen. An offset of 0 is as likely one
// that the camera did not note.
func seenAt(t time.Time) string {
	text := t.Format("2 January 2006, 15:04")
	if _, offset := t.Zone(); offset != 0 {
		text += t.Format(" (UTC-07:00)")
	}
	return text
}
