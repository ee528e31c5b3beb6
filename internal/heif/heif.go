// Package heif decodes HEIC photos by libheif and libde265, compiled to
// WebAssembly and run by wazero: what a file made to break them does, it does
// within a memory of its own, of a bounded size, for a bounded time. The module is
// a file that is loaded at run time where there is one.
package heif

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"fieldmark/internal/dynlib"
)

// ErrNotFound means that the module was not found.
var ErrNotFound = errors.New("heif.wasm.gz was not found")

const (
	// pages of 64 KiB bound the memory of one decoding: 768 MiB.
	pages = 768 << 4
	// patience bounds its time. A photo of 12 megapixels takes a few seconds.
	patience = time.Minute
	// moduleBytes bounds what the file unpacks to.
	moduleBytes = 16 << 20
)

// A Decoder decodes HEIC photos. Its methods may be called from many goroutines;
// every call has a memory of its own. The module is compiled by the first.
type Decoder struct {
	path    string
	compile func() (*compiled, error)
}

type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Open finds the module where `make setup` put it, or beside the executable.
func Open() (*Decoder, error) {
	path, err := dynlib.Find("", "heif.wasm.gz", "heif")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return &Decoder{path: path, compile: sync.OnceValues(func() (*compiled, error) { return load(path) })}, nil
}

// Path is where the module was found.
func (d *Decoder) Path() string { return d.path }

func load(path string) (*compiled, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	code, err := io.ReadAll(io.LimitReader(unpack, moduleBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	ctx := context.Background() // of the runtime, which is never closed
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(pages).WithCloseOnContextDone(true))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return nil, err
	}
	module, err := rt.CompileModule(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &compiled{rt, module}, nil
}

// DecodeHEIC decodes the main picture of a HEIC file, turned as its container
// says: *image.YCbCr, *image.Gray or *image.NRGBA.
func (d *Decoder) DecodeHEIC(data []byte) (image.Image, error) {
	c, err := d.compile()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	// Neither files nor a clock nor a name: the module sees nothing but its memory.
	m, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("heif: %w", err)
	}
	defer m.Close(ctx)
	call := caller{ctx, m}
	img, err := call.decode(data)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("heif: not done after %v: %w", patience, ctx.Err())
	}
	return img, err
}

// caller calls functions of one instance.
type caller struct {
	ctx context.Context
	mod api.Module
}

func (c caller) call(function string, args ...uint64) (uint32, error) {
	f := c.mod.ExportedFunction(function)
	if f == nil {
		return 0, fmt.Errorf("heif: the module has no function %s", function)
	}
	results, err := f.Call(c.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("heif: %s: %w", function, err)
	}
	return uint32(results[0]), nil
}

// alloc reserves n bytes of the instance's memory, which goes with it.
func (c caller) alloc(n int) (uint32, error) {
	at, err := c.call("malloc", uint64(n))
	if err == nil && at == 0 {
		err = errors.New("heif: no memory")
	}
	return at, err
}
