package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/beetles"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// lessonSide is the side of a drawn picture in pixels.
const lessonSide = 480

// lessonPicture is one picture of the first lesson, with the name that is taught for its
// species.
type lessonPicture struct {
	species beetles.Species
	pose    beetles.Pose
	name    string
}

// lessonPictures are in the order in which the lesson shows them: the first and the
// third are taught.
func lessonPictures() []lessonPicture {
	const lantern, ribbon = "Lantern Beetle (drawn)", "Ribbon Beetle (drawn)"
	return []lessonPicture{
		{beetles.Lantern, beetles.Pose{X: 0.5, Y: 0.5, Size: 0.62, Turn: 20, Ground: beetles.Leaf}, lantern},
		{beetles.Lantern, beetles.Pose{X: 0.46, Y: 0.54, Size: 0.7, Turn: -50, Ground: beetles.Sand}, lantern},
		{beetles.Ribbon, beetles.Pose{X: 0.5, Y: 0.52, Size: 0.68, Turn: -25, Ground: beetles.Leaf}, ribbon},
		{beetles.Ribbon, beetles.Pose{X: 0.52, Y: 0.5, Size: 0.72, Turn: 60, Ground: beetles.Sand}, ribbon},
		{beetles.Lantern, beetles.Pose{X: 0.54, Y: 0.47, Size: 0.58, Turn: 110, Ground: beetles.Bark}, lantern},
	}
}

// lessonSteps say which pictures a step is about: of the first and third, what is taught
// is what follows.
const lessonSteps = 5

func (s *site) lessonRoutes(r chi.Router) {
	r.Get("/lesson", s.handle(s.lesson))
	r.Get("/lesson/pictures/{n}", s.handle(s.lessonPicture))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/lesson/teach", s.handle(s.lessonTeach))
		r.Post("/lesson/clear", s.handle(s.lessonClear))
	})
}

// lessonPicture serves a drawing, for the first look.
func (s *site) lessonPicture(w http.ResponseWriter, r *http.Request) error {
	n, err := idParam(r, "n")
	list := lessonPictures()
	if err != nil || int(n) > len(list) {
		return identify.Errorf(identify.NotFound, "", "There is no such picture.")
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(list[n-1].jpeg()) // the reader has gone if this fails
	return nil
}

func (p lessonPicture) jpeg() []byte { return beetles.JPEG(p.species, p.pose, lessonSide) }

// lookAt reads a picture with the present memory, and stores nothing: a page is only
// looked at. Who has taught it is told by the observation that it became then; none,
// with ID 0, before that.
func (s *site) lookAt(ctx context.Context, u identify.User, n int) (identify.Observation, identify.Prediction, error) {
	picture := lessonPictures()[n-1].jpeg()
	o, err := s.lessonKept(ctx, u, picture)
	if err != nil {
		return o, identify.Prediction{}, err
	}
	if o.ID != 0 {
		p, err := s.Service.Predict(ctx, o.ID, identify.Question{})
		return o, p, err
	}
	p, err := s.Service.Classify(ctx, picture, identify.Question{})
	return o, p, err
}

// lessonKept is what u stored of a picture; the zero Observation if that is nothing.
func (s *site) lessonKept(ctx context.Context, u identify.User, picture []byte) (identify.Observation, error) {
	hash := identify.PhotoHash(fmt.Sprintf("%x", sha256.Sum256(picture)))
	list, _, err := s.Service.Observations(ctx, u, identify.ObservationFilter{Observer: u.ID, Photo: hash, Limit: 1})
	if err != nil || len(list) == 0 {
		return identify.Observation{}, err
	}
	return list[0], nil
}

// lesson shows one of its steps.
func (s *site) lesson(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	page := templates.LessonPage{CanTeach: u.Role.Allows(identify.Expert), Steps: lessonSteps, Step: 1, Cleared: r.URL.Query().Get("cleared") != ""}
	if n, err := strconv.Atoi(r.URL.Query().Get("step")); err == nil && n >= 1 && n <= lessonSteps {
		page.Step = n
	}
	if page.CanTeach {
		for _, n := range lessonShows(page.Step) {
			v, err := s.lessonLook(r.Context(), u, n)
			if err != nil {
				return err
			}
			page.Pictures = append(page.Pictures, v)
		}
		taught, err := s.lessonTaught(r.Context(), u)
		if err != nil {
			return err
		}
		page.Taught = len(taught)
	}
	p := s.page(r, words.T(r.Context(), "First lesson"), "identify")
	p.Styles = []string{"lesson.css"}
	return s.render(w, r, http.StatusOK, templates.FirstLesson(p, page))
}

// lessonShows lists the pictures of a step, by number.
func lessonShows(step int) []int {
	switch step {
	case 2:
		return []int{1, 2}
	case 3:
		return []int{3}
	case 4:
		return []int{3, 4}
	case 5:
		return []int{1, 5}
	}
	return []int{1}
}

func (s *site) lessonLook(ctx context.Context, u identify.User, n int) (templates.LessonPicture, error) {
	o, p, err := s.lookAt(ctx, u, n)
	if err != nil || len(p.Candidates) == 0 {
		return templates.LessonPicture{}, err
	}
	first, want := p.Candidates[0], lessonPictures()[n-1].name
	v := templates.LessonPicture{Number: n, Name: want, Said: first.Label, Chance: words.T(ctx, "%d%%", int(math.Round(100*first.Probability))),
		Sure: p.Headline.Certain, Right: first.Label == want}
	if first.Probability < 0.005 {
		v.Chance = words.T(ctx, "under 1%%")
	}
	_, v.Taught = ownLesson(o, u)
	return v, nil
}

// ownLesson is what u says of an observation.
func ownLesson(o identify.Observation, u identify.User) (identify.Identification, bool) {
	for _, i := range o.Identifications {
		if i.User == u.ID && (!i.Withdrawn() || i.Quarantined) {
			return i, true
		}
	}
	return identify.Identification{}, false
}

// lessonTeach teaches one picture its name.
func (s *site) lessonTeach(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PostForm.Get("picture"))
	if err != nil || n != 1 && n != 3 {
		return identify.Errorf(identify.Invalid, "picture", "The lesson teaches its first and its third picture. Go back and press its button.")
	}
	u := s.User(r)
	picture := lessonPictures()[n-1]
	o, _, err := s.Service.Observe(r.Context(), u, identify.Upload{Photo: picture.jpeg(), Again: fmt.Sprintf("first lesson, picture %d", n),
		Notes: words.T(r.Context(), "Drawn for the first lesson: no such beetle exists.")}, identify.Question{})
	if err != nil {
		return err
	}
	_, err = s.Service.Identify(r.Context(), u, o.ID, identify.Answer{Label: picture.name}, identify.Question{})
	if err != nil && identify.KindOf(err) != identify.Conflict { // it stands already
		return err
	}
	return seeOther(w, r, fmt.Sprintf("/lesson?step=%d", n+1))
}

// lessonTaught lists what u taught in the lesson and stands, of all its pictures.
func (s *site) lessonTaught(ctx context.Context, u identify.User) (list []identify.Identification, err error) {
	for _, n := range []int{1, 3} {
		o, err := s.lessonKept(ctx, u, lessonPictures()[n-1].jpeg())
		if err != nil {
			return nil, err
		}
		if i, taught := ownLesson(o, u); taught {
			list = append(list, i)
		}
	}
	return list, nil
}

// lessonClear withdraws what the lesson taught, so that answers are what they were.
func (s *site) lessonClear(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	list, err := s.lessonTaught(r.Context(), u)
	if err != nil {
		return err
	}
	for _, i := range list {
		if _, err := s.Service.Withdraw(r.Context(), u, i.Observation, i.ID, identify.Question{}); err != nil {
			return err
		}
	}
	return seeOther(w, r, "/lesson?cleared=yes")
}
