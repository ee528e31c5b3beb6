package identify_test

import (
	"context"
	"image/color"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// slowMerge tells when a merge of names begins to write, and when all of it is there.
type slowMerge struct {
	identify.Store
	begins, done chan struct{}
}

func (s slowMerge) MergeTaxa(ctx context.Context, synonym, accepted identify.TaxonID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	close(s.begins)
	return s.Store.MergeTaxa(ctx, synonym, accepted, by, at)
}

func (s slowMerge) GoOnSynonymy(ctx context.Context, id identify.SynonymyID) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	y, taxa, seq, err := s.Store.GoOnSynonymy(ctx, id)
	if y.UnderWay == identify.NothingUnderWay {
		close(s.done)
	}
	return y, taxa, seq, err
}

// Two names with thousands of lessons become one, in stretches. Who corrects meanwhile
// waits for one of them at most and is answered, or is told to come back, and what was answered
// stands, by the accepted name.
func TestTeachingDuringAMergeIsAnswered(t *testing.T) {
	ctx, f := context.Background(), newFixture(t)
	file := longFile(4000)
	for i := range file.rows {
		file.rows[i].Label = "Moss a"
	}
	plan, err := identify.PlanImport(ctx, f.Config.Store, fakeEmbedder{}.Info(), identify.ImportSource{Kind: "npz", Name: "long.npz", Digest: "long"}, file, identify.ImportOptions{})
	must(t, err)
	_, err = identify.RunImport(ctx, f.Config.Store, plan, file, f.Owner.ID, time.Now, quiet)
	must(t, err)
	merge := slowMerge{Store: f.Config.Store, begins: make(chan struct{}), done: make(chan struct{})}
	f.Config.Store = merge
	f.restart(t)
	var moss []identify.TaxonID
	for _, label := range []string{"Moss a", "Moss b"} {
		x, err := f.Observation(ctx, f.Owner, f.teach(t, color.RGBA{R: 9, A: 255}, label).ID)
		must(t, err)
		moss = append(moss, x.Identifications[0].Taxon)
	}
	merged := make(chan error, 1)
	go func() {
		_, err := f.MergeTaxa(ctx, f.Owner, moss[0], moss[1])
		merged <- err
	}()
	<-merge.begins
	answered, told := map[identify.ObservationID]identify.IdentificationID{}, 0
	for i, going := uint8(0), true; going; i++ {
		select {
		case <-merge.done:
			going = false // the last one comes after it
		default:
		}
		o := f.see(t, color.RGBA{B: i, A: 255})
		c, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: "Moss a"}, identify.Question{})
		if identify.KindOf(err) == identify.Busy {
			told++
			continue
		}
		must(t, err)
		answered[o.ID] = c.Identification.ID
	}
	must(t, <-merged)
	for o, id := range answered {
		x, err := f.Observation(ctx, f.Owner, o)
		must(t, err)
		if n := len(x.Identifications); n != 1 || x.Identifications[0].ID != id || x.Identifications[0].Withdrawn() || x.Identifications[0].Taxon != moss[1] {
			t.Errorf("%d: %+v", o, x.Identifications)
		}
	}
	verified(t, f)
	t.Logf("%d answered, %d told to come back", len(answered), told)
}
