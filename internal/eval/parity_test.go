package eval

import (
	"os"
	"path/filepath"
	"testing"
)

// referencePack opens the pack that lies beside the repository, or skips.
func referencePack(t testing.TB) *Pack {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "reference")
	if _, err := os.Stat(filepath.Join(dir, "reference.json")); err != nil {
		t.Skipf("no reference pack beside the repository (../shared/data/reference): nothing to compare with: %v", err)
	}
	p, err := ReadPack(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every method at every stage and over every candidate set, with the whole
// pack's 850 exemplars: within 1e-5, or 1e-4 where a solver is involved.
func TestReferencePack(t *testing.T) {
	p := referencePack(t)
	if raceEnabled {
		p.Stages = p.Stages[:3] // the last stages fit long under the race detector
	}
	methods, err := Parity(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(methods) != 66 {
		t.Errorf("%d methods compared; the pack has 65, and neighbours", len(methods))
	}
	for _, m := range methods {
		if m.Cases == 0 {
			t.Errorf("%s: nothing compared", m.Method)
		}
		if !m.OK() {
			t.Errorf("%s: largest difference %.2g (bound %.0g); %d of %d counts off: %s", m.Method, m.Largest, m.Bound, m.CountsOff, m.Counts, m.Problem())
		}
		t.Logf("%-28s %4d cases %.1e  %3d counts", m.Method, m.Cases, m.Largest, m.Counts)
	}
}
