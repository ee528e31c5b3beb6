package main

import (
	"errors"
	"io"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/nearest"
)

func TestHowTheMemoryIsKept(t *testing.T) {
	memory := func(args ...string) (identify.MemoryConfig, error) {
		c := Config{Data: t.TempDir()}
		fs := flagSet("serve", io.Discard)
		c.registerServe(fs)
		if err := parse(fs, args); err != nil {
			t.Fatal(err)
		}
		return c.memory()
	}
	m, err := memory()
	if err != nil || m.Format != nearest.Half || m.Index != identify.IndexAuto || m.Other != nil || m.Snapshots == nil {
		t.Errorf("by default %+v, %v", m, err)
	}
	if m, err = memory("-precision", "single", "-index", "exact"); err != nil || m.Format != nearest.Float32 || m.Index != identify.IndexExact {
		t.Errorf("single and exact: %+v, %v", m, err)
	}
	if m, err = memory("-index", "coder-hnsw"); err != nil || m.Other == nil {
		t.Fatalf("coder-hnsw: %+v, %v", m, err)
	}
	v := nearest.NewVectors(2, nearest.Half)
	for range 5 {
		if v, err = v.Append([]float32{1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	other := m.Other()
	other.Extend(v, 3)
	if n := other.Len(); n != 3 || len(other.Of(v).Search([]float32{1, 2}, 5, nil)) != 5 {
		t.Errorf("coder-hnsw has taken in %d of the 3 it was to", n)
	}
	for _, args := range [][]string{{"-index", "best"}, {"-precision", "quarter"}, {"-psi", "1"}} {
		if _, err := memory(args...); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
