package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// home is the first page: the place for photos, and the answers to those that
// the address names.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	set, err := labelSetParam(r.URL.Query().Get("label_set"))
	if err != nil {
		return err
	}
	if !r.URL.Query().Has("label_set") && !r.URL.Query().Has("label") && !r.URL.Query().Has("shown") {
		set = s.beginning(r)
	}
	ids, err := shownParam(r.URL.Query().Get("shown"))
	if err != nil {
		return err
	}
	known, err := shownParam(r.URL.Query().Get("known"))
	if err != nil {
		return err
	}
	return s.renderHome(w, r, http.StatusOK, question{set: set, labels: labelsParam(r.URL.Query()["label"]), shown: ids, known: known,
		more: moreParam(r.URL.Query().Get("more"))}, nil)
}

func (s *site) renderHome(w http.ResponseWriter, r *http.Request, status int, q question, refused []templates.Refused) error {
	sets, err := s.Service.LabelSets(r.Context())
	if err != nil {
		return err
	}
	u := s.User(r)
	h := templates.HomePage{
		Upload: s.uploadForm(r.Context(), sets, u, q), CanUpload: u.Role.Allows(identify.Expert), Refused: refused,
	}
	if err := s.offerRights(r.Context(), &h.Upload, u); err != nil {
		return err
	}
	for _, id := range q.known {
		h.Known = append(h.Known, templates.Option{Value: observationPath(id), Label: words.T(r.Context(), "No. %s", fmt.Sprint(id))})
	}
	if q.more > 0 {
		h.More = words.T(r.Context(), "%d more photos came in and were stored, more than one page shows.", q.more)
	}
	for _, id := range q.shown {
		x, err := s.look(r.Context(), u, id, q)
		if kind := identify.KindOf(err); kind == identify.Invalid && len(q.labels) > 0 {
			// The names cannot be compared: the form says so, beside them.
			h.Upload.LabelsProblem, status = problem(r.Context(), err).Message, http.StatusUnprocessableEntity
			break
		}
		if err != nil {
			return err
		}
		h.Cards = append(h.Cards, x.card(r.Context()))
	}
	if err := s.recent(r.Context(), s.User(r), &h, q.shown); err != nil {
		return err
	}
	page := s.page(r, "", "identify")
	page.Styles, page.Scripts = []string{"home.css"}, []string{"upload.js"}
	return s.render(w, r, status, templates.Home(page, h))
}

// uploadForm is the place for photos.
func (s *site) uploadForm(ctx context.Context, sets []identify.LabelSet, u identify.User, q question) templates.UploadForm {
	return templates.UploadForm{
		Observer: int64(u.ID), Sets: s.setOptions(ctx, sets, q.set), SetAdvice: setAdvice(ctx, sets, q.set), Labels: strings.Join(q.labels, ", "),
		Accept: acceptedFiles(), MaxBytes: s.MaxUpload,
		Limit: s.photoLimit(ctx),
	}
}

// photoLimit says which photos are taken.
func (s *site) photoLimit(ctx context.Context) string {
	return words.T(ctx, "JPEG, HEIC, AVIF, PNG, WebP or GIF, up to %s each.", megabytes(s.MaxUpload))
}

// offerRights proposes the licence and the rights holder that were chosen last.
func (s *site) offerRights(ctx context.Context, f *templates.UploadForm, u identify.User) error {
	if s.Details == nil {
		return nil
	}
	license, holder, err := s.Details.LastRights(ctx, u)
	f.Licenses, f.RightsHolder = licenseOptions(ctx, license), holder
	return err
}

// look reads an observation with the present memory.
func (s *site) look(ctx context.Context, u identify.User, id identify.ObservationID, q question) (sighting, error) {
	o, err := s.Service.Observation(ctx, u, id)
	if err != nil {
		return sighting{}, err
	}
	x := sighting{observation: o, question: q, user: u}
	if x.community, err = s.together(ctx, o); err != nil {
		return x, err
	}
	x.prediction, err = s.Service.Predict(ctx, id, q.domain())
	return x, err
}

// recentPlates is how many of the latest observations the first page shows.
const recentPlates = 6

func (s *site) recent(ctx context.Context, u identify.User, h *templates.HomePage, shown []identify.ObservationID) error {
	list, _, err := s.Service.Observations(ctx, u, identify.ObservationFilter{Limit: recentPlates})
	if err != nil {
		return err
	}
	h.Empty = len(list) == 0
	if len(shown) > 0 {
		return nil
	}
	for _, o := range list {
		h.Recent = append(h.Recent, thumb(ctx, o))
	}
	return nil
}

// setOptions lists the label sets to choose from. The first, 0, is what the
// encoder has learned to see of the default set, with all that was taught here;
// the default set itself has the names that it has never seen as well.
func (s *site) setOptions(ctx context.Context, sets []identify.LabelSet, chosen identify.LabelSetID) []templates.Option {
	every := templates.Option{Value: "0", Label: words.T(ctx, "What it has learned to see or was taught"), Selected: chosen == 0}
	options := []templates.Option{every}
	for _, set := range sets {
		name := labelSetName(ctx, set)
		if set.ID == s.DefaultSet {
			name = words.T(ctx, "%s, seen or never seen", name)
		}
		options = append(options, templates.Option{
			Value: strconv.FormatInt(int64(set.ID), 10), Selected: set.ID == chosen,
			Label: name + " (" + words.Number(ctx, len(set.Taxa)) + ")",
		})
	}
	return options
}

// setAdvice says so where the encoder has learned little or nothing of the
// chosen label set.
func setAdvice(ctx context.Context, sets []identify.LabelSet, chosen identify.LabelSetID) string {
	for _, set := range sets {
		if set.ID == chosen {
			return unlearned(ctx, set)
		}
	}
	return ""
}

// unlearned says what the encoder has not learned of a label set, "" if it has
// learned it all or does not say.
func unlearned(ctx context.Context, set identify.LabelSet) string {
	missing := len(set.Taxa) - set.Seen
	switch {
	case set.Seen < 0 || missing == 0:
		return ""
	case set.Seen == 0:
		return words.T(ctx, "The encoder has never learned to see any of these, so first answers will be guesses. Fieldmark will learn these from your corrections.")
	}
	return words.T(ctx, "The encoder has learned to see %[1]d of them. Fieldmark will learn the other %[2]d from your corrections.", set.Seen, missing)
}
