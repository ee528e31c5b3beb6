package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// An Instance is a module that runs. Its methods' errors mean that the module trapped,
// was stopped, or pointed beyond its memory.
type Instance struct {
	ctx context.Context
	mod api.Module
}

var errMemory = errors.New("beyond the module's memory")

// initialize calls what WASI has modules export that stay after their start.
func (i Instance) initialize() error {
	f := i.mod.ExportedFunction("_initialize")
	if f == nil {
		return nil
	}
	_, err := f.Call(i.ctx)
	return err
}

// Call calls a function that the module exports and that returns one number of 32 bits.
func (i Instance) Call(function string, args ...uint64) (uint32, error) {
	f := i.mod.ExportedFunction(function)
	if f == nil {
		return 0, fmt.Errorf("the module has no function %s", function)
	}
	results, err := f.Call(i.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", function, err)
	}
	if len(results) != 1 {
		return 0, fmt.Errorf("%s returned %d numbers", function, len(results))
	}
	return uint32(results[0]), nil
}

// Alloc reserves n bytes of the instance's memory, which go with it.
func (i Instance) Alloc(n int) (at uint32, err error) {
	if n < 0 || n > memoryLimit {
		return 0, errMemory
	}
	at, err = i.Call("malloc", uint64(n))
	if err == nil && at == 0 {
		err = errors.New("no memory")
	}
	return at, err
}

// Put copies data into the instance's memory.
func (i Instance) Put(data []byte) (at uint32, err error) {
	if at, err = i.Alloc(len(data)); err != nil {
		return 0, err
	}
	if !i.mod.Memory().Write(at, data) {
		return 0, errMemory
	}
	return at, nil
}

// Bytes are n bytes of the instance's memory. They are that memory itself, so they
// must be copied before the instance goes.
func (i Instance) Bytes(at uint32, n int) ([]byte, error) {
	if n < 0 || n > memoryLimit {
		return nil, errMemory
	}
	b, ok := i.mod.Memory().Read(at, uint32(n))
	if !ok {
		return nil, errMemory
	}
	return b, nil
}

// Numbers are n numbers of 32 bits that stand one after another.
func (i Instance) Numbers(at uint32, n int) ([]uint32, error) {
	v := make([]uint32, n)
	for k := range v {
		var ok bool
		if v[k], ok = i.mod.Memory().ReadUint32Le(at + uint32(4*k)); !ok {
			return nil, errMemory
		}
	}
	return v, nil
}
