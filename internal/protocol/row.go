package protocol

import (
	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// Cell is one memory and how it is taught: the unit of a run that is kept whole
// or done anew. It is comparable, and so the key under which it is kept.
type Cell struct {
	Protocol Protocol `json:"protocol"`
	System   System   `json:"system"`
	// Taught is the name of the target task that the memory learns; empty where it
	// learns them all.
	Taught string `json:"taught,omitempty"`
	Order  int    `json:"order"` // of tasks; 0 is as given
	Seed   uint64 `json:"seed"`
}

// Outcome is what came of a cell; one line of JSON each makes a run's file.
type Outcome struct {
	Cell Cell  `json:"cell"`
	Rows []Row `json:"rows"`
}

// Row is how one rule did at one stage of a cell.
type Row struct {
	Cell
	// Stage counts from 1; StageName says what it is: "8 %", "40 % of classes", the
	// task just taught, "lessons 101–200".
	Stage     int         `json:"stage"`
	StageName string      `json:"stage_name"`
	Rule      fusion.Rule `json:"rule"`
	// LongTailRule: the rarest two thirds of the known labels were left out of P_in.
	LongTailRule bool `json:"long_tail_rule,omitempty"`
	// Candidates says among which labels was asked: "own" (each task's own), and in
	// the protocol Flexible "union", "mix" (see there), in Log "union".
	Candidates string `json:"candidates"`
	Exemplars  int    `json:"exemplars"` // in the memory
	Known      int    `json:"known"`     // labels that have an exemplar
	// Unconverged is how many classifiers stopped short of their optimum in this
	// stage; 0 as a rule.
	Unconverged int `json:"unconverged,omitempty"`
	// Scores are in the order of Suite.Tasks, those that were not asked left out.
	// Where images of several tasks are asked together, they have a name of their
	// own: "zero-shot", "split 1", "split 1, zero-shot", … in Flexible, "log" in Log.
	// Growth has none, and no Rule.
	Scores []Score `json:"scores"`
	// Bins is the reliability diagram over the images of all target tasks; only in
	// the last stage of a cell and in every stage of Log.
	Bins []eval.Bin `json:"bins,omitempty"`
	Cost Cost       `json:"cost"`
}

// Score is the answers to one task's test images.
type Score struct {
	Task     string  `json:"task"`
	ZeroShot bool    `json:"zero_shot,omitempty"`
	Asked    int     `json:"asked"`
	Right    int     `json:"right"`
	ECE      float64 `json:"ece"` // expected calibration error over Plan.Bins
	// Groups divide the images by their label: "seen" and "unseen" in
	// ClassIncremental, "many" and "few" (the rarest two thirds) in LongTail.
	Groups []Group `json:"groups,omitempty"`
}

// Top1 is the share of right answers.
func (s Score) Top1() float64 { return float64(s.Right) / float64(s.Asked) }

// Group is the answers to the images of some labels.
type Group struct {
	Name  string `json:"name"`
	Asked int    `json:"asked"`
	Right int    `json:"right"`
}

// Cost is what the clock said, in seconds, and the memory's size. It is the only
// part of a Row that differs between two runs.
type Cost struct {
	// Place is for putting this stage's exemplars into the memory, Train for
	// bringing its classifiers to their optimum. Both are for the whole stage;
	// Lessons is how many exemplars came in it. The same for every rule.
	Place   float64 `json:"place_s"`
	Train   float64 `json:"train_s"`
	Lessons int     `json:"lessons"`
	// Stroke is for the immediate stroke after each lesson; only in Log and Growth.
	Stroke float64 `json:"stroke_s,omitempty"`
	// Answer is for answering by this rule alone (retrieval, classifiers, fusion),
	// each image on one core, summed over the images, of which there were Answers.
	Answer  float64 `json:"answer_s"`
	Answers int     `json:"answers"`
	// TaughtProcessors and AskedProcessors are the seconds of processors that Place
	// and Train took, and the answers of all rules together; 0 if Runner.Processors
	// is nil. Other work on the machine counts little in them.
	TaughtProcessors float64 `json:"taught_processors_s,omitempty"`
	AskedProcessors  float64 `json:"asked_processors_s,omitempty"`
	// Bytes is what the exemplars take in the memory, vectors and labels;
	// ClassifierBytes what the classifiers' weights take.
	Bytes           int `json:"bytes"`
	ClassifierBytes int `json:"classifier_bytes,omitempty"`
}

// Progress is told after every stage of a cell.
type Progress struct {
	Cell  Cell
	Stage string
	// Cells that are done and in all, those passed over included.
	Done, Cells int
	// Share is the part of the remaining work that is done, by an estimate, in
	// [0,1]; Elapsed and Left are in seconds. Left is NaN until there is an estimate.
	Share, Elapsed, Left float64
}

// Result is a whole run, as it is reported. Summarise, MTIL and Claims form their
// figures from its Rows.
type Result struct {
	About About `json:"about"`
	Plan  Plan  `json:"plan"`
	Rows  []Row `json:"rows"`
}

// About says what made a Result. A run is resumed only where the Digest is the
// same and the plan has the same settings (Plan.SameSettings).
type About struct {
	Suite   string      `json:"suite"`
	Encoder string      `json:"encoder"`
	Digest  string      `json:"digest"` // SHA-256 of the suite, hexadecimal
	Tasks   []TaskAbout `json:"tasks"`
	Command string      `json:"command"` // the command line
	Version string      `json:"version"` // of the program
	Started string      `json:"started"` // RFC 3339
}

// TaskAbout is the size of a task.
type TaskAbout struct {
	Name     string `json:"name"`
	ZeroShot bool   `json:"zero_shot,omitempty"`
	Classes  int    `json:"classes"`
	Train    int    `json:"train"`
	Test     int    `json:"test"`
}
