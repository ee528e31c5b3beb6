package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/password"
	"fieldmark/internal/store"
)

// admit makes a data folder with so many experts and returns their tokens.
func admit(ctx context.Context, data string, people int) (tokens []string, err error) {
	st, err := store.Open(ctx, filepath.Join(data, "fieldmark.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	guesses, err := password.LoadGuesses()
	if err != nil {
		return nil, err
	}
	all := identify.NewPeople(identify.PeopleConfig{Store: st, Passwords: password.New(password.Default(), 1), Guesses: guesses, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	owner, err := all.Owner(ctx)
	if err != nil {
		return nil, err
	}
	for i := range people {
		token, err := all.AddProgram(ctx, owner, identify.Token{Name: fmt.Sprintf("Person %d", i+1), Role: identify.Expert})
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// crowd is everyone who comes.
type crowd struct {
	people []*client
	photos [][]byte
	names  []string
	seed   uint64
	sent   atomic.Uint64 // photos
	newest atomic.Int64  // observation
}

func newCrowd(s *server, tokens []string, photos [][]byte, seed uint64, connections int) *crowd {
	c := &crowd{photos: photos, names: labels(), seed: seed}
	shared := newHTTP(connections)
	for i, token := range tokens {
		c.people = append(c.people, &client{http: shared, url: s.url, token: token, address: fmt.Sprintf("198.18.%d.%d", i/250, 1+i%250)})
	}
	return c
}

// kind of an action.
type kind int

const (
	browse kind = iota // a page
	name               // a photo is sent, kept and named
	correct
	kinds
)

func (k kind) String() string { return [...]string{"page", "identify", "correction"}[k] }

// draw draws an action: of ten, seven are pages, two photos, one a correction.
func drawKind(rng *rand.Rand) kind {
	switch n := rng.IntN(10); {
	case n < 7:
		return browse
	case n < 9:
		return name
	}
	return correct
}

// act lets a person do one thing and returns how it was answered.
func (c *crowd) act(ctx context.Context, person *client, k kind, rng *rand.Rand) answer {
	switch k {
	case name:
		photo := unique(c.photos[rng.IntN(len(c.photos))], c.seed<<40|c.sent.Add(1))
		a := person.observe(ctx, photo)
		var made struct{ ID int64 }
		if a.into(&made) == nil {
			c.newest.Store(max(made.ID, c.newest.Load()))
		}
		return a
	case correct:
		for {
			a := person.correct(ctx, c.some(rng), c.names[rng.IntN(len(c.names))])
			if a.status != http.StatusConflict { // it has that name already
				return a
			}
		}
	}
	return person.get(ctx, c.page(rng))
}

// some observation, a late one rather than an early one.
func (c *crowd) some(rng *rand.Rand) int64 {
	n := c.newest.Load()
	return max(1, n-rng.Int64N(max(1, min(n, 200))))
}

// page is where somebody goes: of ten pages, three observations, two lists, two the
// first page, and one each of the gallery, the queue and a search for a name.
func (c *crowd) page(rng *rand.Rand) string {
	switch rng.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("/observations/%d", c.some(rng))
	case 3, 4:
		return "/observations"
	case 5, 6:
		return "/"
	case 7:
		return "/memory"
	case 8:
		return "/review"
	}
	word := c.names[rng.IntN(len(c.names))]
	return "/taxa?q=" + url.QueryEscape(word[:3+rng.IntN(len(word)-3)])
}

// teach sends photos and names them, so that there is something to look at.
func (c *crowd) teach(ctx context.Context, lessons int) error {
	rng := rand.New(rand.NewPCG(c.seed, 2))
	for i := range lessons {
		person := c.people[i%len(c.people)]
		if a := c.act(ctx, person, name, rng); !a.ok() {
			return fmt.Errorf("a photo is not taken: %v", a)
		}
		if a := person.correct(ctx, c.newest.Load(), c.names[rng.IntN(len(c.names))]); !a.ok() {
			return fmt.Errorf("a lesson is not taken: %v", a)
		}
	}
	return nil
}

// each lets people act, one goroutine for each, until do returns false.
func (c *crowd) each(p *phase, people int, stream uint64, do func(person *client, rng *rand.Rand) bool) {
	var working sync.WaitGroup
	for i := range people {
		rng := rand.New(rand.NewPCG(c.seed, stream<<32|uint64(i)))
		working.Go(func() {
			for do(c.people[i], rng) {
			}
		})
	}
	working.Wait()
}

// atOwnPace lets people act every think in the mean, anything from half to one and a
// half of it, each beginning at some moment of the first. Who still waits for an answer
// begins nothing new.
func (c *crowd) atOwnPace(ctx context.Context, p *phase, people int, think, long time.Duration) {
	end := time.Now().Add(long)
	first := make(map[*client]bool, people)
	var mu sync.Mutex
	c.each(p, people, 3+uint64(people), func(person *client, rng *rand.Rand) bool {
		pause := time.Duration((0.5 + rng.Float64()) * float64(think))
		mu.Lock()
		if !first[person] {
			first[person], pause = true, time.Duration(rng.Float64()*float64(think))
		}
		mu.Unlock()
		if time.Now().Add(pause).After(end) || !sleep(ctx, pause) {
			return false
		}
		k := drawKind(rng)
		p.add(k, c.act(ctx, person, k, rng))
		return true
	})
}

// oneAfterTheOther does so many actions of the same mix without any pause, or as many as
// there is time for. Rounds differ in what is done.
func (c *crowd) oneAfterTheOther(ctx context.Context, p *phase, people int, round uint64, actions int, longest time.Duration) {
	var done atomic.Int64
	end := time.Now().Add(longest)
	c.each(p, people, 1<<16+round, func(person *client, rng *rand.Rand) bool {
		if ctx.Err() != nil || time.Now().After(end) || done.Add(1) > int64(actions) {
			return false
		}
		k := drawKind(rng)
		p.add(k, c.act(ctx, person, k, rng))
		return true
	})
}

// flood lets everyone send photos and corrections as fast as they can; who is refused
// comes again after a tenth of a second, sooner than told.
func (c *crowd) flood(ctx context.Context, p *phase, people int, long time.Duration) {
	end := time.Now().Add(long)
	c.each(p, people, 2, func(person *client, rng *rand.Rand) bool {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
		k := drawKind(rng)
		a := c.act(ctx, person, k, rng)
		p.add(k, a)
		return !a.refused() || sleep(ctx, 100*time.Millisecond)
	})
}

// recovery is how long after the flood each kind of action keeps its goal again.
func (c *crowd) recovery(ctx context.Context, longest time.Duration) (time.Duration, bool) {
	start, rng := time.Now(), rand.New(rand.NewPCG(c.seed, 4))
	for time.Since(start) < longest && ctx.Err() == nil {
		since, good := time.Since(start), 0
		for k := range kinds {
			if a := c.act(ctx, c.people[0], k, rng); a.ok() && a.took <= goals()[k] {
				good++
			}
		}
		if good == int(kinds) {
			return since, true
		}
	}
	return time.Since(start), false
}

// sleep waits and reports whether nobody broke it off.
func sleep(ctx context.Context, long time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(long):
		return true
	}
}
