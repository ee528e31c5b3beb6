package snapshotfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func save(t testing.TB, d *Dir, name string, content []byte) {
	t.Helper()
	err := d.Save(t.Context(), name, func(w io.Writer) error {
		for p := content; len(p) > 0; { // in uneven portions
			n, err := w.Write(p[:min(len(p), 70_001)])
			if err != nil {
				return err
			}
			p = p[n:]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func content(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	r.Read(b) // never fails
	return b
}

func loaded(ctx context.Context, d *Dir, name string) ([]byte, error) {
	var got []byte
	err := d.Load(ctx, name, func(r io.Reader) (err error) {
		got, err = io.ReadAll(r)
		return err
	})
	return got, err
}

func TestWhatIsLoadedIsWhatWasSaved(t *testing.T) {
	d := Open(t.TempDir())
	if _, err := loaded(t.Context(), d, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no snapshot: %v", err)
	}
	for _, n := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 17} {
		want := content(n)
		save(t, d, "a", want)
		save(t, d, "b", []byte("another"))
		if got, err := loaded(t.Context(), d, "a"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d came back, %v", n, len(got), err)
		}
	}
	if files, err := os.ReadDir(d.root); err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want two files", files, err)
	}
}

// Any byte changed, any block left out or moved, any end cut off or put on.
func TestDamageIsNoticed(t *testing.T) {
	d := Open(t.TempDir())
	save(t, d, "a", content(2*blockSize+500))
	path := filepath.Join(d.root, "a")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, second := len(magic), len(magic)+headSize+blockSize
	third := second + headSize + blockSize
	end := len(whole) - headSize
	damage := map[string][]byte{
		"empty":      {},
		"one more":   append(bytes.Clone(whole), 0),
		"left out":   append(bytes.Clone(whole[:first]), whole[second:]...),
		"repeated":   append(bytes.Clone(whole[:third]), whole[second:]...),
		"exchanged":  bytes.Join([][]byte{whole[:first], whole[second:third], whole[first:second], whole[third:]}, nil),
		"no end":     whole[:end],
		"early end":  append(bytes.Clone(whole[:third]), whole[end:]...),
		"torn short": whole[:first+3],
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 40 {
		at := r.IntN(len(whole))
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << r.IntN(8)
		damage[fmt.Sprint("flipped ", i)], damage[fmt.Sprint("torn ", i)] = flipped, whole[:at]
	}
	for name, b := range damage {
		err := load(t.Context(), bytes.NewReader(b), func(r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		})
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLeavingTheRestUnreadIsNoticed(t *testing.T) {
	d := Open(t.TempDir())
	save(t, d, "a", content(100))
	err := d.Load(t.Context(), "a", func(r io.Reader) error {
		_, err := io.CopyN(io.Discard, r, 99)
		return err
	})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("%v", err)
	}
}

func TestAFailedSaveLeavesTheFormer(t *testing.T) {
	d := Open(t.TempDir())
	want := content(1000)
	save(t, d, "a", want)
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	for name, write := range map[string]func(w io.Writer) error{
		"fails":     func(w io.Writer) error { _, err := w.Write(content(10)); return errors.Join(err, broken) },
		"cancelled": func(io.Writer) error { cancel(); return nil },
	} {
		if err := d.Save(cancelled, "a", write); !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := loaded(t.Context(), d, "a"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes came back, %v", name, len(got), err)
		}
	}
	// A file that a killed process has left is in nobody's way.
	if err := os.WriteFile(filepath.Join(d.root, "a~"), content(5000), 0o600); err != nil {
		t.Fatal(err)
	}
	save(t, d, "a", want[:10])
	if got, err := loaded(t.Context(), d, "a"); err != nil || !bytes.Equal(got, want[:10]) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	if err := d.Save(t.Context(), "../a", nil); err == nil {
		t.Error("a name that leads out of the folder was taken")
	}
	if _, err := loaded(cancelled, d, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What is being written has a name that no snapshot can have.
func TestAFailedSaveLeavesAllOthers(t *testing.T) {
	d := Open(t.TempDir())
	for _, name := range []string{"a.new", "a.tmp", "a-"} {
		save(t, d, name, content(100))
	}
	broken := errors.New("broken")
	if err := d.Save(t.Context(), "a", func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	for _, name := range []string{"a.new", "a.tmp", "a-"} {
		if got, err := loaded(t.Context(), d, name); err != nil || !bytes.Equal(got, content(100)) {
			t.Errorf("%s: %d bytes came back, %v", name, len(got), err)
		}
	}
}

// Whatever the file holds: an error, or content that gives the same file again.
func FuzzLoad(f *testing.F) {
	var small bytes.Buffer
	w, err := newBlockWriter(&small)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Write([]byte("content")); err != nil {
		f.Fatal(err)
	}
	if err := w.end(); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got []byte
		err := load(t.Context(), bytes.NewReader(b), func(r io.Reader) (err error) {
			got, err = io.ReadAll(r)
			return err
		})
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%v", err)
		}
		if err == nil && len(got) > len(b) {
			t.Errorf("%d bytes out of %d", len(got), len(b))
		}
	})
}
