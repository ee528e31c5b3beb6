package main

import (
	"slices"
	"testing"

	"fieldmark/internal/dataset"
)

// Two folders of one species are one class; a folder that the table does not name
// stands for itself.
func TestMergeNamesakes(t *testing.T) {
	names := dataset.ClassNames{"a/wren": {"Troglodytes troglodytes"}, "b/winter_wren": {"Troglodytes Troglodytes"}}
	files := []photoFile{{class: "a/wren"}, {class: "b/winter_wren"}, {class: "b/robin"}}
	left := mergeNamesakes([]string{"a/wren", "b/winter_wren", "b/robin"}, files, names)
	if want := []string{"a/wren", "b/robin"}; !slices.Equal(left, want) {
		t.Errorf("classes %q, want %q", left, want)
	}
	if files[0].class != "a/wren" || files[1].class != "a/wren" || files[2].class != "b/robin" {
		t.Errorf("photos of %v", files)
	}
}
