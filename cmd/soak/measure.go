package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"
)

// goals of the 95th percentile, by kind.
func goals() [kinds]time.Duration {
	return [kinds]time.Duration{200 * time.Millisecond, 1500 * time.Millisecond, 300 * time.Millisecond}
}

// phase is what came of one part of a run.
type phase struct {
	mu       sync.Mutex
	took     [kinds][]time.Duration // of what was answered as asked
	refused  [kinds]int             // with the word when to come again
	mute     int                    // refused without it
	failed   [kinds]int
	failures []string // some of them

	began, lasted  time.Duration // since the run's start
	server, itself float64       // processors' time in seconds
	others         float64       // of everything else on the machine
	most           float64       // bytes that were resident
	held           []held
}

// add counts one action.
func (p *phase) add(k kind, a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case a.ok():
		p.took[k] = append(p.took[k], a.took)
	case a.refused():
		p.refused[k]++
	default:
		if a.err == nil && (a.status == 503 || a.status == 429) {
			p.mute++
		}
		if p.failed[k]++; len(p.failures) < 5 {
			p.failures = append(p.failures, fmt.Sprintf("%v: %v", k, a))
		}
	}
}

// actions counts all of them.
func (p *phase) actions() (all, failed, refused int) {
	for k := range kinds {
		all += len(p.took[k]) + p.refused[k] + p.failed[k]
		failed, refused = failed+p.failed[k], refused+p.refused[k]
	}
	return all, failed, refused
}

// quantile returns the least time that a share of those of a kind did not exceed.
func (p *phase) quantile(k kind, share float64) time.Duration {
	list := slices.Sorted(slices.Values(p.took[k]))
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(share*float64(len(list))))]
}

// observedRun is a whole run.
type observedRun struct {
	warm, paced, triple, fast, flood phase
	recovery                         time.Duration
	recovered                        bool
	verified                         string
	unmeasured                       error // why the memory in use could not be measured
}

// held is the memory that the server holds on to at rest, in bytes.
type held struct {
	done  int // actions since the phase began
	bytes float64
}

// meter watches the server's memory and everyone's share of the processors.
type meter struct {
	pid   int
	start time.Time
	stop  chan struct{}
	ended sync.WaitGroup
	mu    sync.Mutex
	now   *phase
}

// watch begins to measure; end ends it.
func watch(s *server) *meter {
	m := &meter{pid: s.cmd.Process.Pid, start: time.Now(), stop: make(chan struct{})}
	m.ended.Go(func() {
		for {
			select {
			case <-m.stop:
				return
			case <-time.After(500 * time.Millisecond):
				m.sample()
			}
		}
	})
	return m
}

func (m *meter) sample() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil {
		return
	}
	all, _ := resident(m.pid)
	m.now.most = max(m.now.most, all)
}

// during runs a phase and measures it.
func (m *meter) during(p *phase, run func(*phase)) {
	server, itself, machine := busy(m.pid), busy(os.Getpid()), machineBusy()
	p.began = time.Since(m.start)
	m.mu.Lock()
	m.now = p
	m.mu.Unlock()
	run(p)
	m.mu.Lock()
	m.now = nil
	m.mu.Unlock()
	p.lasted = time.Since(m.start) - p.began
	p.server, p.itself = busy(m.pid)-server, busy(os.Getpid())-itself
	p.others = max(0, machineBusy()-machine-p.server-p.itself)
}

func (m *meter) end() {
	close(m.stop)
	m.ended.Wait()
}

// slope is the least-squares growth of what is held in bytes for each action, over the
// second half, and its standard error: the first half fills what is kept for good
// (pools, caches). It takes three measurements there at least.
func slope(list []held) (grows, give float64) {
	list = list[len(list)/2:]
	n := float64(len(list))
	var x, y, xx, xy float64
	for _, h := range list {
		x, y = x+float64(h.done)/n, y+h.bytes/n
	}
	for _, h := range list {
		dx := float64(h.done) - x
		xx, xy = xx+dx*dx, xy+dx*(h.bytes-y)
	}
	grows = xy / xx
	var off float64 // squares of what the line leaves
	for _, h := range list {
		d := h.bytes - y - grows*(float64(h.done)-x)
		off += d * d
	}
	return grows, math.Sqrt(off / (n - 2) / xx)
}
