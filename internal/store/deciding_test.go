package store

import (
	"testing"

	"fieldmark/internal/identify"
)

// However much others set aside since, everyone finds what they did themselves.
func TestWhatOneSetAsideOneself(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bo := user(t, s, "Ann"), user(t, s, "Bo")
	put := func(who identify.User, hash string) identify.ObservationID {
		o := observe(t, s, ann, hash)
		if _, _, err := s.Decide(ctx, identify.NewDecision{Kind: identify.DecidedSetAside, User: who.ID, At: noon, Items: []identify.NewIdentification{{Observation: o.ID}}}); err != nil {
			t.Fatal(err)
		}
		return o.ID
	}
	hers := put(ann, "1")
	first, last := put(bo, "2"), put(bo, "3")
	for name, c := range map[string]struct {
		by    identify.UserID
		limit int
		want  []identify.ObservationID
	}{
		"anyone's":             {0, 10, []identify.ObservationID{last, first, hers}},
		"the latest":           {0, 2, []identify.ObservationID{last, first}},
		"Ann's, of the latest": {ann.ID, 2, []identify.ObservationID{hers}},
	} {
		list, err := s.SetAside(ctx, c.by, c.limit)
		if err != nil || len(list) != len(c.want) {
			t.Fatalf("%s: %+v, %v", name, list, err)
		}
		for i, a := range list {
			if a.Observation.ID != c.want[i] || a.Observation.ObserverName != "Ann" {
				t.Errorf("%s: %d is %+v", name, i, a.Observation)
			}
		}
	}
}
