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

// What was kept is found again with what is said of it, by another server too; what was
// only put is not, as a server that is killed leaves it.
func TestAShelfIsListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundles")
	s := spool.NewShelf(dir)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	put := func(text string) string {
		id, err := s.Put(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, second, half := put("something"), put("more"), put("half")
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	notes := map[string]spool.Note{first: {Name: "a.fieldmark", Digest: "d", From: "Lab A", Lessons: 3, By: "Ana", At: at}, second: {Name: "b.fieldmark", At: at.Add(time.Hour)}}
	for id, n := range notes {
		if err := s.Keep(id, n); err != nil {
			t.Fatal(err)
		}
	}
	s = spool.NewShelf(dir)
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].ID != second || list[1] != (spool.Noted{Note: notes[first], ID: first, Bytes: 9}) {
		t.Fatalf("%+v, %v", list, err)
	}
	if x, err := s.Noted(first); err != nil || x != list[1] {
		t.Errorf("%+v, %v", x, err)
	}
	for _, id := range []string{half, "../" + first, strings.Repeat("0", 32)} {
		if _, err := s.Noted(id); identify.KindOf(err) != identify.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	// Its note goes with it, when it is removed and when it has waited too long.
	if err := s.Remove(first); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-spool.Kept - time.Minute)
	for _, name := range []string{second, second + ".json", half} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
