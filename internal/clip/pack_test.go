package clip

import (
	"os"
	"path/filepath"
	"testing"
)

// shared is a path in the data folder beside the repository; the test is
// skipped where that is not there.
func shared(t testing.TB, elem ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{"..", "..", "..", "shared", "data"}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("the shared data folder has no %s on this machine", filepath.Join(elem...))
	}
	return p
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
