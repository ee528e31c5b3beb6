package jobs

import (
	"context"
	"io"

	"fieldmark/internal/identify"
)

// State is how far a job is.
type State string

// The states of a job.
const (
	Held    State = "held" // waits for a decision
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	Stopped State = "stopped" // by whoever began it
)

// Kind is what is taken in.
type Kind string

// The kinds of jobs.
const (
	Import    Kind = "import"    // of photos or embeddings
	Preview   Kind = "preview"   // of a bundle: nothing is taken in yet
	Merge     Kind = "merge"     // of a bundle
	Checklist Kind = "checklist" // of taxa
)

// Work is an import of a file that is open, or a look at what it would do.
type Work struct {
	User identify.UserID
	Kind Kind
	Name string // of the file
	Of   string // what it is about, by its SHA-256 or its place: of one thing one job runs
	From string // address of the page that decided it, where it can be begun anew; "" none
	File io.Closer
	// Do may return an Outcome with an error: what was taken in until then.
	Do func(ctx context.Context, skipBad bool, told func(identify.ImportProgress)) (Outcome, error)
}

// Outcome is what came of a job, by its kind.
type Outcome struct {
	Import    identify.Import // of an Import or a Merge
	Preview   *identify.MergePreview
	Checklist identify.TakenChecklist
}

// Job is a job as it is at one moment.
type Job struct {
	ID       int64
	User     identify.UserID
	Kind     Kind
	Name     string
	From     string
	State    State
	Progress identify.ImportProgress // its Bad are all that were left out on the way, the first 100 of them
	Outcome  Outcome                 // once it has ended
	Err      error                   // why it Failed
}
