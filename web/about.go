package web

import (
	"context"
	"net/http"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// about says what this is, and what the memory holds now.
func (s *site) about(w http.ResponseWriter, r *http.Request) error {
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	page := templates.AboutPage{Version: s.Version, Memory: figures(r.Context(), stats), Encoder: encoderFacts(r.Context(), stats.Encoder),
		Others: s.User(r).Role.Allows(identify.Curator)}
	return s.render(w, r, http.StatusOK, templates.About(s.page(r, words.T(r.Context(), "About"), "about"), page))
}

func figures(ctx context.Context, s identify.Stats) []templates.Figure {
	list := []templates.Figure{
		figure(ctx, s.Exemplars, words.Key("lessons that stand")),
		figure(ctx, s.Labels, words.Key("names taught")),
		figure(ctx, s.Observations, words.Key("observations")),
		figure(ctx, s.Taxa, words.Key("taxa known")),
		figure(ctx, s.Leaves, words.Key("leaves of the memory")),
		figure(ctx, int(s.Seq), words.Key("events in the log")),
	}
	if s.Pending > 0 {
		list = append(list, figure(ctx, s.Pending, words.Key("events to be consolidated")))
	}
	return list
}

// figure is a number with the word for so many.
func figure(ctx context.Context, n int, many words.Key) templates.Figure {
	return templates.Figure{Value: words.Number(ctx, n), Of: words.T(ctx, many, n)}
}

func encoderFacts(ctx context.Context, e identify.EncoderInfo) []templates.Fact {
	list := []templates.Fact{
		{Term: words.T(ctx, "Name"), Value: e.Name, Data: true},
		{Term: words.T(ctx, "Dimensions"), Value: words.Number(ctx, e.Dim)},
	}
	if e.Seen != nil {
		list = append(list, templates.Fact{Term: words.T(ctx, "Has learned to see"), Value: words.T(ctx, "%d taxa", len(e.Seen))})
	}
	if len(e.Digest) >= 12 {
		list = append(list, templates.Fact{Term: words.T(ctx, "Digest"), Value: e.Digest[:12] + "…", Mono: true})
	}
	return list
}
