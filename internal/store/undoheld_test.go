package store

import (
	"testing"

	"fieldmark/internal/identify"
)

// Whoever is in quarantine may take back what waits with them: the last thing that
// they did, not what they did before it.
func TestWhatIsHeldCanBeUndone(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bo := user(t, s, "Ann"), user(t, s, "Bo")
	first, second := observe(t, s, ann, "1"), observe(t, s, ann, "2")
	decide := func(kind identify.DecisionKind, n identify.NewIdentification) identify.Decision {
		d, _, err := s.Decide(ctx, identify.NewDecision{Kind: kind, User: ann.ID, At: noon, Items: []identify.NewIdentification{n}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	decide(identify.DecidedSetAside, identify.NewIdentification{Observation: first.ID})
	quarantine(t, s, personOf(ann), bo)
	held := decide(identify.DecidedTaught, identify.NewIdentification{Observation: second.ID, Taxon: 4})
	if held.Undone || len(held.Items) != 1 || !held.Items[0].Identification.Quarantined {
		t.Fatalf("%+v", held)
	}
	last, err := s.LastDecision(ctx, ann.ID)
	if err != nil || last.ID != held.ID {
		t.Fatalf("the last decision is %+v, %v; want %d", last, err, held.ID)
	}
	undone, seq, err := s.UndoDecision(ctx, last.ID, 0, ann.ID, noon)
	if err != nil || !undone.Undone || seq == 0 {
		t.Fatalf("%+v, %d, %v", undone, seq, err)
	}
	check(t, s)
	endQuarantine(t, s, personOf(ann), identify.Restored, bo)
	if taxon := currentOf(t, s, second.ID); taxon != 0 {
		t.Errorf("what was undone came back as %d", taxon)
	}
}
