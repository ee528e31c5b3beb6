package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/clip"
	"fieldmark/models"
)

// addVariant puts an encoder into a data folder: the built-in one, whose photos
// are a little brighter to it, so that its embeddings are others.
func addVariant(t testing.TB, data, name string) {
	t.Helper()
	if _, err := clip.FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "models", name)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.CopyFS(dir, models.Builtin()))
	path := filepath.Join(dir, clip.ManifestFile)
	text, err := os.ReadFile(path)
	must(t, err)
	var manifest map[string]any
	must(t, json.Unmarshal(text, &manifest))
	manifest["name"] = name
	manifest["image"].(map[string]any)["mean"] = []float64{0.48, 0.48, 0.48}
	text, err = json.Marshal(manifest)
	must(t, err)
	must(t, os.Chmod(path, 0o644))
	must(t, os.WriteFile(path, text, fs.FileMode(0o644)))
}

// state is what the API says of the memory and its encoder.
type state struct {
	MemorySeq int `json:"memory_seq"`
	Exemplars int
	Encoder   struct{ Name string }
	Work      *struct {
		Encoder     string
		Done, Total int
		Problem     string
	}
}

func (p *process) state(t testing.TB) (s state) {
	t.Helper()
	resp, err := http.Get(p.url + "/api/v1/stats")
	must(t, err)
	defer resp.Body.Close()
	must(t, json.NewDecoder(resp.Body).Decode(&s))
	return s
}

// serving is the name of the encoder that answers.
func (p *process) serving(t testing.TB) string { return p.state(t).Encoder.Name }

// wait until the process is in some state.
func (p *process) wait(t *testing.T, what string, holds func(state) bool) state {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		s := p.state(t)
		if holds(s) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s; %+v", what, s)
		}
	}
}

// succeeds runs webapp, which must end well.
func succeeds(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, out, errs := webapp(t, args...)
	if code != 0 {
		t.Fatalf("webapp %q: exit %d\n%s%s", args, code, out, errs)
	}
	return out, errs
}

// Another encoder is chosen while a server runs, and again when none does; each
// start then serves what was chosen last.
func TestModelsUse(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	addVariant(t, data, "brighter")
	p := startProcess(t, data)
	for i := range 6 {
		_, err := p.teach(drawn(uint64(i)), fmt.Sprintf("Lesson %c", 'A'+i%2))
		must(t, err)
	}
	out, says := succeeds(t, "models", "use", "brighter", "--data", data)
	if out != "brighter serves\n" || !strings.Contains(says, "A server has this data folder") {
		t.Errorf("%q, %q", out, says)
	}
	if s := p.state(t); s.Encoder.Name != "brighter" || s.Exemplars != 6 || s.MemorySeq != 6 {
		t.Errorf("%+v", s)
	}
	p.kill(t)
	p = startProcess(t, data)
	if s := p.state(t); s.Encoder.Name != "brighter" || s.Exemplars != 6 {
		t.Errorf("after a kill: %+v", s)
	}
	_, err := p.teach(drawn(100), "Lesson C")
	must(t, err)
	p.kill(t)
	if out, _ = succeeds(t, "verify", "--data", data); !strings.Contains(out, "exemplars 7") || !strings.Contains(out, "all in order") {
		t.Error(out)
	}

	out, says = succeeds(t, "models", "use", "--data", data, builtin)
	if out != builtin+" serves\n" || !strings.Contains(says, "7 of 7 photos, all done") {
		t.Errorf("%q, %q", out, says)
	}
	if out, _ = succeeds(t, "verify", "--data", data); !strings.Contains(out, "exemplars 7") {
		t.Error(out)
	}
	if s := startProcess(t, data).state(t); s.Encoder.Name != builtin || s.Exemplars != 7 {
		t.Errorf("%+v", s)
	}
}

// kill -9 in the middle of reading the photos again: what was read stays, and
// the next start goes on.
func TestAKillWhilePhotosAreEmbedded(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	addVariant(t, data, "brighter")
	p := startProcess(t, data)
	const lessons = 20
	for i := range lessons {
		_, err := p.teach(drawn(uint64(i)), fmt.Sprintf("Lesson %c", 'A'+i%4))
		must(t, err)
	}
	resp, err := http.Post(p.url+"/api/v1/encoders/brighter/use", "", nil)
	must(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Fatal(resp.Status)
	}
	s := p.wait(t, "photos are being read", func(s state) bool { return s.Work != nil && s.Work.Done > 0 || s.Encoder.Name == "brighter" })
	p.kill(t)
	t.Logf("killed at %+v", s.Work)
	p = startProcess(t, data)
	s = p.wait(t, "brighter serves", func(s state) bool { return s.Encoder.Name == "brighter" && s.Work == nil })
	if s.Exemplars != lessons || s.MemorySeq != lessons {
		t.Errorf("%+v", s)
	}
	p.kill(t)
	if out, _ := succeeds(t, "verify", "--data", data); !strings.Contains(out, "all in order") {
		t.Error(out)
	}
}

func TestModelsUseNamesWhatThereIs(t *testing.T) {
	data := t.TempDir()
	wants(t, 1, []string{"models list"}, "models", "use", "none-such", "--data", data)
	wants(t, 2, []string{"give the name"}, "models", "use", "--data", data)
	wants(t, 2, []string{"not a flag"}, "models", "use", "a", "b")
}
