// Command dist makes what goes beside the programs of a release: the list of what
// they contain (a CycloneDX SBOM), the licences of all that, and the archive.
//
//	dist licences OUT.md           the licences of everything in the programs; fails on one that
//	                               cannot be combined with Apache-2.0
//	dist sbom VERSION ARCH OUT     a CycloneDX 1.6 document, as JSON
//	dist notices OUT               the texts of all licences
//	dist pack FOLDER OUT.tar.gz    the same folder gives the same bytes
//
// It runs in the repository's root. The Go modules are those that the programs
// import, with the sums of go.sum; what npm gives is by the package-locks.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: dist licences OUT | sbom VERSION ARCH OUT | notices OUT | pack FOLDER OUT")

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	if args[0] == "pack" && len(args) == 3 {
		return create(args[2], func(out *os.File) error { return pack(out, args[1]) })
	}
	list, err := components(".")
	if err != nil {
		return err
	}
	switch {
	case args[0] == "licences" && len(args) == 2:
		if err := compatible(list); err != nil {
			return err
		}
		return create(args[1], func(out *os.File) error { return table(out, list) })
	case args[0] == "notices" && len(args) == 2:
		return create(args[1], func(out *os.File) error { return notices(out, list) })
	case args[0] == "sbom" && len(args) == 4:
		return create(args[3], func(out *os.File) error { return sbom(out, list, args[1], args[2]) })
	}
	return errUsage
}

// create writes a file, and leaves none that is half-written.
func create(path string, write func(*os.File) error) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			os.Remove(path)
		}
	}()
	return write(out)
}
