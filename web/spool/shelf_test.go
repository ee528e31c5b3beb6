package spool_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/spool"
)

func TestAShelf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundles")
	s := spool.NewShelf(dir)
	id, err := s.Put(strings.NewReader("something"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil || string(data) != "something" || f.Close() != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := s.Put(strings.NewReader("")); identify.KindOf(err) != identify.Invalid {
		t.Errorf("an empty upload: %v", err)
	}
	for _, bad := range []string{"", "../bundles/" + id, strings.Repeat("0", 32), strings.Repeat("z", 32)} {
		if _, err := s.Open(bad); identify.KindOf(err) != identify.NotFound {
			t.Errorf("%q: %v", bad, err)
		}
	}
	// What nobody decided about for a day goes when the next one comes.
	// So does what comes from so far ahead: the clock was set back, and it would never be
	// old. An hour ahead it waits.
	next := id
	for _, c := range []struct {
		age  time.Duration
		kept bool
	}{{spool.Kept + time.Minute, false}, {-time.Hour, true}, {-365 * 24 * time.Hour, false}} {
		at := time.Now().Add(-c.age)
		if err := os.Chtimes(filepath.Join(dir, next), at, at); err != nil {
			t.Fatal(err)
		}
		former := next
		if next, err = s.Put(strings.NewReader("else")); err != nil {
			t.Fatal(err)
		}
		f, err := s.Open(former)
		if kept := err == nil; kept != c.kept || !kept && identify.KindOf(err) != identify.NotFound {
			t.Errorf("%v old: %v, want it kept: %v", c.age, err, c.kept)
		}
		if err == nil {
			if err := errors.Join(f.Close(), s.Remove(former)); err != nil {
				t.Error(err)
			}
		}
	}
	if err := s.Remove(next); err != nil {
		t.Error(err)
	}
	if err := s.Remove(next); err != nil {
		t.Errorf("again: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}
