package jobs

import (
	"context"
	"slices"

	"fieldmark/internal/identify"
)

// The methods below are called with mu held.

func (j *Jobs) add(w Work, s State) *job {
	j.last++
	x := &job{Job: Job{ID: j.last, User: w.User, Kind: w.Kind, Name: w.Name, From: w.From, State: s}, work: w, ended: make(chan struct{})}
	j.jobs = append(j.jobs, x)
	j.forget()
	return x
}

// forget lets go of the oldest of each person that came to an end.
func (j *Jobs) forget() {
	ended := map[identify.UserID]int{}
	for _, x := range slices.Backward(j.jobs) {
		if x.State != Held && x.State != Running {
			if ended[x.User]++; ended[x.User] > maxEnded {
				j.remove(x)
			}
		}
	}
}

// free refuses what a job is about that runs; what is about nothing runs as often as it
// may.
func (j *Jobs) free(of string) error {
	for _, x := range j.jobs {
		if of == "" || x.State != Running || x.work.Of != of {
			continue
		}
		if x.Kind == Preview {
			return errLooks
		}
		return errRuns
	}
	return nil
}

// of is a person's job, nil if there is none.
func (j *Jobs) of(id int64, u identify.UserID) *job {
	for _, x := range j.jobs {
		if x.ID == id && x.User == u {
			return x
		}
	}
	return nil
}

func (j *Jobs) held(id int64, u identify.UserID) *job {
	if x := j.of(id, u); x != nil && x.State == Held {
		return x
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
		j.end(x, Outcome{}, errClosed)
		return
	}
	ctx, stop := context.WithCancelCause(j.ctx)
	x.stop = stop
	j.running.Go(func() {
		defer stop(nil)
		out, err := x.work.Do(ctx, skipBad, func(p identify.ImportProgress) { j.told(x, p) })
		if err != nil && context.Cause(ctx) == errStopped {
			if err = errStopped; out.Import.EndedAt != nil {
				err = nil // all of it was taken in before
			}
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.end(x, out, err)
	})
}

// end lets go of a job's file and notes how it ended.
func (j *Jobs) end(x *job, out Outcome, err error) {
	_ = x.work.File.Close() // it was only read
	x.State, x.Outcome = Done, out
	switch {
	case err == errStopped:
		x.State = Stopped
	case err != nil:
		x.State, x.Err = Failed, err
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
