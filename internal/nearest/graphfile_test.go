package nearest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"fieldmark/internal/nearest/nearesttest"
)

// written is a small graph with removed nodes, its vectors, and its bytes.
func written(t testing.TB) (*Graph, *Vectors, []byte) {
	t.Helper()
	v := stored(t, nearesttest.NewClustered(1, 6, 3), 600, Half)
	g := graphOf(t, v, GraphParams{M: 4, Width: 8, Seed: 5}, 1)
	for id := 0; id < 500; id += 7 {
		g.Remove(id)
	}
	var buf bytes.Buffer
	n, err := g.WriteTo(&buf)
	if err != nil || n != int64(buf.Len()) {
		t.Fatalf("%d bytes written, %d said, %v", buf.Len(), n, err)
	}
	return g, v, buf.Bytes()
}

func TestGraphComesBack(t *testing.T) {
	g, v, raw := written(t)
	back, err := ReadGraph(iotest.OneByteReader(bytes.NewReader(raw)), v, 2)
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, back)
	if back.Len() != g.Len() || back.Removed() != g.Removed() || back.params != g.params || !slices.Equal(lists(back), lists(g)) {
		t.Error("another graph came back")
	}
	var again bytes.Buffer
	if _, err := back.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), raw) {
		t.Errorf("written again it is other bytes, %v", err)
	}

	// Both go on in the same way.
	for i := range 600 {
		v, _ = v.Append(v.Row(i, nil))
	}
	g.Extend(v, v.Len(), 1)
	back.Extend(v, v.Len(), 1)
	if g.Remove(3) != back.Remove(3) || !slices.Equal(lists(back), lists(g)) {
		t.Error("they do not go on in the same way")
	}
}

func TestDamagedGraphsAreRefused(t *testing.T) {
	_, v, raw := written(t)
	refused := func(name string, raw []byte, v *Vectors) {
		t.Helper()
		if _, err := ReadGraph(bytes.NewReader(raw), v, 1); !errors.Is(err, ErrGraph) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := 0; n < len(raw); n += 1 + n/16 {
		refused("cut short", raw[:n], v)
	}
	for i := 0; i < len(raw); i += 1 + len(raw)/200 {
		damaged := slices.Clone(raw)
		damaged[i] ^= 0x10
		refused("a bit changed", damaged, v)
	}
	refused("other vectors", raw, stored(t, nearesttest.NewClustered(2, 6, 3), 600, Half))
	refused("fewer vectors", raw, stored(t, nearesttest.NewClustered(1, 6, 3), 300, Half))
	refused("another dimension", raw, stored(t, nearesttest.NewClustered(1, 5, 3), 600, Half))
	for _, offset := range []int{8, 12, 20} { // dimension, M, nodes
		for _, lie := range []uint32{0, 1, 3, 1 << 8, 1 << 20, 1<<32 - 1, 1<<32 - 256} {
			damaged := slices.Clone(raw)
			if binary.LittleEndian.Uint32(damaged[offset:]) == lie {
				continue
			}
			binary.LittleEndian.PutUint32(damaged[offset:], lie)
			refused("a lying header", resum(damaged), v)
		}
	}
}

// resum gives bytes the checksum that they need.
func resum(raw []byte) []byte {
	if len(raw) >= 4 {
		end := len(raw) - 4
		binary.LittleEndian.PutUint32(raw[end:], crc32.Checksum(raw[:end], castagnoli))
	}
	return raw
}

func TestErrorsOfReaderAndWriterComeThrough(t *testing.T) {
	g, v, raw := written(t)
	broken := errors.New("the disk is broken")
	r := io.MultiReader(bytes.NewReader(raw[:1000]), iotest.ErrReader(broken))
	if _, err := ReadGraph(r, v, 1); !errors.Is(err, broken) || errors.Is(err, ErrGraph) {
		t.Errorf("ReadGraph: %v", err)
	}
	if _, err := g.WriteTo(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("WriteTo: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Whatever is read, it is refused, or a graph that can be searched and extended.
func FuzzReadGraph(f *testing.F) {
	_, v, raw := written(f)
	f.Add(raw, false)
	f.Add(raw[:40], true)
	changed := slices.Clone(raw)
	changed[100] ^= 1
	f.Add(changed, true)
	f.Fuzz(func(t *testing.T, raw []byte, honest bool) {
		if honest {
			raw = resum(slices.Clone(raw))
		}
		g, err := ReadGraph(bytes.NewReader(raw), v, 1)
		if err != nil {
			return
		}
		q := v.Row(1, nil)
		got, ok := Hybrid{Vectors: v, Graph: g}.walk(q, 9, nil)
		if ok {
			checkFound(t, v, q, got, 9, nil)
		}
		g.Extend(v, v.Len(), 1)
		g.Remove(0)
	})
}
