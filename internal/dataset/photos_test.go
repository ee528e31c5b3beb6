package dataset

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/clip"
	"fieldmark/internal/protocol"
)

const animals = `
[[task]]
name = "animals"
photos = "photos"
test_every = 3
`

// zoo is seven photos of each of two classes; no two are equal.
func zoo(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	for i := range 7 {
		files[fmt.Sprintf("photos/red_fox/%d.png", i)] = picture(t, 200, uint8(i), 0)
		files[fmt.Sprintf("photos/owl/%d.png", i)] = picture(t, 0, uint8(i), 200)
	}
	return files
}

func TestPhotosByClass(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	write(t, root, map[string][]byte{"photos/owl/notes.txt": nil, "photos/owl/.hidden.png": nil, "photos/stray.png": picture(t, 1, 2, 3), "photos/unsorted/1.png": picture(t, 1, 2, 4)})
	got, err := load(t, root, animals+"leave_out = [\"unsorted\"]", &colours{digest: "a"})
	if err != nil {
		t.Fatal(err)
	}
	s := got.Suite
	if s.Name != "set" || s.Tau != 50 || s.Encoder != "colours a" {
		t.Errorf("suite %q, τ = %g, encoder %q", s.Name, s.Tau, s.Encoder)
	}
	task := s.Tasks[0]
	if want := []string{"owl", "red fox"}; !slices.Equal(task.Classes, want) {
		t.Errorf("classes %q, want %q", task.Classes, want)
	}
	// Of seven photos by name the first, the fourth and the seventh test.
	if want := []int{0, 0, 0, 1, 1, 1}; !slices.Equal(task.Test.Labels, want) {
		t.Errorf("test labels %v, want %v", task.Test.Labels, want)
	}
	for i, g := range []float32{0, 3, 6} {
		if v := task.Test.Vectors[i]; v[1] != g || v[2] != 200 {
			t.Errorf("test photo %d is %v, want owl %g", i, v, g)
		}
	}
	if len(task.Train.Vectors) != 8 || got.Embedded != 14 {
		t.Errorf("%d training photos, %d embedded; want 8 and 14", len(task.Train.Vectors), got.Embedded)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "stray.png") {
		t.Errorf("notes %q, want one on the stray photo", got.Notes)
	}
}

func TestCache(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	run := func(e *colours) *Loaded {
		t.Helper()
		got, err := load(t, root, animals, e)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := run(&colours{digest: "a"})
	for _, step := range []struct {
		what          string
		digest        string
		change        map[string][]byte
		photos, names int // embedded
	}{
		{"a second run", "a", nil, 0, 0},
		{"a changed photo", "a", map[string][]byte{"photos/owl/1.png": picture(t, 0, 99, 200)}, 1, 0},
		{"a copy under another name", "a", map[string][]byte{"photos/owl/copy.png": picture(t, 0, 99, 200)}, 0, 0},
		{"another encoder", "b", nil, 14, 0}, // with the same text tower
	} {
		write(t, root, step.change)
		e := &colours{digest: step.digest}
		got := run(e)
		if e.photos != step.photos || e.names != step.names || got.Embedded != step.photos {
			t.Errorf("%s: %d photos (told: %d) and %d names were embedded, want %d and %d", step.what, e.photos, got.Embedded, e.names, step.photos, step.names)
		}
		if step.change == nil && step.digest == "a" && !reflect.DeepEqual(got.Suite, first.Suite) {
			t.Errorf("%s: the suite differs", step.what)
		}
	}
}

// A folder that is a link is gone into.
func TestLinkedFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	if err := os.Symlink(filepath.Join(root, "photos"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := load(t, root, strings.Replace(animals, `"photos"`, `"link"`, 1), &colours{digest: "a"})
	if err != nil || got.Embedded != 14 {
		t.Errorf("%v, %v; want 14 photos", got, err)
	}
}

// What was embedded before a run is stopped is not embedded again.
func TestStopped(t *testing.T) {
	root := t.TempDir()
	files := map[string][]byte{}
	for i := range 3 * together {
		files[fmt.Sprintf("photos/%d/%d.png", i%2, i)] = picture(t, uint8(i), 1, 1)
	}
	write(t, root, files)
	write(t, root, map[string][]byte{"set.toml": []byte(animals)})
	m, err := ReadManifest(filepath.Join(root, "set.toml"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := OpenCache(root)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	ctx, stop := context.WithCancel(t.Context())
	first, second := &colours{digest: "a"}, &colours{digest: "a"}
	_, err = Load(ctx, m, Options{Encoder: first, Cache: cache, Progress: func(what string, done, _ int) {
		if what == "photos embedded" && done >= together {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := Load(t.Context(), m, Options{Encoder: second, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	if first.photos == 0 || first.photos+second.photos != 3*together {
		t.Errorf("%d photos were embedded, and then %d; want %d in all", first.photos, second.photos, 3*together)
	}
}

// A damaged photo is left out by name; the rest stands.
func TestUnreadablePhoto(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	write(t, root, map[string][]byte{"photos/owl/3.png": []byte("no picture")})
	got, err := load(t, root, animals, &colours{digest: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Suite.Tasks[0].Test.Vectors); n != 5 || got.Embedded != 13 {
		t.Errorf("%d test photos, %d embedded; want 5 and 13", n, got.Embedded)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "owl/3.png was left out") {
		t.Errorf("notes %q", got.Notes)
	}
}

// No photo is on both sides, within a task or across them; copies within a side
// count once.
func TestCopies(t *testing.T) {
	root := t.TempDir()
	shared, twice := picture(t, 9, 9, 9), picture(t, 8, 8, 8)
	write(t, root, map[string][]byte{
		"a/train/x/1.png": picture(t, 1, 0, 0), "a/train/x/2.png": shared, "a/train/x/3.png": twice, "a/train/x/4.png": twice,
		"a/train/y/1.png": picture(t, 2, 0, 0), "a/train/y/5.png": picture(t, 7, 7, 7),
		"a/test/x/1.png": shared, "a/test/y/1.png": picture(t, 3, 0, 0),
		"b/p/1.png": picture(t, 7, 7, 7), "b/q/1.png": picture(t, 5, 0, 0),
	})
	got, err := load(t, root, `
[[task]]
name = "a"
photos = "a"
[[task]]
name = "b"
photos = "b"
zero_shot = true
`, &colours{digest: "a"})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Suite.Tasks[0], got.Suite.Tasks[1]
	if len(a.Train.Vectors) != 3 || len(a.Test.Vectors) != 2 || len(b.Test.Vectors) != 2 || len(b.Train.Vectors) != 0 {
		t.Errorf("a: %d and %d photos, b: %d and %d; want 3, 2, 0, 2", len(a.Train.Vectors), len(a.Test.Vectors), len(b.Train.Vectors), len(b.Test.Vectors))
	}
	asked := append(slices.Clone(a.Test.Vectors), b.Test.Vectors...)
	for _, v := range a.Train.Vectors {
		if slices.ContainsFunc(asked, func(u []float32) bool { return slices.Equal(u, v) }) {
			t.Errorf("%v is taught and asked", v)
		}
	}
	if len(got.Notes) != 2 {
		t.Errorf("notes %q, want one on copies and one on what tests elsewhere", got.Notes)
	}
}

// A zero-shot task with a class that is taught elsewhere is not passed over.
func TestTaughtAnyway(t *testing.T) {
	root := t.TempDir()
	files := zoo(t)
	files["others/owl/1.png"], files["others/bat/1.png"] = picture(t, 1, 1, 1), picture(t, 2, 2, 2)
	write(t, root, files)
	got, err := load(t, root, animals+"[[task]]\nname = \"others\"\nphotos = \"others\"\nzero_shot = true", &colours{digest: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "teach 1 of its 2 classes, owl") {
		t.Errorf("notes %q", got.Notes)
	}
}

// A share is drawn by the photos' bytes: names do not matter, the seed does.
func TestTestShare(t *testing.T) {
	draw := func(rename string, seed int) protocol.Split {
		root := t.TempDir()
		files := map[string][]byte{}
		for name, data := range zoo(t) {
			files[strings.Replace(name, ".png", rename+".png", 1)] = data
		}
		write(t, root, files)
		got, err := load(t, root, fmt.Sprintf("split_seed = %d\n[[task]]\nname='z'\nphotos='photos'\ntest_share=0.3\nper_class=6", seed), &colours{digest: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if n, m := len(got.Suite.Tasks[0].Test.Vectors), len(got.Suite.Tasks[0].Train.Vectors); n != 4 || m != 8 {
			t.Errorf("%d test and %d training photos; want 4 (0.3 of 6 is 1.8: two a class) and 8", n, m)
		}
		return got.Suite.Tasks[0].Test
	}
	first := draw("", 1)
	if !reflect.DeepEqual(draw("-x", 1), first) {
		t.Error("other names, other test photos")
	}
	same := 0
	for seed := range 6 {
		if reflect.DeepEqual(draw("", seed+2), first) {
			same++
		}
	}
	if same == 6 { // by chance: one in (7·6/2 · 5…)^6
		t.Error("the seed does not matter")
	}
}

func TestArchiveOfPhotos(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	w := tar.NewWriter(z)
	for name, data := range zoo(t) { // in any order
		name = "pack/animals/" + strings.TrimPrefix(name, "photos/")
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o666, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string][]byte{
		"photos.tar.gz": file.Bytes(),
		"names.tsv":     []byte("class\tscientific\tenglish\nanimals/red_fox\tVulpes vulpes\tRed Fox\n"),
	})
	e := &colours{digest: "a"}
	folder, err := load(t, root, animals, e)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := load(t, root, strings.Replace(animals, `"photos"`, `"photos.tar.gz"`+"\nfolder = \"pack/animals\"", 1), e)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(folder.Suite, packed.Suite) {
		t.Error("a folder and an archive with the same photos give different suites")
	}
	named, err := load(t, root, "names = \"names.tsv\"\n"+animals+"folder = \"\"\nclasses = [\"red_fox\", \"owl\"]", e)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(named.Suite.Tasks[0].Texts, folder.Suite.Tasks[0].Texts) {
		t.Error("a table that has no class of the task changed its names")
	}
	tabled, err := load(t, root, "names = \"names.tsv\"\n"+strings.Replace(animals, `"photos"`, `"photos.tar.gz"`+"\nfolder = \"pack/animals\"", 1), e)
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(tabled.Suite.Tasks[0].Texts[1], folder.Suite.Tasks[0].Texts[1]) {
		t.Error("the table of names changed nothing")
	}
}

func TestOddFolders(t *testing.T) {
	for want, files := range map[string][]string{
		"there is no photo of it":                 {"photos/readme.txt"},
		"name the folder above the classes":       {"photos/set/owl/1.png", "photos/set/fox/1.png"},
		"one class":                               {"photos/owl/1.png", "photos/owl/2.png"},
		"some are in neither":                     {"photos/train/owl/1.png", "photos/fox/2.png"},
		"in folders train and test already":       {"photos/train/owl/1.png", "photos/test/owl/2.png", "photos/train/fox/3.png"},
		"no such file or directory":               nil,
		`no photo of the class "wren"`:            {"photos/owl/1.png", "photos/owl/2.png", "photos/fox/1.png"},
		"say with test_every or test_share which": {"photos/owl/1.png", "photos/owl/2.png", "photos/fox/1.png", "photos/fox/2.png"},
		"it has no training images":               {"photos/owl/1.png", "photos/fox/1.png"},
	} {
		root := t.TempDir()
		for i, name := range files {
			write(t, root, map[string][]byte{name: picture(t, uint8(i), 1, 1)})
		}
		manifest := animals
		switch {
		case strings.Contains(want, "wren"):
			manifest += "classes = [\"owl\", \"wren\"]"
		case strings.HasPrefix(want, "say with"):
			manifest = strings.Replace(animals, "test_every = 3", "", 1)
		}
		_, err := load(t, root, manifest, &colours{digest: "a"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", files, err, want)
		}
	}
	root := t.TempDir()
	write(t, root, zoo(t))
	if _, err := load(t, root, animals, nil); err == nil || !strings.Contains(err.Error(), "--model") {
		t.Errorf("photos without an encoder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "cache"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(filepath.Join(root, "cache")); err == nil {
		t.Error("a file was opened as the folder of a cache")
	}
}

// A task's prompt makes its text embeddings, and no other task's; they are cached
// apart from those of the encoder's own prompts.
func TestPrompt(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	e := &colours{digest: "a"}
	texts := func(prompt string) [][]float32 {
		t.Helper()
		got, err := load(t, root, animals+prompt+"\n[[task]]\nname = \"others\"\nphotos = \"photos\"\nzero_shot = true\ntest_every = 2\n", e)
		if err != nil {
			t.Fatal(err)
		}
		own, err := e.EmbedPrompted(t.Context(), [][]string{{"owl"}, {"red fox"}}, e.Manifest().Prompts)
		if err != nil || !slices.EqualFunc(got.Suite.Tasks[1].Texts, own, slices.Equal) {
			t.Errorf("texts of the task without a prompt: %v, want %v, %v", got.Suite.Tasks[1].Texts, own, err)
		}
		return got.Suite.Tasks[0].Texts
	}
	plain := texts("")
	for range 2 { // the second time out of the cache
		want, err := e.EmbedPrompted(t.Context(), [][]string{{"owl"}, {"red fox"}}, []string{"a {}, a type of pet."})
		if got := texts(`prompt = "a {}, a type of pet."`); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("texts %v, want %v, %v", got, want, err)
		} else if slices.EqualFunc(got, plain, slices.Equal) {
			t.Error("the prompt changes nothing")
		}
	}
}

// An encoder without a text tower has no use for a prompt, and says so.
func TestPromptWithoutATextTower(t *testing.T) {
	root := t.TempDir()
	write(t, root, zoo(t))
	e := &colours{digest: "a", lookup: &clip.Lookup{}}
	plain, err := load(t, root, animals, e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, root, animals+`prompt = "a {}."`, e)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Suite, plain.Suite) {
		t.Error("the prompt changes the suite")
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "table of names in place of a text tower") {
		t.Errorf("notes %q", got.Notes)
	}
}
