package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"reflect"

	"fieldmark/internal/fusion"
)

// About describes a suite; who runs it fills in the rest.
func (s Suite) About() About {
	a := About{Suite: s.Name, Encoder: s.Encoder, Digest: s.digest()}
	for _, t := range s.Tasks {
		a.Tasks = append(a.Tasks, TaskAbout{
			Name: t.Name, ZeroShot: t.ZeroShot, Classes: len(t.Classes), Train: len(t.Train.Labels), Test: len(t.Test.Labels),
		})
	}
	return a
}

// digest is over everything that a result depends on; the names of the suite and
// of the encoder are no part of it.
func (s Suite) digest() string {
	h := sha256.New()
	for _, t := range s.Tasks {
		words(h, t.Name, fmt.Sprint(t.ZeroShot))
		words(h, t.Classes...)
		vectors(h, t.Texts)
		for _, split := range []Split{t.Train, t.Test} {
			vectors(h, split.Vectors)
			words(h, fmt.Sprint(split.Labels))
		}
	}
	words(h, fmt.Sprint(s.Tau, s.Near, s.Log))
	return hex.EncodeToString(h.Sum(nil))
}

// words feeds texts to h, none of which runs into the next.
func words(h hash.Hash, texts ...string) {
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	fmt.Fprint(h, ";")
}

func vectors(h hash.Hash, rows [][]float32) {
	var buf []byte
	for _, row := range rows {
		buf = bits(buf[:0], row)
		h.Write(buf)
	}
	fmt.Fprintf(h, "%d;", len(rows))
}

// SameSettings says whether outcomes of p can stand beside those of q: whether
// the plans are equal but for what a Cell names, systems, protocols, seeds and
// orders.
func (p Plan) SameSettings(q Plan) bool {
	for _, x := range []*Plan{&p, &q} {
		x.Systems, x.Protocols, x.Seeds, x.Orders = nil, nil, nil, 0
	}
	return reflect.DeepEqual(p, q)
}

// Ablations are the paper's systems varied one parameter at a time: k, ψ of some
// parts of the exemplars there are, τ_β (1 is the authors' program's), and a single
// leaf in place of the ensemble. Rules that they are compared under are those of
// the plan: AIM against averaging, and by fusion.Exemplar where p_e comes from.
func (s Suite) Ablations() []System {
	exemplars := 0
	for _, t := range s.Tasks {
		if !t.ZeroShot {
			exemplars += len(t.Train.Labels)
		}
	}
	var out []System
	for _, k := range []int{1, 3, 6, 9, 15, 30} {
		out = append(out, System{Kind: fusion.Tree, K: k}, System{Kind: fusion.KNNWAvg, K: k})
	}
	for _, parts := range []int{2, 4, 8, 16, 32} {
		psi := max(1, exemplars/parts)
		out = append(out, System{Kind: fusion.Tree, Psi: psi}, System{Kind: fusion.TreeSingle, Psi: psi})
	}
	for _, kind := range []fusion.System{fusion.Tree, fusion.KNNWAvg} {
		out = append(out, System{Kind: kind, TauBeta: 1}, System{Kind: kind, TauBeta: 10})
	}
	for i := range out {
		out[i] = out[i].canonical()
	}
	return out
}
