package adopt

import (
	"fmt"
	"io/fs"
	"strings"

	"fieldmark/internal/clip"
)

// A draft is an encoder in the making.
type draft struct {
	folder   fs.FS
	said     Options
	manifest clip.Manifest
	files    []output
	notes    []string // what was read, and where
	missing  Missing
}

// output is a file to write; entry, within the manifest, gets its size and
// digest.
type output struct {
	entry *clip.File
	make  func() ([]byte, error)
}

func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

func (d *draft) ask(format string, args ...any) {
	d.missing = append(d.missing, fmt.Sprintf(format, args...))
}

// write has a file written under a name.
func (d *draft) write(entry *clip.File, name string, make func() ([]byte, error)) {
	entry.File = name
	d.files = append(d.files, output{entry, make})
}

// copy has a file of folder written under a name.
func (d *draft) copy(entry *clip.File, name string, folder fs.FS, path string) {
	d.write(entry, name, func() ([]byte, error) { return fs.ReadFile(folder, path) })
}

// read drafts the encoder in folder. What only a run can tell is open: whether
// embeddings come with length 1.
func read(folder fs.FS, said Options) (*draft, error) {
	if _, err := fs.Stat(folder, clip.ManifestFile); err == nil {
		return readOwn(folder, said)
	}
	d := &draft{folder: folder, said: said}
	d.manifest = clip.Manifest{Format: 1, Name: said.Name, Title: said.Title, License: said.License,
		Prompts: said.Prompts, Names: said.Names, Near: defaultNear(), LogitScale: said.LogitScale}
	towers, err := findTowers(folder, said)
	if err != nil {
		return nil, err
	}
	c, err := readConfigs(folder, towers.folders())
	if err != nil {
		return nil, err
	}
	if err := d.imageTower(towers, c); err != nil {
		return nil, fmt.Errorf("%s: %w", towers.image.path, err)
	}
	if towers.text == nil {
		err = d.lookup()
	} else if err = d.textTower(towers, c); err != nil {
		err = fmt.Errorf("%s: %w", towers.text.path, err)
	}
	if err != nil {
		return nil, err
	}
	d.logitScale(towers, c)
	d.defaults()
	if d.missing != nil {
		return nil, d.missing
	}
	return d, nil
}

// logitScale takes τ from what was said, or from a graph that has it.
func (d *draft) logitScale(t *towers, c *configs) {
	if d.manifest.LogitScale != 0 {
		return
	}
	for _, tower := range []*tower{t.image, t.text} {
		if tower == nil {
			continue
		}
		if tau, ok := tower.model.LogitScale(); ok {
			d.manifest.LogitScale = tau
			d.note("logit scale %.4g: written into %s", tau, tower.path)
			return
		}
	}
	hint := ""
	if c.scaleAtInit {
		hint = " (config.json has only logit_scale_init_value, with which training began)"
	}
	d.ask("the logit scale τ, exp of the checkpoint's logit_scale%s: OpenAI's CLIP, OpenCLIP's, BioCLIP and MobileCLIP "+
		"were trained up to 100, so --logit-scale 100; siglip-base-patch16-224 has about 117.3; name vectors have that of the model that made them", hint)
}

// defaults fills in what changes no embedding of a photo.
func (d *draft) defaults() {
	m := &d.manifest
	if d.said.Near != nil {
		m.Near = *d.said.Near
	} else {
		d.note("near exemplars: slope %g, midpoint %g, as fitted for OpenAI's ViT-B/32; `evaluate near --photos` fits them to this encoder",
			m.Near.Slope, m.Near.Midpoint)
	}
	if m.Title == "" {
		m.Title = m.Name
	}
	if m.License == "" {
		m.License = cardLicense(d.folder)
	}
	if m.License == "" {
		m.License = "unknown"
		d.note("licence: not known to Fieldmark; look it up, and give it with --license")
	}
	lookup := m.Text.Lookup != nil
	if m.Prompts == nil && lookup {
		m.Prompts = []string{"{}"}
	} else if m.Prompts == nil {
		m.Prompts = []string{defaultPrompt}
		d.note("prompt: %q, CLIP's general one; others with --prompt", defaultPrompt)
	}
	if m.Names == nil && lookup {
		m.Names = []string{"scientific", "english"}
	} else if m.Names == nil {
		m.Names = []string{"english"}
		d.note("names: a taxon's English name, else its scientific one, since models of the web know few of these; --names scientific,english reads both (BioCLIP)")
	}
}

// cardLicense is the licence that the head of a model card states
// (README.md, "license: mit"), or "".
func cardLicense(folder fs.FS) string {
	card, err := fs.ReadFile(folder, "README.md")
	if err != nil {
		return "" // no card, no licence: it is asked for in words
	}
	lines := strings.Split(strings.ReplaceAll(string(card), "\r\n", "\n"), "\n")
	if lines[0] != "---" {
		return ""
	}
	for _, line := range lines[1:] {
		if line == "---" {
			break
		}
		if name, ok := strings.CutPrefix(line, "license:"); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}
