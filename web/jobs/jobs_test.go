package jobs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// file counts how often it was closed.
type file struct{ closed atomic.Int32 }

func (f *file) Close() error {
	f.closed.Add(1)
	return nil
}

// work ends when it is let, or when its context does.
func work(u identify.UserID, f *file, let chan struct{}) Work {
	return Work{User: u, Name: "a.zip", File: f, Do: func(ctx context.Context, skipBad bool, told func(identify.ImportProgress)) (Outcome, error) {
		told(identify.ImportProgress{Done: 1, Total: 2, Bad: []identify.BadRow{{Row: 1}}})
		told(identify.ImportProgress{Done: 2, Total: 2, Bad: []identify.BadRow{{Row: 2}}})
		select {
		case <-let:
		case <-ctx.Done():
			return Outcome{Import: identify.Import{Done: 2}}, ctx.Err()
		}
		if skipBad {
			return Outcome{Import: identify.Import{Skipped: 1}}, nil
		}
		return Outcome{}, nil
	}}
}

// start begins work that nothing stands in the way of.
func start(t *testing.T, j *Jobs, w Work) int64 {
	t.Helper()
	id, err := j.Start(w)
	if err != nil {
		t.Error(err)
	}
	return id
}

func ended(t *testing.T, j *Jobs, id int64, u identify.UserID) Job {
	t.Helper()
	j.Wait(context.Background(), id, 20*time.Second)
	for _, x := range j.Of(u) {
		if x.ID == id {
			return x
		}
	}
	t.Fatalf("job %d is not there", id)
	return Job{}
}

func TestJobs(t *testing.T) {
	j, let, f := New(context.Background()), make(chan struct{}), &file{}
	id := j.Hold(work(7, f, let))
	if len(j.Of(7)) != 0 || identify.KindOf(j.Decide(id, 8, false)) != identify.NotFound {
		t.Error("a file that is held is somebody else's")
	}
	if err := j.Decide(id, 7, true); err != nil || identify.KindOf(j.Decide(id, 7, true)) != identify.NotFound {
		t.Errorf("%v", err)
	}
	close(let)
	if x := ended(t, j, id, 7); x.State != Done || x.Outcome.Import.Skipped != 1 || len(x.Progress.Bad) != 2 || x.Progress.Done != 2 || f.closed.Load() != 1 {
		t.Errorf("%+v, closed %d times", x, f.closed.Load())
	}
	if len(j.Of(8)) != 0 {
		t.Error("others see it")
	}

	// The oldest that is held goes for another; what is dropped is closed.
	var files [maxHeld + 1]file
	var first int64
	for i := range files {
		if id := j.Hold(work(7, &files[i], let)); i == 0 {
			first = id
		}
	}
	if files[0].closed.Load() != 1 || files[1].closed.Load() != 0 || identify.KindOf(j.Decide(first, 7, false)) != identify.NotFound {
		t.Error("the oldest is still held")
	}
	j.Drop(first+1, 8)
	if j.Drop(first+1, 7); files[1].closed.Load() != 1 {
		t.Errorf("dropped, and closed %d times", files[1].closed.Load())
	}

	// Closing breaks off what runs and closes what is held.
	g := &file{}
	id = start(t, j, work(7, g, nil))
	if err := j.Close(); err != nil || g.closed.Load() != 1 || files[2].closed.Load() != 1 {
		t.Errorf("%v", err)
	}
	if x := ended(t, j, id, 7); x.State != Failed || !errors.Is(x.Err, context.Canceled) {
		t.Errorf("%+v", x)
	}
}

// What is being taken in is begun by nobody again until it has ended, whoever began it
// and whatever the file is called.
func TestOneJobOfOneThing(t *testing.T) {
	j, let := New(context.Background()), make(chan struct{})
	defer j.Close()
	same := func(u identify.UserID, f *file) Work {
		w := work(u, f, let)
		w.Of = "abc"
		return w
	}
	first, again := &file{}, &file{}
	id, held := start(t, j, same(7, first)), j.Hold(same(8, again))
	if !j.Runs("abc") || j.Runs("abd") {
		t.Error("it is not known what runs")
	}
	if _, err := j.Start(same(8, &file{})); identify.KindOf(err) != identify.Conflict {
		t.Errorf("a second start: %v", err)
	}
	if err := j.Decide(held, 8, false); identify.KindOf(err) != identify.Conflict || again.closed.Load() != 0 {
		t.Errorf("a file that was held: %v", err)
	}
	start(t, j, work(7, &file{}, let)) // of nothing: beside others
	close(let)
	if x := ended(t, j, id, 7); x.State != Done || j.Runs("abc") {
		t.Errorf("%+v", x)
	}
	if err := j.Decide(held, 8, false); err != nil {
		t.Error(err)
	}
}

// A job is stopped by whoever began it, says what it had done by then, and lets go of
// its file. What was complete when it was stopped is done.
func TestAJobIsStopped(t *testing.T) {
	j, f := New(context.Background()), &file{}
	defer j.Close()
	id := start(t, j, work(7, f, nil))
	if _, err := j.Job(id, 8); identify.KindOf(j.Stop(id, 8)) != identify.NotFound || identify.KindOf(err) != identify.NotFound {
		t.Error("it is somebody else's to stop")
	}
	j.Forget(id, 7) // runs: it stays
	if err := j.Stop(id, 7); err != nil {
		t.Fatal(err)
	}
	if x := ended(t, j, id, 7); x.State != Stopped || x.Err != nil || x.Outcome.Import.Done != 2 || f.closed.Load() != 1 {
		t.Errorf("%+v, closed %d times", x, f.closed.Load())
	}
	if err := j.Stop(id, 7); err != nil {
		t.Errorf("again: %v", err)
	}
	if j.Forget(id, 7); len(j.Of(7)) != 0 {
		t.Error("it is not forgotten")
	}
	now := time.Now()
	whole := work(7, &file{}, nil)
	whole.Do = func(ctx context.Context, _ bool, _ func(identify.ImportProgress)) (Outcome, error) {
		<-ctx.Done()
		return Outcome{Import: identify.Import{EndedAt: &now}}, ctx.Err()
	}
	id = start(t, j, whole)
	if err := j.Stop(id, 7); err != nil {
		t.Fatal(err)
	}
	if x := ended(t, j, id, 7); x.State != Done {
		t.Errorf("%+v", x)
	}
}

// What one person holds takes no place from another, and what came to an end for one
// is not forgotten for what another did.
func TestJobsOfOnePersonTakeNoPlaceFromAnother(t *testing.T) {
	j, let := New(context.Background()), make(chan struct{})
	close(let)
	defer j.Close()
	mine := &file{}
	held, ran := j.Hold(work(7, mine, let)), start(t, j, work(7, &file{}, let))
	ended(t, j, ran, 7)
	for range maxHeld + maxEnded {
		j.Hold(work(8, &file{}, let))
		ended(t, j, start(t, j, work(8, &file{}, let)), 8)
	}
	if mine.closed.Load() != 0 || len(j.Of(7)) != 1 || len(j.Of(8)) > maxEnded+1 {
		t.Errorf("closed %d times; of one %d, of the other %d", mine.closed.Load(), len(j.Of(7)), len(j.Of(8)))
	}
	if err := j.Decide(held, 7, false); err != nil {
		t.Error(err)
	}
	ended(t, j, held, 7)
}

// What comes when the server stops, before, during or after Close, fails or is broken
// off, says so, and leaves no file open and nothing running.
func TestJobsThatComeWhileClosing(t *testing.T) {
	j := New(context.Background())
	const many = 50
	var files [2 * many]file
	var coming sync.WaitGroup
	for i := range many {
		coming.Go(func() {
			id := start(t, j, work(7, &files[2*i], nil))
			_ = j.Decide(j.Hold(work(7, &files[2*i+1], nil)), 7, false)
			j.Wait(context.Background(), id, 20*time.Second)
		})
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	coming.Wait()
	if err := j.Close(); err != nil { // those that were held in between
		t.Error(err)
	}
	for i := range files {
		if n := files[i].closed.Load(); n != 1 {
			t.Errorf("file %d was closed %d times", i, n)
		}
	}
	after := &file{}
	if x := ended(t, j, start(t, j, work(9, after, nil)), 9); x.State != Failed || identify.KindOf(x.Err) != identify.NotReady || after.closed.Load() != 1 {
		t.Errorf("%+v, closed %d times", x, after.closed.Load())
	}
}

// A bundle is looked through once at a time, and not while it is taken in; what came of
// it is remembered.
func TestAPreviewIsAJob(t *testing.T) {
	j, let := New(context.Background()), make(chan struct{})
	defer j.Close()
	look := func(f *file) Work {
		w := work(7, f, let)
		w.Kind, w.Of, w.From = Preview, "abc", "/bundles/1"
		do := w.Do
		w.Do = func(ctx context.Context, skipBad bool, told func(identify.ImportProgress)) (Outcome, error) {
			_, err := do(ctx, skipBad, told)
			return Outcome{Preview: &identify.MergePreview{New: 3}}, err
		}
		return w
	}
	id := start(t, j, look(&file{}))
	_, err := j.Start(look(&file{}))
	if identify.KindOf(err) != identify.Conflict || !strings.Contains(err.Error(), "looked through") || j.Free("abc") == nil || j.Free("abd") != nil {
		t.Errorf("a second start: %v", err)
	}
	close(let)
	if x := ended(t, j, id, 7); x.State != Done || x.Outcome.Preview.New != 3 || x.From != "/bundles/1" || j.Free("abc") != nil {
		t.Errorf("%+v", x)
	}
}
