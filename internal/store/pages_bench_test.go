package store

import (
	"context"
	"database/sql"
	"testing"

	"fieldmark/internal/identify"
)

// What each page reads, with a hundred thousand observations, of which twenty thousand
// wait. The goal is at most 50 ms for what a page reads. Where a read has a plain
// query that it must agree with, that is measured beside it ("plainly").
func BenchmarkPages(b *testing.B) {
	s := large(b, 100_000)
	for _, c := range pageReads(s) {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.read(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/page")
		})
	}
}

type pageRead struct {
	name string
	read func(ctx context.Context) error
}

// pageReads are the reads of pages, each as one page makes it.
func pageReads(s *Store) []pageRead {
	person := identify.Source{User: 7}
	observations := func(f identify.ObservationFilter) func(context.Context) error {
		return func(ctx context.Context) error {
			_, _, err := s.Observations(ctx, f)
			return err
		}
	}
	summary := func(f identify.ObservationFilter) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.ExportSummary(ctx, largeEncoder.Digest, f)
			return err
		}
	}
	history := func(f identify.HistoryFilter) func(context.Context) error {
		f.Limit = 50
		return func(ctx context.Context) error {
			_, _, err := s.History(ctx, f)
			return err
		}
	}
	plainly := func(read func(context.Context, *sql.Tx) error) func(context.Context) error {
		return func(ctx context.Context) error { return s.view(ctx, func(tx *sql.Tx) error { return read(ctx, tx) }) }
	}
	return []pageRead{
		{"review/by doubt", func(ctx context.Context) error { _, err := s.Queued(ctx, identify.ByDoubt); return err }},
		{"review/by time", func(ctx context.Context) error { _, err := s.Queued(ctx, identify.ByTime); return err }},
		{"review/by place", func(ctx context.Context) error { _, err := s.WaitingPlaces(ctx); return err }},
		{"review/put off", func(ctx context.Context) error { _, err := s.PutOff(ctx, 1); return err }},
		{"review/those shown", func(ctx context.Context) error {
			_, err := s.Waiting(ctx, []identify.ObservationID{10, 20, 30, 41, 50, 61, 70, 80, 90, 101, 110, 121})
			return err
		}},
		{"review/by doubt plainly", plainly(func(ctx context.Context, tx *sql.Tx) error { _, err := plainIDs(ctx, tx, plainWaiting); return err })},
		{"review/last", func(ctx context.Context) error {
			if _, err := s.LastDecision(ctx, 1); identify.KindOf(err) != identify.NotFound {
				return err
			}
			return nil
		}},
		{"review/stale readings", func(ctx context.Context) error {
			_, err := s.StaleReadings(ctx, largeEncoder.Digest, 1000, 64)
			return err
		}},
		{"review/waiting vectors", func(ctx context.Context) error {
			return s.WaitingVectors(ctx, largeEncoder.Digest, func(identify.WaitingVector) error { return nil })
		}},
		{"review/name six and take back", func(ctx context.Context) error {
			n := identify.NewDecision{Kind: identify.DecidedTaught, User: 2, At: noon}
			for _, o := range []identify.ObservationID{10, 20, 30, 50, 70, 80} {
				n.Items = append(n.Items, identify.NewIdentification{Observation: o, Taxon: 100, User: 2, At: noon})
			}
			d, _, err := s.Decide(ctx, n)
			if err == nil {
				_, _, err = s.UndoDecision(ctx, d.ID, 0, 2, noon)
			}
			return err
		}},
		{"review/aside", func(ctx context.Context) error { _, err := s.SetAside(ctx, 0, 200); return err }},
		{"sources/list", func(ctx context.Context) error { _, err := s.Sources(ctx); return err }},
		{"sources/one", func(ctx context.Context) error { _, err := s.Source(ctx, person); return err }},
		{"sources/lessons", func(ctx context.Context) error { _, err := s.Lessons(ctx, person); return err }},
		{"learning/trials", func(ctx context.Context) error { _, err := s.Trials(ctx, largeEncoder.Digest); return err }},
		{"learning/counts", func(ctx context.Context) error { _, err := s.TrialCounts(ctx, largeEncoder.Digest); return err }},
		{"learning/trials after a lesson", func(ctx context.Context) error {
			_, _, err := s.Teach(ctx, identify.NewIdentification{Observation: 10, Taxon: 100, User: 2, At: noon})
			if err == nil {
				_, err = s.Trials(ctx, largeEncoder.Digest)
			}
			o, found := s.Observation(ctx, 10)
			if err == nil && found == nil {
				_, _, err = s.Withdraw(ctx, 10, o.Identifications[len(o.Identifications)-1].ID, 2, noon)
			}
			return err
		}},
		{"sources/list plainly", plainly(func(ctx context.Context, tx *sql.Tx) error { _, err := plainSources(ctx, tx); return err })},
		{"learning/trials plainly", plainly(func(ctx context.Context, tx *sql.Tx) error {
			_, err := trials(ctx, tx, `t.encoder = ?`, largeEncoder.Digest)
			return err
		})},
		{"learning/counts plainly", plainly(func(ctx context.Context, tx *sql.Tx) error {
			_, err := plainTrialCounts(ctx, tx, largeEncoder.Digest)
			return err
		})},
		{"map/photoless plainly", plainly(func(ctx context.Context, tx *sql.Tx) error { _, err := plainIDs(ctx, tx, plainPhotoless); return err })},
		{"map/photoless", func(ctx context.Context) error { _, err := s.Photoless(ctx); return err }},
		{"export/all", summary(identify.ObservationFilter{})},
		{"export/family", summary(identify.ObservationFilter{Taxon: 5})},
		{"export/person", summary(identify.ObservationFilter{Said: identify.IdentificationFilter{By: 7}})},
		{"export/licence", summary(identify.ObservationFilter{License: "CC-BY-4.0"})},
		{"export/unembedded encoder", func(ctx context.Context) error {
			_, err := s.ExportSummary(ctx, "another", identify.ObservationFilter{Status: "identified"})
			return err
		}},
		{"export/all plainly", plainly(func(ctx context.Context, tx *sql.Tx) error {
			_, err := plainSummary(ctx, tx, largeEncoder.Digest, identify.ObservationFilter{})
			return err
		})},
		{"export/family plainly", plainly(func(ctx context.Context, tx *sql.Tx) error {
			_, err := plainSummary(ctx, tx, largeEncoder.Digest, identify.ObservationFilter{Taxon: 5})
			return err
		})},
		{"export/licence plainly", plainly(func(ctx context.Context, tx *sql.Tx) error {
			_, err := plainSummary(ctx, tx, largeEncoder.Digest, identify.ObservationFilter{License: "CC-BY-4.0"})
			return err
		})},
		{"export/choices", func(ctx context.Context) error { _, err := s.ExportChoices(ctx); return err }},
		{"observations/one", func(ctx context.Context) error { _, err := s.Observation(ctx, 77_777); return err }},
		{"observations/all", observations(identify.ObservationFilter{})},
		{"observations/family", observations(identify.ObservationFilter{Taxon: 5})},
		{"observations/unidentified", observations(identify.ObservationFilter{Status: "unidentified"})},
		{"observations/disputed", observations(identify.ObservationFilter{Disputed: true})},
		{"observations/frequent text", observations(identify.ObservationFilter{Query: "warbler"})},
		{"observations/rare name", observations(identify.ObservationFilter{Query: "warbler 77"})},
		{"observations/rare note", observations(identify.ObservationFilter{Query: "walk 7777"})},
		{"observations/no text", observations(identify.ObservationFilter{Query: "nothing at all"})},
		{"observations/import", observations(identify.ObservationFilter{Import: 2})},
		{"gallery/all", func(ctx context.Context) error { _, _, err := s.GalleryPage(ctx, identify.GalleryFilter{}); return err }},
		{"gallery/family", func(ctx context.Context) error {
			_, _, err := s.GalleryPage(ctx, identify.GalleryFilter{Taxon: 5})
			return err
		}},
		{"gallery/with photo", func(ctx context.Context) error {
			_, _, err := s.GalleryPage(ctx, identify.GalleryFilter{Photo: "with"})
			return err
		}},
		{"gallery/without photo", func(ctx context.Context) error {
			_, _, err := s.GalleryPage(ctx, identify.GalleryFilter{Photo: "without"})
			return err
		}},
		{"history/all", history(identify.HistoryFilter{})},
		{"history/person", history(identify.HistoryFilter{User: 7})},
		{"history/withdrawn", history(identify.HistoryFilter{Kind: "withdrawn"})},
		{"history/nobody", history(identify.HistoryFilter{User: 9999})},
		{"history/rare kind", history(identify.HistoryFilter{Kind: identify.DidEndWorkshop})},
		{"workshop/list", func(ctx context.Context) error { _, err := s.Workshops(ctx); return err }},
		{"workshop/one", func(ctx context.Context) error { _, err := s.Workshop(ctx, 3); return err }},
		{"workshop/guests", func(ctx context.Context) error { _, err := s.WorkshopGuests(ctx, 3); return err }},
		{"workshop/photos", func(ctx context.Context) error { _, err := s.WorkshopPhotos(ctx, 3, 24); return err }},
		{"workshop/trials", func(ctx context.Context) error { _, err := s.WorkshopTrials(ctx, 3, largeEncoder.Digest); return err }},
		{"imports/list", func(ctx context.Context) error { _, err := s.Imports(ctx); return err }},
		{"people/list", func(ctx context.Context) error { _, err := s.People(ctx, noon); return err }},
		{"about/counts", func(ctx context.Context) error { _, err := s.Counts(ctx); return err }},
		{"about/photo bytes", func(ctx context.Context) error { _, err := s.PhotoBytes(ctx); return err }},
		{"encoders/counts", func(ctx context.Context) error {
			_, err := s.EmbeddingCounts(ctx, largeEncoder.Digest)
			return err
		}},
	}
}
