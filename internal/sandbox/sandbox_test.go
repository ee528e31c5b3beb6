package sandbox

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
)

// function is one of a module's functions (i32) → i32: the code of its body after the
// local variables, of which it has one more i32, without the end.
type function struct {
	name string
	code []byte
}

// assemble makes a module with one page of memory, which may grow, and one global, as
// every module of a compiler has.
func assemble(functions ...function) []byte {
	vector := func(elements ...[]byte) []byte {
		v := binary.AppendUvarint(nil, uint64(len(elements)))
		for _, e := range elements {
			v = append(v, e...)
		}
		return v
	}
	sized := func(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }
	var kinds, exports, bodies [][]byte
	for i, f := range functions {
		kinds = append(kinds, []byte{0})
		exports = append(exports, append(sized([]byte(f.name)), functionKind, byte(i)))
		bodies = append(bodies, sized(append(append([]byte{1, 1, typeI32}, f.code...), opEnd)))
	}
	exports = append(exports, append(sized([]byte("memory")), 2, 0))
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id      byte
		content []byte
	}{
		{typeSection, vector([]byte{typeFunction, 1, typeI32, 1, typeI32})},
		{functionSection, vector(kinds...)},
		{5, vector([]byte{0, 1})}, // memory
		{globalSection, vector([]byte{typeI32, mutable, opI32Const, 0, opEnd})},
		{exportSection, vector(exports...)},
		{codeSection, vector(bodies...)},
	} {
		out = append(append(out, s.id), sized(s.content)...)
	}
	return out
}

var (
	// turns goes round a loop as often as its argument says, which is at least 1.
	turns = function{"turns", []byte{
		opLoop, noResult,
		opLocalGet, 0, opI32Const, 1, 0x6b, 0x22, 0, // argument -= 1 (i32.sub, local.tee)
		0x0d, 0, // br_if
		opEnd, opI32Const, 7}}
	// forever goes round for ever.
	forever = function{"forever", []byte{opLoop, noResult, 0x0c, 0, opEnd, opI32Const, 0}}
	// doubled calls itself twice, without end.
	doubled = function{"doubled", []byte{opLocalGet, 0, opI32Const, 1, 0x6b, 0x22, 0, 0x45, // i32.eqz
		opIf, typeI32, opI32Const, 0, 0x05, opLocalGet, 0, opCall, 2, 0x1a, opLocalGet, 0, opCall, 2, opEnd}}
	// fills as many bytes as its argument says, then copies them to where they are.
	fills = function{"fills", []byte{
		opI32Const, 0, opI32Const, 1, opLocalGet, 0, prefix, 11, 0,
		opI32Const, 0, opI32Const, 0, opLocalGet, 0, prefix, 10, 0, 0,
		opI32Const, 0, 0x2d, 0, 0}} // i32.load8_u
	// grow asks for so many pages.
	grow = function{"grow", []byte{opLocalGet, 0, 0x40, 0}}
	// load reads 32 bits.
	load32 = function{"load", []byte{opLocalGet, 0, 0x28, 2, 0}}
	// next counts up in memory: how many times it was called in this instance.
	next = function{"next", []byte{
		opI32Const, 0, opI32Const, 0, 0x28, 2, 0, opI32Const, 1, 0x6a, 0x36, 2, 0, // load, add, store
		opI32Const, 0, 0x28, 2, 0}}
)

func made(t *testing.T, limit int64) *Module {
	t.Helper()
	code := assemble(turns, forever, doubled, fills, grow, load32, next)
	return &Module{work: limit, compile: sync.OnceValues(func() (*compiled, error) { return compile(code) })}
}

func run(m *Module, name string, argument uint64) (result uint32, err error) {
	err = m.Run(memoryLimit, func(i Instance) error {
		result, err = i.Call(name, argument)
		return err
	})
	return result, err
}

// TestWorkIsCounted: the beginning of a function counts 1, every turn of its loop 1,
// and every whole 64 bytes that are filled or copied 1. With one less than is needed
// there is no result.
func TestWorkIsCounted(t *testing.T) {
	for _, c := range []struct {
		name     string
		argument uint64
		want     uint32
		work     int64
	}{
		{"turns", 1, 7, 1 + 1},
		{"turns", 1000, 7, 1 + 1000},
		{"fills", 63, 1, 1 + 0 + 0},
		{"fills", 6400, 1, 1 + 100 + 100},
		{"doubled", 3, 0, 1 + 2 + 4}, // 3, twice 2, four times 1
	} {
		if got, err := run(made(t, c.work), c.name, c.argument); err != nil || got != c.want {
			t.Errorf("%s(%d) with %d: %d, %v", c.name, c.argument, c.work, got, err)
		}
		if _, err := run(made(t, c.work-1), c.name, c.argument); !errors.Is(err, ErrTooMuchWork) {
			t.Errorf("%s(%d) with %d: %v", c.name, c.argument, c.work-1, err)
		}
	}
}

func TestWhatDoesNotEndIsStopped(t *testing.T) {
	m := made(t, 1_000_000)
	for _, f := range []string{"forever", "doubled"} {
		if _, err := run(m, f, 1000); !errors.Is(err, ErrTooMuchWork) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestMemoryIsBoundedAndOfOneRun(t *testing.T) {
	m := made(t, 1_000_000)
	const none = 1<<32 - 1
	if got, err := run(m, "grow", memoryLimit/page-1); err != nil || got != 1 {
		t.Errorf("up to the limit: %d, %v", got, err)
	}
	if got, err := run(m, "grow", memoryLimit/page); err != nil || got != none {
		t.Errorf("beyond the limit: %d, %v", got, err)
	}
	err := m.Run(page, func(i Instance) error {
		const granted = (page + moduleMemory) / page
		if got, err := i.Call("grow", granted); err != nil || got != none {
			t.Errorf("beyond what is granted: %d, %v", got, err)
		}
		got, err := i.Call("grow", granted-1)
		if got != 1 {
			t.Errorf("what is granted: %d", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := run(m, "load", page-3); err == nil || errors.Is(err, ErrTooMuchWork) {
		t.Errorf("beyond the memory: %v", err)
	}
	for range 3 {
		if got, err := run(m, "next", 0); err != nil || got != 1 {
			t.Errorf("the next run sees what the last has written: %d, %v", got, err)
		}
	}
}

func TestRunsAtOnce(t *testing.T) {
	m := made(t, 1_000_000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				err := m.Run(memoryLimit, func(i Instance) error {
					for want := range uint32(5) {
						if got, err := i.Call("next", 0); err != nil || got != want+1 {
							t.Errorf("%d, %v", got, err)
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestModulesThatAreRefused: what is cut anywhere, or has what cannot be counted.
func TestModulesThatAreRefused(t *testing.T) {
	whole := assemble(turns)
	for n := range whole {
		if _, err := compile(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are a module", n, len(whole))
		}
	}
	for name, code := range map[string][]byte{
		"vectors":           {0xfd, 12},
		"memory.init":       {prefix, 8, 0, 0},
		"an unknown opcode": {0xff},
	} {
		if _, err := compile(assemble(function{"f", code})); err == nil || !strings.Contains(err.Error(), "metered") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInstancesRefuse: what lies beyond the memory, also if its length is whole in 32 bits,
// and what is not exported.
func TestInstancesRefuse(t *testing.T) {
	err := made(t, 1000).Run(0, func(i Instance) error {
		if _, err := i.Bytes(page-8, 9); !errors.Is(err, errMemory) {
			t.Errorf("Bytes: %v", err)
		}
		for _, n := range []int{-1, 1 << 32, 1<<32 + 8} {
			if _, err := i.Bytes(page-8, n); !errors.Is(err, errMemory) {
				t.Errorf("%d bytes: %v", n, err)
			}
			if _, err := i.Alloc(n); !errors.Is(err, errMemory) {
				t.Errorf("Alloc of %d bytes: %v", n, err)
			}
		}
		if b, err := i.Bytes(page-8, 8); err != nil || len(b) != 8 {
			t.Errorf("Bytes: %v, %v", b, err)
		}
		if _, err := i.Numbers(page-8, 3); !errors.Is(err, errMemory) {
			t.Errorf("Numbers: %v", err)
		}
		if _, err := i.Alloc(1); err == nil {
			t.Error("Alloc without malloc")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
