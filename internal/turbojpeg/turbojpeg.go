// Package turbojpeg decodes JPEG files through libjpeg-turbo, which works in
// the frequency domain: of each block it computes only as many pixels as are
// wanted, so a picture at an eighth of its size costs little more than reading
// the file. The library is loaded at run time where the machine has it, and
// nothing of it is needed to build Fieldmark.
package turbojpeg

// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "load.h"
import "C"

import (
	"errors"
	"fmt"
	"image"
	"runtime"
	"unsafe"

	"fieldmark/internal/dynlib"
)

// ErrNotFound means that the machine has no libjpeg-turbo.
var ErrNotFound = errors.New("libjpeg-turbo was not found")

// A Library is libjpeg-turbo, loaded. Its methods may be called from many
// goroutines. It is never unloaded.
type Library struct {
	path  string
	table C.turbojpeg
}

// names of the library: where `make setup` or a folder has it, and as the
// system's loader finds it.
func names() (file string, system []string) {
	if runtime.GOOS == "darwin" {
		file = "libturbojpeg.0.dylib"
		return file, []string{"/opt/homebrew/opt/jpeg-turbo/lib/" + file, "/usr/local/opt/jpeg-turbo/lib/" + file, file}
	}
	file = "libturbojpeg.so.0"
	return file, []string{file}
}

// Open loads the library: explicit, a file or the folder that it is in, if that
// is not empty; else the one that `make setup` fetched; else the system's own.
// Where none was named and none can be loaded, the error is ErrNotFound.
func Open(explicit string) (*Library, error) {
	file, candidates := names()
	path, err := dynlib.Find(explicit, file, "turbojpeg")
	if err == nil {
		candidates = append([]string{path}, candidates...)
	}
	if explicit != "" {
		if err != nil {
			return nil, fmt.Errorf("libjpeg-turbo: there is no %s at %s", file, explicit)
		}
		return load(path)
	}
	var failures []error
	for _, candidate := range candidates {
		l, err := load(candidate)
		if err == nil {
			return l, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrNotFound, errors.Join(failures...))
}

func load(path string) (*Library, error) {
	l := &Library{path: path}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var message [messageSize]C.char
	if C.turbojpeg_load(&l.table, name, &message[0], messageSize) != 0 {
		return nil, fmt.Errorf("libjpeg-turbo: %s", C.GoString(&message[0]))
	}
	return l, nil
}

// messageSize is room for what the library says, 200 characters at most.
const messageSize = 256

// Path is where the library was loaded from.
func (l *Library) Path() string { return l.path }

// DecodeJPEG decodes a JPEG of width × height pixels, which its header must
// say too, at 1/denominator of its size (1, 2, 4 or 8), each side rounded up.
// Whatever the library finds amiss, be it damage that it could conceal or a
// kind of JPEG that it does not turn into RGB, is an error.
func (l *Library) DecodeJPEG(data []byte, width, height, denominator int) (*image.RGBA, error) {
	if len(data) == 0 || width < 1 || height < 1 {
		return nil, errors.New("libjpeg-turbo: no picture")
	}
	switch denominator {
	case 1, 2, 4, 8:
	default:
		return nil, fmt.Errorf("libjpeg-turbo: no scale 1/%d", denominator)
	}
	up := denominator - 1
	img := image.NewRGBA(image.Rect(0, 0, (width+up)/denominator, (height+up)/denominator))
	var message [messageSize]C.char
	if C.turbojpeg_decode(&l.table, (*C.uchar)(&data[0]), C.ulong(len(data)), C.int(width), C.int(height),
		(*C.uchar)(&img.Pix[0]), C.int(img.Rect.Dx()), C.int(img.Rect.Dy()), &message[0], messageSize) != 0 {
		return nil, fmt.Errorf("libjpeg-turbo: %s", C.GoString(&message[0]))
	}
	return img, nil
}
