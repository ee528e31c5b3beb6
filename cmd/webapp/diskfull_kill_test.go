package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of so many bytes, or skips where it may not.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", bytes))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("a small disk can only be mounted by root; internal/store tests a full database without one")
	}
	must(t, err)
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	return dir
}

// grainy is a photo whose file is large, so that few fill a disk.
func grainy(seed uint64) []byte {
	noise := make([]byte, 400_000)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(noise) // never fails
	return append(drawn(seed), noise...)                               // what follows a JPEG's end is kept, and not looked at
}

// The disk under a server fills up. Who sends a photo then is told so, with 507; what was
// acknowledged is there and can be looked at meanwhile, also after a kill; and when there
// is room again the server goes on without having been started anew.
func TestAFullDiskLosesNothing(t *testing.T) {
	data := filepath.Join(smallDisk(t, 32<<20), "data")
	must(t, os.Mkdir(data, 0o700))
	ballast := filepath.Join(filepath.Dir(data), "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 6<<20), 0o600))
	p := startProcess(t, data)
	var acknowledged []lesson
	var refused error
	for i := uint64(0); refused == nil; i++ {
		if i == 300 {
			t.Fatal("it never was full")
		}
		l, err := p.teach(grainy(i), fmt.Sprintf("Lesson %c", 'A'+i%3))
		if refused = err; err == nil {
			acknowledged = append(acknowledged, l)
		}
	}
	if !strings.Contains(refused.Error(), "507") || !strings.Contains(refused.Error(), "The disk of this Fieldmark is full") {
		t.Errorf("%v", refused)
	}
	wantAll(t, p, acknowledged)
	if resp, err := http.Get(p.url + "/observations"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("pages are not served any more: %v, %v", resp, err)
	}
	must(t, os.Remove(ballast))
	l, err := p.teach(grainy(1000), "Lesson of later")
	must(t, err)
	p.kill(t)
	p = startProcess(t, data)
	wantAll(t, p, append(acknowledged, l))
	p.kill(t)
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"verify", "--data", data}, &out, &errs); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, out.String(), errs.String())
	}
	t.Logf("%d lessons before it was full", len(acknowledged))
}

func wantAll(t *testing.T, p *process, list []lesson) {
	t.Helper()
	if len(list) == 0 {
		t.Error("nothing was taught")
	}
	for _, l := range list {
		if err := p.has(l); err != nil {
			t.Error(err)
		}
	}
}

// A byte of a photo's file, and of a snapshot, changes on the disk: verify names the
// photo, says that the snapshot cannot be used, and a server starts from the log.
func TestDamageOnTheDiskIsNamed(t *testing.T) {
	data := t.TempDir()
	p := startProcess(t, data)
	l, err := p.teach(drawn(1), "Lesson A")
	must(t, err)
	must(t, p.cmd.Process.Signal(syscall.SIGTERM)) // which writes a snapshot
	must(t, p.cmd.Wait())
	snapshots, err := filepath.Glob(filepath.Join(data, "snapshots", "memory-*"))
	must(t, err)
	if len(snapshots) != 1 {
		t.Fatalf("snapshots: %v", snapshots)
	}
	whole, err := os.ReadFile(snapshots[0])
	must(t, err)
	// In its beginning, in every tenth of it, and in its last byte.
	for i := range 11 {
		at := min(len(whole)-1, i*len(whole)/10)
		flip(t, snapshots[0], at)
		wants(t, 1, []string{"the snapshot cannot be used", "not in order: 1 problem"}, "verify", "--data", data)
		flip(t, snapshots[0], at)
	}
	flip(t, snapshots[0], len(whole)/2)
	p = startProcess(t, data)
	wantAll(t, p, []lesson{l})
	p.kill(t)
	must(t, os.Remove(snapshots[0]))
	photos, err := filepath.Glob(filepath.Join(data, "photos", "*", "*"))
	must(t, err)
	flip(t, photos[0], 1000)
	wants(t, 1, []string{"photo " + filepath.Base(photos[0]) + ": its file has the hash"}, "verify", "--data", data)
	flip(t, photos[0], 1000)
	wants(t, 0, []string{"all in order"}, "verify", "--data", data)
}

// flip changes one bit of a file, or changes it back.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	b[at] ^= 4
	must(t, os.WriteFile(path, b, 0o600))
}
