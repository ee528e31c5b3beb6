package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"fieldmark/internal/probe"
)

// refit is what scikit-learn says of a full leaf. err, if not nil, says why some or
// all of it is missing.
type refit struct {
	said []found
	err  error
}

// pick is one of scikit-learn's fits.
func (r refit) pick(what string) (found, bool) {
	i := slices.IndexFunc(r.said, func(f found) bool { return f.What == what })
	if i < 0 {
		return found{}, false
	}
	return r.said[i], true
}

// refitOf asks scikit-learn, once a run, about a leaf whose optimum we found (nil:
// it is found first).
func (b *bench) refitOf(ctx context.Context, size leafSize, optimum *probe.Model) refit {
	r, asked := b.refits[size]
	if !asked {
		r.said, r.err = b.askRefit(ctx, size, optimum)
		b.refits[size] = r
	}
	return r
}

func (b *bench) askRefit(ctx context.Context, size leafSize, optimum *probe.Model) ([]found, error) {
	if !slices.Contains(b.peers.wanted, scikit) {
		return nil, errMissing("not asked")
	}
	l, err := b.newLeaf(size)
	if err != nil {
		return nil, err
	}
	if optimum == nil {
		fit, _, err := l.consolidate(ctx, b.workers)
		if err != nil {
			return nil, err
		}
		optimum = fit.Model
	}
	if err := b.writeLeaf(l, optimum); err != nil {
		return nil, err
	}
	b.tell("scikit-learn, %s", size)
	return b.peers.ask(ctx, scikit, "probe", b.scratch, b.workers)
}

// writeLeaf writes a leaf's members, as it keeps them, and one exemplar more, what
// is held out, and the optimum.
func (b *bench) writeLeaf(l *fullLeaf, optimum *probe.Model) error {
	data := l.tree.Members(l.leaf)
	n := data.Len()
	more, label := l.draw.At(l.after)
	labels := make([]int32, n+1)
	for i := range n {
		labels[i] = data.Label(i)
	}
	labels[n] = int32(label)
	at := func(name string) string { return filepath.Join(b.scratch, name) }
	return errors.Join(
		meta{Dim: b.dim, C: probe.DefaultC}.write(b.scratch),
		writeInts(at("leaf_labels.i32"), labels),
		writeRows(at("leaf.f32"), n+1, func(i int) []float32 {
			if i < n {
				return data.Row(i)
			}
			return more
		}),
		writeRows(at("held.f32"), len(l.held), func(i int) []float32 { return l.held[i] }),
		writeRows(at("optimum.f32"), len(optimum.Classes()), func(i int) []float32 {
			w, _ := optimum.Weights(i)
			return w
		}),
		writeRows(at("intercept.f32"), len(optimum.Classes()), func(i int) []float32 {
			_, intercept := optimum.Weights(i)
			return []float32{float32(intercept)}
		}))
}

// figures are scikit-learn's times, cold and warm, as peers of a row.
func (r refit) figures() []figure {
	return []figure{r.figure("cold", byClock), r.figure("warm", byClock)}
}

// By what a time is measured.
func byClock(s spent) time.Duration      { return s.clock }
func ofProcessors(s spent) time.Duration { return s.processors }

// figure is a time that one of scikit-learn's fits took. Of one that was stopped
// it is known what it took at least.
func (r refit) figure(what string, by func(spent) time.Duration) figure {
	p := figure{name: scikit + " " + what}
	var slow errSlow
	if f, there := r.pick(what); there {
		p.value, p.note = took(by(f.spent())), fmt.Sprintf("%d iterations", f.Iterations)
	} else if begins, there := r.pick(what + " begins"); there && errors.As(r.err, &slow) {
		p.value, p.least = took(by(spent(slow))-by(begins.spent())), true
	} else {
		p.missing = missing(r.err)
	}
	return p
}

// spent is what a peer says that something took.
func (f found) spent() spent {
	return spent{time.Duration(f.Seconds * float64(time.Second)), time.Duration(f.Used * float64(time.Second))}
}
