package clip

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// ErrNoRuntime means that ONNX Runtime's library is not on this machine.
var ErrNoRuntime = errors.New("ONNX Runtime's library was not found: run `make setup`, which fetches it")

func libraryName() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime.1.dylib"
	}
	return "libonnxruntime.so.1"
}

// FindRuntime returns the path of ONNX Runtime's shared library: explicit, a
// file or the folder it is in, if that is not empty; else in lib/ beside the
// executable; else in build/onnxruntime/ of the working directory or one above
// it, which is where `make setup` puts it.
func FindRuntime(explicit string) (string, error) {
	if explicit != "" {
		for _, p := range []string{filepath.Join(explicit, libraryName()), explicit} {
			if isFile(p) {
				return filepath.Abs(p)
			}
		}
		return "", fmt.Errorf("%w (there is none at %s)", ErrNoRuntime, explicit)
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		if p := filepath.Join(filepath.Dir(exe), "lib", libraryName()); isFile(p) {
			return p, nil
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNoRuntime, err)
	}
	for {
		if p := filepath.Join(dir, "build", "onnxruntime", libraryName()); isFile(p) {
			return p, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrNoRuntime
		}
		dir = up
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type()&^fs.ModeSymlink == 0
}

// environment guards what ONNX Runtime itself keeps once per process: the
// loaded library and its environment. It is the one thing here that cannot
// belong to an Encoder, since two encoders share it. It is never unloaded: the
// library's threads do not survive that.
var environment struct {
	sync.Mutex
	library string
}

// loadRuntime loads the library, or finds that it is loaded already.
func loadRuntime(library string) error {
	environment.Lock()
	defer environment.Unlock()
	if ort.IsInitialized() {
		if environment.library != library {
			return fmt.Errorf("ONNX Runtime is loaded from %s already: it cannot be loaded again from %s", environment.library, library)
		}
		return nil
	}
	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("ONNX Runtime at %s could not be loaded: remove it and run `make setup`: %w", library, err)
	}
	environment.library = library
	return nil
}
