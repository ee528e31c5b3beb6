package web

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// followShown is how many photos, or groups, are shown of what follows.
const followShown = 12

// lastShown is for how long the last decision is shown, and Undo at hand.
const lastShown = time.Hour

// reviewPage shows a place of the queue.
func (s *site) reviewPage(ctx context.Context, u identify.User, q queueQuery) (templates.ReviewPage, error) {
	queue, err := s.Review.Queue(ctx, u, 0, q.order)
	if err != nil {
		return templates.ReviewPage{}, err
	}
	if q.whose == "" && queue.Mine == 0 {
		q.whose = "all"
	}
	list := queue.List
	if q.whose != "all" {
		list = slices.DeleteFunc(slices.Clone(list), func(w identify.Queued) bool { return w.Observer != u.ID })
	}
	page := s.reviewFrame(ctx, q, queue, len(list))
	if err := s.lastDecision(ctx, u, q, &page); err != nil {
		return page, err
	}
	switch q.view {
	case viewGroups:
		err = s.showGroup(ctx, u, q, &page)
	case viewLike:
		err = s.showLike(ctx, u, q, &page)
	default:
		err = s.showSingle(ctx, u, q, list, &page)
	}
	page.Said = page.Nothing
	if page.Card != nil {
		page.Said = page.Card.Said
	}
	return page, err
}

// reviewFrame is what is around the card.
func (s *site) reviewFrame(ctx context.Context, q queueQuery, queue identify.Queue, shown int) templates.ReviewPage {
	page := templates.ReviewPage{
		Here: q.path(), Asides: "/review/aside", Count: words.T(ctx, "%d photos wait to be named", shown),
		Groups: q.on(viewGroups, 0).path(), Singles: q.on(viewSingle, 0).path(), Grouped: q.view != viewSingle,
		Carried: templates.Carried{Order: string(q.order), Whose: q.whose, View: q.view},
	}
	for _, o := range []struct {
		label words.Key
		order identify.ReviewOrder
	}{{words.Key("Doubtful first"), identify.ByDoubt}, {words.Key("By time"), identify.ByTime}, {words.Key("By place"), identify.ByPlace}} {
		to := q.on(q.view, 0)
		if q.view == viewLike {
			to.view = viewSingle
		}
		to.order = o.order
		page.Orders = append(page.Orders, templates.Tab{Label: words.T(ctx, o.label), Link: to.path(),
			Current: q.order == o.order || q.order == "" && o.order == identify.ByDoubt})
	}
	if queue.Mine < queue.All && queue.Mine > 0 {
		for _, x := range []struct {
			label, whose string
		}{{words.T(ctx, "Mine, %d", queue.Mine), "mine"}, {words.T(ctx, "All, %d", queue.All), "all"}} {
			to := q.on(q.view, 0)
			to.whose = x.whose
			page.Whose = append(page.Whose, templates.Tab{Label: x.label, Link: to.path(), Current: (q.whose == "all") == (x.whose == "all")})
		}
	}
	return page
}

// lastDecision shows what was decided last, if that is not long ago.
func (s *site) lastDecision(ctx context.Context, u identify.User, q queueQuery, page *templates.ReviewPage) error {
	d, err := s.Review.LastDecision(ctx, u)
	if err != nil || d == nil || time.Since(d.At) > lastShown {
		return err
	}
	last := &templates.LastDecision{ID: int64(d.ID), Sentence: decidedSentence(ctx, *d), Was: int64(q.was)}
	if len(d.Items) > 0 {
		last.Photo = &templates.Photo{Observation: int64(d.Items[0].Observation)}
	}
	if q.changed != 0 {
		last.Changed = changedPath(q.changed)
	}
	page.Last = last
	return nil
}

// decidedSentence says what was decided.
func decidedSentence(ctx context.Context, d identify.Decision) string {
	photos := words.T(ctx, "%d photos", len(d.Items))
	switch d.Kind {
	case identify.DecidedTaught:
		name := lessonName(ctx, d.Items[0].Identification)
		if len(d.Items) == 1 {
			return words.T(ctx, "Taught as %s.", name)
		}
		return words.T(ctx, "Taught as %s: %s.", name, photos)
	case identify.DecidedSetAside:
		return words.T(ctx, "Set aside, nobody can tell: %s.", photos)
	}
	return words.T(ctx, "Skipped until the end: %s.", photos)
}

// placeOf is where in the list the query is: at what it asks for, or what was to
// follow, or the first.
func (q queueQuery) placeOf(list []identify.Queued) int {
	for _, id := range append([]identify.ObservationID{q.at}, q.next...) {
		if i := slices.IndexFunc(list, func(w identify.Queued) bool { return w.Observation == id }); i >= 0 {
			return i
		}
	}
	return 0
}

// showSingle shows one photo of the list, and what follows.
func (s *site) showSingle(ctx context.Context, u identify.User, q queueQuery, list []identify.Queued, page *templates.ReviewPage) error {
	if len(list) == 0 {
		page.Nothing = words.T(ctx, "Nothing waits to be named. What comes in and nobody names is shown here.")
		return nil
	}
	i := q.placeOf(list)
	if i > 0 {
		page.Previous = q.on(viewSingle, list[i-1].Observation).path()
	}
	if i+1 < len(list) {
		page.Next = q.on(viewSingle, list[i+1].Observation).path()
	}
	following := append(slices.Clone(list[i+1:]), list[:i]...)
	if q.order == identify.ByDoubt || q.order == "" { // however it was come by, what is most doubtful is next
		following = append(slices.Clone(list[:i]), list[i+1:]...)
	}
	var ids []identify.ObservationID
	for _, w := range following[:min(followShown, len(following))] {
		ids = append(ids, w.Observation)
	}
	upcoming, err := s.Review.Waiting(ctx, u, ids)
	if err != nil {
		return err
	}
	for _, w := range upcoming {
		page.Upcoming = append(page.Upcoming, reviewThumb(ctx, w, q.on(viewSingle, w.Observation).path()))
	}
	page.Carried.Next = idList(ids)
	card, err := s.reviewCard(ctx, u, list[i].Observation)
	if err != nil {
		return err
	}
	card.Like = q.on(viewLike, list[i].Observation).path()
	page.Card = &card
	page.Here = q.on(viewSingle, list[i].Observation).path()
	return nil
}

func reviewThumb(ctx context.Context, w identify.Waiting, link string) templates.ReviewThumb {
	return templates.ReviewThumb{Link: link, Photo: templates.Photo{Observation: int64(w.Observation), Alt: words.T(ctx, "Photo no. %s", fmt.Sprint(w.Observation))},
		Name: called(ctx, w.Reading.Taxon, w.Reading.Label), Share: share(ctx, w.Reading.Chance), Sure: w.Reading.Sure()}
}

// reviewCard reads a photo that waits. One that cannot be read can still be
// skipped, set aside and named.
func (s *site) reviewCard(ctx context.Context, u identify.User, id identify.ObservationID) (templates.ReviewCard, error) {
	x, err := s.look(ctx, u, id, question{})
	if err != nil && (ctx.Err() != nil || x.observation.ID == 0) {
		return templates.ReviewCard{}, err
	}
	card := templates.ReviewCard{Card: x.card(ctx)}
	if err != nil {
		card.Answer = templates.Answer{Name: words.T(ctx, "No answer")}
		card.Stale = problem(ctx, err).Message
	}
	if len(card.Answer.Candidates) > acceptKeys {
		card.Answer.Candidates = card.Answer.Candidates[:acceptKeys]
	}
	card.Place = place(ctx, x.observation)
	if x.observation.Observer != u.ID {
		card.Observer = who(ctx, x.observation.ObserverName)
	}
	return card, nil
}
