package fusion

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, r := range Rules() {
		if got, err := ParseRule(string(r)); err != nil || got != r {
			t.Errorf("ParseRule(%q) = %q, %v", r, got, err)
		}
	}
	for _, s := range Systems() {
		if got, err := ParseSystem(string(s)); err != nil || got != s {
			t.Errorf("ParseSystem(%q) = %q, %v", s, got, err)
		}
	}
	for _, bad := range []string{"", "AIM-emb", "aim"} {
		_, err := ParseRule(bad)
		if err == nil || !strings.Contains(err.Error(), "aim-prob-printed, aim-prob-program, bayes, aim-bayes, careful, near") {
			t.Errorf("ParseRule(%q): error %v does not list the rules", bad, err)
		}
		_, err = ParseSystem(bad)
		if err == nil || !strings.Contains(err.Error(), "tree, tree-single, knn-mv") {
			t.Errorf("ParseSystem(%q): error %v does not list the systems", bad, err)
		}
	}
}
