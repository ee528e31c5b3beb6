package web

import (
	"context"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// showGroup shows a group of look-alikes, and which follow.
func (s *site) showGroup(ctx context.Context, u identify.User, q queueQuery, page *templates.ReviewPage) error {
	observer := u.ID
	if q.whose == "all" {
		observer = 0
	}
	groups, err := s.Review.Groups(ctx, u, observer, q.order)
	if err != nil {
		return err
	}
	if len(groups.List) == 0 {
		page.Nothing = "No two of the photos that wait look alike."
		if groups.Looked == 0 {
			page.Nothing = "Nothing waits to be named."
		}
		return nil
	}
	page.Count += ": " + plural(len(groups.List), "group", "groups") + " of look-alikes, " + number(groups.Lone) + " like no other"
	i := groupOf(groups.List, append([]identify.ObservationID{q.at}, q.next...))
	var ids []identify.ObservationID
	for k := 1; k < len(groups.List) && k <= followShown; k++ {
		g := groups.List[(i+k)%len(groups.List)]
		thumb := reviewThumb(g.List[0], q.on(viewGroups, g.List[0].Observation).path())
		thumb.Name = plural(len(g.List), "photo", "photos")
		thumb.Share = templates.Share{}
		page.Upcoming, ids = append(page.Upcoming, thumb), append(ids, g.List[0].Observation)
	}
	page.Carried.Next = idList(ids)
	page.Here = q.on(viewGroups, groups.List[i].List[0].Observation).path()
	return s.showTiles(ctx, u, q, groups.List[i], page)
}

// groupOf is the group that has the first of ids that any has, or the first.
func groupOf(groups []identify.LookAlikes, ids []identify.ObservationID) int {
	for _, id := range ids {
		for i, g := range groups {
			for _, w := range g.List {
				if w.Observation == id {
					return i
				}
			}
		}
	}
	return 0
}

// showLike shows what looks like one photo.
func (s *site) showLike(ctx context.Context, u identify.User, q queueQuery, page *templates.ReviewPage) error {
	like, err := s.Review.Like(ctx, u, q.at)
	if err != nil {
		return err
	}
	page.Singles = q.on(viewSingle, q.at).path()
	return s.showTiles(ctx, u, q, like, page)
}

// showTiles shows photos that are decided on together, by what the first is.
func (s *site) showTiles(ctx context.Context, u identify.User, q queueQuery, g identify.LookAlikes, page *templates.ReviewPage) error {
	card, err := s.reviewCard(ctx, u, g.List[0])
	if err != nil {
		return err
	}
	for _, w := range g.List {
		card.Tiles = append(card.Tiles, reviewThumb(w, q.on(viewSingle, w.Observation).path()))
	}
	card.Lead = plural(len(g.List), "photo", "photos") + " that look alike. The answer is the first one’s."
	if len(g.List) == 1 {
		card.Lead = "No other photo that waits looks like this one."
	}
	card.Said = card.Lead + " " + card.Said
	page.Card = &card
	return nil
}
