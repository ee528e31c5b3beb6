package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	neighbours = 9    // k, the paper's
	enough     = .99  // recall at which searches are compared
	centres    = 3000 // clusters, fewer of few vectors
	cluster    = 33   // vectors of a cluster, at least
	graphM     = 16   // links; the same for every graph
	graphBuild = 128  // width when building; the same for every graph
	fewQueries = 50   // that an exact scan is timed on
)

// retrieval measures the nine nearest.
func (b *bench) retrieval(ctx context.Context) (section, error) {
	b.tell("%d vectors, and the truth", b.exemplars)
	c, err := b.collect(b.exemplars, b.scratch)
	if err != nil {
		return section{}, err
	}
	b.tell("our graph")
	ours, err := b.ourGraph(c)
	if err != nil {
		return section{}, err
	}
	list := []contender{b.peerGraph(ctx, hnswNative, "", b.scratch), b.peerGraph(ctx, hnswWheel, "hnswlib", b.scratch)}
	slow, err := b.slowPeers(ctx)
	if err != nil {
		return section{}, err
	}
	scan := b.peerGraph(ctx, faissPeer, "faiss-scan", b.scratch)
	for i := range scan.sweep {
		scan.sweep[i].width = 0
	}
	ours.exact = append(ours.exact, figure{name: "FAISS's exact scan", missing: scan.missing})
	if scan.missing == "" {
		s := leastEnough(scan.sweep)
		ours.exact[1].value, ours.exact[1].note = s.perSecond, s.note()
	}
	return compare(count(c.n), ours, append(list, slow...)), nil
}

// slowPeers are compared on as many vectors as they can take in the time.
func (b *bench) slowPeers(ctx context.Context) ([]contender, error) {
	n, dir := min(b.exemplars, b.slow), filepath.Join(b.scratch, "slow")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	c, err := b.collect(n, dir)
	if err != nil {
		return nil, err
	}
	f := b.peerGraph(ctx, faissPeer, "faiss", dir)
	coder, err := b.coderGraph(c)
	if f.note = "of " + count(n); n < b.exemplars {
		f.note += " only"
	}
	coder.note = f.note
	return []contender{f, coder}, err
}

// compare makes the table of ours and the others at n vectors.
func compare(n string, ours contender, others []contender) section {
	best := leastEnough(ours.sweep)
	usual := fmt.Sprintf("width %d", ours.usual.width)
	queries := row{what: "queries per second on one core, of " + n, unit: rate, ours: best.perSecond, note: best.note(),
		bounds: []bound{{1, hnswNative}, {1, hnswWheel}}, peers: ours.exact}
	inserts := row{what: "inserts per second on one core, of " + n, unit: rate, ours: ours.inserts,
		bounds: []bound{{1, hnswNative}, {1, hnswWheel}}}
	tail := row{what: "p99, of " + n, unit: duration, ours: ours.usual.p99, note: usual, bounds: []bound{{value: 5e-3}}}
	median := row{what: "p50, of " + n, unit: duration, ours: ours.usual.p50, note: usual}
	for _, o := range others {
		if o.missing != "" {
			gap := figure{name: o.name, missing: o.missing}
			queries.peers, inserts.peers = append(queries.peers, gap), append(inserts.peers, gap)
			continue
		}
		s := leastEnough(o.sweep)
		note := s.note()
		if o.note != "" {
			note += " " + o.note
		}
		queries.peers = append(queries.peers, figure{name: o.name, value: s.perSecond, note: note})
		inserts.peers = append(inserts.peers, figure{name: o.name, value: o.inserts, note: o.note})
		tail.peers = append(tail.peers, figure{name: o.name, value: s.p99, note: note})
		median.peers = append(median.peers, figure{name: o.name, value: s.p50, note: note})
	}
	recall := row{what: "recall of the nine nearest, of " + n, unit: share, ours: ours.usual.recall, note: usual, bounds: []bound{{value: enough}}}
	return section{rows: []row{recall, median, tail, queries, inserts}, notes: []string{sweeps(ours, others)}}
}

// sweeps lists what every width gave.
func sweeps(ours contender, others []contender) string {
	text := "Width: recall, queries per second on one core."
	ours.name = "Fieldmark"
	for _, c := range append([]contender{ours}, others...) {
		if c.missing != "" {
			continue
		}
		text += " " + c.name + ":"
		for _, s := range c.sweep {
			text += fmt.Sprintf(" %d: %.4f, %s;", s.width, s.recall, digits(s.perSecond))
		}
	}
	return text
}
