// Package jobs lets imports that were begun on a page go on while whoever began
// them looks elsewhere. It keeps them in memory alone: what was taught is in the
// log, and an import that a restart broke off goes on when its file is sent again.
package jobs

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"fieldmark/internal/identify"
)

const (
	// maxHeld is how many files of one person wait for a decision; their oldest goes
	// for another.
	maxHeld = 4
	// heldFor is how long one waits.
	heldFor = time.Hour
	// maxEnded is how many imports of one person that came to an end are remembered.
	maxEnded = 10
)

// State is how far a job is.
type State string

// The states of a job.
const (
	Held    State = "held" // waits for a decision
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Work is an import of a file that is open.
type Work struct {
	User identify.UserID
	Name string // of the file
	File io.Closer
	Do   func(ctx context.Context, skipBad bool, told func(identify.ImportProgress)) (identify.Import, error)
}

// Job is a job as it is at one moment.
type Job struct {
	ID       int64
	User     identify.UserID
	Name     string
	State    State
	Progress identify.ImportProgress // its Bad are all that were left out on the way, the first 100 of them
	Import   identify.Import         // once it is Done
	Err      error                   // why it Failed
}

// maxBad is how many rows a job remembers that were left out on the way.
const maxBad = 100

// Jobs are the imports of a server. Close it.
type Jobs struct {
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	last   int64
	jobs   []*job
	closed bool
}

type job struct {
	Job
	work  Work
	ended chan struct{}
	timer *time.Timer
}

// New returns an empty list of jobs, which end with ctx.
func New(ctx context.Context) *Jobs {
	ctx, stop := context.WithCancel(ctx)
	return &Jobs{ctx: ctx, stop: stop}
}

// Close breaks off what is under way, waits for it and lets go of all files. What is
// begun from then on has failed, and its file is let go at once.
func (j *Jobs) Close() error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.stop()
	j.running.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, x := range j.jobs {
		if x.State == Held {
			j.drop(x)
		}
	}
	return nil
}

// Hold keeps a file until it is decided what becomes of it.
func (j *Jobs) Hold(w Work) (id int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.add(w, Held)
	if j.closed {
		j.end(x, identify.Import{}, errClosed)
		return x.ID
	}
	held := slices.DeleteFunc(slices.Clone(j.jobs), func(x *job) bool { return x.State != Held || x.User != w.User })
	if len(held) > maxHeld {
		j.drop(held[0])
	}
	x.timer = time.AfterFunc(heldFor, func() { j.Drop(x.ID, x.User) })
	return x.ID
}

// Start begins an import.
func (j *Jobs) Start(w Work) (id int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.add(w, Running)
	j.run(x, false)
	return x.ID
}

// Decide begins the import of a file that is held; skipBad leaves its bad rows
// out. It is NotFound if the file is not there any more, or another person's.
func (j *Jobs) Decide(id int64, u identify.UserID, skipBad bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.held(id, u)
	if x == nil {
		return errGone
	}
	x.timer.Stop()
	x.State = Running
	j.run(x, skipBad)
	return nil
}

// Drop lets go of a file that is held.
func (j *Jobs) Drop(id int64, u identify.UserID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x := j.held(id, u); x != nil {
		j.drop(x)
	}
}

// errClosed is of work that comes when the server stops.
var errClosed = identify.Errorf(identify.NotReady, "", "This server is stopping. Send the file again when it runs.")

var errGone = identify.Errorf(identify.NotFound, "file", "This file is not kept any more. Send it again.")

// Of lists a person's jobs that run or came to an end, newest first.
func (j *Jobs) Of(u identify.UserID) []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []Job
	for _, x := range slices.Backward(j.jobs) {
		if x.User == u && x.State != Held {
			list = append(list, x.Job)
		}
	}
	return list
}

// Runs reports whether a file of that name is being imported, by whomever.
func (j *Jobs) Runs(name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.jobs, func(x *job) bool { return x.State == Running && x.Name == name })
}

// Wait waits for a job to end, no longer than atMost.
func (j *Jobs) Wait(ctx context.Context, id int64, atMost time.Duration) {
	j.mu.Lock()
	i := slices.IndexFunc(j.jobs, func(x *job) bool { return x.ID == id })
	if i < 0 {
		j.mu.Unlock()
		return
	}
	ended := j.jobs[i].ended
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// The methods below are called with mu held.

func (j *Jobs) add(w Work, s State) *job {
	j.last++
	x := &job{Job: Job{ID: j.last, User: w.User, Name: w.Name, State: s}, work: w, ended: make(chan struct{})}
	j.jobs = append(j.jobs, x)
	j.forget()
	return x
}

// forget lets go of the oldest of each person that came to an end.
func (j *Jobs) forget() {
	ended := map[identify.UserID]int{}
	for _, x := range slices.Backward(j.jobs) {
		if x.State == Done || x.State == Failed {
			if ended[x.User]++; ended[x.User] > maxEnded {
				j.remove(x)
			}
		}
	}
}

func (j *Jobs) held(id int64, u identify.UserID) *job {
	for _, x := range j.jobs {
		if x.ID == id && x.User == u && x.State == Held {
			return x
		}
	}
	return nil
}

func (j *Jobs) drop(x *job) {
	x.timer.Stop()
	_ = x.work.File.Close() // it was only read
	j.remove(x)
}

func (j *Jobs) remove(x *job) {
	j.jobs = slices.DeleteFunc(slices.Clone(j.jobs), func(y *job) bool { return y == x })
}

func (j *Jobs) run(x *job, skipBad bool) {
	if j.closed { // nobody would wait for it
		j.end(x, identify.Import{}, errClosed)
		return
	}
	j.running.Go(func() {
		m, err := x.work.Do(j.ctx, skipBad, func(p identify.ImportProgress) { j.told(x, p) })
		j.mu.Lock()
		defer j.mu.Unlock()
		j.end(x, m, err)
	})
}

// end lets go of a job's file and notes how it ended.
func (j *Jobs) end(x *job, m identify.Import, err error) {
	_ = x.work.File.Close() // it was only read
	if x.State, x.Import, x.Err = Done, m, err; err != nil {
		x.State = Failed
	}
	x.work = Work{} // the list remembers how it ended, not the plan and the file that Do holds
	close(x.ended)
}

func (j *Jobs) told(x *job, p identify.ImportProgress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	bad := append(slices.Clone(x.Progress.Bad), p.Bad...)
	p.Bad = bad[:min(maxBad, len(bad))]
	x.Progress = p
}
