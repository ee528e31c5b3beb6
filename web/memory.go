package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// GalleryService is what the pages about what the memory holds need;
// *identify.Gallery has it.
type GalleryService interface {
	Shelf(ctx context.Context, id identify.TaxonID) (identify.GalleryShelf, error)
	Exemplars(ctx context.Context, f identify.GalleryFilter) (list []identify.GalleryExemplar, more bool, err error)
	Teachers(ctx context.Context) ([]identify.GalleryTeacher, error)
	Leaves(ctx context.Context) ([]identify.GalleryLeaf, error)
	Leaf(ctx context.Context, leaf, from int) (identify.GalleryLeaf, error)
	Doubts(ctx context.Context, u identify.User, f identify.DoubtFilter) (identify.Doubts, error)
	KeepDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID) (identify.Settled, error)
	DoubtAgain(ctx context.Context, u identify.User, id identify.IdentificationID) error
	WithdrawDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID) (identify.Settled, error)
	RenameDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID, a identify.Answer) (identify.Settled, error)
	Map(ctx context.Context) (identify.MemoryMap, error)
}

func (s *site) galleryRoutes(r chi.Router) {
	r.Get("/memory", s.handle(s.gallery))
	r.Get("/memory/leaves/{leaf}", s.handle(s.galleryLeaf))
	r.Get("/memory/map", s.handle(s.memoryMap))
	r.With(middleware.Compress(5, "application/json", "image/svg+xml")).Group(func(r chi.Router) {
		r.Get("/memory/map/points", s.handle(s.mapPoints))
		r.Get("/memory/map/drawing.svg", s.handle(s.mapDrawing))
	})
	r.Get("/memory/doubts", s.handle(s.doubts))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/memory/doubts/{id}/keep", s.handle(s.keepDoubt))
		r.Post("/memory/doubts/{id}/again", s.handle(s.doubtAgain))
		r.Post("/memory/doubts/{id}/withdraw", s.handle(s.withdrawDoubt))
		r.Post("/memory/doubts/{id}/rename", s.handle(s.renameDoubt))
		r.Post("/memory/doubts/{id}/teach-again", s.handle(s.teachAgain))
	})
}

// gallery is what the memory holds, by taxon, by leaf or by teacher.
func (s *site) gallery(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	top, err := s.Gallery.Shelf(r.Context(), 0)
	if err != nil {
		return err
	}
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	g := templates.GalleryPage{By: query.Get("by"), Empty: top.Exemplars == 0, Emptied: stats.Seq > 0}
	teachers, err := s.Gallery.Teachers(r.Context())
	if err != nil {
		return err
	}
	leaves, err := s.Gallery.Leaves(r.Context())
	if err != nil {
		return err
	}
	g.Figures = galleryFigures(r.Context(), top, len(leaves), len(teachers))
	g.Tabs = galleryTabs(r.Context(), g.By)
	status := http.StatusOK
	switch g.By {
	case "leaf":
		for _, l := range leaves {
			g.Leaves = append(g.Leaves, leafOf(r.Context(), l))
		}
	case "teacher":
		for _, t := range teachers {
			g.Teachers = append(g.Teachers, teacherOf(r.Context(), t))
		}
	default:
		if status, err = s.galleryByTaxon(r, &g, teachers); err != nil {
			return err
		}
	}
	page := s.page(r, words.T(r.Context(), "Memory"), "memory")
	page.Styles = []string{"memory.css"}
	return s.render(w, r, status, templates.Gallery(page, g))
}

// galleryFigures are the counts at the top.
func galleryFigures(ctx context.Context, top identify.GalleryShelf, leaves, teachers int) []templates.Figure {
	return []templates.Figure{counted(ctx, top.Exemplars, words.Key("exemplars")), counted(ctx, top.Names, words.Key("names")),
		counted(ctx, leaves, words.Key("leaves")), counted(ctx, teachers, words.Key("teachers"))}
}

// exemplarsOf says how many exemplars of how many names there are.
func exemplarsOf(ctx context.Context, exemplars, names int) string {
	return words.T(ctx, "%d exemplars of %s", exemplars, words.T(ctx, "%d names", names))
}

// counted is a number and what it counts: the word for it, without the number, has a
// form for each plural.
func counted(ctx context.Context, n int, of words.Key) templates.Figure {
	return templates.Figure{Value: words.Number(ctx, n), Of: words.T(ctx, of, n)}
}

func galleryTabs(ctx context.Context, by string) []templates.Tab {
	var tabs []templates.Tab
	for _, t := range []struct {
		label    words.Key
		by, link string
	}{
		{words.Key("By taxon"), "", "/memory"}, {words.Key("By leaf"), "leaf", "/memory?by=leaf"}, {words.Key("By teacher"), "teacher", "/memory?by=teacher"},
	} {
		tabs = append(tabs, templates.Tab{Label: words.T(ctx, t.label), Link: t.link, Current: by == t.by})
	}
	return tabs
}

// galleryByTaxon fills in a branch of the tree of life and its exemplars.
func (s *site) galleryByTaxon(r *http.Request, g *templates.GalleryPage, teachers []identify.GalleryTeacher) (status int, err error) {
	query := r.URL.Query()
	f, invalid := galleryFilterOf(query)
	if invalid != nil {
		status, g.Filter.Problem = http.StatusUnprocessableEntity, problem(r.Context(), invalid).Message
	} else {
		status = http.StatusOK
	}
	shelf, err := s.Gallery.Shelf(r.Context(), f.Taxon)
	// An only branch says nothing: the page begins where the tree of life forks.
	for err == nil && len(shelf.Below) == 1 && shelf.Own == 0 {
		shelf, err = s.Gallery.Shelf(r.Context(), shelf.Below[0].Taxon.ID)
	}
	if err != nil {
		return 0, err
	}
	g.Path = shelfPath(r.Context(), shelf, query)
	g.Summary = exemplarsOf(r.Context(), shelf.Exemplars, shelf.Names)
	if shelf.Own > 0 && len(shelf.Below) > 0 {
		g.Summary = words.T(r.Context(), "%[1]s, %[2]d of them taught as just this", g.Summary, shelf.Own)
	}
	for _, b := range shelf.Below {
		g.Shelves = append(g.Shelves, shelfOf(r.Context(), b, query))
	}
	fillGalleryFilter(r.Context(), g, f, query, teachers)
	if invalid != nil {
		return status, nil
	}
	list, more, err := s.Gallery.Exemplars(r.Context(), f)
	if err != nil {
		return 0, err
	}
	g.Exemplars = templates.ExemplarList{Title: words.T(r.Context(), "Last taught"), List: exemplarThumbs(r.Context(), list)}
	if more {
		g.Exemplars.Older = galleryPath(query, "before", strconv.FormatInt(int64(list[len(list)-1].Identification), 10))
	}
	if f.Before != 0 {
		g.Exemplars.Newest = galleryPath(query, "before", "")
	}
	return status, nil
}

// galleryFilterOf reads the filters of an address.
func galleryFilterOf(query url.Values) (identify.GalleryFilter, error) {
	f := identify.GalleryFilter{Photo: query.Get("photo")}
	var bad error
	for _, n := range []struct {
		name string
		set  func(int64)
	}{
		{"taxon", func(v int64) { f.Taxon = identify.TaxonID(v) }},
		{"teacher", func(v int64) { f.Teacher = identify.UserID(v) }},
		{"before", func(v int64) { f.Before = identify.IdentificationID(v) }},
	} {
		if query.Get(n.name) == "" {
			continue
		}
		v, err := strconv.ParseInt(query.Get(n.name), 10, 64)
		if err != nil || v < 1 {
			bad = identify.Errorf(identify.Invalid, n.name, "This address is not whole. Start again from the whole memory.")
			continue
		}
		n.set(v)
	}
	if f.Photo != "" && f.Photo != "with" && f.Photo != "without" {
		bad = identify.Errorf(identify.Invalid, "photo", "Choose all, with a photo or without.")
	}
	return f, bad
}

// galleryPath is the gallery's address with one parameter changed; another choice
// begins again at the newest.
func galleryPath(query url.Values, name, value string) string {
	v := url.Values{}
	for _, key := range []string{"taxon", "teacher", "photo"} {
		if x := query.Get(key); x != "" {
			v.Set(key, x)
		}
	}
	if v.Del(name); value != "" {
		v.Set(name, value)
	}
	if len(v) == 0 {
		return "/memory"
	}
	return "/memory?" + v.Encode()
}

// shelfPath leads to where the tree of life forks above a shelf. A taxon that holds no
// more than the next one down would lead to the very page of that.
func shelfPath(ctx context.Context, shelf identify.GalleryShelf, query url.Values) []templates.Crumb {
	path := []templates.Crumb{{Name: words.T(ctx, "All life"), Link: galleryPath(query, "taxon", "")}}
	for _, t := range shelf.Path {
		name := nameOf(ctx, t)
		path = append(path, templates.Crumb{Name: name, Scientific: unlike(t.ScientificName, name),
			Link: galleryPath(query, "taxon", strconv.FormatInt(int64(t.ID), 10))})
	}
	for i := range path {
		if i == len(path)-1 || i+1 < len(shelf.Along) && shelf.Along[i] == shelf.Along[i+1] {
			path[i].Link = ""
		}
	}
	return path
}

func shelfOf(ctx context.Context, b identify.TaxonShelf, query url.Values) templates.Shelf {
	name := nameOf(ctx, b.Taxon)
	x := templates.Shelf{Name: name, Scientific: unlike(b.Taxon.ScientificName, name),
		Rank: detail(ctx, b.Taxon.Rank, "", b.Taxon.Local), Link: galleryPath(query, "taxon", strconv.FormatInt(int64(b.Taxon.ID), 10)),
		Count: words.T(ctx, "%d exemplars", b.Exemplars)}
	if b.Names > 1 {
		x.Count = exemplarsOf(ctx, b.Exemplars, b.Names)
	}
	for _, o := range b.Photos {
		x.Photos = append(x.Photos, templates.Photo{Observation: int64(o)})
	}
	return x
}

func fillGalleryFilter(ctx context.Context, g *templates.GalleryPage, f identify.GalleryFilter, query url.Values, teachers []identify.GalleryTeacher) {
	g.Filter.Action = "/memory"
	if f.Taxon != 0 {
		g.Filter.Taxon = strconv.FormatInt(int64(f.Taxon), 10)
	}
	g.Filter.Teachers = []templates.Option{{Label: words.T(ctx, "Anyone")}}
	for _, t := range teachers {
		g.Filter.Teachers = append(g.Filter.Teachers, templates.Option{Value: strconv.FormatInt(int64(t.User), 10), Label: t.Name, Selected: t.User == f.Teacher})
		if t.User == f.Teacher {
			g.Filter.Chips = append(g.Filter.Chips, templates.Chip{Name: words.T(ctx, "Taught by %s", t.Name), Link: galleryPath(query, "teacher", "")})
		}
	}
	for _, o := range []templates.Option{{Label: words.T(ctx, "All")}, {Value: "with", Label: words.T(ctx, "With a photo")},
		{Value: "without", Label: words.T(ctx, "Without a photo")}} {
		o.Selected = o.Value == f.Photo
		if g.Filter.Photo = append(g.Filter.Photo, o); o.Selected && o.Value != "" {
			g.Filter.Chips = append(g.Filter.Chips, templates.Chip{Name: o.Label, Link: galleryPath(query, "photo", "")})
		}
	}
}

func exemplarThumbs(ctx context.Context, list []identify.GalleryExemplar) []templates.Thumb {
	var out []templates.Thumb
	for _, x := range list {
		out = append(out, exemplarThumb(ctx, x))
	}
	return out
}

func exemplarThumb(ctx context.Context, x identify.GalleryExemplar) templates.Thumb {
	name := called(ctx, x.Taxon, x.Label)
	t := templates.Thumb{Link: observationPath(x.Observation), Name: name, Scientific: unlike(x.Scientific, name), Status: words.T(ctx, "Taught"), Taught: true,
		Photo:   templates.Photo{Observation: int64(x.Observation), Width: x.Width, Height: x.Height, Missing: !x.HasPhoto},
		Caption: who(ctx, x.TeacherName) + " · " + words.Date(ctx, x.TaughtAt.Local())}
	if !x.HasPhoto {
		t.Status = words.T(ctx, "Embedding without a photo")
	}
	return t
}
