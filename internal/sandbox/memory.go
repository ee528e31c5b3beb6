package sandbox

import (
	"fmt"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// memory is what one instance has: a stretch of addresses in which it grows where it
// is. Go's own would be copied at each growth, and be garbage until the collector
// comes by: three times as much for a photo of 12 megapixels. It is the
// experimental.MemoryAllocator of one module, and its experimental.LinearMemory.
type memory struct {
	all    []byte
	usable uint64 // so far; what lies beyond cannot be read nor written
}

// reserve sets addresses aside.
func reserve(limit int) (*memory, error) {
	all, err := syscall.Mmap(-1, 0, limit, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for a sandbox: %w", err)
	}
	return &memory{all: all}, nil
}

func (m *memory) release() {
	// It fails for what was not reserved.
	_ = syscall.Munmap(m.all)
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. It returns nil where there is no
// memory, which the module then sees as malloc does.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	if size > m.usable {
		if syscall.Mprotect(m.all[m.usable:size], syscall.PROT_READ|syscall.PROT_WRITE) != nil {
			return nil
		}
		m.usable = size
	}
	return m.all[:size:size]
}

// Free implements experimental.LinearMemory: Run releases the memory.
func (m *memory) Free() {}
