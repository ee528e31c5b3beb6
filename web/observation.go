package web

import (
	"fmt"
	"net/http"

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
	x, err := s.look(r.Context(), s.User(r), identify.ObservationID(id), question{set: set})
	if err != nil {
		return err
	}
	page := s.page(r, x.title(), "observations")
	return s.render(w, r, http.StatusOK, templates.Observation(page, s.observationPage(x)))
}

// title names the page: what it was taught as, or its number.
func (x sighting) title() string {
	if current, named := x.observation.Current(); named {
		return current.TaxonLabel
	}
	return fmt.Sprintf("Observation %d", x.observation.ID)
}

func (s *site) observationPage(x sighting) templates.ObservationPage {
	o := x.observation
	page := templates.ObservationPage{Card: x.card(), Facts: facts(o), Notes: o.Notes, Back: "/observations"}
	page.Card.Large = true
	if x.user.Role.Allows(identify.Curator) {
		page.Compare = fmt.Sprintf("/compare?observation=%d", o.ID)
	}
	for i := len(o.Identifications) - 1; i >= 0; i-- {
		page.History = append(page.History, entry(o.Identifications[i], x.user))
	}
	return page
}

func entry(i identify.Identification, u identify.User) templates.Entry {
	e := templates.Entry{ID: int64(i.ID), Name: i.TaxonLabel, Link: taxonPath(i.Taxon), By: capital(by(i, u)),
		How: "searched for", When: moment(i.CreatedAt)}
	if i.FromSuggestion {
		e.How = "picked from the answers"
	}
	if i.Withdrawn() {
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
		add("Seen", o.ObservedAt.Format("2 January 2006, 15:04"))
	}
	if o.Latitude != nil && o.Longitude != nil {
		add("Place", place(*o.Latitude, *o.Longitude))
	}
	add("Came in", moment(o.CreatedAt).Text)
	add("Licence", o.License)
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

func place(latitude, longitude float64) string {
	ns, ew := "N", "E"
	if latitude < 0 {
		ns, latitude = "S", -latitude
	}
	if longitude < 0 {
		ew, longitude = "W", -longitude
	}
	return fmt.Sprintf("%.4f° %s, %.4f° %s", latitude, ns, longitude, ew)
}
