package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheCommandLineGoesBeforeTheEnvironment(t *testing.T) {
	t.Setenv("FIELDMARK_DATA", "/from/environment")
	t.Setenv("FIELDMARK_PSI", "77")
	var c Config
	fs := flagSet("serve", &bytes.Buffer{})
	c.register(fs)
	c.registerServe(fs)
	must(t, parse(fs, []string{"--data", "/from/flag"}))
	if c.Data != "/from/flag" || c.Psi != 77 || c.K != 9 {
		t.Errorf("%+v", c)
	}
}

func TestACommandLineThatCannotBeUnderstood(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "mistyped")
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"dance"}, 2, `no command "dance"`},
		{[]string{"serve", "extra"}, 2, `"extra" is not a flag`},
		{[]string{"serve", "--psi", "many"}, 2, "psi"},
		{[]string{"token"}, 2, "token create"},
		{[]string{"token", "create", "--name", "x", "--role", "king"}, 2, "king"},
		{[]string{"embed"}, 2, "at least one photo"},
		{[]string{"export", "--format", "paper"}, 2, "paper"},
		{[]string{"--help"}, 0, "Usage"},
		{[]string{"verify", "--data", missing}, 1, "no Fieldmark data"},
		{[]string{"export", "--data", missing}, 1, "no Fieldmark data"},
		{[]string{"embed", "--data", t.TempDir(), "--model", "none-such", "x.jpg"}, 1, "none-such"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), tc.args, &out, &errs); code != tc.code || !strings.Contains(errs.String(), tc.says) {
			t.Errorf("%v: exit %d, %q; want %d and %q", tc.args, code, errs.String(), tc.code, tc.says)
		}
		if out.Len() > 0 {
			t.Errorf("%v wrote %q to standard output", tc.args, out.String())
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a mistyped folder was made: %v", err)
	}
}
