package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fieldmark/internal/protocol"
)

// Document is everything that a run came to, as JSON has it.
type Document struct {
	protocol.Result
	Notes   []string          `json:"notes,omitempty"` // on the data
	Summary []protocol.Point  `json:"summary"`
	MTIL    []protocol.Matrix `json:"mtil"`
	Claims  []protocol.Claim  `json:"claims"`
}

// Save writes a result into a folder, which is made if need be: report.html,
// report.txt, result.json, tables/*.csv, plots/*.svg and plots/*.png. It returns
// the report that they show.
func Save(dir string, r protocol.Result, notes []string) (Report, error) {
	out := Compose(r, notes)
	files, err := out.files()
	if err != nil {
		return out, err
	}
	points := protocol.Summarise(r.Rows)
	files["result.json"], err = json.MarshalIndent(Document{r, notes, points, protocol.MTIL(r.Rows), protocol.Claims(points)}, "", " ")
	if err != nil {
		return out, err
	}
	return out, write(dir, files)
}

// SaveComparison writes the report of several encoders (Compare) as Save does one's;
// what each of them came to stays in its own result.json.
func SaveComparison(dir string, encoders []Encoder) (Report, error) {
	out, err := Compare(encoders)
	if err != nil {
		return out, err
	}
	files, err := out.files()
	if err != nil {
		return out, err
	}
	return out, write(dir, files)
}

// write writes files by their names below a folder.
func write(dir string, files map[string][]byte) error {
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// files are a report's files by their names below its folder.
func (r Report) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	var page, text bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		return nil, err
	}
	if err := r.WriteText(&text); err != nil {
		return nil, err
	}
	files["report.html"], files["report.txt"] = page.Bytes(), text.Bytes()
	for _, t := range r.Tables() {
		var b bytes.Buffer
		if err := t.WriteCSV(&b); err != nil {
			return nil, err
		}
		files[filepath.Join("tables", t.ID+".csv")] = b.Bytes()
	}
	for _, c := range r.Charts() {
		svg, err := c.SVG()
		if err != nil {
			return nil, err
		}
		png, err := c.PNG()
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", c.ID, err)
		}
		files[filepath.Join("plots", c.ID+".svg")] = svg
		files[filepath.Join("plots", c.ID+".png")] = png
	}
	return files, nil
}
