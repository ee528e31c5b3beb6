package identify_test

import (
	"image/color"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/password"
	"fieldmark/internal/store"
)

// A reset that a stop breaks off before the workshop is reset says so, rather than that
// no lessons left; asked again it does what it should.
func TestAResetThatAStopBreaksOff(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	st := f.Config.Store.(*store.Store)
	people := identify.NewPeople(identify.PeopleConfig{Store: st, Passwords: password.New(password.Params{Memory: 64, Time: 1, Threads: 1}, 1)})
	workshops := func() *identify.Workshops { return identify.NewWorkshops(f.Service, people, st) }
	x, err := workshops().Start(ctx, f.Owner, identify.WorkshopPlan{Title: "Moths", Role: identify.Expert, Lasts: time.Hour})
	must(t, err)
	f.teach(t, color.RGBA{R: 9, A: 255}, "Velvet Moss")
	must(t, f.Close())
	if n, err := workshops().Reset(ctx, f.Owner, x.ID, true); identify.KindOf(err) != identify.NotReady {
		t.Errorf("while it stops: %d lessons, %v", n, err)
	}
	f.restart(t)
	if n, err := workshops().Reset(ctx, f.Owner, x.ID, true); err != nil || n != 1 {
		t.Errorf("after the next start: %d lessons, %v", n, err)
	}
}
