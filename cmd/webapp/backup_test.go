package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/photo"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
)

// teacher teaches photos to a data folder as a server does: the files first, then
// one transaction each.
type teacher struct {
	store  *store.Store
	photos *photofile.Dir
	owner  identify.UserID
	digest string
}

func newTeacher(t *testing.T, data string) *teacher {
	t.Helper()
	ctx := context.Background()
	st, err := openStore(ctx, data)
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	photos, err := photofile.Open(data)
	must(t, err)
	info, err := chosenInfo(ctx, Config{Data: data}, st.Store)
	must(t, err)
	must(t, st.RegisterEncoder(ctx, info))
	owner, err := st.Owner(ctx)
	must(t, err)
	return &teacher{st.Store, photos, owner.ID, info.Digest}
}

// teach teaches photo number n and returns its observation.
func (x *teacher) teach(ctx context.Context, n int) (identify.ObservationID, error) {
	img := image.NewRGBA(image.Rect(0, 0, 20, 20))
	img.SetRGBA(0, 0, color.RGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255})
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		return 0, err
	}
	hash := identify.PhotoHash(photo.Hash(file.Bytes()))
	if err := x.photos.Put(ctx, hash, file.Bytes(), []byte("thumbnail")); err != nil {
		return 0, err
	}
	v := make([]float32, 512)
	for d := range v {
		v[d] = float32((n*31+d*17)%101) - 50
	}
	o, err := x.store.AddObservation(ctx, identify.NewObservation{Photo: identify.Photo{Hash: hash, MediaType: "image/png", Bytes: int64(file.Len()), Width: 20, Height: 20},
		Embedding: v, Encoder: x.digest, Observer: x.owner, At: time.Now()})
	if err != nil {
		return 0, err
	}
	_, _, err = x.store.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: fmt.Sprintf("Moss %c", 'a'+n%5), User: x.owner, At: time.Now()})
	return o.ID, err
}

// receive takes in a lesson from elsewhere of which only a glimpse came, and returns
// its photo.
func (x *teacher) receive(ctx context.Context, t *testing.T) identify.PhotoHash {
	t.Helper()
	hash, at := identify.PhotoHash(strings.Repeat("5a", 32)), time.Now()
	must(t, x.photos.PutGlimpse(ctx, hash, []byte("a glimpse")))
	m, decided, err := x.store.BeginMerge(ctx, identify.ImportSource{Kind: identify.BundleKind, Digest: "d", Encoder: x.digest, Total: 1}, x.owner,
		identify.NewMerge{From: bundle.Instance{ID: strings.Repeat("b", 32)}, Key: make([]byte, 32), Rows: 1, Taken: []byte{1},
			Taxa: []identify.MergedTaxon{{ID: 1, Create: &identify.Taxon{ScientificName: "Far Moss", Rank: "species", Local: true}}}}, at)
	must(t, err)
	v := make([]float32, 512)
	v[7] = 1
	_, _, err = x.store.TeachMerged(ctx, m.ID, 0, []identify.MergedExemplar{{Photo: identify.Photo{Hash: hash, Glimpse: true, Width: 9, Height: 9, CreatedAt: at},
		Seen: identify.SeenBy{Encoder: x.digest, Vector: v}, Taxon: decided.Taxa[1], Origin: identify.LessonOrigin{Instance: strings.Repeat("b", 32), Observation: 1, TaughtAt: at}}}, at)
	must(t, err)
	return hash
}

// A backup is taken while three people teach. Whatever was acknowledged before it
// began is in it, with its photo, and what is restored from it verifies.
func TestBackupWhilePeopleTeach(t *testing.T) {
	dir := t.TempDir()
	data, file, restored := filepath.Join(dir, "data"), filepath.Join(dir, "b.tar"), filepath.Join(dir, "restored")
	x := newTeacher(t, data)
	must(t, os.MkdirAll(filepath.Join(data, "models", "mine"), 0o700))
	must(t, os.WriteFile(filepath.Join(data, "models", "mine", "weights"), []byte("an encoder"), 0o600))
	must(t, os.MkdirAll(filepath.Join(data, "renditions", "1280", "ab"), 0o700))
	must(t, os.WriteFile(filepath.Join(data, "renditions", "1280", "ab", "abcd.jpg"), []byte("made of a photo"), 0o600))
	must(t, os.MkdirAll(filepath.Join(data, "bundles"), 0o700))
	must(t, os.WriteFile(filepath.Join(data, "bundles", "00"), []byte("it waits"), 0o600))
	glimpse := x.receive(t.Context(), t)
	var before []identify.ObservationID
	for n := range 30 {
		o, err := x.teach(context.Background(), n)
		must(t, err)
		before = append(before, o)
	}
	ctx, stop := context.WithCancel(context.Background())
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for n := 1000 * (w + 1); ctx.Err() == nil; n++ {
				if _, err := x.teach(ctx, n); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	wants(t, 0, []string{"verified"}, "backup", file, "--data", data)
	stop()
	writers.Wait()
	wants(t, 1, []string{"is there already"}, "backup", file, "--data", data)
	wants(t, 0, []string{"restored", "verified"}, "restore", file, "--data", restored)
	wants(t, 0, []string{"all in order"}, "verify", "--data", restored)
	wants(t, 1, []string{"is not empty"}, "restore", file, "--data", restored)

	st, err := openExisting(context.Background(), restored)
	must(t, err)
	defer st.Close()
	for _, id := range before {
		if o, err := st.Observation(context.Background(), id); err != nil || len(o.Identifications) != 1 {
			t.Errorf("observation %d: %+v, %v", id, o, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(restored, "models", "mine", "weights")); err != nil || string(got) != "an encoder" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := photofile.Reading(restored).Glimpse(t.Context(), glimpse); err != nil || string(got) != "a glimpse" {
		t.Errorf("the glimpse: %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(restored, "bundles")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what waits for a decision was in the backup: %v", err)
	}
	if made, _ := filepath.Glob(filepath.Join(restored, "renditions", "*", "*", "*")); len(made) > 0 {
		t.Errorf("what can be made anew was in the backup: %v", made)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, scratchFolders)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What was lost before the backup is said, and does not keep the rest from being
// saved.
func TestBackupOfADamagedFolder(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "b.tar")
	x := newTeacher(t, data)
	for n := range 3 {
		_, err := x.teach(context.Background(), n)
		must(t, err)
	}
	lost, err := filepath.Glob(filepath.Join(data, "photos", "*", "*"))
	must(t, errors.Join(err, os.Remove(lost[0])))
	wants(t, 1, []string{"lacks 1 file of photos"}, "backup", file, "--data", data)
	wants(t, 0, []string{"restored"}, "restore", file, "--data", filepath.Join(dir, "restored"))
	// A photo that is another than its name says is no backup.
	must(t, os.WriteFile(lost[1], []byte("other bytes"), 0o600))
	wants(t, 1, []string{"not in order"}, "backup", filepath.Join(dir, "c.tar"), "--data", data)
	if _, err := os.Stat(filepath.Join(dir, "c.tar")); err == nil {
		t.Error("a backup that did not verify has its name")
	}
}

func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	data, file, target := filepath.Join(dir, "data"), filepath.Join(dir, "b.tar"), filepath.Join(dir, "target")
	x := newTeacher(t, data)
	_, err := x.teach(context.Background(), 1)
	must(t, err)
	wants(t, 0, nil, "backup", file, "--data", data)
	whole, err := os.ReadFile(file)
	must(t, err)
	broken := filepath.Join(dir, "broken.tar")
	must(t, os.WriteFile(broken, whole[:len(whole)/2], 0o600))
	wants(t, 1, []string{"not a whole backup"}, "restore", broken, "--data", target)
	if _, err := os.Stat(target); err == nil {
		t.Error("a folder was made for what is no backup")
	}
	at := bytes.Index(whole, []byte("thumbnail")) // of the photo's thumbnail
	at += bytes.Index(whole[at+1:], []byte("\x00thumbnail\x00")) + 3
	whole[at] ^= 1
	must(t, os.WriteFile(broken, whole, 0o600))
	wants(t, 1, []string{"nothing was restored"}, "restore", broken, "--data", target)
	if left, _ := os.ReadDir(target); len(left) != 1 || left[0].Name() != "serving.lock" {
		t.Errorf("left behind: %v", left)
	}
	// Nobody is served from a folder that is only half there.
	must(t, os.Mkdir(filepath.Join(target, restoringFolder), 0o700))
	wants(t, 1, []string{"run webapp restore again"}, "serve", "--data", target, "--addr", "127.0.0.1:0")
	wants(t, 0, []string{"restored"}, "restore", file, "--data", target)
	lock, err := lockData(data)
	must(t, err)
	defer lock.Close()
	wants(t, 1, []string{"serves"}, "restore", file, "--data", data)
}

// A restore that is killed when its files are verified is brought to its end by
// the next, at whichever file it was.
func TestRestoreGoesOn(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "b.tar")
	x := newTeacher(t, data)
	_, err := x.teach(context.Background(), 1)
	must(t, err)
	wants(t, 0, nil, "backup", file, "--data", data)
	for moved := range 3 {
		target := filepath.Join(dir, fmt.Sprint("target", moved))
		wants(t, 0, nil, "restore", file, "--data", target)
		must(t, os.Mkdir(filepath.Join(target, restoredFolder), 0o700))
		for _, name := range []string{databaseFile, "photos", "thumbnails"}[moved:] {
			must(t, os.Rename(filepath.Join(target, name), filepath.Join(target, restoredFolder, name)))
		}
		wants(t, 1, []string{"run webapp restore again"}, "serve", "--data", target, "--addr", "127.0.0.1:0")
		wants(t, 0, []string{"brought to its end"}, "restore", file, "--data", target)
		wants(t, 0, []string{"all in order"}, "verify", "--data", target)
	}
}

// Backup and restore are killed (SIGKILL) at moments spread over their run. There
// never is a file under a backup's name that is no backup, and what a restore left
// can be restored to.
func TestKilledBackup(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "whole.tar")
	x := newTeacher(t, data)
	for n := range 40 {
		_, err := x.teach(context.Background(), n)
		must(t, err)
	}
	wants(t, 0, nil, "backup", file, "--data", data)
	killed := 0
	for i := range 6 {
		after := time.Duration(20+60*i) * time.Millisecond
		out, target := filepath.Join(dir, fmt.Sprint("b", i)), filepath.Join(dir, fmt.Sprint("r", i))
		if killCommand(t, after, "backup", out, "--data", data) {
			killed++
		}
		if _, err := os.Stat(out); err == nil {
			wants(t, 0, []string{"verified"}, "restore", out, "--data", target+"of")
		}
		if killCommand(t, after, "restore", file, "--data", target) {
			killed++
		}
		if _, err := os.Stat(filepath.Join(target, databaseFile)); err != nil {
			wants(t, 0, nil, "restore", file, "--data", target)
		}
		wants(t, 0, []string{"all in order"}, "verify", "--data", target)
	}
	if killed == 0 {
		t.Error("nothing was ever killed")
	}
	t.Logf("killed %d times of 12", killed)
}

// killCommand runs webapp and kills it after some time; it reports whether that was
// before its end.
func killCommand(t *testing.T, after time.Duration, args ...string) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Getenv(programVar), args...)
	must(t, child.Start())
	timer := time.AfterFunc(after, func() { _ = child.Process.Kill() })
	err := child.Wait()
	timer.Stop()
	return err != nil
}
