package catalogue

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	digest   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	name     = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	revision = regexp.MustCompile(`/resolve/[0-9a-f]{40}/`)
)

func TestEntriesAreWellFormed(t *testing.T) {
	all, err := Entries()
	if err != nil || len(all) < 5 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			if !name.MatchString(e.Name) || seen[e.Name] || e.Name == "fieldmark-1" {
				t.Error("the name is malformed, or not its own")
			}
			seen[e.Name] = true
			if e.Title == "" || e.License.Name == "" || !strings.HasPrefix(e.License.URL, "https://") || e.Dim < 1 {
				t.Errorf("something is missing: %+v", e)
			}
			if e.License.Accept && e.License.Note == "" {
				t.Error("it does not say what must be accepted")
			}
			checkSettings(t, e)
			paths := map[string]bool{}
			for _, f := range e.Files {
				checkFile(t, e, f)
				if paths[f.Path] {
					t.Errorf("two files are %s", f.Path)
				}
				paths[f.Path] = true
			}
		})
	}
}

func checkSettings(t *testing.T, e Entry) {
	s := e.Settings
	if s.Size < 32 || s.Resize != "crop" && s.Resize != "squash" || s.Interpolation != "bicubic" && s.Interpolation != "bilinear" ||
		len(s.Mean) != 3 || len(s.Std) != 3 || s.LogitScale <= 0 {
		t.Errorf("settings %+v", s)
	}
	text := slices.ContainsFunc(e.Files, func(f File) bool { return strings.Contains(f.Path, "text_model") })
	tokenizer := slices.ContainsFunc(e.Files, func(f File) bool { return f.Path == "tokenizer.json" })
	if text != tokenizer || text != (s.Context > 0) || text == (e.Incomplete != "") {
		t.Error("a text tower needs a tokenizer and a context; without one the entry is incomplete")
	}
}

func checkFile(t *testing.T, e Entry, f File) {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		t.Errorf("address %q", f.URL)
	}
	if f.Path != path.Clean(f.Path) || path.IsAbs(f.Path) || strings.HasPrefix(f.Path, "..") || !strings.HasSuffix(f.URL, f.Path) {
		t.Errorf("path %q of %s", f.Path, f.URL)
	}
	if !digest.MatchString(f.SHA256) || f.Size() < 1000 || f.Bytes > 0 && f.About > 0 {
		t.Errorf("%s: size %d, about %d, digest %q", f.Path, f.Bytes, f.About, f.SHA256)
	}
	if (f.Bytes == 0 || !revision.MatchString(f.URL)) && len(e.Unconfirmed) == 0 {
		t.Errorf("%s: the entry does not say that size or revision are not certain", f.Path)
	}
}
