package heif

import (
	"errors"
	"os"
	"runtime"
	"testing"
)

func open(t testing.TB) *Decoder {
	t.Helper()
	d, err := Open()
	if errors.Is(err, ErrNotFound) {
		t.Skip("skipped: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBig(t *testing.T) {
	d := open(t)
	data, err := os.ReadFile(os.Getenv("BIG"))
	if err != nil {
		t.Skip(err)
	}
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	m, err := d.DecodeHEIC(data)
	runtime.ReadMemStats(&b)
	t.Log(err, (b.TotalAlloc-a.TotalAlloc)>>20, (b.Sys-a.Sys)>>20)
	t.Logf("%T %v", m, m.Bounds())
}
