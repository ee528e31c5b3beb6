package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// whereSaid lists the columns of all tables in which a text stands, but those of hashes,
// which are texts in these tests.
func whereSaid(t *testing.T, s *Store, text string) (list []string) {
	t.Helper()
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name <> 'hash' ORDER BY 1, 2`)
		columns, err := collect(rows, err, func(rows *sql.Rows) (c [2]string, err error) { return c, rows.Scan(&c[0], &c[1]) })
		if err != nil {
			return err
		}
		for _, c := range columns {
			var found bool
			if err := tx.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM "`+c[0]+`" WHERE instr(CAST("`+c[1]+`" AS TEXT), ?) > 0)`, text).Scan(&found); err != nil {
				return err
			}
			if found {
				list = append(list, c[0]+"."+c[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func edit(t *testing.T, s *Store, o identify.ObservationID, by identify.User, change func(d *identify.Details)) {
	t.Helper()
	_, err := s.EditDetails(t.Context(), o, by.ID, noon, func(d identify.Details) (identify.Details, error) { change(&d); return d, nil })
	if err != nil {
		t.Fatal(err)
	}
}

// Who leaves is named nowhere in the database any more, whatever they did under their
// name; their lessons stand, and the log is as it was.
func TestWhoLeavesIsNamedNowhere(t *testing.T) {
	const name = "Zebulon Quagmire"
	s, ctx := fresh(t), t.Context()
	ada := account(t, s, "Ada", identify.Admin)
	zeb := account(t, s, name, identify.Expert)
	begin(t, s, "zeb's browser", zeb.ID, time.Hour)
	if _, err := s.AddToken(ctx, hashOf("t"), identify.Token{User: zeb.ID, Name: name + "'s camera", Role: identify.Viewer, CreatedAt: noon, CreatedBy: zeb.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPassword(ctx, zeb.ID, "hash of "+name, "another", identify.PasswordChange{At: noon, Agent: name + "'s browser"}); err != nil {
		t.Fatal(err)
	}
	begin(t, s, "another browser", zeb.ID, time.Hour)
	o := observe(t, s, zeb, "a")
	teach(t, s, zeb, o.ID, 5)
	rights, other := name, "The Moth Club"
	edit(t, s, o.ID, zeb, func(d *identify.Details) { d.RightsHolder = rights })
	edit(t, s, observe(t, s, zeb, "b").ID, zeb, func(d *identify.Details) { d.RightsHolder = other })
	log := kindsOf(t, s)
	if before := whereSaid(t, s, name); len(before) < 5 {
		t.Fatalf("before, the name stands only in %v", before)
	}

	if err := s.Leave(ctx, zeb.ID, false, noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if left := whereSaid(t, s, name); len(left) > 0 {
		t.Errorf("the name still stands in %v", left)
	}
	if stays := whereSaid(t, s, other); !slices.Contains(stays, "observations.rights_holder") {
		t.Errorf("others lost their rights: %v", stays)
	}
	if p := person(t, s, zeb.ID); p.Name != identify.SomeoneWhoLeft || !p.Left || p.Password || p.SeenAt != nil || p.Tokens != 0 {
		t.Errorf("%+v", p)
	}
	got, err := s.Observation(ctx, o.ID)
	if err != nil || got.ObserverName != identify.SomeoneWhoLeft || got.RightsHolder != "" || got.Identifications[0].UserName != identify.SomeoneWhoLeft || got.Identifications[0].Withdrawn() {
		t.Errorf("%+v, %v", got, err)
	}
	if now := kindsOf(t, s); !slices.Equal(now, log) {
		t.Errorf("the log is %v", now)
	}
	for _, h := range []string{"zeb's browser", "another browser"} {
		_, _, err := s.UserBySession(ctx, hashOf(h), noon)
		wantKind(t, err, identify.NotFound, "")
	}
	wantKind(t, s.EnableUser(ctx, zeb.ID), identify.NotFound, "")
	wantKind(t, s.Leave(ctx, zeb.ID, false, noon), identify.NotFound, "")
	if err := s.update(ctx, func(tx *sql.Tx) error { return userNameIsFree(ctx, tx, "Someone who LEFT", 0) }); identify.KindOf(err) != identify.Conflict {
		t.Errorf("somebody can call themselves that: %v", err)
	}
	if err := s.RenameUser(ctx, ada.ID, name); err != nil {
		t.Errorf("the name is not free: %v", err)
	}
	check(t, s)
}

// Who takes their lessons back takes places and notes along, and the lessons leave the
// memory at once; that no admin would be left undoes it all.
func TestLessonsLeaveWithTheirTeacher(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ada := account(t, s, "Ada", identify.Admin)
	wantKind(t, s.Leave(ctx, ada.ID, true, noon), identify.Conflict, "")
	if p := person(t, s, ada.ID); p.Name != "Ada" || p.Left {
		t.Errorf("it was done all the same: %+v", p)
	}
	bo := account(t, s, "Bo", identify.Expert)
	o, hers := observe(t, s, bo, "a"), observe(t, s, ada, "b")
	latitude, longitude, notes := 48.1, 11.5, "on the wall"
	for _, id := range []identify.ObservationID{o.ID, hers.ID} {
		edit(t, s, id, ada, func(d *identify.Details) { d.Latitude, d.Longitude, d.Notes = &latitude, &longitude, notes })
	}
	teach(t, s, bo, o.ID, 5)
	teach(t, s, bo, hers.ID, 5)
	teach(t, s, ada, hers.ID, 5)
	if err := s.Leave(ctx, bo.ID, true, noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	check(t, s)
	if list, err := s.Leavers(ctx); err != nil || !slices.Equal(list, []identify.UserID{bo.ID}) {
		t.Errorf("%v, %v", list, err)
	}
	if got, err := s.Observation(ctx, o.ID); err != nil || got.Latitude != nil || got.Longitude != nil || got.Notes != "" || !got.Identifications[0].Quarantined {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Observation(ctx, hers.ID); err != nil || got.Latitude == nil || got.Notes != notes || got.Identifications[1].Withdrawn() {
		t.Errorf("another's: %+v, %v", got, err)
	}
	endQuarantine(t, s, personOf(bo), identify.Removed, bo)
	if err := s.LeaverGone(ctx, bo.ID); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Leavers(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// The name is not in the bytes of the file either, once it is closed: what is deleted is
// overwritten, however often its row was written before.
func TestWhoLeavesIsNotInTheFile(t *testing.T) {
	const name = "Zebulon Quagmire"
	path := filepath.Join(t.TempDir(), "a.db")
	s, ctx := open(t, path), t.Context()
	account(t, s, "Ada", identify.Admin)
	zeb := account(t, s, name, identify.Expert)
	for i := range 40 {
		begin(t, s, fmt.Sprint("browser ", i), zeb.ID, time.Hour) // notes each time when they were seen
		account(t, s, fmt.Sprint("somebody ", i), identify.Viewer)
	}
	if err := s.RenameUser(ctx, zeb.ID, name+" the Second"); err != nil {
		t.Fatal(err)
	}
	if err := s.Leave(ctx, zeb.ID, false, noon); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(bytes.ReplaceAll(data, []byte("for "+name), nil), []byte(name)); at >= 0 { // but for the tests' hash
		t.Errorf("it is at byte %d", at)
	}
}
