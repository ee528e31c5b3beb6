package protocol

import (
	"fmt"
	"strconv"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/tree"
)

// paperK is the number of neighbours in the paper.
const paperK = 9

func (s System) k() int {
	if s.K == 0 {
		return paperK
	}
	return s.K
}

// isTree says whether ψ means anything.
func (s System) isTree() bool { return s.Kind == fusion.Tree || s.Kind == fusion.TreeSingle }

// isKNN says whether the labels of the neighbours are all that the system knows.
func (s System) isKNN() bool {
	return s.Kind == fusion.KNNMV || s.Kind == fusion.KNNAvg || s.Kind == fusion.KNNWAvg
}

// String is the system as ParseSystem reads it: "tree,psi=5000,k=6".
func (s System) String() string {
	out := string(s.Kind)
	if s.Psi != 0 {
		out += ",psi=" + strconv.Itoa(s.Psi)
	}
	if s.K != 0 {
		out += ",k=" + strconv.Itoa(s.K)
	}
	if s.TauBeta != 0 {
		out += ",tau=" + strconv.FormatFloat(s.TauBeta, 'g', -1, 64)
	}
	return out
}

// ParseSystem reads a kind and, after commas, psi=, k= and tau= as they differ
// from the paper's.
func ParseSystem(text string) (System, error) {
	kind, rest, _ := strings.Cut(text, ",")
	k, err := fusion.ParseSystem(kind)
	if err != nil {
		return System{}, err
	}
	s := System{Kind: k}
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "psi":
			s.Psi, err = strconv.Atoi(value)
		case "k":
			s.K, err = strconv.Atoi(value)
		case "tau":
			s.TauBeta, err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("unknown parameter; choose of psi, k, tau")
		}
		if err != nil {
			return System{}, fmt.Errorf("system %q: %s: %w", text, part, err)
		}
	}
	return s.canonical(), s.check()
}

// canonical leaves out what is the paper's or means nothing to the kind, so that
// equal systems are equal values.
func (s System) canonical() System {
	if s.Psi == tree.DefaultPsi || !s.isTree() {
		s.Psi = 0
	}
	if s.K == paperK {
		s.K = 0
	}
	return s
}

func (s System) check() error {
	if _, err := fusion.ParseSystem(string(s.Kind)); err != nil {
		return err
	}
	if s.Psi < 0 || s.K < 0 || !(s.TauBeta >= 0) {
		return fmt.Errorf("system %s: ψ, k and τ_β must not be below 0", s)
	}
	return nil
}
