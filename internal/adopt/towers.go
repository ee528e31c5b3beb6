package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"fieldmark/internal/onnx"
)

// towers are the graphs of an encoder. Both may be of one file.
type towers struct {
	image *tower
	text  *tower // nil: there is none
}

type tower struct {
	path  string // within the folder
	model *onnx.Model
}

// folders are where configuration files may lie, the nearest first.
func (t *towers) folders() []string {
	var all []string
	for _, tower := range []*tower{t.image, t.text} {
		if tower != nil {
			dir := path.Dir(tower.path)
			all = append(all, dir, path.Dir(dir))
		}
	}
	return append(all, ".")
}

// findTowers finds the graphs of the encoder in a folder.
func findTowers(folder fs.FS, said Options) (*towers, error) {
	files, err := graphFiles(folder, said.Precision)
	if err != nil {
		return nil, err
	}
	var t towers
	if t.image, err = choose(folder, files, imageRole, said.ImageFile, "--image"); err != nil {
		return nil, err
	}
	if t.text, err = choose(folder, files, textRole, said.TextFile, "--text"); err != nil {
		return nil, err
	}
	if t.text == nil && said.ImageFile != "" && takesIDs(t.image.model) {
		t.text = t.image
	}
	if t.image != nil && t.text != nil {
		return &t, nil
	}
	// One file for both, or an image tower by another name.
	r := bothRoles
	if !slices.ContainsFunc(files, func(g graphFile) bool { return g.role == bothRoles }) {
		r = unknownRole
	}
	other, err := choose(folder, files, r, "", "--image")
	if err != nil {
		return nil, err
	}
	if t.image == nil {
		t.image = other
	}
	if t.image == nil {
		return nil, errors.New("it has a text tower and no image tower: give the image tower's file with --image")
	}
	if t.text == nil && other != nil && takesIDs(other.model) {
		t.text = other
	}
	return &t, nil
}

// choose opens the file of a role that was said, or the only one of the best
// precision; nil if there is none.
func choose(folder fs.FS, files []graphFile, r role, said, flag string) (*tower, error) {
	if said != "" {
		return openTower(folder, path.Clean(strings.ReplaceAll(said, "\\", "/")))
	}
	for _, precision := range precisions {
		var of []string
		for _, g := range files {
			if g.role == r && g.precision == precision {
				of = append(of, g.path)
			}
		}
		switch len(of) {
		case 0:
		case 1:
			return openTower(folder, of[0])
		default:
			return nil, fmt.Errorf("several files would do: %s; name one with %s", strings.Join(of, ", "), flag)
		}
	}
	return nil, nil
}

func openTower(folder fs.FS, file string) (*tower, error) {
	data, err := fs.ReadFile(folder, file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, fmt.Errorf("there is no file %q in the folder: name one by its path from there", file)
	} else if err != nil {
		return nil, err
	}
	if strings.HasPrefix(string(data[:min(len(data), 40)]), "version https://git-lfs") {
		return nil, fmt.Errorf("%s is a pointer of Git LFS, not the file itself: run git lfs pull in its folder", file)
	}
	m, err := onnx.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: fetch or export it again", file, err)
	}
	return &tower{path: file, model: m}, nil
}

// weights are the files beside a tower.
func (t *tower) weights(folder fs.FS) (fs.FS, error) { return fs.Sub(folder, path.Dir(t.path)) }

// part makes the graph of one output.
func (t *tower) part(folder fs.FS, output string) func() ([]byte, error) {
	return func() ([]byte, error) {
		beside, err := t.weights(folder)
		if err != nil {
			return nil, err
		}
		graph, err := t.model.Part(output, beside)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		return graph, nil
	}
}
