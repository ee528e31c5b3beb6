package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/templates"
	"fieldmark/web/requests"
)

// ProjectorService is what the wall shows, and what tells that it changed.
type ProjectorService interface {
	Board(ctx context.Context, u identify.User, id identify.WorkshopID) (identify.WorkshopBoard, error)
	Listen(u identify.User, after int64) (l *identify.Listener, missed bool, err error)
	Concerns(ctx context.Context, x identify.Workshop, h identify.Happening) bool
}

const (
	// beatEvery keeps a silent stream from being taken for a dead one.
	beatEvery = 15 * time.Second
	// figuresEvery is how often at most the figures of a stream are counted anew.
	figuresEvery = time.Second
	// streamMost is how long one stream lasts: the browser comes back by itself, and is
	// asked anew who it is.
	streamMost = 10 * time.Minute
)

func (s *site) projectorRoutes(r chi.Router) {
	r.Get("/workshop/{id}/projector", s.handle(s.projector))
	r.Get("/workshop/{id}/events", s.handle(s.workshopEvents))
	r.Get("/workshop/{id}/qr.svg", s.handle(s.workshopQR))
}

// board reads what a workshop's wall shows.
func (s *site) board(r *http.Request) (identify.WorkshopBoard, error) {
	id, err := workshopParam(r)
	if err != nil {
		return identify.WorkshopBoard{}, err
	}
	return s.Workshops.Board(r.Context(), s.User(r), id)
}

func (s *site) projector(w http.ResponseWriter, r *http.Request) error {
	b, err := s.board(r)
	if err != nil {
		return err
	}
	reach := s.reachView(r)
	page := templates.ProjectorPage{Workshop: workshopView(r.Context(), b.Workshop, b.Now), Figures: boardFigures(r.Context(), b), Origin: reach.Chosen(),
		Events: fmt.Sprintf("%s/events?after=%d", workshopPath(b.ID), b.Last)}
	if page.Origin != "" {
		page.QR = workshopPath(b.ID) + "/qr.svg?at=" + page.Origin
	}
	for _, o := range b.Photos {
		page.Tiles = append(page.Tiles, boardTile(r.Context(), o))
		if line, taught := boardLine(r.Context(), o); taught && len(page.Lines) < boardLines {
			page.Lines = append(page.Lines, line)
		}
	}
	return s.render(w, r, http.StatusOK, templates.Projector(s.page(r, b.Title, "workshop"), page))
}

// boardLines is how many corrections the wall tells of.
const boardLines = 6

// boardTile is a photo on the wall: what it was answered, and what it was taught.
func boardTile(ctx context.Context, o identify.Observation) templates.BoardTile {
	t := templates.BoardTile{Photo: photoOf(ctx, o), Who: who(ctx, o.ObserverName)}
	if len(o.Suggested) > 0 {
		t.Name = called(ctx, o.Suggested[0].Taxon, o.Suggested[0].Label)
	}
	if now, named := o.Current(); named {
		if name := lessonName(ctx, now); t.Name != name {
			t.Before, t.Name = t.Name, name
		}
		t.Taught = true
	}
	return t
}

// boardLine tells of the lesson about a photo, if there is one.
func boardLine(ctx context.Context, o identify.Observation) (templates.BoardLine, bool) {
	now, named := o.Current()
	t := boardTile(ctx, o)
	return templates.BoardLine{Who: who(ctx, now.UserName), Before: t.Before, After: lessonName(ctx, now)}, named
}

func boardFigures(ctx context.Context, b identify.WorkshopBoard) templates.BoardFigures {
	f := templates.BoardFigures{Guests: b.Guests, Photos: b.Workshop.Photos, Lessons: b.Lessons}
	if len(b.Curve) > 1 { // shares of fewer lessons would tell of chance
		f.Fused, f.Zero = percentOf(ctx, b.Fused.Right, b.Fused.Asked), percentOf(ctx, b.ZeroShot.Right, b.ZeroShot.Asked)
		f.Chart = chartView(ctx, identify.Learning{Curve: b.Curve})
	}
	return f
}

// workshopQR leads a phone to the page on which its owner joins.
func (s *site) workshopQR(w http.ResponseWriter, r *http.Request) error {
	b, err := s.board(r)
	if err != nil {
		return err
	}
	if origin := s.reachView(r).Chosen(); origin != "" && b.Code != "" {
		return writeQR(w, origin+"/join/"+b.Code)
	}
	return identify.Errorf(identify.NotFound, "", "Nobody can join this workshop: it is over, or no phone reaches this Fieldmark.")
}

// workshopEvents streams what happens in a workshop.
func (s *site) workshopEvents(w http.ResponseWriter, r *http.Request) error {
	b, err := s.board(r)
	if err != nil {
		return err
	}
	l, missed, err := s.Workshops.Listen(s.User(r), lastEvent(r))
	if err != nil {
		return err
	}
	defer l.Close()
	ctx, cancel := requests.UntilStop(r.Context())
	defer cancel()
	r = r.WithContext(ctx)
	stream := wall{site: s, r: r, workshop: b.Workshop, open: b.Open(b.Now), out: newEventStream(w)}
	if missed {
		_ = stream.again(0)
		return nil
	}
	stream.run(l)
	return nil
}

// wall is one stream to a projector page.
type wall struct {
	site     *site
	r        *http.Request
	workshop identify.Workshop
	open     bool // when the stream began
	out      eventStream
}

// run streams until the browser has gone, lags behind, reads the page anew, or has
// listened for long. An error is that there is nobody to tell.
func (s wall) run(l *identify.Listener) {
	beat, count, most := time.NewTicker(beatEvery), time.NewTicker(figuresEvery), time.NewTimer(streamMost)
	defer beat.Stop()
	defer count.Stop()
	defer most.Stop()
	stale, err := false, s.figures()
	for err == nil {
		select {
		case <-s.r.Context().Done():
			return
		case <-most.C:
			return
		case h, there := <-l.C:
			if !there {
				return
			}
			if s.site.Workshops.Concerns(s.r.Context(), s.workshop, h) {
				stale, err = true, s.tell(h)
			}
		case <-count.C:
			if stale {
				stale, err = false, s.figures()
			}
		case <-beat.C:
			if err = s.out.beat(); err == nil {
				err = s.over()
			}
		}
	}
}

// tell sends what happened to a photo.
func (s wall) tell(h identify.Happening) error {
	switch h.Kind {
	case identify.MemoryChanged, identify.WorkshopChanged:
		return s.again(h.N)
	case identify.PersonJoined:
		return s.out.send(h.N, "joined", "")
	}
	o, err := s.site.Service.Observation(s.r.Context(), s.site.User(s.r), h.Observation)
	if err != nil {
		return err
	}
	if err := s.fragment(0, "tile", templates.BoardPhoto(boardTile(s.r.Context(), o))); err != nil {
		return err
	}
	if h.Kind != identify.LessonGiven {
		return s.out.send(h.N, "told", "")
	}
	line := templates.BoardLine{Who: who(s.r.Context(), h.UserName), Before: calledOf(s.r.Context(), h.Before), After: calledOf(s.r.Context(), h.After)}
	if line.Before == line.After {
		line.Before = ""
	}
	return s.fragment(h.N, "line", templates.BoardLesson(line))
}

func (s wall) figures() error {
	b, err := s.site.board(s.r)
	if err != nil {
		return err
	}
	return s.fragment(0, "figures", templates.BoardNumbers(boardFigures(s.r.Context(), b)))
}

// over tells when the workshop's time is over.
func (s wall) over() error {
	b, err := s.site.board(s.r)
	if err == nil && s.open && !b.Open(b.Now) {
		err = s.again(0)
	}
	return err
}

// errAgain ends a stream whose page is read anew.
var errAgain = errors.New("the page is read anew")

// again tells the browser to read the page anew, which ends the stream.
func (s wall) again(n int64) error { return cmp.Or(s.out.send(n, "again", ""), errAgain) }

func (s wall) fragment(id int64, name string, c templ.Component) error {
	var b bytes.Buffer
	if err := c.Render(s.r.Context(), &b); err != nil {
		return err
	}
	return s.out.send(id, name, b.String())
}
