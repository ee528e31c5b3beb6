package web

import (
	"testing"

	"fieldmark/internal/identify"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		p       float64
		percent string
		length  int
	}{
		{0, "0%", 0}, {0.004, "<1%", 4}, {0.01, "1%", 10}, {0.826, "83%", 826}, {0.99, "99%", 990}, {0.9999, ">99%", 1000}, {1, "100%", 1000},
		{-0.1, "0%", 0}, {1.1, "100%", 1000},
	} {
		if got := share(t.Context(), c.p); got.Percent != c.percent || got.Length != c.length {
			t.Errorf("share(%g) = %+v, want %s and %d", c.p, got, c.percent, c.length)
		}
	}
}

func TestKicker(t *testing.T) {
	tit := identify.Candidate{Label: "Great Tit", Taxon: 1, Rank: "species", Group: "birds"}
	dotty := identify.Candidate{Label: "Dotty", Taxon: identify.FirstLocalTaxon, Rank: identify.RankUnranked, Local: true}
	for name, c := range map[string]struct {
		p    identify.Prediction
		want string
	}{
		"nothing":  {identify.Prediction{}, "No answer"},
		"certain":  {identify.Prediction{Headline: identify.Headline{Label: "Great Tit", Taxon: 1, Rank: "species", Certain: true}, Candidates: []identify.Candidate{tit}}, "Species · birds"},
		"local":    {identify.Prediction{Headline: identify.Headline{Label: "Dotty", Rank: identify.RankUnranked, Certain: true}, Candidates: []identify.Candidate{dotty}}, "Added here"},
		"ancestor": {identify.Prediction{Headline: identify.Headline{Label: "Paridae", Taxon: 5, Rank: "family"}, Candidates: []identify.Candidate{tit}}, "Probably a member of the family"},
		"guess":    {identify.Prediction{Headline: identify.Headline{Label: "Great Tit", Taxon: 1, Rank: "species"}, Candidates: []identify.Candidate{tit}}, "Not sure. Perhaps"},
		"no life":  {identify.Prediction{Headline: identify.Headline{Label: "Not an organism", Rank: identify.RankNone, Certain: true}}, "Nothing that lives"},
	} {
		if got := kicker(t.Context(), c.p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
