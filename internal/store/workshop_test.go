package store

import (
	"database/sql"
	"reflect"
	"strconv"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// meeting is a workshop of two guests, Ann and Ben, that a host started after somebody
// else's lesson.
type meeting struct {
	*Store
	identify.Workshop
	host, ann, ben identify.User
}

func meet(t *testing.T) meeting {
	t.Helper()
	s := fresh(t)
	m := meeting{Store: s, host: account(t, s, "Hana", identify.Admin)}
	saw(t, s, m.host, 1, 4, func(n *identify.NewObservation) { n.At = noon.Add(-time.Hour) })
	var err error
	m.Workshop, err = s.StartWorkshop(t.Context(), identify.NewWorkshop{Title: "Moths", Code: "ABCD-EFGH", Key: hashOf("code"),
		Invitation: identify.Invitation{Role: identify.Expert, Guest: true, Uses: 10, CreatedAt: noon, CreatedBy: m.host.ID, ExpiresAt: noon.Add(3 * time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		user *identify.User
	}{{"Ann", &m.ann}, {"Ben", &m.ben}} {
		if *x.user, err = s.Join(t.Context(), hashOf("code"), identify.NewAccount{Name: x.name, At: noon}); err != nil {
			t.Fatal(err)
		}
		begin(t, s, x.name, x.user.ID, 24*time.Hour)
	}
	return m
}

// saw stores a photo of some number by u, who names it.
func saw(t *testing.T, s *Store, u identify.User, photo int, taxon identify.TaxonID, change ...func(*identify.NewObservation)) {
	t.Helper()
	teach(t, s, u, observe(t, s, u, strconv.Itoa(photo), change...).ID, taxon)
}

func (m meeting) again(t *testing.T) identify.Workshop {
	t.Helper()
	w, err := m.Store.Workshop(t.Context(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What counts is what its people did since it began: not what the host taught before,
// not what others do.
func TestAWorkshopCountsItsOwn(t *testing.T) {
	m := meet(t)
	other := account(t, m.Store, "Otto", identify.Expert)
	saw(t, m.Store, m.ann, 2, 4)
	saw(t, m.Store, m.ben, 3, 5)
	saw(t, m.Store, m.host, 4, 5)
	saw(t, m.Store, other, 5, 5)
	if w := m.again(t); w.Guests != 2 || w.Photos != 3 || w.Lessons != 3 || w.Own != 1 || w.Start != 1 || w.Code != "ABCD-EFGH" || w.HostName != "Hana" {
		t.Errorf("%+v", w)
	}
	photos, err := m.WorkshopPhotos(t.Context(), m.ID, 2)
	if err != nil || len(photos) != 2 || photos[0].ObserverName != "Hana" || photos[1].ObserverName != "Ben" {
		t.Errorf("%v, %v", photos, err)
	}
	refs, err := m.LessonRefs(t.Context(), encoder.Digest, identify.ObservationFilter{}, identify.LessonSpan{Workshop: m.ID})
	if err != nil || len(refs) != 3 || refs[0].Seq != 2 || refs[2].Seq != 4 {
		t.Errorf("its bundle has %v, %v", refs, err)
	}
	guests, err := m.WorkshopGuests(t.Context(), m.ID)
	if err != nil || len(guests) != 2 || guests[0].Name != "Ben" || guests[0].Lessons != 1 || guests[0].Photos != 1 {
		t.Errorf("%+v, %v", guests, err)
	}
	for user, want := range map[identify.UserID]identify.ErrorKind{m.ann.ID: "", m.host.ID: identify.NotFound, other.ID: identify.NotFound} {
		if _, err := m.WorkshopOf(t.Context(), user); identify.KindOf(err) != want {
			t.Errorf("the workshop of %d: %v", user, err)
		}
	}
}

// A guest comes in as long as the workshop lasts, longer when it is extended, and not
// once it was ended; a guest who chose a password is one no longer.
func TestAGuestsSessionLastsAsLongAsTheWorkshop(t *testing.T) {
	m, ctx := meet(t), t.Context()
	in := func(name string, after time.Duration) bool {
		_, _, err := m.UserBySession(ctx, hashOf(name), noon.Add(after))
		return err == nil
	}
	if !in("Ann", time.Hour) || in("Ann", 4*time.Hour) {
		t.Error("three hours are not three hours")
	}
	if err := m.ExtendWorkshop(ctx, m.ID, noon.Add(6*time.Hour), m.host.ID, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := m.InvitationByKey(ctx, hashOf("code"), noon.Add(5*time.Hour)); err != nil || !in("Ann", 4*time.Hour) {
		t.Errorf("it was extended, %v", err)
	}
	if err := m.SetPassword(ctx, m.ben.ID, "", "hash", identify.PasswordChange{At: noon, First: true}); err != nil {
		t.Fatal(err)
	}
	begin(t, m.Store, "Ben with a password", m.ben.ID, 24*time.Hour)
	if err := m.EndWorkshop(ctx, m.ID, m.host.ID, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if in("Ann", time.Hour) || !in("Ben with a password", time.Hour) {
		t.Error("the guest comes in, or who has a password does not")
	}
	if _, err := m.InvitationByKey(ctx, hashOf("code"), noon); identify.KindOf(err) != identify.NotFound {
		t.Errorf("its code is good: %v", err)
	}
	if w := m.again(t); w.Code != "" || w.EndedAt == nil || w.Open(noon) {
		t.Errorf("%+v", w)
	}
	wantKind(t, m.EndWorkshop(ctx, m.ID, m.host.ID, noon), identify.Conflict, "")
	wantKind(t, m.ExtendWorkshop(ctx, m.ID, noon.Add(time.Hour), m.host.ID, noon), identify.Conflict, "")
	wantKind(t, m.EndWorkshop(ctx, 99, m.host.ID, noon), identify.NotFound, "")
	list, _, err := m.History(ctx, identify.HistoryFilter{Kind: identify.DidEndWorkshop, Limit: 9})
	if err != nil || len(list) != 1 || list[0].Subject != "Moths" || list[0].UserName != "Hana" {
		t.Errorf("the audit trail says %+v, %v", list, err)
	}
}

// Who was a guest of a workshop that was ended cannot come in any more: somebody else may
// have the name then, and signs in by it, and is another person in all that was taught.
func TestTheNamesOfFormerGuestsAreFree(t *testing.T) {
	m, ctx := meet(t), t.Context()
	invited := func(key string) error {
		_, err := m.AddInvitation(ctx, hashOf(key), identify.Invitation{Role: identify.Expert, Uses: 1, CreatedAt: noon, CreatedBy: m.host.ID, ExpiresAt: noon.Add(9 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		u, err := m.Join(ctx, hashOf(key), identify.NewAccount{Name: "ann", Password: "hash of " + key, At: noon})
		if err == nil && u.ID == m.ann.ID {
			t.Error("she is taken for the guest")
		}
		return err
	}
	wantKind(t, invited("before"), identify.Conflict, "name")
	if err := m.EndWorkshop(ctx, m.ID, m.host.ID, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := invited("after"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, invited("once more"), identify.Conflict, "name")
	if a, err := m.AccountByName(ctx, "Ann"); err != nil || a.Password != "hash of after" {
		t.Errorf("by her name comes %+v, %v", a, err)
	}
}

// A reset takes what guests taught out by quarantine and the host's own on demand, and
// nothing else; it is taken back whole, but for a guest whom a curator put in
// quarantine for another reason.
func TestAResetAndItsReturn(t *testing.T) {
	m, ctx := meet(t), t.Context()
	for i := range 3 {
		saw(t, m.Store, m.ann, 10+i, 4)
	}
	saw(t, m.Store, m.ben, 20, 5)
	saw(t, m.Store, m.host, 21, 5)
	quarantine(t, m.Store, personOf(m.ben), m.host)
	before, err := m.Store.Lessons(ctx, personOf(m.ann))
	if err != nil {
		t.Fatal(err)
	}
	later := noon.Add(time.Minute)
	r, _, err := m.ResetWorkshop(ctx, m.ID, true, m.host.ID, later)
	if err != nil || r.Lessons != 4 || r.More || r.UnderWay != nil {
		t.Fatalf("%+v left the memory, want Ann's 3 and the host's 1 at once: %v", r, err)
	}
	check(t, m.Store)
	if host, err := m.Store.Lessons(ctx, personOf(m.host)); err != nil || len(host) != 1 {
		t.Errorf("of the host's lessons %d stand, want the one from before: %v", len(host), err)
	}
	_, _, err = m.ResetWorkshop(ctx, m.ID, true, m.host.ID, later)
	wantKind(t, err, identify.Conflict, "")
	r, _, err = m.RestoreWorkshop(ctx, m.ID, m.host.ID, later.Add(time.Minute))
	if err != nil || r.Lessons != 3 || r.UnderWay != nil {
		t.Errorf("%+v came back, %v", r, err)
	}
	check(t, m.Store)
	if after, err := m.Store.Lessons(ctx, personOf(m.ann)); err != nil || len(after) != len(before) {
		t.Errorf("%v stand, %v before", after, before)
	}
	if ben, err := m.Store.Lessons(ctx, personOf(m.ben)); err != nil || len(ben) != 0 {
		t.Errorf("Ben was let out of a quarantine of his own: %v, %v", ben, err)
	}
	_, _, err = m.RestoreWorkshop(ctx, m.ID, m.host.ID, later)
	wantKind(t, err, identify.Conflict, "")
}

// A reset and its return that are done in stretches of any length lead to what they lead
// to in one go; between two stretches the database is sound, what is under way is known,
// and neither is begun a second time.
func TestAResetInStretches(t *testing.T) {
	all := resetInStretches(t, 1000)
	for _, limit := range []int{1, 2, 3, 5, 8} {
		if got := resetInStretches(t, limit); !reflect.DeepEqual(got, all) {
			t.Errorf("in stretches of %d:\n%v\nin one go:\n%v", limit, got, all)
		}
	}
}

// resetInStretches resets a workshop of two guests and a host and restores it, and
// returns what everything came to after each of the two, and how many lessons moved.
func resetInStretches(t *testing.T, limit int) (out []any) {
	t.Helper()
	m, ctx := meet(t), t.Context()
	for i := range 5 {
		saw(t, m.Store, m.ann, 10+i, 4)
		saw(t, m.Store, m.host, 20+i, 5)
	}
	for i := range 3 {
		saw(t, m.Store, m.ben, 30+i, 5)
	}
	once := func(do func(tx *sql.Tx, w identify.Workshop) (identify.WorkshopReset, identify.Seq, error)) (r identify.WorkshopReset, err error) {
		err = m.changeWorkshop(ctx, m.ID, func(tx *sql.Tx, w identify.Workshop) error {
			r, _, err = do(tx, w)
			return err
		})
		check(t, m.Store)
		return r, err
	}
	reset := func(tx *sql.Tx, w identify.Workshop) (identify.WorkshopReset, identify.Seq, error) {
		return resetWorkshop(ctx, tx, w, true, m.host.ID, limit, noon)
	}
	restore := func(tx *sql.Tx, w identify.Workshop) (identify.WorkshopReset, identify.Seq, error) {
		return restoreWorkshop(ctx, tx, w, m.host.ID, limit, noon)
	}
	finish := func(r identify.WorkshopReset, err error, otherwise func(tx *sql.Tx, w identify.Workshop) (identify.WorkshopReset, identify.Seq, error)) {
		if err != nil {
			t.Fatal(err)
		}
		lessons := r.Lessons
		for _, q := range r.UnderWay {
			if _, err := once(otherwise); identify.KindOf(err) != identify.Conflict {
				t.Fatalf("with one under way the other is done: %v", err)
			}
			before := q.Lessons
			for q.UnderWay != identify.NoStep {
				if q, err = nextOf(t, m.Store, q.ID, limit); err != nil {
					t.Fatal(err)
				}
				check(t, m.Store)
			}
			lessons += q.Lessons - before
		}
		if list, err := m.QuarantinesUnderWay(ctx); err != nil || len(list) != 0 {
			t.Fatalf("%v are under way, %v", list, err)
		}
		out = append(out, lessons, state(t, m.Store))
	}
	r := identify.WorkshopReset{More: true}
	hosts := 0
	for r.More {
		var err error
		if r, err = once(reset); err != nil {
			t.Fatal(err)
		}
		if r.More {
			hosts += r.Lessons
			if w := m.again(t); w.ResetAt != nil || w.Own != 5-hosts {
				t.Fatalf("%d of the host's lessons are left, reset at %v", w.Own, w.ResetAt)
			}
		}
	}
	r.Lessons += hosts
	finish(r, nil, restore)
	back, err := once(restore)
	finish(back, err, reset)
	return out
}
