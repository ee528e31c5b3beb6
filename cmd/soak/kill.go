package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// killing is a series of kills.
type killing struct {
	common
	kills, corrections, people, fresh int
}

// killed is what came of it.
type killed struct {
	kills, acknowledged, lost, disagreed int
	longest                              int // acknowledged before one kill
	verified                             time.Duration
	events                               int // in all logs
	took                                 time.Duration
}

// acknowledgement is a correction that was answered with 201.
type acknowledgement struct {
	ID          int64 `json:"id"`
	Seq         int64 `json:"memory_seq"`
	observation int64
}

func runKill(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var k killing
	fs := flag.NewFlagSet("soak kill", flag.ContinueOnError)
	fs.SetOutput(stderr)
	k.register(fs)
	fs.IntVar(&k.kills, "kills", 200, "`number` of kills")
	fs.IntVar(&k.corrections, "corrections", 1000, "corrections that are under way, at a random one of which the kill comes (`N`)")
	fs.IntVar(&k.people, "people", 8, "`number` of people who correct at once")
	fs.IntVar(&k.fresh, "fresh", 10, "kills after which a new data folder is begun (`N`)")
	if err := fs.Parse(args); err != nil {
		return err
	}
	return k.inScratch(func(folder string) error {
		got, err := k.run(ctx, folder, stderr)
		if err != nil {
			return err
		}
		text := killSection(k, got)
		fmt.Fprint(stdout, text)
		if err := writeSection(k.out, "kill", text); err != nil {
			return err
		}
		if got.lost > 0 || got.disagreed > 0 {
			return errMissed
		}
		return nil
	})
}

// run kills as often as it shall, and checks after each kill.
func (k *killing) run(ctx context.Context, folder string, log io.Writer) (killed, error) {
	var got killed
	rng, start := rand.New(rand.NewPCG(k.seed, 1)), time.Now()
	photos, err := drawn(k.people, k.seed)
	if err != nil {
		return got, err
	}
	var before int
	for i := range k.kills {
		data := filepath.Join(folder, fmt.Sprint("data", i/k.fresh))
		if i%k.fresh == 0 {
			before = 0
		}
		list, err := k.killOnce(ctx, data, photos, i%k.fresh == 0, rng)
		if err != nil {
			return got, fmt.Errorf("kill %d: %w", i+1, err)
		}
		got.kills, got.acknowledged, got.longest = got.kills+1, got.acknowledged+len(list), max(got.longest, len(list))
		lost, events, err := missing(ctx, data, list)
		if err != nil {
			return got, err
		}
		got.lost, got.events, before = got.lost+lost, got.events+events-before, events
		verifying := time.Now()
		if _, err := command(ctx, k.webapp, "verify", "--data", data); err != nil {
			if ctx.Err() != nil {
				return got, ctx.Err()
			}
			got.disagreed++
			fmt.Fprintln(log, err)
		}
		got.verified += time.Since(verifying)
		if (i+1)%10 == 0 {
			fmt.Fprintf(log, "%d kills, %d acknowledged, %d lost, %d disagreed, %d events, %s\n",
				got.kills, got.acknowledged, got.lost, got.disagreed, got.events, time.Since(start).Round(time.Second))
		}
	}
	got.took = time.Since(start)
	return got, nil
}

// killOnce serves a data folder, lets people correct, and kills the server at a random
// correction. It returns what was acknowledged.
func (k *killing) killOnce(ctx context.Context, data string, photos [][]byte, fill bool, rng *rand.Rand) ([]acknowledgement, error) {
	s, err := startServer(k.webapp, data)
	if err != nil {
		return nil, err
	}
	c := &client{http: newHTTP(k.people), url: s.url}
	defer c.http.CloseIdleConnections()
	if fill {
		for _, p := range photos {
			if a := c.observe(ctx, p); !a.ok() {
				return nil, errors.Join(fmt.Errorf("a photo is not taken: %v", a), s.kill())
			}
		}
	}
	var mu sync.Mutex
	var list []acknowledgement
	var working sync.WaitGroup
	at, pause := 1+rng.IntN(k.corrections), time.Duration(rng.IntN(5000))*time.Microsecond
	reached, everyone := make(chan struct{}), make(chan struct{})
	salt := rng.IntN(1 << 30)
	for person := range k.people {
		working.Go(func() {
			for i := salt; ; i++ {
				o := int64(person + 1)
				answer := c.correct(ctx, o, fmt.Sprintf("Thing %d", (i*7+person)%40))
				if answer.status == http.StatusConflict {
					continue // it has that name since before the last kill
				}
				var got acknowledgement
				if answer.into(&got) != nil {
					return // killed in the middle: nothing was acknowledged
				}
				got.observation = o
				mu.Lock()
				if list = append(list, got); len(list) == at {
					close(reached)
				}
				mu.Unlock()
			}
		})
	}
	go func() {
		working.Wait()
		close(everyone)
	}()
	select {
	case <-reached:
	case <-everyone:
		return nil, errors.Join(fmt.Errorf("nobody could correct any more after %d corrections; see %s.log", len(list), data), s.kill())
	}
	time.Sleep(pause)
	err = s.kill()
	<-everyone
	return list, err
}

// missing counts what was acknowledged and is not in the log, and the log's events.
func missing(ctx context.Context, data string, list []acknowledgement) (lost, events int, err error) {
	st, err := store.Open(ctx, filepath.Join(data, "fieldmark.db"))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	type key struct{ seq, id, observation int64 }
	there := map[key]bool{}
	for after := identify.Seq(0); ; {
		page, err := st.Events(ctx, "", after, 1000)
		if err != nil {
			return 0, 0, err
		}
		for _, e := range page {
			there[key{int64(e.Seq), int64(e.Identification), int64(e.Observation)}] = e.Kind.Given()
			after = e.Seq
		}
		if len(page) < 1000 {
			break
		}
	}
	for _, a := range list {
		if !there[key{a.Seq, a.ID, a.observation}] {
			lost++
		}
	}
	return lost, len(there), nil
}
