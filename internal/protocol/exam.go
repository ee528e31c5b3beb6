package protocol

import (
	"context"
	"sync"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// question is a test image, asked among some candidates.
type question struct {
	vector []float32
	label  int
	among  *eval.Candidates
	score  int    // which Score it counts for
	group  string // of that score; empty: none
}

// variant is one way to answer: a rule, with or without the long tail's P_in.
type variant struct {
	rule     fusion.Rule
	longTail bool
}

// variants are those of a plan. Rules that do not read Y_e have no long-tail form.
func (p Plan) variants() []variant {
	var out []variant
	for _, r := range p.Rules {
		out = append(out, variant{r, false})
	}
	if !p.LongTailRule {
		return out
	}
	for _, r := range p.Rules {
		if r.ReadsKnown() {
			out = append(out, variant{r, true})
		}
	}
	return out
}

// answer is what one variant made of a question.
type answer struct {
	eval.Answer
	seconds float64
}

// examiner asks one pupil as one system does.
type examiner struct {
	*pupil
	cell     Cell
	suite    Suite
	system   System
	variants []variant
	workers  int
}

// ask answers each question by each variant: [question][variant]. The workers
// share the questions, which changes nothing of the answers.
func (x *examiner) ask(ctx context.Context, questions []question) ([][]answer, error) {
	out := make([][]answer, len(questions))
	head := x.head()
	workers := max(1, min(x.workers, len(questions)))
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(questions) && errs[w] == nil; i += workers {
				if errs[w] = ctx.Err(); errs[w] == nil {
					out[i], errs[w] = x.answer(questions[i], head)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// head is the known labels without the rarest two thirds.
func (x *pupil) head() map[int]bool {
	counts := make([]int, len(x.order))
	for i, y := range x.order {
		counts[i] = x.count[y]
	}
	out := map[int]bool{}
	for i, is := range fusion.Head(counts) {
		if is {
			out[int(x.order[i])] = true
		}
	}
	return out
}
