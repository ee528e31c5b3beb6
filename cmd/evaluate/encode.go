package main

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"fieldmark/internal/clip"
	"fieldmark/internal/eval"
	"fieldmark/internal/photo"
)

// openEncoder opens the encoder in a folder.
func openEncoder(dir, library string, threads int) (*clip.Encoder, error) {
	if _, err := os.Stat(filepath.Join(dir, clip.ManifestFile)); err != nil {
		return nil, fmt.Errorf("there is no encoder in %s (give its folder with --model): %w", dir, err)
	}
	return clip.Open(os.DirFS(dir), clip.Options{Runtime: library, Threads: threads, Batch: 1})
}

// batch is how many pictures are handed to the encoder at once.
const batch = 64

// seeing says what is embedded of a photo beside itself.
type seeing struct {
	remembered []photo.View // what a memory keeps beside the whole
	asked      []view       // copies
}

// embedClasses embeds photos, and what else is asked for of each, and gathers them
// by class. The label of a class is its place in classes.
func embedClasses(ctx context.Context, e *clip.Encoder, files []photoFile, classes []string, s seeing) ([]eval.Class, error) {
	out := make([]eval.Class, len(classes))
	at := make(map[string]int, len(classes))
	for i, c := range classes {
		out[i].Label, at[c] = i, i
	}
	each := 1 + len(s.remembered) + len(s.asked)
	for from := 0; from < len(files); from += batch {
		some := files[from:min(len(files), from+batch)]
		pictures, err := decode(some, s)
		if err != nil {
			return nil, err
		}
		vectors, err := e.EmbedImages(ctx, pictures)
		if err != nil {
			return nil, err
		}
		for i, f := range some {
			mine := vectors[i*each:][:each]
			shot := eval.Shot{Vector: mine[0], Views: mine[1:][:len(s.remembered)]}
			for v, view := range s.asked {
				shot.Copies = append(shot.Copies, eval.Copy{Kind: view.kind, Vector: mine[1+len(s.remembered)+v]})
			}
			c := &out[at[f.class]]
			c.Photos = append(c.Photos, shot)
		}
	}
	return out, nil
}

// decode returns each photo, followed by what else is embedded of it.
func decode(files []photoFile, s seeing) ([]image.Image, error) {
	var out []image.Image
	for _, f := range files {
		p, err := photo.Decode(f.data, photo.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", f.class, f.name, err)
		}
		out = append(out, p.Image)
		for _, v := range s.remembered {
			out = append(out, v.Of(p))
		}
		for _, v := range s.asked {
			img, err := v.make(p.Image)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %s: %w", f.class, f.name, v.kind, err)
			}
			out = append(out, img)
		}
	}
	return out, nil
}
