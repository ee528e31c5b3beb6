// Package dynlib finds the shared libraries that `make setup` fetches and that
// are loaded when Fieldmark runs.
package dynlib

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the absolute path of the shared library name: explicit, a file
// or the folder that the library is in, if that is not empty; else in lib/
// beside the executable or its folder; else in build/folder/ of the working directory or one
// above it, which is where `make setup` puts it. A folder in which everybody may
// write, as in /tmp, is passed by there: a library is code. Where it is in none
// of these places, the error is fs.ErrNotExist.
func Find(explicit, name, folder string) (string, error) {
	if explicit != "" {
		for _, p := range []string{filepath.Join(explicit, name), explicit} {
			if isFile(p) {
				return filepath.Abs(p)
			}
		}
		return "", &fs.PathError{Op: "find", Path: explicit, Err: fs.ErrNotExist}
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		if p := beside(exe, name); p != "" {
			return p, nil
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if p := filepath.Join(dir, "build", folder, name); isFile(p) && !everybodys(dir) {
			return p, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist}
		}
		dir = up
	}
}

// beside looks in lib/ beside a program, where make build puts libraries, and in lib/
// beside its folder, where a release archive has them; "" if it is in neither.
func beside(exe, name string) string {
	folder := filepath.Dir(exe)
	if p := filepath.Join(folder, "lib", name); isFile(p) {
		return p
	}
	if p := filepath.Join(filepath.Dir(folder), "lib", name); isFile(p) && !everybodys(filepath.Dir(folder)) {
		return p
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type()&^fs.ModeSymlink == 0
}

// everybodys reports whether others than a folder's owner and group may put
// something into it.
func everybodys(dir string) bool {
	info, err := os.Stat(dir)
	return err != nil || info.Mode().Perm()&0o002 != 0
}
