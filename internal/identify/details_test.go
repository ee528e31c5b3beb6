package identify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// An upload that is repeated makes no second observation, however many come at
// once; one that is meant to does, once for each word.
func TestARepeatedUploadIsOneObservation(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	photo := paint(t, red)
	send := func(u identify.User, again string) identify.Observation {
		o, p, err := f.Observe(ctx, u, identify.Upload{Photo: photo, Again: again}, identify.Question{})
		must(t, err)
		if len(p.Candidates) == 0 {
			t.Error("there is no answer")
		}
		return o
	}
	ids := make([]identify.Observation, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = send(f.Owner, "") })
	}
	all.Wait()
	repeats := 0
	for _, o := range ids {
		if o.ID != ids[0].ID {
			t.Errorf("observations %d and %d of one upload", ids[0].ID, o.ID)
		}
		if o.Repeat {
			repeats++
		}
	}
	if repeats != len(ids)-1 {
		t.Errorf("%d of %d say that they are repeats", repeats, len(ids))
	}
	again := send(f.Owner, "b")
	if again.ID == ids[0].ID || again.Repeat {
		t.Errorf("asked for another observation, got %+v", again)
	}
	if o := send(f.Owner, "b"); o.ID != again.ID || !o.Repeat {
		t.Errorf("the same word again made %d, want %d", o.ID, again.ID)
	}
	other := f.Owner
	other.ID = 99
	if _, err := f.Uploaded(ctx, other, ids[0].Photo.Hash); identify.KindOf(err) != identify.NotFound {
		t.Errorf("another person's upload was found: %v", err)
	}
	if o, err := f.Uploaded(ctx, f.Owner, ids[0].Photo.Hash); err != nil || o.ID != ids[0].ID {
		t.Errorf("%d, %v", o.ID, err)
	}
}

// A repeat puts a photo back whose file was lost.
func TestARepeatedUploadMendsAPhoto(t *testing.T) {
	f, ctx, dir := &fixture{}, context.Background(), t.TempDir()
	f.open(t, dir)
	up := identify.Upload{Photo: paint(t, red)}
	o, _, err := f.Observe(ctx, f.Owner, up, identify.Question{})
	must(t, err)
	must(t, filepath.WalkDir(filepath.Join(dir, "photos"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Remove(path)
	}))
	if _, err := f.PhotoFile(ctx, identify.User{Role: identify.Curator}, o.ID, "original"); err == nil {
		t.Fatal("the photo is still there")
	}
	same, _, err := f.Observe(ctx, f.Owner, up, identify.Question{})
	must(t, err)
	if same.ID != o.ID || !same.Repeat {
		t.Errorf("%+v", same)
	}
	_, err = f.PhotoFile(ctx, identify.User{Role: identify.Curator}, o.ID, "original")
	must(t, err)
}

func TestEditDetails(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, red)
	lat, lon := 48.1, 11.5
	at := time.Date(2026, 5, 3, 7, 30, 0, 0, time.FixedZone("", 7200))
	set := func(d identify.Details) (identify.Details, error) {
		d.ObservedAt, d.Latitude, d.Longitude, d.License, d.Notes = &at, &lat, &lon, "CC0-1.0", " on the wall "
		return d, nil
	}
	got, err := f.EditDetails(ctx, f.Owner, o.ID, set)
	must(t, err)
	if got.ObservedAt.Format(time.RFC3339) != "2026-05-03T07:30:00+02:00" || *got.Latitude != lat || got.License != "CC0-1.0" || got.Notes != "on the wall" {
		t.Errorf("%+v", got)
	}
	edits, err := f.Edits(ctx, f.Owner, o.ID)
	must(t, err)
	if len(edits) != 5 || edits[0].Field != "notes" || edits[0].After != "on the wall" || edits[0].Before != "" || edits[0].User != f.Owner.ID || edits[0].UserName == "" {
		t.Errorf("noted %+v", edits)
	}
	// The same again changes nothing, so nothing is noted.
	_, err = f.EditDetails(ctx, f.Owner, o.ID, set)
	must(t, err)
	if again, _ := f.Edits(ctx, f.Owner, o.ID); len(again) != len(edits) {
		t.Errorf("%d edits, want %d", len(again), len(edits))
	}
	if license, _, err := f.LastRights(ctx, f.Owner); err != nil || license != "CC0-1.0" {
		t.Errorf("the last licence is %q, %v", license, err)
	}
}

func TestEditDetailsRefusals(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, red)
	future := f.Config.Now().AddDate(0, 1, 0)
	for field, change := range map[string]func(*identify.Details){
		"latitude":    func(d *identify.Details) { x := 1.0; d.Longitude = &x },
		"longitude":   func(d *identify.Details) { x, y := 1.0, 181.0; d.Latitude, d.Longitude = &x, &y },
		"observed_at": func(d *identify.Details) { d.ObservedAt = &future },
		"notes":       func(d *identify.Details) { d.Notes = strings.Repeat("n", 20_000) },
	} {
		_, err := f.EditDetails(ctx, f.Owner, o.ID, func(d identify.Details) (identify.Details, error) {
			change(&d)
			return d, nil
		})
		var e *identify.Error
		if identify.KindOf(err) != identify.Invalid || !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if edits, err := f.Edits(ctx, f.Owner, o.ID); err != nil || len(edits) != 0 {
		t.Errorf("refused changes left %+v, %v", edits, err)
	}
	same := func(d identify.Details) (identify.Details, error) { return d, nil }
	for name, u := range map[string]identify.User{
		"a viewer":       {ID: f.Owner.ID, Role: identify.Viewer},
		"another expert": {ID: f.Owner.ID + 1, Role: identify.Expert},
	} {
		if _, err := f.EditDetails(ctx, u, o.ID, same); identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s may edit: %v", name, err)
		}
	}
	if _, err := f.EditDetails(ctx, identify.User{ID: f.Owner.ID, Role: identify.Expert}, o.ID, same); err != nil {
		t.Errorf("its observer may not edit: %v", err)
	}
}
