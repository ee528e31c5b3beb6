package vocabulary

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "give new taxa an id in data/ids.tsv")

// TestIDs is also the generator: with -update it appends the ids of new taxa.
func TestIDs(t *testing.T) {
	tree, err := readTree(embedded)
	if err != nil {
		t.Fatal(err)
	}
	register, err := readIDs(embedded)
	if err != nil {
		t.Fatal(err)
	}
	missing := register.assign(tree.nodes)
	if *update {
		appendTo(t, "data/ids.tsv", register.extend(missing))
	} else if len(missing) > 0 {
		t.Fatalf("%d taxa have no id, the first is %v: run this test with -update", len(missing), missing[0].key)
	}
	used := make(map[int64]key)
	for _, n := range tree.nodes {
		if other, twice := used[n.id]; twice {
			t.Errorf("id %d is of %v and %v", n.id, n.key, other)
		}
		used[n.id] = n.key
	}
	for k, id := range register.byKey {
		if _, ok := used[id]; !ok {
			t.Errorf("id %d (%v) has no taxon any more: a renamed taxon must keep its old name as a synonym, and none may go", id, k)
		}
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
