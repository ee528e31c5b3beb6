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
	page := templates.AboutPage{Version: s.Version, Memory: figures(stats), Encoder: encoderFacts(stats.Encoder)}
	return s.render(w, r, http.StatusOK, templates.About(s.page(r, "About", "about"), page))
}

func figures(s identify.Stats) []templates.Figure {
	list := []templates.Figure{
		{Value: number(s.Exemplars), Of: "lessons that stand"},
		{Value: number(s.Labels), Of: "names taught"},
		{Value: number(s.Observations), Of: "observations"},
		{Value: number(s.Taxa), Of: "taxa known"},
		{Value: number(s.Leaves), Of: "leaves of the memory"},
		{Value: number(int(s.Seq)), Of: "events in the log"},
	}
	if s.Pending > 0 {
		list = append(list, templates.Figure{Value: number(s.Pending), Of: "events still being consolidated"})
	}
	return list
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
