package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"

	"fieldmark/internal/clip"
	"fieldmark/internal/dataset"
)

// source is where an experiment's photos and encoder come from.
type source struct {
	photos, classes, names, model, library string
}

func (s *source) register(fs *flag.FlagSet) {
	fs.StringVar(&s.photos, "photos", "", "`folder` or .tar.gz of photos as SET/CLASS/*.jpg or CLASS/*.jpg")
	fs.StringVar(&s.classes, "classes", "", "`file` that names one SET/CLASS a line; all classes if not given")
	fs.StringVar(&s.names, "names", "", "`table` of class, scientific and English name, tabs between; photo_classes.tsv beside --classes if that is there; else the folders' names")
	fs.StringVar(&s.model, "model", "models/fieldmark-1", "`folder` of the encoder")
	fs.StringVar(&s.library, "onnxruntime", "", "ONNX Runtime's library `file`; looked for beside the program if not given")
}

// read returns the classes that have at least enough photos, their photos, and
// their names. Classes that were asked for by name must have enough.
func (s *source) read(enough int) (classes []string, files []photoFile, names dataset.ClassNames, err error) {
	if s.photos == "" {
		return nil, nil, nil, fmt.Errorf("--photos is missing: %w", errUsage)
	}
	if s.names == "" {
		if s.names, err = namesBeside(s.classes); err != nil {
			return nil, nil, nil, err
		}
	}
	if s.names != "" {
		if names, err = dataset.ReadNames(s.names); err != nil {
			return nil, nil, nil, err
		}
	}
	want := func(string) bool { return true }
	if s.classes != "" {
		if classes, err = readClasses(s.classes); err != nil {
			return nil, nil, nil, err
		}
		want = func(c string) bool { return slices.Contains(classes, c) }
	}
	if files, err = readPhotos(s.photos, want); err != nil {
		return nil, nil, nil, err
	}
	count := map[string]int{}
	for _, f := range files {
		count[f.class]++
	}
	for _, c := range classes {
		if count[c] < enough {
			return nil, nil, nil, fmt.Errorf("%s has %d photos of %s; %d are wanted", s.photos, count[c], c, enough)
		}
	}
	if s.classes == "" {
		for c, n := range count {
			if n >= enough {
				classes = append(classes, c)
			}
		}
		slices.Sort(classes)
	}
	if len(classes) == 0 {
		return nil, nil, nil, fmt.Errorf("%s: no class has %d photos", s.photos, enough)
	}
	files = slices.DeleteFunc(files, func(f photoFile) bool { return !slices.Contains(classes, f.class) })
	return classes, files, names, nil
}

// open opens the encoder, and makes the classes the first labels of a world.
func (s *source) open(workers int, classes []string, names dataset.ClassNames) (*clip.Encoder, *world, error) {
	e, err := openEncoder(s.model, s.library, workers)
	if err != nil {
		return nil, nil, err
	}
	w, err := newWorld(classes, names, e.Manifest().Names)
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	return e, w, nil
}
