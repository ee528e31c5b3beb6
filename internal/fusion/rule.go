package fusion

import (
	"fmt"
	"slices"
	"strings"
)

// Rule names one way to consolidate the two systems.
type Rule string

// The rules. P_in is the zero-shot mass on candidates that have exemplars.
const (
	ZeroShot       Rule = "zero-shot"        // p_z (paper, Eq. 1-2)
	Exemplar       Rule = "exemplar"         // p_e, restricted to Y
	ExemplarEmb    Rule = "exemplar-emb"     // softmax of τ·cos(v_e, t)
	AvgProb        Rule = "avg-prob"         // ½ p_e + ½ p_z
	AvgEmb         Rule = "avg-emb"          // v_out = ½ v̂_e + ½ v̂, as the authors' program
	AvgEmbRaw      Rule = "avg-emb-raw"      // v_out = ½ v_e + ½ v̂, as the paper is printed
	AIMEmb         Rule = "aim-emb"          // v_out = P_in v̂_e + P_out v̂; the paper's default
	AIMProb        Rule = "aim-prob"         // the sentence before Eq. 6: q over labels without exemplars
	AIMProbPrinted Rule = "aim-prob-printed" // Eq. 6 as printed: q over all of Y
	AIMProbProgram Rule = "aim-prob-program" // as the authors' program: cosines in place of p_z
	Bayes          Rule = "bayes"            // p_z·|Y_e|p_e; not the paper's
	AIMBayes       Rule = "aim-bayes"        // aim-emb as far as p_e is sure, else bayes; not the paper's
	Careful        Rule = "careful"          // bayes as far as zero-shot does not object, aim-emb where all is known; not the paper's
	Near           Rule = "near"             // careful, overruled by exemplars that are near; not the paper's
)

// Rules lists every rule.
func Rules() []Rule {
	return []Rule{
		ZeroShot, Exemplar, ExemplarEmb, AvgProb, AvgEmb, AvgEmbRaw,
		AIMEmb, AIMProb, AIMProbPrinted, AIMProbProgram, Bayes, AIMBayes, Careful, Near,
	}
}

// AsksNearest says whether the rule reads Query.Nearest, the exemplars by their best
// views, which all others do without.
func (r Rule) AsksNearest() bool { return r == Careful || r == Near }

// ReadsKnown says whether the rule reads Query.Known: whether it answers by which
// candidates have exemplars, and so has a long-tail variant (Head).
func (r Rule) ReadsKnown() bool {
	switch r {
	case AIMEmb, AIMProb, AIMProbPrinted, AIMProbProgram, Bayes, AIMBayes, Careful, Near:
		return true
	}
	return false
}

// ParseRule returns the rule of that name; the error lists the valid names.
func ParseRule(name string) (Rule, error) { return parse("fusion rule", name, Rules()) }

// System names what predicts from the exemplars.
type System string

// The exemplar systems. The three KNN systems share p_e and differ in v_e.
const (
	Tree       System = "tree"        // TreeProbe, ensemble over the leaves of the k neighbours; the default
	TreeSingle System = "tree-single" // ablation: the leaf nearest to v alone
	KNNMV      System = "knn-mv"      // text embedding of the majority label
	KNNAvg     System = "knn-avg"     // mean of the neighbours' text embeddings
	KNNWAvg    System = "knn-wavg"    // their mean weighted by softmax of τ_β·cos
	LinProbe   System = "linprobe"    // one linear probe over all exemplars
)

// Systems lists every exemplar system.
func Systems() []System {
	return []System{Tree, TreeSingle, KNNMV, KNNAvg, KNNWAvg, LinProbe}
}

// ParseSystem returns the system of that name; the error lists the valid names.
func ParseSystem(name string) (System, error) {
	return parse("exemplar system", name, Systems())
}

func parse[T ~string](what, name string, valid []T) (T, error) {
	if i := slices.Index(valid, T(name)); i >= 0 {
		return valid[i], nil
	}
	names := make([]string, len(valid))
	for i, v := range valid {
		names[i] = string(v)
	}
	return "", fmt.Errorf("unknown %s %q; choose one of %s", what, name, strings.Join(names, ", "))
}
