package protocol

import "fieldmark/internal/fusion"

// Protocol names one of the paper's experiments, or of ours.
type Protocol string

const (
	// DataIncremental: one memory for each target task, taught growing shares of
	// its training images (Plan.Fractions), drawn without class balance.
	DataIncremental Protocol = "data"
	// ClassIncremental: one memory for each target task, taught its classes in
	// Plan.ClassStages equal parts.
	ClassIncremental Protocol = "class"
	// TaskIncremental: one memory, taught one whole target task a stage. Its cells
	// also give the rows of Flexible.
	TaskIncremental Protocol = "task"
	// Flexible is inference by the memory of TaskIncremental after its last stage,
	// over candidates other than each task's own (Row.Candidates).
	Flexible Protocol = "flexible"
	// LongTail: one memory for each target task, taught ever fewer images of its
	// classes in an order drawn by the seed, the last Plan.Imbalance times as few
	// as the first (Row's groups "many" and "few").
	LongTail Protocol = "long-tail"
	// Log is test-then-train: each lesson is asked before it is taught, among the
	// labels of all target tasks. A stage is a window of lessons.
	Log Protocol = "log"
	// Growth takes the time of one lesson, taking in and training, into memories
	// of 1, 2, 4, 8, … exemplars of all target tasks together.
	Growth Protocol = "growth"
)

// System is one exemplar system with its parameters.
type System struct {
	Kind fusion.System `json:"kind"`
	// Psi is ψ of the trees; 0 is tree.DefaultPsi.
	Psi int `json:"psi,omitempty"`
	// K is the number of neighbours; 0 is the paper's 9.
	K int `json:"k,omitempty"`
	// TauBeta is the temperature τ_β of β; 0 is the suite's τ.
	TauBeta float64 `json:"tau_beta,omitempty"`
}

// Plan says what is measured. DefaultPlan is the paper's.
type Plan struct {
	Systems   []System      `json:"systems"`
	Rules     []fusion.Rule `json:"rules"`
	Protocols []Protocol    `json:"protocols"` // Flexible comes with TaskIncremental
	// LongTailRule also answers by every rule with the rarest two thirds of the
	// known labels outside Y_e (fusion.Head).
	LongTailRule bool     `json:"long_tail_rule"`
	Seeds        []uint64 `json:"seeds"`
	Orders       int      `json:"orders"` // of the target tasks: as given, then drawn

	Fractions   []float64 `json:"fractions"` // of DataIncremental, growing to 1
	ClassStages int       `json:"class_stages"`
	Imbalance   float64   `json:"imbalance"`  // of LongTail
	LogWindow   int       `json:"log_window"` // lessons in a stage of Log
	LogLimit    int       `json:"log_limit"`  // lessons of Log at most; 0: all

	// Graph lets KNN and the trees find neighbours by the graph that the product
	// uses (nearest.Hybrid), in place of a scan: at a hundred thousand exemplars
	// a hundredth of the time, and now and then one of the nearest is missing.
	Graph bool `json:"graph,omitempty"`

	ZeroShotLabels int `json:"zero_shot_labels"` // of Flexible: how many labels of zero-shot tasks are drawn
	MixSplits      int `json:"mix_splits"`       // of Flexible: parts of the target labels
	MixPerClass    int `json:"mix_per_class"`    // of Flexible: test images of a class at most
	Bins           int `json:"bins"`             // of calibration
}
