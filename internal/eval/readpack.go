package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// ReadPack reads a reference pack: reference.json and the two files of float32
// that it names.
func ReadPack(fsys fs.FS) (*Pack, error) {
	raw, err := fs.ReadFile(fsys, "reference.json")
	if err != nil {
		return nil, fmt.Errorf("reference pack: %w", err)
	}
	var j packJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, fmt.Errorf("reference.json: %w", err)
	}
	if j.Format != 1 {
		return nil, fmt.Errorf("reference.json: format %d; this program reads format 1", j.Format)
	}
	p := &Pack{
		Tau: j.Tau, TauBeta: cmp.Or(j.TauBeta, j.Tau), K: j.K, C: cmp.Or(j.C, probe.DefaultC),
		Labels: j.Labels, ExemplarLabel: j.ExemplarLabel, QueryLabel: j.QueryLabel, ProbeQueries: j.ProbeQueries,
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"vectors", func() error { return p.readVectors(fsys, &j) }},
		{"stages", func() error { return p.readStages(&j) }},
		{"expected", func() error { return p.readBlocks(fsys, &j) }},
		{"accuracy", func() error { return p.readAccuracy(&j) }},
		{"indices", p.check},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return nil, fmt.Errorf("reference pack: %s: %w", s.what, err)
		}
	}
	return p, nil
}

func (p *Pack) readVectors(fsys fs.FS, j *packJSON) error {
	all, err := floats(fsys, j.Vectors.File)
	if err != nil {
		return err
	}
	into := map[string]*[][]float32{"exemplars": &p.Exemplars, "queries": &p.Queries, "texts": &p.Texts}
	for _, t := range j.Vectors.Layout {
		var name string
		var offset, rows, cols int
		if err := t.scan(&name, &offset, &rows, &cols); err != nil {
			return err
		}
		if into[name] == nil || cols != j.Dim {
			return fmt.Errorf("block %q with %d columns is not known", name, cols)
		}
		if *into[name], err = matrix(all, offset, rows, cols); err != nil {
			return err
		}
	}
	for _, t := range p.Texts {
		vec.Normalize(t)
	}
	return nil
}

func (p *Pack) readStages(j *packJSON) error {
	for _, name := range slices.Sorted(maps.Keys(j.Candidates)) {
		p.Candidates = append(p.Candidates, CandidateSet{name, j.Candidates[name]})
	}
	for _, run := range slices.Sorted(maps.Keys(j.Runs)) {
		for _, s := range j.Runs[run] {
			st := Stage{Run: run, Stage: s.Stage, K: cmp.Or(s.K, p.K), Exemplars: s.Exemplars, Known: s.Known, Neighbours: s.Neighbours}
			for psi, tree := range s.Trees {
				n, err := strconv.Atoi(psi)
				if err != nil {
					return fmt.Errorf("ψ: %w", err)
				}
				if len(tree.LeafOf) != len(s.Exemplars) {
					return fmt.Errorf("%s %d: tree %s places %d of %d exemplars", run, s.Stage, psi, len(tree.LeafOf), len(s.Exemplars))
				}
				st.Partitions = append(st.Partitions, Partition{n, tree.LeafOf})
			}
			slices.SortFunc(st.Partitions, func(a, b Partition) int { return cmp.Compare(a.Psi, b.Psi) })
			p.Stages = append(p.Stages, st)
		}
	}
	return nil
}

func (p *Pack) readBlocks(fsys fs.FS, j *packJSON) error {
	all, err := floats(fsys, j.Expected.File)
	if err != nil {
		return err
	}
	for _, t := range j.Expected.Blocks {
		var b Block
		var offset, rows, cols int
		t, err := t.named(j.Expected.Fields, []string{"run", "stage", "candidates", "method", "offset", "rows", "cols"})
		if err != nil {
			return err
		}
		if err := t.scan(&b.Run, &b.Stage, &b.Candidates, &b.Method, &offset, &rows, &cols); err != nil {
			return err
		}
		if rows > len(p.ProbeQueries) {
			return fmt.Errorf("%s %d %s %s: %d rows for %d queries", b.Run, b.Stage, b.Candidates, b.Method, rows, len(p.ProbeQueries))
		}
		if b.Rows, err = matrix(all, offset, rows, cols); err != nil {
			return err
		}
		p.Blocks = append(p.Blocks, b)
	}
	return nil
}

func (p *Pack) readAccuracy(j *packJSON) error {
	for _, t := range j.Accuracy {
		var a AccuracyRow
		t, err := t.named(j.Fields, []string{"run", "stage", "candidates", "method", "right", "total", "right_seen", "total_seen", "right_unseen", "total_unseen", "top1_near_ties"})
		if err != nil {
			return err
		}
		var unseen, totalUnseen int
		err = t.scan(&a.Run, &a.Stage, &a.Candidates, &a.Method, &a.Right, &a.Total,
			&a.RightSeen, &a.TotalSeen, &unseen, &totalUnseen, &a.NearTies)
		if err != nil {
			return err
		}
		p.Accuracy = append(p.Accuracy, a)
	}
	return nil
}
