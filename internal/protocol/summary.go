package protocol

import "fieldmark/internal/fusion"

// Point is what rows of one protocol, system, rule and stage come to. Accuracies
// and ECE are shares in [0,1]; NaN-free: a figure without answers is absent (nil).
type Point struct {
	Protocol     Protocol    `json:"protocol"`
	System       System      `json:"system"`
	Rule         fusion.Rule `json:"rule"`
	LongTailRule bool        `json:"long_tail_rule,omitempty"`
	Candidates   string      `json:"candidates"`
	Stage        int         `json:"stage"`
	StageName    string      `json:"stage_name"`
	Exemplars    float64     `json:"exemplars"` // mean of the memories
	Runs         int         `json:"runs"`      // orders × seeds
	// TargetAsked and ZeroShotAsked are the images behind Target and ZeroShot in one
	// run.
	TargetAsked   int `json:"target_asked"`
	ZeroShotAsked int `json:"zero_shot_asked,omitempty"`
	// Target and ZeroShot are the mean top-1 over tasks, then mean and standard
	// deviation over runs; Groups likewise ("seen", …); Both is the mean of Target
	// and ZeroShot.
	Target   *Figure           `json:"target,omitempty"`
	ZeroShot *Figure           `json:"zero_shot,omitempty"`
	Both     *Figure           `json:"both,omitempty"`
	ECE      *Figure           `json:"ece,omitempty"` // of the target tasks
	Groups   map[string]Figure `json:"groups,omitempty"`
	// Train and Answer are seconds up to and including this stage, mean over runs.
	Train  float64 `json:"train_s"`
	Answer float64 `json:"answer_s"`
}

// Figure is a mean over runs with its standard deviation (n-1; 0 for one run).
type Figure struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Matrix is MTIL's: accuracy after stage i on target task j, both in the order in
// which the tasks were taught, and its three figures, means over orders and seeds.
type Matrix struct {
	System       System      `json:"system"`
	Rule         fusion.Rule `json:"rule"`
	LongTailRule bool        `json:"long_tail_rule,omitempty"`
	Transfer     *Figure     `json:"transfer,omitempty"` // absent with a single task
	Avg          Figure      `json:"avg"`
	Last         Figure      `json:"last"`
	// Tasks and Accuracy [stage][task] are those of the first order and seed.
	Tasks    []string    `json:"tasks"`
	Accuracy [][]float64 `json:"accuracy"`
}

// Claim is an ordering that the paper reports, looked up in a result.
type Claim struct {
	Text  string `json:"text"`
	Where string `json:"where"` // protocol, system, rule, stage
	Holds bool   `json:"holds"`
	// Left and Right are the two accuracies compared, as shares; Slack is how much
	// lower Left may be. Asked is how many images each is of, in Runs runs.
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
	Slack float64 `json:"slack"`
	Asked int     `json:"asked"`
	Runs  int     `json:"runs"`
}
