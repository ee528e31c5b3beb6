package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What make setup has fetched is known again where there is shasum in place of sha256sum,
// as on macOS: nothing is fetched, and nothing is said to be missing.
func TestFetchedFilesAreKnownByShasum(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"sh", "dirname", "basename", "uname", "awk", "grep", "sed", "cut", "mkdir", "cat", "ldconfig"} {
		if path, err := exec.LookPath(name); err == nil {
			must(t, os.Symlink(path, filepath.Join(tools, name)))
		}
	}
	sum, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("skipped: ", err)
	}
	must(t, os.WriteFile(filepath.Join(tools, "shasum"), []byte("#!"+filepath.Join(tools, "sh")+"\n[ \"$1 $2\" = \"-a 256\" ] && exec "+sum+" \"$3\"\n"), 0o755))
	for folder, have := range map[string]string{"onnxruntime": "build/onnxruntime", "wasm": "build/wasm", "passwords": "internal/password/breached"} {
		t.Run(folder, func(t *testing.T) {
			dest := filepath.Join("../..", have)
			if list, err := os.ReadDir(dest); err != nil || len(list) == 0 {
				t.Skip("skipped: make setup has put nothing into ", have)
			}
			script := exec.Command("sh", filepath.Join("..", folder, "fetch.sh"), dest)
			script.Env = []string{"PATH=" + tools, "GO=no-go-here"}
			if out, err := script.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
