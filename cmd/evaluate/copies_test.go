package main

import (
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/eval"
)

// Of four classes two lie evenly: the first and the third.
func TestFirsts(t *testing.T) {
	var files []photoFile
	for _, class := range []string{"a", "b", "c", "d"} {
		files = append(files, photoFile{class: class, name: "1"}, photoFile{class: class, name: "2"})
	}
	names := func(list []photoFile) (out []string) {
		for _, f := range list {
			out = append(out, f.class+f.name)
		}
		return out
	}
	for n, want := range map[int][]string{1: {"a1"}, 2: {"a1", "c1"}, 9: {"a1", "b1", "c1", "d1"}} {
		first, others := firsts(files, []string{"a", "b", "c", "d"}, n)
		if !slices.Equal(names(first), want) || len(first)+len(others) != len(files) {
			t.Errorf("%d: %v and %v, want %v", n, names(first), names(others), want)
		}
	}
}

// Three of four at the smaller size, one of four at the larger.
func TestPrintFollowed(t *testing.T) {
	var b strings.Builder
	err := printFollowed(&b, []int{10, 1000}, []eval.Followed{{Size: 10, Kind: "crop", Asked: 4, Right: 3}, {Size: 1000, Kind: "crop", Asked: 4, Right: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(b.String()); !slices.Equal(got, strings.Fields("named as taught, % asked of 10 of 1000 crop 4 75.0 25.0")) {
		t.Errorf("%s", b.String())
	}
}

func TestCopiesRefuses(t *testing.T) {
	for _, args := range [][]string{{"--sizes", "ten"}, {"--sizes", "10,5"}, {"--sizes", "0"}, {"--taught", "0"}, {"more"}} {
		status, _, stderr := run(t, append([]string{"copies"}, args...)...)
		if status != 2 || !strings.Contains(stderr, "-help") {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}
