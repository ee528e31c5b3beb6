// Package jobs lets imports that were begun on a page go on while whoever began
// them looks elsewhere. It keeps them in memory alone: what was taught is in the
// log, and an import that a restart broke off goes on when its file is sent again,
// or decided about again where it is still kept.
package jobs

import (
	"context"
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
	// maxBad is how many rows a job remembers that were left out on the way.
	maxBad = 100
)

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
	stop  context.CancelCauseFunc // while it runs
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
		j.end(x, Outcome{}, errClosed)
		return x.ID
	}
	held := slices.DeleteFunc(slices.Clone(j.jobs), func(x *job) bool { return x.State != Held || x.User != w.User })
	if len(held) > maxHeld {
		j.drop(held[0])
	}
	x.timer = time.AfterFunc(heldFor, func() { j.Drop(x.ID, x.User) })
	return x.ID
}

// Start begins an import. What is being taken in already is a Conflict, and the file
// stays open.
func (j *Jobs) Start(w Work) (id int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.free(w.Of); err != nil {
		return 0, err
	}
	x := j.add(w, Running)
	j.run(x, false)
	return x.ID, nil
}

// Decide begins the import of a file that is held; skipBad leaves its bad rows
// out. It is NotFound if the file is not there any more, or another person's, and a
// Conflict if it is being taken in already; then it is held still.
func (j *Jobs) Decide(id int64, u identify.UserID, skipBad bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.held(id, u)
	if x == nil {
		return errGone
	}
	if err := j.free(x.work.Of); err != nil {
		return err
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

// Stop ends a person's job that runs after what it is storing at this moment. It is
// NotFound if there is none, and does nothing if it has ended.
func (j *Jobs) Stop(id int64, u identify.UserID) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.of(id, u)
	if x == nil {
		return errUnknown
	}
	if x.State == Running {
		x.stop(errStopped)
	}
	return nil
}

// Forget takes a person's job that has ended off the list.
func (j *Jobs) Forget(id int64, u identify.UserID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x := j.of(id, u); x != nil && x.State != Running && x.State != Held {
		j.remove(x)
	}
}

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

// Job returns a person's job that runs or came to an end; KindOf NotFound if there is
// none.
func (j *Jobs) Job(id int64, u identify.UserID) (Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x := j.of(id, u); x != nil && x.State != Held {
		return x.Job, nil
	}
	return Job{}, errUnknown
}

// Runs reports whether something is being taken in, or looked through, by whomever.
func (j *Jobs) Runs(of string) bool { return j.Free(of) != nil }

// Free is a Conflict while a job about something runs, whoever began it.
func (j *Jobs) Free(of string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.free(of)
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
