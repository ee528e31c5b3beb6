package web

import (
	"context"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
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
		page.Nothing = words.T(ctx, "No two of the photos that wait look alike.")
		if groups.Looked == 0 {
			page.Nothing = words.T(ctx, "Nothing waits to be named.")
		}
		return nil
	}
	page.Count = words.T(ctx, "%[1]s: %[2]s, %[3]d like no other", page.Count, words.T(ctx, "%d groups of look-alikes", len(groups.List)), groups.Lone)
	i := groupOf(groups.List, append([]identify.ObservationID{q.at}, q.next...))
	var ids []identify.ObservationID
	for k := 1; k < len(groups.List) && k <= followShown; k++ {
		g := groups.List[(i+k)%len(groups.List)]
		thumb := reviewThumb(ctx, g.List[0], q.on(viewGroups, g.List[0].Observation).path())
		thumb.Name = words.T(ctx, "%d photos", len(g.List))
		thumb.Share = templates.Share{}
		page.Upcoming, ids = append(page.Upcoming, thumb), append(ids, g.List[0].Observation)
	}
	if i > 0 {
		page.Previous = q.on(viewGroups, groups.List[i-1].List[0].Observation).path()
	}
	if i+1 < len(groups.List) {
		page.Next = q.on(viewGroups, groups.List[i+1].List[0].Observation).path()
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
	card, err := s.reviewCard(ctx, u, g.List[0].Observation)
	if err != nil {
		return err
	}
	selected := 0
	for i, w := range g.List {
		tile := reviewThumb(ctx, w, q.on(viewSingle, w.Observation).path())
		if tile.Off = i > 0 && !readAs(w.Reading, card.Answer.Candidates); !tile.Off {
			selected++
		}
		card.Tiles = append(card.Tiles, tile)
	}
	switch {
	case len(g.List) == 1:
		card.Lead = words.T(ctx, "No other photo that waits looks like this one.")
	case selected == len(g.List):
		card.Lead = words.T(ctx, "%d photos that look alike. The answer is the first one’s.", len(g.List))
	default:
		card.Lead = words.T(ctx, "%d photos that look alike. The answer is the first one’s; those that read the same are selected at first.", len(g.List))
	}
	card.Said = card.Lead + " " + card.Said
	page.Card = &card
	return nil
}

// readAs reports whether a reading's name is the first of an answer, which one key
// accepts. The look-alikes that read so are selected at first: the key then says of each
// what it would say if that were shown alone. For the others somebody has to look.
func readAs(r identify.Reading, answer []templates.Candidate) bool {
	return r.Taxon != 0 && len(answer) > 0 && answer[0].Taxon == int64(r.Taxon)
}
