package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unknown is a licence whose text is none of those that we know.
const unknown = "NOASSERTION"

// licenceIn is the text of a module's licence, with what else it has to be named
// with (NOTICE, PATENTS).
func licenceIn(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		if f.IsDir() || !slices.ContainsFunc([]string{"LICEN", "COPYING", "NOTICE", "PATENTS"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		text.Write(data)
		text.WriteByte('\n')
	}
	if text.Len() == 0 {
		return "", errors.New("it has no licence file")
	}
	return text.String(), nil
}

// spdx recognises a licence by sentences that no other has.
func spdx(text string) string {
	t := strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(parts ...string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(t, p) })
	}
	switch {
	case has("your choice of exactly one of", "freetype license"):
		return "FTL" // we choose that of the two
	case has("gnu affero general public license"):
		return "AGPL-3.0-only"
	case has("gnu lesser general public license"):
		return "LGPL-3.0-or-later"
	case has("gnu general public license"):
		return "GPL-3.0-only"
	case has("mozilla public license", "version 2.0"), has("mozilla public license version 2.0"):
		return "MPL-2.0"
	case has("apache license", "version 2.0"):
		return "Apache-2.0"
	case has("redistribution and use in source and binary forms", "neither the name"):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("permission is hereby granted, free of charge", "the software is provided \"as is\""):
		return "MIT"
	case has("permission to use, copy, modify, and/or distribute this software", "above copyright notice"),
		has("permission to use, copy, modify, and distribute this software", "above copyright notice"):
		return "ISC"
	case has("this is free and unencumbered software released into the public domain"):
		return "Unlicense"
	case has("creative commons", "cc0"):
		return "CC0-1.0"
	}
	return unknown
}

// compatible refuses licences that cannot be combined with Apache-2.0 in one
// program, and those that nobody has read. MPL-2.0 asks for its own files only;
// the LGPL part is not linked (inside).
func compatible(list []component) error {
	may := []string{"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Unlicense", "CC0-1.0", "blessing", "MPL-2.0", "OFL-1.1", "FTL"}
	var errs []error
	for _, c := range list {
		if !slices.Contains(may, c.Licence) && c.Note == "" {
			errs = append(errs, fmt.Errorf("%s %s is under %s, which has to be looked at before it is shipped", c.Name, c.Version, c.Licence))
		}
	}
	return errors.Join(errs...)
}

// table lists licences for people.
func table(w io.Writer, list []component) error {
	var b strings.Builder
	b.WriteString("# What Fieldmark's programs contain that is not ours\n\nWritten by `make licences`, which fails on a licence that cannot be combined with Apache-2.0. " +
		"A release archive has the texts in `THIRD-PARTY-NOTICES.txt` and all of this, with digests, in `sbom.cdx.json`. " +
		"libjpeg-turbo (IJG and BSD-3-Clause) is the system's own where it is there, and not in the archive.\n\n| what | version | licence |\n|---|---|---|\n")
	for _, c := range list {
		licence := c.Licence
		if c.Note != "" {
			licence += " (" + c.Note + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Version, licence)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notices are the texts that have to go with the programs.
func notices(w io.Writer, list []component) error {
	for _, c := range list {
		if _, err := fmt.Fprintf(w, "%s\n%s %s (%s)\n\n%s\n", strings.Repeat("=", 78), c.Name, c.Version, c.Licence, c.Text); err != nil {
			return err
		}
	}
	return nil
}
