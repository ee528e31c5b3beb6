package password

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// small keeps the tests quick.
var small = Params{Memory: 64, Time: 1, Threads: 1}

func TestHashAndVerify(t *testing.T) {
	h, ctx := New(small, 2), t.Context()
	phc, err := h.Hash(ctx, "a long pässword")
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=64,t=1,p=1$") || strings.Contains(phc, "=$") {
		t.Fatal(phc, err)
	}
	if again, _ := h.Hash(ctx, "a long pässword"); again == phc {
		t.Error("two hashes share a salt")
	}
	for password, want := range map[string]bool{
		"a long pässword":       true,
		"a long pa\u0308ssword": true, // a and its dots as two characters, as some keyboards send it
		"a long password":       false,
		"":                      false,
	} {
		if ok, outdated, err := h.Verify(ctx, password, phc); ok != want || outdated || err != nil {
			t.Errorf("%q: %v, outdated %v, %v", password, ok, outdated, err)
		}
	}
	if ok, _, err := h.Verify(ctx, "", ""); ok || err != nil {
		t.Errorf("nobody's password: %v, %v", ok, err)
	}
	better := New(Params{Memory: 128, Time: 1, Threads: 1}, 1)
	if ok, outdated, err := better.Verify(ctx, "a long pässword", phc); !ok || !outdated || err != nil {
		t.Errorf("%v, outdated %v, %v: an older hash still counts, and is told", ok, outdated, err)
	}
}

// The vector is of RFC 9106's reference program:
// echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32 -e
func TestKnownVector(t *testing.T) {
	const phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := New(Default(), 1)
	if ok, outdated, err := h.Verify(t.Context(), "password", phc); !ok || outdated || err != nil {
		t.Errorf("%v, outdated %v, %v", ok, outdated, err)
	}
}

func TestHashesThatCannotBeRead(t *testing.T) {
	h := New(small, 1)
	good, err := h.Hash(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, phc := range []string{"x", "$argon2i" + good[9:], strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "m=64", "m=4194304", 1), strings.Replace(good, "m=64", "m=-1", 1), good[:len(good)-4], good + "$"} {
		if ok, _, err := h.Verify(t.Context(), "x", phc); ok || !errors.Is(err, errBadHash) {
			t.Errorf("%s: %v, %v", phc, ok, err)
		}
	}
}

func TestKeyOfACode(t *testing.T) {
	h := New(small, 1)
	a, err := h.Key(t.Context(), "ABCD2345")
	b, _ := h.Key(t.Context(), "ABCD2345")
	c, _ := h.Key(t.Context(), "ABCD2346")
	if err != nil || len(a) != 32 || !bytes.Equal(a, b) || bytes.Equal(a, c) {
		t.Errorf("%x, %x, %x, %v", a, b, c, err)
	}
}

// A flood waits in a bounded line, and whoever gives up leaves it.
func TestTheLineIsBounded(t *testing.T) {
	h := New(small, 1)
	h.slots <- struct{}{} // someone's hash takes for ever
	gone, stop := context.WithCancel(t.Context())
	left := make(chan error)
	for range waiting {
		go func() {
			_, err := h.Hash(gone, "x")
			left <- err
		}()
	}
	for h.queue.Load() < waiting {
	}
	if _, err := h.Hash(t.Context(), "x"); identify.KindOf(err) != identify.Overloaded {
		t.Errorf("one more: %v", err)
	}
	stop()
	for range waiting {
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	<-h.slots
	if _, err := h.Hash(t.Context(), "x"); err != nil {
		t.Errorf("after the flood: %v", err)
	}
}
