package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// component is something in a release that is not ours.
type component struct {
	Name, Version string
	PURL          string // package URL
	Algorithm     string // of Digest, as CycloneDX names it; "" if there is none
	Digest        string // hexadecimal
	Licence       string // SPDX expression
	Text          string // of the licence
	Note          string
}

// components lists everything that the programs contain or are shipped with, by
// name.
func components(root string) ([]component, error) {
	list, err := goModules(root)
	if err != nil {
		return nil, err
	}
	for _, lock := range []string{"web/package-lock.json", "tools/onnxruntime/package-lock.json", "tools/passwords/package-lock.json"} {
		more, err := npmPackages(root, lock)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	wasm, err := wasmModules(root)
	if err != nil {
		return nil, err
	}
	list = append(list, wasm...)
	home, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	standard, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(home)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	list = append(list, component{Name: "Go standard library", Version: strings.TrimPrefix(runtime.Version(), "go"),
		PURL: "pkg:generic/go@" + strings.TrimPrefix(runtime.Version(), "go"), Licence: spdx(string(standard)), Text: string(standard)})
	slices.SortFunc(list, func(a, b component) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// goModules lists the modules whose packages the programs import.
func goModules(root string) ([]component, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/webapp", "./cmd/evaluate")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=1", "GOEXPERIMENT=simd")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	sums, err := goSums(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var list []component
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ Module *module }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		m := p.Module
		if m == nil || m.Main || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		text, err := licenceIn(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		c := component{Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version, Licence: spdx(text), Text: text}
		if sum := sums[m.Path+" "+m.Version]; sum != "" {
			// h1 is SHA-256 of the list of the files' SHA-256 (dirhash.Hash1).
			c.Algorithm, c.Digest = "SHA-256", sum
		}
		list = append(list, inside(c)...)
	}
}

// inside adds what a module carries that is under another licence than its own.
func inside(c component) []component {
	switch c.Name {
	case "github.com/mattn/go-sqlite3":
		return []component{c, {Name: "SQLite (in go-sqlite3)", Version: c.Version, PURL: c.PURL + "#sqlite3", Licence: "blessing",
			Text: "The author disclaims copyright to this source code: it is in the public domain.\n"}}
	}
	return []component{c}
}

// goSums reads the h1 sums of modules, in hexadecimal, by "path version".
func goSums(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums := map[string]string{}
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return sums, lines.Err()
		}
		parts := strings.Fields(lines.Text())
		if len(parts) != 3 || strings.HasSuffix(parts[1], "/go.mod") {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(parts[2], "h1:"))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, parts[0], err)
		}
		sums[parts[0]+" "+parts[1]] = hex.EncodeToString(sum)
	}
}

// npmPackages lists what a package-lock pins. All of it is shipped, but for what
// serves to install packages.
func npmPackages(root, lock string) ([]component, error) {
	data, err := os.ReadFile(filepath.Join(root, lock))
	if err != nil {
		return nil, err
	}
	var read struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", lock, err)
	}
	shipped := []string{"htmx.org", "@fontsource-variable/source-sans-3", "@fontsource-variable/source-serif-4", "onnxruntime-node", seclists}
	var list []component
	for path, p := range read.Packages {
		name := strings.TrimPrefix(path, "node_modules/")
		if !slices.Contains(shipped, name) {
			continue
		}
		algorithm, sum, is := strings.Cut(p.Integrity, "-")
		digest, err := base64.StdEncoding.DecodeString(sum)
		if !is || algorithm != "sha512" || err != nil {
			return nil, fmt.Errorf("%s: %s is not pinned by its SHA-512", lock, name)
		}
		text, err := npmText(root, name)
		if err != nil {
			return nil, err
		}
		c := component{Name: name, Version: p.Version, PURL: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version,
			Algorithm: "SHA-512", Digest: hex.EncodeToString(digest), Licence: cmp.Or(p.License, unknown), Text: text}
		if name == seclists {
			c.Name, c.Licence = "SecLists' passwords (in "+name+")", spdx(text) // of the package, only its list is taken
		}
		list = append(list, c)
	}
	return list, nil
}
