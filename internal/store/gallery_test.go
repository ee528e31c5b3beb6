package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestGalleryPage(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	var ids []identify.IdentificationID
	for i, x := range []struct {
		by    identify.User
		taxon identify.TaxonID
		bytes int64
	}{{ann, 4, 10}, {bob, 5, 10}, {ann, 6, 0}, {bob, 4, 10}, {ann, 4, 10}} {
		o := observe(t, s, x.by, fmt.Sprint("p", i), func(n *identify.NewObservation) { n.Photo.Bytes = x.bytes })
		id, _ := teach(t, s, x.by, o.ID, x.taxon)
		ids = append(ids, id.ID)
		if i == 4 {
			if _, _, err := s.Withdraw(ctx, o.ID, id.ID, ann.ID, noon); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		f    identify.GalleryFilter
		want []int // index in ids
		more bool
	}{
		"all that stand":     {identify.GalleryFilter{}, []int{3, 2, 1, 0}, false},
		"a genus":            {identify.GalleryFilter{Taxon: 3}, []int{3, 1, 0}, false},
		"a species":          {identify.GalleryFilter{Taxon: 4}, []int{3, 0}, false},
		"a teacher":          {identify.GalleryFilter{Teacher: ann.ID}, []int{2, 0}, false},
		"without a photo":    {identify.GalleryFilter{Photo: "without"}, []int{2}, false},
		"with one, a genus":  {identify.GalleryFilter{Photo: "with", Taxon: 2}, []int{3, 1, 0}, false},
		"a page":             {identify.GalleryFilter{Limit: 2}, []int{3, 2}, true},
		"the one after that": {identify.GalleryFilter{Limit: 2, Before: ids[2]}, []int{1, 0}, false},
	} {
		list, more, err := s.GalleryPage(ctx, c.f)
		var got []int
		for _, x := range list {
			got = append(got, slices.Index(ids, x.Identification))
		}
		if err != nil || !slices.Equal(got, c.want) || more != c.more {
			t.Errorf("%s: %v, more %t (%v); want %v, %t", name, got, more, err, c.want, c.more)
		}
	}
	list, err := s.GalleryExemplars(ctx, []identify.IdentificationID{ids[2], ids[4], ids[0], 99})
	if err != nil || len(list) != 2 || list[0].Identification != ids[2] || list[0].HasPhoto || list[0].Label != "Wilson's Oak" ||
		list[1].TeacherName != "ann" || !list[1].HasPhoto {
		t.Errorf("%+v, %v", list, err)
	}
	photos, err := s.GalleryPhotos(ctx, []identify.TaxonID{4, 6}, 1)
	if err != nil || len(photos[4]) != 1 || photos[4][0] != list[1].Observation+3 || len(photos[6]) != 0 {
		t.Errorf("photos %v, %v", photos, err)
	}
}

func TestKeptDoubts(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	o := observe(t, s, ann, "a")
	id, _ := teach(t, s, ann, o.ID, 4)
	for i, by := range []identify.User{ann, bob} {
		k := identify.KeptDoubt{Identification: id.ID, User: by.ID, At: noon.Add(time.Duration(i) * time.Hour), Evidence: []string{"outlier", "disagreement:5"}}
		if err := s.KeepDoubt(ctx, k); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := s.KeptDoubts(ctx)
	if err != nil || len(kept) != 1 || kept[0].UserName != "bob" || !kept[0].At.Equal(noon.Add(time.Hour)) || len(kept[0].Evidence) != 2 {
		t.Errorf("%+v, %v", kept, err)
	}
	if err := s.ForgetKept(ctx, id.ID); err != nil {
		t.Error(err)
	}
	wantKind(t, s.ForgetKept(ctx, id.ID), identify.NotFound, "")
	if _, _, err := s.Withdraw(ctx, o.ID, id.ID, ann.ID, noon); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.KeepDoubt(ctx, identify.KeptDoubt{Identification: id.ID, User: bob.ID, At: noon}), identify.Conflict, "identification")
	wantKind(t, s.KeepDoubt(ctx, identify.KeptDoubt{Identification: 99, User: bob.ID, At: noon}), identify.NotFound, "identification")
}

func TestRename(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	o := observe(t, s, ann, "a")
	wrong, _ := teach(t, s, ann, o.ID, 4)
	if _, _, err := s.Rename(ctx, wrong.ID, identify.NewIdentification{Taxon: 4, User: bob.ID, At: noon}); identify.KindOf(err) != identify.Conflict {
		t.Errorf("renamed to what it is: %v", err)
	}
	now, seq, err := s.Rename(ctx, wrong.ID, identify.NewIdentification{Taxon: 5, User: bob.ID, At: noon})
	if err != nil || seq != 3 || now.Taxon != 5 || now.UserName != "bob" || now.Observation != o.ID {
		t.Errorf("%+v, %d, %v", now, seq, err)
	}
	_, _, err = s.Rename(ctx, wrong.ID, identify.NewIdentification{Taxon: 6, User: bob.ID, At: noon})
	wantKind(t, err, identify.Conflict, "identification")
	// Ann is wrong again, and bob says so already: only hers goes.
	again, _ := teach(t, s, ann, o.ID, 6)
	same, seq, err := s.Rename(ctx, again.ID, identify.NewIdentification{Taxon: 5, User: bob.ID, At: noon})
	if err != nil || seq != 5 || same.ID != now.ID {
		t.Errorf("%+v, %d, %v", same, seq, err)
	}
	// One's own.
	own, seq, err := s.Rename(ctx, now.ID, identify.NewIdentification{Local: "mystery bird", User: bob.ID, At: noon})
	if err != nil || seq != 7 || own.Taxon != identify.FirstLocalTaxon {
		t.Errorf("%+v, %d, %v", own, seq, err)
	}
	want := []string{"taught house by ann", "withdrawn house by bob", "taught tree by bob", "taught oak by ann", "withdrawn oak by bob",
		"withdrawn tree by bob", "taught local by bob"}
	if got := logOf(t, s); !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
}

// gallery stores n exemplars of three names by two people.
func gallery(t testing.TB, s *Store, n int) {
	t.Helper()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	observe(t, s, ann, "fill")
	_, err := s.write.Exec(fmt.Sprintf(`
		INSERT INTO identifications (observation_id, taxon_id, user_id, from_suggestion, created_at)
		WITH RECURSIVE i (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM i WHERE n < %d)
		SELECT n, 4 + n %% 3, iif(n %% 10 = 0, %d, %d), 0, n FROM i`, n, bob.ID, ann.ID))
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkGalleryPage(b *testing.B) {
	s := fresh(b)
	if _, err := s.write.Exec(`PRAGMA foreign_keys = 0`); err != nil {
		b.Fatal(err)
	}
	fill(b, s, 100_000)
	gallery(b, s, 100_000)
	for name, f := range map[string]identify.GalleryFilter{
		"all": {}, "class": {Taxon: 2}, "species, far down": {Taxon: 4, Before: 5000}, "teacher": {Teacher: 3}, "class by a teacher": {Taxon: 2, Teacher: 3}, "without photo": {Photo: "without"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if list, _, err := s.GalleryPage(b.Context(), f); err != nil || len(list) == 0 && f.Photo == "" {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}
