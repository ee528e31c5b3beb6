package clip

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"fieldmark/internal/dynlib"
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
// file or the folder it is in, if that is not empty; else where dynlib.Find
// looks.
func FindRuntime(explicit string) (string, error) {
	path, err := dynlib.Find(explicit, libraryName(), "onnxruntime")
	switch {
	case err == nil:
		return path, nil
	case explicit != "":
		return "", fmt.Errorf("%w (there is none at %s)", ErrNoRuntime, explicit)
	case errors.Is(err, fs.ErrNotExist):
		return "", ErrNoRuntime
	}
	return "", fmt.Errorf("%w (%w)", ErrNoRuntime, err)
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
