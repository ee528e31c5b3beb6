package identify_test

import (
	"context"
	"image/color"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// setBack are clocks that are set back by as much.
func setBack() map[string]time.Duration {
	return map[string]time.Duration{"an hour": time.Hour, "a year": 365 * 24 * time.Hour}
}

// The clock of the machine is set back while people teach. The order of what was taught
// is the log's: the last correction of a photo stands, what was answered before a
// lesson counts as before it, and a fold of the log is the same memory.
func TestTheClockIsSetBackWhileTeaching(t *testing.T) {
	for name, by := range setBack() {
		t.Run(name, func(t *testing.T) {
			f, ctx := newFixture(t), context.Background()
			now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
			f.Config.Now = func() time.Time { return now }
			f.restart(t)
			first := f.see(t, purple)
			teach := func(o identify.ObservationID, name string) identify.Correction {
				t.Helper()
				c, err := f.Identify(ctx, f.Owner, o, identify.Answer{Label: name}, identify.Question{})
				must(t, err)
				return c
			}
			before := teach(first.ID, "Jabber berry")
			now = now.Add(-by)
			after := teach(first.ID, "Grue berry")
			second := f.see(t, color.RGBA{90, 90, 20, 255})
			teach(second.ID, "Snark moss")
			if after.Seq <= before.Seq || after.After.Candidates[0].Label != "Grue berry" {
				t.Errorf("event %d after event %d, and the photo is %q", after.Seq, before.Seq, after.After.Candidates[0].Label)
			}
			o, err := f.Observation(ctx, f.Owner, first.ID)
			must(t, err)
			if current, stands := o.Current(); !stands || current.ID != after.Identification.ID {
				t.Errorf("what stands is %+v, not identification %d", current, after.Identification.ID)
			}
			list, _, err := f.Observations(ctx, f.Owner, identify.ObservationFilter{Limit: 10})
			must(t, err)
			if len(list) != 2 || list[0].ID != second.ID {
				t.Errorf("the newest of %d is not first", len(list))
			}
			trials, err := f.Config.Store.Trials(ctx, fakeEmbedder{}.Info().Digest)
			must(t, err)
			if len(trials) != 2 || trials[0].Lesson != before.Seq || trials[0].Seq != 0 || trials[1].Lesson <= after.Seq {
				t.Errorf("%+v", trials)
			}
			verified(t, f)
			f.settled(t)
			then := everyAnswer(t, f)
			f.restart(t)
			f.settled(t)
			for i, x := range everyAnswer(t, f) {
				same(t, then[i], x, 1e-4)
			}
		})
	}
}

// Sessions and tokens outlive a clock that is set back and set right again: last uses
// are noted by the clock as it is, and no session ends sooner for it.
func TestTheClockIsSetBackWhileSignedIn(t *testing.T) {
	for name, by := range setBack() {
		t.Run(name, func(t *testing.T) {
			f, ctx := newPeople(t), t.Context()
			ann := f.join(t, "Ann", f.invitation(identify.Expert))
			secret, err := f.BeginSession(ctx, ann, "a phone")
			must(t, err)
			token, _, err := f.AddToken(ctx, ann, identify.Token{Name: "a script", Role: identify.Expert})
			must(t, err)
			_, err = f.ByToken(ctx, token)
			must(t, err)
			start := f.now
			use := func(at time.Time) {
				t.Helper()
				f.now = at
				_, _, err := f.BySession(ctx, secret)
				must(t, err)
				_, err = f.ByToken(ctx, token)
				must(t, err)
				sessions, err := f.Sessions(ctx, ann)
				must(t, err)
				tokens, err := f.Tokens(ctx, ann)
				must(t, err)
				if !sessions[0].SeenAt.Equal(at) || !tokens[0].UsedAt.Equal(at) {
					t.Errorf("used at %v; noted are %v and %v", at, sessions[0].SeenAt, tokens[0].UsedAt)
				}
				if left := start.Add(identify.SessionAge); sessions[0].ExpiresAt.Before(left) {
					t.Errorf("at %v the session ends at %v, before %v", at, sessions[0].ExpiresAt, left)
				}
			}
			use(start.Add(-by))
			use(start.Add(2*time.Minute - by))
			use(start.Add(29 * 24 * time.Hour)) // set right, within the session's age
			use(start.Add(58 * 24 * time.Hour)) // and it was renewed
		})
	}
}
