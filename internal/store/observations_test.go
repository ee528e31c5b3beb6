package store

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestAddObservation(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	lat, lon := 48.137, -11.575
	dusk := time.Date(2026, 4, 2, 19, 30, 0, 0, time.FixedZone("", 7200))
	o := observe(t, s, u, "a", func(n *identify.NewObservation) {
		n.ObservedAt, n.Latitude, n.Longitude = &dusk, &lat, &lon
		n.Photo.TakenAt, n.Photo.Latitude, n.Photo.Longitude = &dusk, &lat, &lon
		n.License, n.RightsHolder, n.Notes = "CC-BY-4.0", "Ann", "on the wall"
		n.Suggested = []identify.Suggestion{{Taxon: 4, Label: "House Sparrow", Probability: 0.75}, {Label: "a cloud", Probability: 0.1}}
		n.SuggestedSeq = 7
	})
	got, err := s.Observation(ctx, o.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []identify.Observation{o, got} {
		if o.ObserverName != "ann" || o.Observer != u.ID || o.License != "CC-BY-4.0" || o.RightsHolder != "Ann" || o.Notes != "on the wall" ||
			*o.Latitude != lat || *o.Longitude != lon || o.SuggestedSeq != 7 || !o.CreatedAt.Equal(noon) || o.Identifications != nil {
			t.Errorf("%+v", o)
		}
		if o.ObservedAt.Format(time.RFC3339) != "2026-04-02T19:30:00+02:00" || !o.Photo.TakenAt.Equal(dusk) {
			t.Errorf("observed %v, taken %v; want the clock on the wall", o.ObservedAt, o.Photo.TakenAt)
		}
		if o.Photo.Hash != photoHash("a") || o.Photo.Width != 640 || o.Photo.MediaType != "image/jpeg" || *o.Photo.Latitude != lat {
			t.Errorf("%+v", o.Photo)
		}
		if len(o.Suggested) != 2 || o.Suggested[1] != (identify.Suggestion{Label: "a cloud", Probability: 0.1}) {
			t.Errorf("%+v", o.Suggested)
		}
	}
	_, err = s.Observation(ctx, 99)
	wantKind(t, err, identify.NotFound, "")
}

func TestSamePhotoTwice(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	a, b := observe(t, s, u, "a"), observe(t, s, u, "a")
	if a.ID == b.ID {
		t.Error("one observation of two")
	}
	if c, err := s.Counts(ctx); err != nil || c != (identify.Counts{Observations: 2, Photos: 1, Taxa: 7, Users: 1}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestEmbedding(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	v := []float32{-0.5, math.MaxFloat32 / 4, math.SmallestNonzeroFloat32}
	observe(t, s, u, "a", func(n *identify.NewObservation) { n.Embedding = v })
	if got, err := s.Embedding(ctx, encoder.Digest, photoHash("a")); err != nil || !slices.Equal(got, v) {
		t.Errorf("%v, %v; want %v bit for bit", got, err, v)
	}
	_, err := s.Embedding(ctx, "another", photoHash("a"))
	wantKind(t, err, identify.NotFound, "")

	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range [][]float32{nil, {1, 2}, {0, 0, 0}, {1, nan, 1}, {1, inf, 1}} {
		n := identify.NewObservation{Photo: identify.Photo{Hash: photoHash("b")}, Embedding: bad, Encoder: encoder.Digest, Observer: u.ID}
		if _, err := s.AddObservation(ctx, n); err == nil {
			t.Errorf("%v was stored", bad)
		}
	}
	n := identify.NewObservation{Photo: identify.Photo{Hash: photoHash("b")}, Embedding: v, Encoder: "unknown", Observer: u.ID}
	if _, err := s.AddObservation(ctx, n); err == nil {
		t.Error("an encoder that is not registered was taken")
	}
	if c, err := s.Counts(ctx); err != nil || c.Photos != 1 || c.Observations != 1 {
		t.Errorf("%+v, %v; want nothing left of what failed", c, err)
	}
}

func TestRegisterEncoder(t *testing.T) {
	s := fresh(t)
	renamed := encoder
	renamed.Name = "test, second edition"
	if err := s.RegisterEncoder(t.Context(), renamed); err != nil {
		t.Error(err)
	}
	renamed.Dim = 4
	if err := s.RegisterEncoder(t.Context(), renamed); err == nil {
		t.Error("one digest with two dimensions was taken")
	}
}

func TestObservationsFilter(t *testing.T) {
	s := fresh(t)
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	day := func(d int) *time.Time { at := noon.AddDate(0, 0, d); return &at }
	suggest := func(taxon identify.TaxonID, label string) func(*identify.NewObservation) {
		return func(n *identify.NewObservation) { n.Suggested = []identify.Suggestion{{Taxon: taxon, Label: label}} }
	}
	on := func(d int) func(*identify.NewObservation) {
		return func(n *identify.NewObservation) { n.ObservedAt = day(d) }
	}
	note := func(n *identify.NewObservation) { n.Notes = "Seen near the Café, 100% sure" }
	// ids 1 to 5; 1 house sparrow, 2 tree sparrow, 3 oak, 4 and 5 not identified
	observe(t, s, ann, "1", on(0), suggest(6, "Wilson's Oak"))
	observe(t, s, bob, "2", on(1))
	observe(t, s, ann, "3", on(2), note)
	observe(t, s, bob, "4", suggest(5, "Eurasian Tree Sparrow"))
	observe(t, s, ann, "5", suggest(0, "a grumpy cat"))
	for o, taxon := range map[identify.ObservationID]identify.TaxonID{1: 4, 2: 5, 3: 6} {
		teach(t, s, ann, o, taxon)
	}
	for name, c := range map[string]struct {
		f    identify.ObservationFilter
		want []identify.ObservationID
	}{
		"all":                    {identify.ObservationFilter{}, []identify.ObservationID{5, 4, 3, 2, 1}},
		"a species":              {identify.ObservationFilter{Taxon: 4}, []identify.ObservationID{1}},
		"a class":                {identify.ObservationFilter{Taxon: 2}, []identify.ObservationID{2, 1}},
		"an unknown taxon":       {identify.ObservationFilter{Taxon: 99}, nil},
		"identified":             {identify.ObservationFilter{Status: "identified"}, []identify.ObservationID{3, 2, 1}},
		"unidentified":           {identify.ObservationFilter{Status: "unidentified"}, []identify.ObservationID{5, 4}},
		"bob's":                  {identify.ObservationFilter{Observer: bob.ID}, []identify.ObservationID{4, 2}},
		"from, included":         {identify.ObservationFilter{From: day(1)}, []identify.ObservationID{3, 2}},
		"to, excluded":           {identify.ObservationFilter{To: day(1)}, []identify.ObservationID{1}},
		"called sparrow":         {identify.ObservationFilter{Query: "SPARROW"}, []identify.ObservationID{4, 2, 1}},
		"synonym":                {identify.ObservationFilter{Query: "english"}, []identify.ObservationID{1}},
		"part of a word":         {identify.ObservationFilter{Query: "ontan"}, []identify.ObservationID{4, 2}},
		"corrected, so no oak":   {identify.ObservationFilter{Query: "oak"}, []identify.ObservationID{3}},
		"free text":              {identify.ObservationFilter{Query: "grumpy"}, []identify.ObservationID{5}},
		"notes, accents":         {identify.ObservationFilter{Query: "cafe"}, []identify.ObservationID{3}},
		"a percent sign":         {identify.ObservationFilter{Query: "100%"}, []identify.ObservationID{3}},
		"no wildcard":            {identify.ObservationFilter{Query: "sp%w"}, nil},
		"several conditions":     {identify.ObservationFilter{Query: "sparrow", Observer: bob.ID, Status: "identified", Taxon: 3}, []identify.ObservationID{2}},
		"older than the cursor":  {identify.ObservationFilter{Before: 3}, []identify.ObservationID{2, 1}},
		"cursor with conditions": {identify.ObservationFilter{Before: 2, Taxon: 3}, []identify.ObservationID{1}},
	} {
		list, more, err := s.Observations(t.Context(), c.f)
		var got []identify.ObservationID
		for _, o := range list {
			got = append(got, o.ID)
		}
		if err != nil || more || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, more %v, %v; want %v", name, got, more, err, c.want)
		}
	}
}

func TestObservationsPages(t *testing.T) {
	s := fresh(t)
	u := user(t, s, "ann")
	for i := range 7 {
		o := observe(t, s, u, strconv.Itoa(i))
		teach(t, s, u, o.ID, identify.TaxonID(4+i%2))
	}
	var got []identify.ObservationID
	f := identify.ObservationFilter{Limit: 3}
	for page, more := 0, true; more; page++ {
		list, next, err := s.Observations(t.Context(), f)
		if err != nil || next != (page < 2) {
			t.Fatalf("page %d: more %v, %v", page, next, err)
		}
		for _, o := range list {
			got = append(got, o.ID)
			if len(o.Identifications) != 1 || o.Identifications[0].Observation != o.ID {
				t.Errorf("observation %d: %+v", o.ID, o.Identifications)
			}
		}
		f.Before, more = got[len(got)-1], next
	}
	if !slices.Equal(got, []identify.ObservationID{7, 6, 5, 4, 3, 2, 1}) {
		t.Errorf("%v", got)
	}
}
