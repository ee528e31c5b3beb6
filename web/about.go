package web

import (
	"net/http"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// about says what this is, and what the memory holds now.
func (s *site) about(w http.ResponseWriter, r *http.Request) error {
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	page := templates.AboutPage{Version: s.Version, Memory: figures(stats), Encoder: encoderFacts(stats.Encoder),
		Others: s.User(r).Role.Allows(identify.Curator)}
	return s.render(w, r, http.StatusOK, templates.About(s.page(r, "About", "about"), page))
}

func figures(s identify.Stats) []templates.Figure {
	list := []templates.Figure{
		figure(s.Exemplars, "lesson that stands", "lessons that stand"),
		figure(s.Labels, "name taught", "names taught"),
		figure(s.Observations, "observation", "observations"),
		figure(s.Taxa, "taxon known", "taxa known"),
		figure(s.Leaves, "leaf of the memory", "leaves of the memory"),
		figure(int(s.Seq), "event in the log", "events in the log"),
	}
	if s.Pending > 0 {
		list = append(list, figure(s.Pending, "event to be consolidated", "events to be consolidated"))
	}
	return list
}

func figure(n int, one, many string) templates.Figure {
	if n == 1 {
		many = one
	}
	return templates.Figure{Value: number(n), Of: many}
}

func encoderFacts(e identify.EncoderInfo) []templates.Fact {
	list := []templates.Fact{
		{Term: "Name", Value: e.Name},
		{Term: "Dimensions", Value: number(e.Dim)},
	}
	if e.Seen != nil {
		list = append(list, templates.Fact{Term: "Has learned to see", Value: plural(len(e.Seen), "taxon", "taxa")})
	}
	if len(e.Digest) >= 12 {
		list = append(list, templates.Fact{Term: "Digest", Value: e.Digest[:12] + "…", Mono: true})
	}
	return list
}
