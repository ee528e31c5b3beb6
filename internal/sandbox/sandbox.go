// Package sandbox runs WebAssembly modules by wazero: what a file made to break a
// decoder does, it does within a memory of its own, of a bounded size, and with a
// bounded amount of work. A module is a file that is loaded at run time where there is
// one.
package sandbox

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"fieldmark/internal/dynlib"
)

var (
	// ErrNotFound means that the file of a module was not found.
	ErrNotFound = errors.New("the WebAssembly module was not found")
	// ErrUnusable means that the file of a module was found, and is none that can be run.
	ErrUnusable = errors.New("the WebAssembly module cannot be loaded")
	// ErrTooMuchWork means that a run was stopped at its limit.
	ErrTooMuchWork = errors.New("the WebAssembly module did not come to an end")
)

const (
	// page is the unit in which a module's memory grows (WebAssembly, 4.2.8).
	page = 64 << 10
	// memoryLimit bounds the memory of one run, whatever it is granted.
	memoryLimit = 768 << 20
	// moduleMemory is what a module takes beside what it is granted: tables, a stack,
	// what malloc wastes.
	moduleMemory = 32 << 20
	// moduleBytes bounds what the file unpacks to.
	moduleBytes = 16 << 20
	// work is how much one run may do, as meter counts. A photo of 12 megapixels takes
	// 500 million; this is a minute of one processor.
	work = 8_000_000_000
)

// A Module is a WebAssembly module. Its methods may be called from many goroutines;
// every run has a memory of its own. The module is compiled by the first.
type Module struct {
	path    string
	work    int64
	compile func() (*compiled, error)
}

type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Open finds the module in a file of that name, packed by gzip, where `make setup` put
// it, or beside the executable.
func Open(name string) (*Module, error) {
	path, err := dynlib.Find("", name, "wasm")
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrNotFound, err)
	}
	return &Module{path, work, sync.OnceValues(func() (*compiled, error) {
		c, err := load(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", path, ErrUnusable, err)
		}
		return c, nil
	})}, nil
}

// Path is where the module was found.
func (m *Module) Path() string { return m.path }

func load(path string) (*compiled, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(io.LimitReader(unpack, moduleBytes))
	if err != nil {
		return nil, err
	}
	return compile(code)
}

func compile(code []byte) (*compiled, error) {
	code, err := meter(code)
	if err != nil {
		return nil, err
	}
	ctx := context.Background() // of the runtime, which is never closed
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryLimit/page))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return nil, err
	}
	module, err := rt.CompileModule(ctx, code)
	if err != nil {
		return nil, err
	}
	return &compiled{rt, module}, nil
}

// Run makes an instance of the module for use, which goes when use returns, and its
// memory with it, of which it has the granted bytes and moduleMemory more. It sees
// neither files nor a clock nor a name: nothing but its memory.
func (m *Module) Run(granted int64, use func(Instance) error) error {
	c, err := m.compile()
	if err != nil {
		return err
	}
	memory, err := reserve(int(min(granted+moduleMemory, memoryLimit)))
	if err != nil {
		return err
	}
	defer memory.release()
	ctx := experimental.WithMemoryAllocator(context.Background(), memory)
	mod, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return err
	}
	defer mod.Close(ctx)
	fuel, is := mod.ExportedGlobal(fuelName).(api.MutableGlobal)
	if !is {
		return errors.New("the module is not metered")
	}
	fuel.Set(uint64(m.work))
	i := Instance{ctx, mod}
	if err = i.initialize(); err == nil {
		err = use(i)
	}
	if err != nil && int64(fuel.Get()) < 0 {
		return fmt.Errorf("%w: %w", ErrTooMuchWork, err)
	}
	return err
}
