package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManifestRefusals(t *testing.T) {
	const task = "[[task]]\nname = \"a\"\nphotos = \"p\"\ntest_every = 4\n"
	for manifest, want := range map[string]string{
		"":                        "no [[task]]",
		"[[task]\n":               "end of table array",
		"colour = 1\n" + task:     `no setting "colour"`,
		task + "foto = 1":         `no setting "task.foto"`,
		"tau = -1\n" + task:       "must be positive",
		"[[task]]\nphotos='p'":    "task 1 has no name",
		task + task:               `two tasks are named "a"`,
		task + "zero_shot=true":   "at least one must be taught",
		"[[task]]\nname='a'":      "one of photos, embeddings",
		task + "pack='x'":         "one of photos, embeddings",
		task + "test_share=0.5":   "both test_every and test_share",
		task + "prompt='a photo'": "it needs {} once",
		"[[task]]\nname='a'\npack='x'\nprompt='a {}.'":            "leave out prompt",
		"[[task]]\nname='a'\nphotos='p'\ntest_every=1":            "at least 2",
		"[[task]]\nname='a'\nphotos='p'\ntest_share=1.5":          "between 0 and 1",
		"[[task]]\nname='a'\nembeddings='x.npz'\nper_class=3":     "go with photos only",
		"[[task]]\nname='a'\ntrain='x.npy'":                       "belong together",
		"[[task]]\nname='a'\ntest='x.npy'":                        "belong together",
		"[[task]]\nname='a'\nembeddings='x.npz'\ntest_labels='y'": "labels without embeddings",
		"[[task]]\nname='a'\nembeddings='x.npz'\ntext_labels='y'": "text_labels without texts",
		"[[task]]\nname='a'\nphotos='p'\ntest_every='four'":       "test_every",
	} {
		file := filepath.Join(t.TempDir(), "m.toml")
		if err := os.WriteFile(file, []byte(manifest), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", manifest, err, want)
		}
	}
	if _, err := ReadManifest(filepath.Join(t.TempDir(), "none.toml")); err == nil {
		t.Error("a manifest that is not there was read")
	}
}
