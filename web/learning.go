package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// LearningService is what the page of the learning curve needs.
type LearningService interface {
	Learning(ctx context.Context) (identify.Learning, error)
}

func (s *site) learningRoutes(r chi.Router) {
	r.Get("/memory/learning", s.handle(s.learning))
}

// leastCurve is how many lessons a curve needs to be worth drawing.
const leastCurve = 25

func (s *site) learning(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	l, err := s.Learning.Learning(ctx)
	if err != nil {
		return err
	}
	page := templates.LearningPage{Encoder: l.Encoder, Empty: l.Fused.Asked == 0, Left: leftOut(ctx, l.Counts, l.Fused.Asked)}
	if !page.Empty {
		page.Figures = []templates.Figured{
			figured(ctx, words.Key("right with the memory, lately"), l.Recent.Fused), figured(ctx, words.Key("right zero-shot, lately"), l.Recent.ZeroShot),
			figured(ctx, words.Key("right with the memory, ever"), l.Fused), figured(ctx, words.Key("right zero-shot, ever"), l.ZeroShot),
		}
		page.Recent = words.T(ctx, "Lately is the last %s; in brackets the 95%% interval.", words.T(ctx, "%d lessons", l.Recent.Fused.Asked))
		page.Fused, page.Zero = reliabilityView(ctx, withMemory, "fused", l.Fused), reliabilityView(ctx, zeroShotAlone, "zero", l.ZeroShot)
		page.Sure = sureWords(ctx, l.Sure)
		for _, g := range l.Groups {
			page.Groups = append(page.Groups, learningGroup(ctx, g))
		}
		if l.Fused.Asked >= leastCurve {
			page.Chart = chartView(ctx, l)
		}
	}
	p := s.page(r, words.T(ctx, "Learning"), "memory")
	p.Styles = []string{"learning.css"}
	return s.render(w, r, http.StatusOK, templates.Learning(p, page))
}
