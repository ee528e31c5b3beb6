package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
)

// LearningService is what the API needs to tell the learning curve.
type LearningService interface {
	Learning(ctx context.Context) (identify.Learning, error)
}

type learningOutput struct {
	Body struct {
		Encoder   string         `json:"encoder"`
		Lessons   learningCounts `json:"lessons"`
		Fused     score          `json:"fused" doc:"Answers with the memory"`
		ZeroShot  score          `json:"zero_shot" doc:"Answers of the text tower alone"`
		Curve     []curvePoint   `json:"curve" nullable:"false" doc:"Accuracy over a window of lessons that ends at each point"`
		Groups    []groupScores  `json:"groups" nullable:"false" doc:"Most asked first"`
		Threshold sureThreshold  `json:"threshold" doc:"From which probability on a species is said without reserve"`
	}
}

type learningCounts struct {
	Given    int `json:"given" doc:"Ever"`
	Counted  int `json:"counted"`
	Imported int `json:"imported" doc:"Left out: came with an import"`
	Repeated int `json:"repeated" doc:"Left out: the photo had been taught before"`
	Unnamed  int `json:"unnamed" doc:"Left out: nothing stands at the observation now"`
	Untested int `json:"untested" doc:"Left out: the memory was not asked before, or another encoder was"`
}

type score struct {
	Asked       int              `json:"asked"`
	Right       int              `json:"right"`
	Low         float64          `json:"low" doc:"95 % interval of the accuracy"`
	High        float64          `json:"high"`
	ECE         float64          `json:"ece" doc:"Expected calibration error, 0 to 1, over ten bins"`
	Reliability []reliabilityBin `json:"reliability" nullable:"false"`
}

type reliabilityBin struct {
	Asked      int     `json:"asked"`
	Right      int     `json:"right"`
	Confidence float64 `json:"confidence" doc:"Mean probability of what was named; 0 for none"`
}

type curvePoint struct {
	Lesson   int       `json:"lesson" doc:"Lessons so far"`
	At       time.Time `json:"at"`
	Fused    float64   `json:"fused"`
	ZeroShot float64   `json:"zero_shot"`
}

type groupScores struct {
	Group         string `json:"group"`
	Asked         int    `json:"asked"`
	FusedRight    int    `json:"fused_right"`
	ZeroShotRight int    `json:"zero_shot_right"`
	NewNames      int    `json:"new_names" doc:"Lessons whose name was no candidate before"`
}

type sureThreshold struct {
	Value    float64 `json:"value"`
	Measured bool    `json:"measured" doc:"false: by convention, too little has been tested"`
	Met      bool    `json:"met" doc:"At it, the target is met"`
	Target   float64 `json:"target" doc:"Share of right answers that is promised"`
	Answers  int     `json:"answers" doc:"That were counted"`
	Said     int     `json:"said" doc:"Of those, at or above the threshold"`
	Right    int     `json:"right" doc:"Of those said"`
}

func (s *server) registerLearning(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "learning", Method: http.MethodGet, Path: "/api/v1/learning", Tags: []string{"stats"},
		Summary: "How well the memory did along the log",
		Description: "Test-then-train: for the first lesson about each photo, whether the answer given just before it was right. " +
			"Right is the name that the observation goes by today.",
		Errors: []int{http.StatusUnauthorized},
	}, s.learning)
}

func (s *server) learning(ctx context.Context, _ *struct{}) (*learningOutput, error) {
	l, err := s.service.Learning(ctx)
	if err != nil {
		return nil, err
	}
	out := &learningOutput{}
	b := &out.Body
	b.Encoder = l.Encoder
	b.Lessons = learningCounts{Given: l.Counts.Lessons, Counted: l.Fused.Asked, Imported: l.Counts.Imported,
		Repeated: l.Counts.Repeated, Unnamed: l.Counts.Unnamed, Untested: l.Counts.Untested}
	b.Fused, b.ZeroShot = newScore(l.Fused), newScore(l.ZeroShot)
	b.Curve = make([]curvePoint, len(l.Curve))
	for i, p := range l.Curve {
		b.Curve[i] = curvePoint{Lesson: p.Lesson, At: p.At, Fused: p.Fused, ZeroShot: p.ZeroShot}
	}
	b.Groups = make([]groupScores, len(l.Groups))
	for i, g := range l.Groups {
		b.Groups[i] = groupScores{Group: g.Group, Asked: g.Fused.Asked, FusedRight: g.Fused.Right, ZeroShotRight: g.ZeroShot.Right, NewNames: g.Unknown}
	}
	t := l.Sure
	b.Threshold = sureThreshold{Value: t.Value, Measured: t.Measured, Met: t.Met, Target: t.Target, Answers: t.Answers, Said: t.Said, Right: t.Right}
	return out, nil
}

func newScore(x identify.Score) score {
	out := score{Asked: x.Asked, Right: x.Right, Low: x.Low, High: x.High, ECE: x.ECE, Reliability: make([]reliabilityBin, len(x.Bins))}
	for i, b := range x.Bins {
		out.Reliability[i] = reliabilityBin{Asked: b.Asked, Right: b.Right}
		if b.Asked > 0 {
			out.Reliability[i].Confidence = b.Confidence / float64(b.Asked)
		}
	}
	return out
}
