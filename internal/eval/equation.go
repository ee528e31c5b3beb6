package eval

import "strings"

// equation says by which equation of the paper, and section of METHOD, a pack's
// method goes: whoever reads of a difference looks there.
func equation(method string) string {
	system, rest, _ := strings.Cut(method, ".")
	rule, _, _ := strings.Cut(rest, ".")
	of := map[string]string{
		"knn": "KNN", "lin": "LinProbe", "tree": "TreeProbe, Alg. 2",
	}[strings.TrimRight(system, "0123456789")]
	rules := map[string]string{
		"prob": "p_e within Y (METHOD 3 and 4)", "emb": "softmax of l(v_e, t) (METHOD 3)",
		"avg_prob": "Avg-Prob (METHOD 4)", "avg_emb": "Avg-Emb, v_e as it comes (METHOD 4)", "avg_emb_unit": "Avg-Emb (METHOD 4)",
		"aim_emb": "AIM-Emb (METHOD 4)", "aim_prob_printed": "AIM-Prob as Eq. 6 is printed (METHOD 4)",
		"aim_prob_authors": "AIM-Prob as the text has it (METHOD 4)", "aim_prob_repo_logits": "AIM-Prob as the program has it (METHOD 4)",
	}
	switch {
	case method == "zero_shot":
		return "Eq. 1 and 2 (METHOD 2)"
	case method == "P_in":
		return "P_in (METHOD 4)"
	case method == nearestMethod:
		return "N(v), the k greatest cosines (METHOD 3)"
	case of != "" && rules[rule] != "":
		return of + ": " + rules[rule]
	}
	return "no equation that is known here"
}
