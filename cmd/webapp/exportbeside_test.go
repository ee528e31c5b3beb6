package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// An export beside a server that is at work, which has the folder to itself otherwise
// and stores observations and lessons all the while: each is whole, of one moment, the
// server is not hindered, and what it is writing at the moment is left alone.
func TestExportBesideAServer(t *testing.T) {
	data, ctx := exportable(t), t.Context()
	lock, err := lockData(data)
	must(t, err)
	defer lock.Close()
	st, err := openStore(ctx, data)
	must(t, err)
	owner, err := st.Owner(ctx)
	must(t, err)
	half := filepath.Join(data, "photos", "ab", ".new-1") // a photo that is just coming in
	must(t, os.MkdirAll(filepath.Dir(half), 0o700))
	must(t, os.WriteFile(half, []byte("half"), 0o600))

	var server sync.WaitGroup
	stop, stored := make(chan struct{}), 0
	server.Go(func() {
		for ; ; stored++ {
			at := time.Date(2026, 5, 3, 12, 0, stored, 0, time.UTC)
			o, err := st.AddObservation(ctx, identify.NewObservation{Photo: identify.Photo{Hash: identify.PhotoHash(fmt.Sprintf("%064x", stored)), MediaType: "image/jpeg", CreatedAt: at},
				Embedding: []float32{1, 2}, Encoder: "sha256:test", Observer: owner.ID, At: at})
			if err == nil {
				_, _, err = st.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "Velvet Moss", User: owner.ID, At: at})
			}
			if err != nil {
				t.Errorf("the server: %v", err)
				return
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	last := 0
	for range 5 {
		var out, errs strings.Builder
		code := run(context.Background(), []string{"export", "--data", data, "--state", "standing"}, &out, &errs)
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if code != 0 || err != nil || len(rows) < 2 || len(rows) < last {
			t.Errorf("%d: %d rows after %d, %s, %v", code, len(rows), last, errs.String(), err)
		}
		last = len(rows)
	}
	close(stop)
	server.Wait()
	if _, err := os.Stat(half); err != nil || stored == 0 {
		t.Errorf("stored %d; what was being written: %v", stored, err)
	}
	must(t, st.Close())
}
