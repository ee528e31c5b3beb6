package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// role of a file, as far as its name tells.
type role int

const (
	unknownRole role = iota
	imageRole
	textRole
	bothRoles
)

// A graphFile is a file that may be a tower.
type graphFile struct {
	path      string
	role      role
	precision string
}

var precisionSuffix = regexp.MustCompile(`^(.+?)[-_.](fp32|fp16|quantized|int8|uint8|q4|q4f16|q8|bnb4)$`)

// precisions, the one that is taken first.
var precisions = []string{"fp32", "fp16", "quantized", "int8", "uint8", "q8", "q4f16", "q4", "bnb4"}

func classify(file string) graphFile {
	stem := strings.ToLower(strings.TrimSuffix(path.Base(file), ".onnx"))
	g := graphFile{path: file, precision: "fp32"}
	if m := precisionSuffix.FindStringSubmatch(stem); m != nil {
		stem, g.precision = m[1], m[2]
	}
	where := stem
	if stem == "model" { // immich: visual/model.onnx
		where = strings.ToLower(path.Base(path.Dir(file)))
	}
	switch {
	case strings.Contains(where, "text"):
		g.role = textRole
	case strings.Contains(where, "visual"), strings.Contains(where, "vision"), strings.Contains(where, "image"):
		g.role = imageRole
	case stem == "model":
		g.role = bothRoles
	}
	return g
}

// graphFiles lists the ONNX files in a folder and up to two folders below it,
// of one precision if that was said.
func graphFiles(folder fs.FS, precision string) ([]graphFile, error) {
	var all []graphFile
	err := fs.WalkDir(folder, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.Count(p, "/") > 1:
			return fs.SkipDir
		case !d.IsDir() && path.Ext(p) == ".onnx":
			all = append(all, classify(p))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("there is no .onnx file in it: an encoder must be exported to ONNX first (optimum-cli export onnx --model MODEL FOLDER)")
	}
	if precision == "" {
		return all, nil
	}
	of := slices.DeleteFunc(slices.Clone(all), func(g graphFile) bool { return g.precision != precision })
	if len(of) == 0 {
		var there []string
		for _, g := range all {
			there = append(there, g.path)
		}
		return nil, fmt.Errorf("none of its files is of --weights %s: %s", precision, strings.Join(there, ", "))
	}
	return of, nil
}
