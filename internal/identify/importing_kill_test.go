package identify_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// killedImport names the database to the child process of TestKilledImport.
const killedImport = "FIELDMARK_TEST_KILLED_IMPORT"

// longFile has so many rows, always the same.
func longFile(rows int) *rowsFile {
	rng := rand.New(rand.NewPCG(3, 4))
	f := &rowsFile{dim: dim, encoder: fakeEmbedder{}.Info().Digest}
	for i := range rows {
		v := make([]float32, dim)
		for d := range v {
			v[d] = float32(rng.NormFloat64())
		}
		f.rows = append(f.rows, identify.EmbeddingRow{Label: fmt.Sprintf("Moss %c", 'a'+i%26), Embedding: v})
	}
	return f
}

// importLong takes the long file into a database, or what is missing of it.
func importLong(t *testing.T, path string, rows int, told func(identify.ImportProgress)) identify.Import {
	t.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, path)
	must(t, err)
	defer st.Close()
	must(t, st.RegisterEncoder(ctx, fakeEmbedder{}.Info()))
	owner, err := st.Owner(ctx)
	must(t, err)
	file := longFile(rows)
	plan, err := identify.PlanImport(ctx, st, fakeEmbedder{}.Info(), identify.ImportSource{Kind: "npz", Name: "long.npz", Digest: "long"}, file, identify.ImportOptions{})
	must(t, err)
	m, err := identify.RunImport(ctx, st, plan, file, owner.ID, time.Now, told)
	must(t, err)
	return m
}

// A process that imports is killed (SIGKILL) at random moments, and started
// again until the import is whole. What it said was in is in, nothing is in
// twice, and the log is that of an import that nobody disturbed.
func TestKilledImport(t *testing.T) {
	if path := os.Getenv(killedImport); path != "" {
		importLong(t, path, 6_000, func(p identify.ImportProgress) { fmt.Println(p.Done) })
		return
	}
	path := filepath.Join(t.TempDir(), "killed.db")
	rng := rand.New(rand.NewPCG(5, 6))
	rounds, done := 0, 0
	for ; done < 6_000; rounds++ {
		if rounds == 100 {
			t.Fatalf("%d rows after %d starts", done, rounds)
		}
		said := killWhile(t, "TestKilledImport", killedImport+"="+path, time.Duration(rng.IntN(80))*time.Millisecond)
		m := interrupted(t, path)
		if m.Done < said || m.Done < done {
			t.Errorf("round %d: %d rows are in; it had said %d, and %d were in before", rounds, m.Done, said, done)
		}
		done = m.Done
	}
	calm := filepath.Join(t.TempDir(), "calm.db")
	importLong(t, calm, 6_000, quiet)
	a, b := taughtIn(t, path), taughtIn(t, calm)
	if len(a) != 6_000 || !slices.EqualFunc(a, b, func(x, y identify.Event) bool {
		return x.Seq == y.Seq && x.Kind == y.Kind && x.Taxon == y.Taxon && x.Observation == y.Observation && slices.Equal(x.Vector, y.Vector)
	}) {
		t.Errorf("%d events after kills, and others than the %d without", len(a), len(b))
	}
	if rounds < 2 {
		t.Errorf("it was never killed")
	}
	t.Logf("%d starts", rounds)
}

// killWhile runs a test as a child process that a variable of the environment tells
// what to do, kills it some time after its first word, and returns the last number
// that it printed. A child that fails fails the test.
func killWhile(t *testing.T, test, variable string, after time.Duration) (said int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.timeout=1m")
	child.Env = append(os.Environ(), variable)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	var timer *time.Timer
	var words []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			words = append(words, lines.Text()) // the test's own, where it came to its end
			continue
		}
		if said = n; timer == nil {
			timer = time.AfterFunc(after, func() { child.Process.Kill() })
		}
	}
	var ended *exec.ExitError
	if err := child.Wait(); errors.As(err, &ended) && ended.Exited() {
		t.Fatalf("the child failed: %v\n%s", err, strings.Join(words, "\n"))
	}
	return said
}

// interrupted checks the database and returns the import that is in it.
func interrupted(t *testing.T, path string) identify.Import {
	t.Helper()
	st, err := store.Open(t.Context(), path)
	must(t, err)
	defer st.Close()
	must(t, st.Check(t.Context()))
	all, err := st.Imports(t.Context())
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%d imports", len(all))
	}
	return all[0]
}

func taughtIn(t *testing.T, path string) []identify.Event {
	t.Helper()
	st, err := store.Open(t.Context(), path)
	must(t, err)
	defer st.Close()
	events, err := st.Events(t.Context(), fakeEmbedder{}.Info().Digest, 0, 100_000)
	must(t, err)
	return events
}
