package identify_test

import (
	"bytes"
	"context"
	"image/color"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/snapshotfile"
	"fieldmark/internal/store"
)

// Whoever leaves is known by no name in answers, in the memory's list of teachers and in
// its snapshot, and what they taught answers as before.
func TestAnswersDoNotNameWhoLeft(t *testing.T) {
	f, ben, _ := workshop(t)
	dir := t.TempDir()
	f.Config.Memory.Snapshots = snapshotfile.Open(dir)
	f.restart(t)
	g, ctx := f.gallery(t), context.Background()
	like := f.see(t, color.RGBA{R: 211, G: 2, A: 255})
	before := f.read(t, like)
	must(t, f.Config.Store.(*store.Store).Leave(ctx, ben.ID, false, f.Config.Now()))
	after := f.read(t, like)
	sameAnswer(t, "before and after", before, after)
	if before.Neighbours[0].TaughtBy != "Ben" || after.Neighbours[0].TaughtBy != identify.SomeoneWhoLeft {
		t.Errorf("taught by %q, then by %q", before.Neighbours[0].TaughtBy, after.Neighbours[0].TaughtBy)
	}
	teachers, err := g.Teachers(ctx)
	must(t, err)
	for _, x := range teachers {
		if x.Name == "Ben" {
			t.Errorf("%+v", x)
		}
	}
	must(t, f.Service.Close()) // which writes a snapshot
	dir = filepath.Join(dir, "snapshots")
	written, err := os.ReadDir(dir)
	must(t, err)
	for _, file := range written {
		if data, err := os.ReadFile(filepath.Join(dir, file.Name())); err != nil || bytes.Contains(data, []byte("Ben")) {
			t.Errorf("%s names them (%v)", file.Name(), err)
		}
	}
	if len(written) == 0 {
		t.Error("there is no snapshot")
	}
}

// Lessons that were taken back are withdrawn, and no answer rests on them; a stop on the way is gone on with at the next start.
func TestLessonsThatLeaveAreWithdrawn(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		f, ben, _ := workshop(t)
		ctx := context.Background()
		must(t, f.Config.Store.(*store.Store).Leave(ctx, ben.ID, true, f.Config.Now()))
		if stopped {
			f.restart(t)
		} else {
			f.GoOnWithLeavers()
		}
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			left, err := f.Config.Store.Leavers(ctx)
			must(t, err)
			if len(left) == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("stopped %v: still there: %v", stopped, left)
			}
		}
		f.settled(t)
		r, err := f.Source(ctx, f.Owner, identify.Source{User: ben.ID})
		must(t, err)
		if r.Standing != 0 || r.Waiting != 0 || r.Quarantine != nil || r.Taught != 6 {
			t.Errorf("stopped %v: %+v", stopped, r)
		}
		p, err := f.Classify(ctx, paint(t, color.RGBA{R: 211, G: 2, A: 255}), identify.Question{})
		must(t, err)
		for _, n := range p.Neighbours {
			if n.TaughtBy != "Owner" {
				t.Errorf("stopped %v: an answer rests on %+v", stopped, n)
			}
		}
		f.sound(t)
	}
}

// To leave takes the password, where there is one; programs and the owner do not leave.
func TestLeaveTakesThePassword(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	f.join(t, "Ada", f.invitation(identify.Admin))
	ann := f.join(t, "Ann", f.invitation(identify.Expert))
	wantKind(t, "a wrong password", f.Leave(ctx, ann, "wrong", false), identify.Invalid)
	must(t, f.Leave(ctx, ann, goodPassword, false))
	_, err := f.SignIn(ctx, "Ann", goodPassword)
	wantKind(t, "who left", err, identify.Forbidden)
	guest := f.invitation(identify.Viewer)
	guest.Guest = true
	must(t, f.Leave(ctx, f.join(t, "Gus", guest), "", true))
	wantKind(t, "the owner", f.Leave(ctx, f.owner, "", false), identify.NotFound)
	wantKind(t, "nobody", f.Leave(ctx, identify.User{}, "", false), identify.Forbidden)
}

// One's own data has one's own observations, named or not, exactly and as they came, and
// what one said of others', whose places are as everybody sees them.
func TestOwnData(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	ben := identify.User{ID: f.another(t), Name: "Ben", Role: identify.Expert}
	latitude, longitude := 48.12345, 11.54321
	mine, _, err := f.Observe(ctx, ben, identify.Upload{Photo: paint(t, purple), Latitude: &latitude, Longitude: &longitude, Notes: "write to ben@example.org"}, identify.Question{})
	must(t, err)
	theirs, _, err := f.Observe(ctx, f.Owner, identify.Upload{Photo: paint(t, green), Latitude: &latitude, Longitude: &longitude}, identify.Question{})
	must(t, err)
	f.say(t, ben, theirs, 3)
	must(t, f.AddSensitiveTaxon(ctx, f.Owner, 3))
	observed, said, err := f.OwnData(ctx, ben)
	must(t, err)
	var own, others []identify.Record
	must(t, observed.Each(ctx, func(r identify.Record) error { own = append(own, r); return nil }))
	must(t, said.Each(ctx, func(r identify.Record) error { others = append(others, r); return nil }))
	if len(own) != 1 || own[0].ID != mine.ID || own[0].Notes != "write to ben@example.org" || *own[0].Latitude != latitude || own[0].Leaves != identify.LeavesAsItCame {
		t.Errorf("%+v", own)
	}
	if len(others) != 1 || others[0].ID != theirs.ID || *others[0].Latitude == latitude || len(others[0].Identifications) != 1 {
		t.Errorf("%+v", others)
	}
	if _, _, err := f.OwnData(ctx, identify.User{}); identify.KindOf(err) != identify.Forbidden {
		t.Error(err)
	}
}
