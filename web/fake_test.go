package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // photos are JPEG
	"image/png"
	"slices"
	"strings"
	"sync"
	"time"

	"fieldmark/internal/identify"
)

// fake is a domain that looks at nothing but a photo's colour and learns by
// remembering it. It keeps the contract that the pages rely on: roles, kinds of
// errors, withdrawals, what is before and after.
type fake struct {
	fakeEncoders
	fakeImports
	mu     sync.Mutex
	photos map[identify.ObservationID][]byte
	list   []identify.Observation
	taxa   []identify.Taxon
	sets   []identify.LabelSet
	seq    identify.Seq
	nextID identify.IdentificationID
}

var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

func newFake() *fake {
	f := &fake{fakeEncoders: newFakeEncoders(), photos: map[identify.ObservationID][]byte{}}
	for i, t := range []struct{ sci, en, rank, group string }{
		{"Parus major", "Great Tit", "species", "birds"},
		{"Cyanistes caeruleus", "Eurasian Blue Tit", "species", "birds"},
		{"Periparus ater", "Coal Tit", "species", "birds"},
		{"Erithacus rubecula", "European Robin", "species", "birds"},
		{"Paridae", "Tits and chickadees", "family", "birds"},
		{"Trifolium pratense", "Red clover", "species", "plants"},
		{"Trifolium repens", "White clover", "species", "plants"},
	} {
		f.taxa = append(f.taxa, identify.Taxon{ID: identify.TaxonID(i + 1), ScientificName: t.sci, EnglishName: t.en,
			Rank: identify.Rank(t.rank), Group: t.group})
	}
	f.taxa[0].Vernacular = []identify.VernacularName{{Language: "de", Name: "Kohlmeise"}}
	f.sets = []identify.LabelSet{
		{ID: 1, Name: "Everything", Builtin: true, Taxa: []identify.TaxonID{1, 2, 3, 4, 6, 7}, Seen: 4},
		{ID: 2, Name: "Birds", Builtin: true, Taxa: []identify.TaxonID{1, 2, 3, 4}, Seen: 4},
		{ID: 3, Name: "Plants", Builtin: true, Taxa: []identify.TaxonID{6, 7}, Seen: 0},
	}
	return f
}

// picture is a PNG of one colour.
func picture(c color.RGBA) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = []uint8{c.R, c.G, c.B, 255}[i%4]
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.Bytes()
}

func (f *fake) taxon(id identify.TaxonID) (identify.Taxon, bool) {
	i := slices.IndexFunc(f.taxa, func(t identify.Taxon) bool { return t.ID == id })
	if i < 0 {
		return identify.Taxon{}, false
	}
	return f.taxa[i], true
}

func (f *fake) Observe(_ context.Context, u identify.User, up identify.Upload, q identify.Question) (identify.Observation, identify.Prediction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !u.Role.Allows(identify.Expert) {
		return identify.Observation{}, identify.Prediction{}, identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	if _, _, err := image.Decode(bytes.NewReader(up.Photo)); err != nil {
		return identify.Observation{}, identify.Prediction{}, identify.Errorf(identify.NotAPhoto, "photo", "This file cannot be read as a photo.")
	}
	o := identify.Observation{ID: identify.ObservationID(len(f.list) + 1), Observer: u.ID, ObserverName: u.Name,
		ObservedAt: &noon, CreatedAt: noon, Notes: up.Notes,
		Photo: identify.Photo{Hash: "0123456789abcdef", MediaType: "image/png", Width: 40, Height: 30, Bytes: int64(len(up.Photo))}}
	f.photos[o.ID] = up.Photo
	p := f.predict(up.Photo, q)
	for _, c := range p.Candidates {
		o.Suggested = append(o.Suggested, identify.Suggestion{Taxon: c.Taxon, Label: c.Label, Probability: c.Probability})
	}
	f.list = append(f.list, o)
	return o, p, nil
}

func (f *fake) Classify(_ context.Context, photo []byte, q identify.Question) (identify.Prediction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.predict(photo, q), nil
}

// predict gives each candidate an equal share, but 0.9 to what a photo of the
// same bytes was taught as.
func (f *fake) predict(photo []byte, q identify.Question) identify.Prediction {
	set := f.sets[max(0, int(q.LabelSet)-1)]
	p := identify.Prediction{Total: len(set.Taxa), Seq: f.seq, Encoder: "fake-1", Rule: "aim-emb", System: "tree"}
	var taught identify.TaxonID
	for _, o := range f.list {
		if now, named := o.Current(); named && bytes.Equal(f.photos[o.ID], photo) {
			taught = now.Taxon
			p.WeightExemplar = 0.75
			p.Neighbours = append(p.Neighbours, identify.Neighbour{Observation: o.ID, Taxon: now.Taxon, Label: now.TaxonLabel, TaughtBy: now.UserName, Similarity: 0.98})
		}
	}
	ids := slices.Clone(set.Taxa)
	if taught != 0 && !slices.Contains(ids, taught) {
		ids = append(ids, taught)
	}
	for i, id := range ids {
		t, _ := f.taxon(id)
		c := identify.Candidate{Label: t.Label(), Scientific: t.ScientificName, Taxon: id, Rank: t.Rank, Group: t.Group, Local: t.Local,
			Seen: t.Group == "birds", Probability: 0.5 / float64(i+1), ZeroShot: 0.5 / float64(i+1)}
		if id == taught {
			c.Probability, c.Exemplar, c.Exemplars = 0.9, 1, 1
		}
		p.Candidates = append(p.Candidates, c)
	}
	slices.SortStableFunc(p.Candidates, func(a, b identify.Candidate) int { return cmp.Compare(b.Probability, a.Probability) })
	first := p.Candidates[0]
	p.Headline = identify.Headline{Label: first.Label, Scientific: first.Scientific, Taxon: first.Taxon, Rank: first.Rank,
		Probability: first.Probability, Certain: first.Probability > 0.6}
	if !p.Headline.Certain && first.Group == "birds" {
		p.Headline = identify.Headline{Label: "Tits and chickadees", Scientific: "Paridae", Taxon: 5, Rank: "family", Probability: 0.8}
	}
	p.Candidates = p.Candidates[:min(5, len(p.Candidates))]
	return p
}

func (f *fake) find(id identify.ObservationID) (*identify.Observation, error) {
	if id < 1 || int(id) > len(f.list) {
		return nil, identify.Errorf(identify.NotFound, "id", "There is no observation %d.", id)
	}
	return &f.list[id-1], nil
}

func (f *fake) Predict(_ context.Context, id identify.ObservationID, q identify.Question) (identify.Prediction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.find(id); err != nil {
		return identify.Prediction{}, err
	}
	return f.predict(f.photos[id], q), nil
}

func (f *fake) Identify(_ context.Context, u identify.User, id identify.ObservationID, a identify.Answer, q identify.Question) (identify.Correction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.find(id)
	if err != nil {
		return identify.Correction{}, err
	}
	if len(a.Label) > 200 {
		return identify.Correction{}, identify.Errorf(identify.Invalid, "label", "This name is too long.")
	}
	t, known := f.taxon(a.Taxon)
	if !known && a.Label == "" {
		return identify.Correction{}, identify.Errorf(identify.Invalid, "taxon_id", "There is no such taxon.")
	}
	if !known {
		t = identify.Taxon{ID: identify.FirstLocalTaxon + identify.TaxonID(len(f.taxa)), ScientificName: a.Label, Rank: identify.RankUnranked, Local: true}
		f.taxa = append(f.taxa, t)
	}
	before := f.predict(f.photos[id], q)
	f.nextID++
	f.seq++
	i := identify.Identification{ID: f.nextID, Observation: id, Taxon: t.ID, TaxonLabel: t.Label(), ScientificName: t.ScientificName,
		User: u.ID, UserName: u.Name, FromSuggestion: a.FromSuggestion, CreatedAt: noon}
	o.Identifications = append(slices.Clone(o.Identifications), i)
	return identify.Correction{Identification: i, Seq: f.seq, Learned: 12 * time.Millisecond, Before: before, After: f.predict(f.photos[id], q)}, nil
}

func (f *fake) Withdraw(_ context.Context, _ identify.User, id identify.ObservationID, iid identify.IdentificationID, q identify.Question) (identify.Correction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.find(id)
	if err != nil {
		return identify.Correction{}, err
	}
	for n := range o.Identifications {
		if i := &o.Identifications[n]; i.ID == iid && !i.Withdrawn() {
			before := f.predict(f.photos[id], q)
			f.seq++
			i.WithdrawnAt = &noon
			return identify.Correction{Identification: *i, Seq: f.seq, Learned: time.Millisecond, Before: before, After: f.predict(f.photos[id], q)}, nil
		}
	}
	return identify.Correction{}, identify.Errorf(identify.NotFound, "identification", "There is no such identification.")
}

func (f *fake) Observation(_ context.Context, _ identify.User, id identify.ObservationID) (identify.Observation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.find(id)
	if err != nil {
		return identify.Observation{}, err
	}
	return *o, nil
}

func (f *fake) Observations(_ context.Context, _ identify.User, x identify.ObservationFilter) (list []identify.Observation, more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range slices.Backward(f.list) {
		now, named := o.Current()
		if x.Before != 0 && o.ID >= x.Before || x.Status == "identified" && !named || x.Status == "unidentified" && named ||
			x.Taxon != 0 && now.Taxon != x.Taxon || x.Query != "" && !strings.Contains(now.TaxonLabel, x.Query) ||
			x.Photo != "" && x.Photo != identify.PhotoHash(fmt.Sprintf("%x", sha256.Sum256(f.photos[o.ID]))) || x.Observer != 0 && x.Observer != o.Observer ||
			x.From != nil && o.ObservedAt.Before(*x.From) || x.To != nil && !o.ObservedAt.Before(*x.To) {
			continue
		}
		if len(list) == x.Limit {
			return list, true, nil
		}
		list = append(list, o)
	}
	return list, false, nil
}

func (f *fake) PhotoFile(_ context.Context, _ identify.User, id identify.ObservationID, size string) (identify.PhotoCopy, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, err := f.find(id); err != nil {
		return identify.PhotoCopy{}, err
	} else if o.Photo.HasGlimpse() {
		return identify.PhotoCopy{Data: f.photos[id], MediaType: "image/jpeg", Tag: "digest-glimpse", Glimpse: true}, nil
	} else if !o.Photo.HasFile() {
		return identify.PhotoCopy{}, identify.Errorf(identify.NotFound, "id", "It came without its photo.")
	}
	switch size {
	case identify.PhotoShown, identify.PhotoDisplay, identify.PhotoThumb, identify.PhotoSmall:
	default:
		return identify.PhotoCopy{}, identify.Errorf(identify.Invalid, "size", "There is no such size.")
	}
	return identify.PhotoCopy{Data: f.photos[id], MediaType: "image/png", Tag: "digest"}, nil
}

func (f *fake) SearchTaxa(_ context.Context, query string, limit int) ([]identify.TaxonMatch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(query) > 200 {
		return nil, identify.Errorf(identify.Invalid, "q", "This name is too long.")
	}
	var found []identify.TaxonMatch
	for _, t := range f.taxa {
		for _, name := range []string{t.Label(), t.ScientificName, t.Called("de")} {
			if strings.Contains(strings.ToLower(name), strings.ToLower(query)) && len(found) < limit {
				found = append(found, identify.TaxonMatch{Taxon: t, MatchedName: name, Same: strings.EqualFold(name, query)})
				break
			}
		}
	}
	return found, nil
}

func (f *fake) Called(id identify.TaxonID, language string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, _ := f.taxon(id)
	return t.Called(language)
}

func (f *fake) Taxon(_ context.Context, id identify.TaxonID) (identify.Taxon, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, known := f.taxon(id); known {
		return t, nil
	}
	return identify.Taxon{}, identify.Errorf(identify.NotFound, "taxon_id", "There is no such taxon.")
}

func (f *fake) LabelSets(context.Context) ([]identify.LabelSet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sets), nil
}

func (f *fake) AddLabelSet(_ context.Context, _ identify.User, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "" {
		return identify.LabelSet{}, identify.Errorf(identify.Invalid, "name", "The name is empty.")
	}
	set := identify.LabelSet{ID: identify.LabelSetID(len(f.sets) + 1), Name: name, Taxa: taxa, Seen: -1}
	for _, l := range labels {
		i := slices.IndexFunc(f.taxa, func(t identify.Taxon) bool { return t.Label() == l })
		if i < 0 {
			return identify.LabelSet{}, identify.Errorf(identify.Invalid, "labels", "No taxon has the name %q.", l)
		}
		set.Taxa = append(set.Taxa, f.taxa[i].ID)
	}
	f.sets = append(f.sets, set)
	return set, nil
}

func (f *fake) DeleteLabelSet(_ context.Context, _ identify.User, id identify.LabelSetID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sets[id-1].Builtin {
		return identify.Errorf(identify.Conflict, "label_set", "It comes with the vocabulary.")
	}
	f.sets = slices.Delete(f.sets, int(id)-1, int(id))
	return nil
}

func (f *fake) Stats(context.Context) (identify.Stats, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return identify.Stats{Seq: f.seq, Observations: len(f.list), Taxa: len(f.taxa),
		Encoder: identify.EncoderInfo{Name: "fake-1", Digest: "0123456789abcdef", Dim: 512}}, nil
}
