package identify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"reflect"
	"strings"
	"testing"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// A preview says how far it has come, at most a hundred times, ends when it is stopped,
// stores nothing, and begun anew it says the same.
func TestAPreviewIsStopped(t *testing.T) {
	a, b := roomy(t), roomy(t)
	file := longFile(2300)
	a.take(t, "d", file)
	data := a.bundled(t, identify.BundleRequest{})
	f, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	source := identify.ImportSource{Name: "a.fieldmark", Digest: "d"}
	var told []identify.ImportProgress
	whole, err := b.PlanMerge(context.Background(), b.Owner, source, f, identify.MergeDecisions{}, func(p identify.ImportProgress) { told = append(told, p) })
	must(t, err)
	if whole.Take() != 2300 || len(told) != 23 {
		t.Fatalf("%d rows, told %d times", whole.Take(), len(told))
	}
	for i, p := range told {
		if p.Total != 2300 || p.Done != 100*(i+1) {
			t.Errorf("told %d: %+v", i, p)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	rows := 0
	_, err = b.PlanMerge(ctx, b.Owner, source, f, identify.MergeDecisions{}, func(p identify.ImportProgress) {
		rows = p.Done
		stop()
	})
	if !errors.Is(err, context.Canceled) || rows != 100 {
		t.Errorf("it went on to row %d: %v", rows, err)
	}
	stats, err := b.Stats(context.Background())
	must(t, err)
	if list, err := b.Imports(context.Background(), b.Owner); err != nil || len(list) != 0 || stats.Seq != 0 {
		t.Errorf("%+v, %+v, %v", list, stats, err)
	}
	again, err := b.PlanMerge(context.Background(), b.Owner, source, f, identify.MergeDecisions{}, quiet)
	must(t, err)
	if !reflect.DeepEqual(again.MergePreview, whole.MergePreview) {
		t.Errorf("%+v, and before %+v", again.MergePreview, whole.MergePreview)
	}
}

// What is decided about all groups of a kind, and about all unknown names, holds for
// those about which nothing else is said.
func TestAMergeIsDecidedByKind(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	one, two, three := color.RGBA{90, 90, 90, 255}, color.RGBA{10, 90, 200, 255}, color.RGBA{200, 10, 90, 255}
	a.named(t, lesson{one, "Red Bramble"}, lesson{two, "Green Bramble"}, lesson{three, "Green Bramble"},
		lesson{color.RGBA{0, 255, 0, 255}, "Pond Wanderer"}, lesson{color.RGBA{0, 0, 255, 255}, "Blue Brambel"})
	b.named(t, lesson{one, "Blue Bramble"}, lesson{two, "Blue Bramble"}, lesson{three, "Green Bramble"})
	_, err := b.Withdraw(context.Background(), b.Owner, 3, 3, identify.Question{})
	must(t, err)
	data := a.bundled(t, identify.BundleRequest{})
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	// Two at odds and two new ones are taken, what was withdrawn is not.
	if len(p.Groups) != 3 || len(p.Taxa) != 2 || p.Take() != 4 {
		t.Fatalf("%+v, %+v, %d", p.Groups, p.Taxa, p.Take())
	}
	first, wanderer, misspelt := p.Groups[0].Key, p.Taxa[0], p.Taxa[1]
	if wanderer.Taxon.ScientificName != "Pond Wanderer" {
		wanderer, misspelt = misspelt, wanderer
	}
	is := func(q identify.TaxonQuestion, what string) string { return fmt.Sprintf("%d:%s", q.ID, what) }
	for _, c := range []struct {
		name              string
		take, leave, taxa []string
		want              int
	}{
		{"no conflict", nil, []string{"photo"}, nil, 2},
		{"no conflict but one", []string{first}, []string{"photo"}, nil, 3},
		{"what was withdrawn", []string{"withdrawn"}, nil, nil, 5},
		{"no unknown name", nil, nil, []string{"leave"}, 2},
		{"no unknown name but one", nil, nil, []string{"leave", is(wanderer, "suggested")}, 3},
		{"one by name", nil, nil, []string{"leave", is(misspelt, "Blue Bramble")}, 3},
		{"all as new ones", nil, nil, []string{"create"}, 4},
	} {
		d, err := identify.ReadMergeDecisions(c.take, c.leave, c.taxa)
		must(t, err)
		p, err := b.planned(data, d)
		must(t, err)
		if err := d.Fit(p); err != nil || p.Take() != c.want {
			t.Errorf("%s: %d are taken, want %d: %v", c.name, p.Take(), c.want, err)
		}
	}
	d, err := identify.ReadMergeDecisions(nil, []string{"photo"}, []string{is(misspelt, "Blue Bramble"), is(wanderer, "leave")})
	must(t, err)
	if p, err = b.planned(data, d); err != nil {
		t.Fatal(err)
	}
	for _, q := range p.Taxa {
		if q.ID == misspelt.ID && q.Decision != (identify.TaxonDecision{Taxon: 5}) || q.ID == wanderer.ID && !q.Decision.Leave {
			t.Errorf("%+v", q)
		}
	}
	for taxa, said := range map[string]string{is(wanderer, "Blue Brambl"): "nearest name is Blue Bramble", is(wanderer, "Yeti"): "Look it up", is(wanderer, "99999"): "no taxon with the id"} {
		d, err := identify.ReadMergeDecisions(nil, nil, []string{taxa})
		must(t, err)
		var e *identify.Error
		if _, err := b.planned(data, d); !errors.As(err, &e) || e.Field != "taxa" || !strings.Contains(e.Message, said) {
			t.Errorf("%s: %v", taxa, err)
		}
	}
	for _, d := range []identify.MergeDecisions{{Groups: map[string]bool{"photo-1-1": true}}, {Taxa: map[int64]identify.TaxonDecision{99: {Leave: true}}}} {
		p, err := b.planned(data, d)
		must(t, err)
		if err := d.Fit(p); identify.KindOf(err) != identify.Invalid {
			t.Errorf("%+v fits: %v", d, err)
		}
	}
}

func TestReadMergeDecisions(t *testing.T) {
	d, err := identify.ReadMergeDecisions([]string{"near", "photo-7-9"}, []string{"photo"}, []string{"7:create", "8:leave", "9:1234", "10: Common Blue", "11:suggested", "leave"})
	must(t, err)
	want := identify.MergeDecisions{Groups: map[string]bool{"near": true, "photo-7-9": true, "photo": false}, Others: identify.TaxonDecision{Leave: true},
		Taxa: map[int64]identify.TaxonDecision{7: {Create: true}, 8: {Leave: true}, 9: {Taxon: 1234}, 10: {Name: "Common Blue"}, 11: {}}}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("%+v", d)
	}
	for _, text := range []string{"", "7", "what", "7:", "7:0", "7:-3", "x:leave", "Common Blue"} {
		if _, err := identify.ReadMergeDecisions(nil, nil, []string{text}); identify.KindOf(err) != identify.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := identify.ReadMergeDecisions([]string{"near"}, []string{"near"}, nil); identify.KindOf(err) != identify.Invalid {
		t.Errorf("taken and left out: %v", err)
	}
}

// Of very many unknown names the most frequent are asked about one by one, and the
// others together.
func TestOfManyUnknownNamesSomeAreAskedAbout(t *testing.T) {
	a, b := roomy(t), roomy(t)
	file := longFile(612)
	for i := range file.rows {
		file.rows[i].Label = fmt.Sprintf("Moss %d", max(0, i-11)) // twelve of the first
	}
	a.take(t, "d", file)
	data := a.bundled(t, identify.BundleRequest{})
	p, err := b.planned(data, identify.MergeDecisions{})
	must(t, err)
	if len(p.Taxa) != 500 || p.MoreTaxa != 101 || p.Taxa[0].Rows != 12 || p.Take() != 612 {
		t.Fatalf("%d names and %d more, the first of %d rows; %d are taken", len(p.Taxa), p.MoreTaxa, p.Taxa[0].Rows, p.Take())
	}
	d := identify.MergeDecisions{Others: identify.TaxonDecision{Leave: true}, Taxa: map[int64]identify.TaxonDecision{p.Taxa[0].ID: {}}}
	if p, err = b.planned(data, d); err != nil || p.Take() != 12 || p.MoreTaxa != 101 || p.LeftTaxa != 600 {
		t.Errorf("%d are taken, %d left out: %v", p.Take(), p.LeftTaxa, err)
	}
}

// Photos that a curator has to judge can be looked at before anything is taken in.
func TestAPreviewHasPictures(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	orange, almost := color.RGBA{200, 120, 0, 255}, color.RGBA{201, 120, 0, 255}
	a.named(t, lesson{orange, "Red Bramble"}, lesson{color.RGBA{0, 0, 255, 255}, "Pond Wanderer"})
	b.named(t, lesson{almost, "Blue Bramble"})
	for name, r := range map[string]identify.BundleRequest{"thumbnails": {Thumbnails: true}, "photos": {Photos: true}, "neither": {}} {
		data := a.bundled(t, r)
		f, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
		must(t, err)
		p, err := b.planned(data, identify.MergeDecisions{})
		must(t, err)
		near := p.Groups[0].Examples[0]
		if p.Groups[0].Kind != identify.NearPhoto || near.Pictured != (name != "neither") || len(p.Taxa[0].Examples) == 0 != (name == "neither") {
			t.Errorf("%s: %+v, %+v", name, p.Groups, p.Taxa)
		}
		jpg, err := b.MergePicture(context.Background(), b.Owner, f, near.Photo)
		if name == "neither" {
			if identify.KindOf(err) != identify.NotFound {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !bytes.HasPrefix(jpg, []byte{0xff, 0xd8}) || err != nil {
			t.Errorf("%s: no JPEG: %.20q, %v", name, jpg, err)
		}
		if _, err := b.MergePicture(context.Background(), identify.User{ID: 9, Role: identify.Expert}, f, near.Photo); identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s: an expert sees it: %v", name, err)
		}
	}
}
