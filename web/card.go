package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// sighting is an observation as it is read now, by one question.
type sighting struct {
	observation identify.Observation
	prediction  identify.Prediction
	correction  *identify.Correction // what was just taught or undone, nil if nothing
	community   identify.Community   // what several people say together
	elsewhere   bool                 // what the correction changed elsewhere can be asked for
	question    question
	user        identify.User
}

// accepted is how many of the answers have a key of their own.
const acceptKeys = 3

// card puts a sighting into words.
func (x sighting) card(ctx context.Context) templates.Card {
	o, p := x.observation, x.prediction
	current, named := o.Current()
	c := templates.Card{
		ID: int64(o.ID), Photo: photoOf(ctx, o), Caption: caption(ctx, o),
		Answer: answer(ctx, o, p), Advice: advice(ctx, p), Question: x.question.view(),
		CanTeach: x.user.Role.Allows(identify.Expert), Next: x.question.path(o.ID), Change: x.change(ctx),
	}
	if x.question.set != 0 || len(x.question.labels) > 0 {
		c.Answer.Among = words.T(ctx, "of these %d names", p.Total)
	}
	if !c.CanTeach { // no key accepts a name
		for i := range c.Answer.Candidates {
			c.Answer.Candidates[i].Key = ""
		}
	}
	c.Said = said(ctx, c.Answer)
	if x.elsewhere && x.correction != nil {
		c.Elsewhere = changedPath(x.correction.Seq)
	}
	if named {
		c.Lesson = &templates.Lesson{ID: int64(current.ID), Name: ranked(ctx, lessonName(ctx, current), rankOf(p, current.Taxon)), Link: taxonPath(current.Taxon),
			When: moment(ctx, current.CreatedAt), CanUndo: mayWithdraw(x.user, current)}
		if current.User != x.user.ID {
			c.Lesson.By = who(ctx, current.UserName)
		}
		c.Said = words.T(ctx, "Taught as %[1]s. Now it says: %[2]s", lessonName(ctx, current), c.Said)
		for i := range c.Answer.Candidates {
			c.Answer.Candidates[i].Accepted = p.Candidates[i].Taxon == current.Taxon
		}
		c.Advice = ""
	}
	for _, i := range o.Identifications {
		if i.Quarantined && i.User == x.user.ID {
			c.Advice = words.T(ctx, "Your lessons are in quarantine. That it is %s is kept, and waits until a curator restores it.", lessonName(ctx, i))
		}
	}
	return c
}

// change compares what was said with what is said now: across the correction
// that was just made or, when the page is opened later, since the photo came in.
func (x sighting) change(ctx context.Context) *templates.Change {
	current, named := x.observation.Current()
	var taught identify.TaxonID
	if named {
		taught = current.Taxon
	}
	after := reading(ctx, x.prediction, taught)
	switch {
	case x.correction != nil && x.correction.Identification.Quarantined:
		return nil // it changed nothing: the card says why
	case x.correction != nil && x.correction.Identification.Withdrawn():
		taught = x.correction.Identification.Taxon
		return &templates.Change{Title: words.T(ctx, "What the undo changed"),
			BeforeTitle: words.T(ctx, "With the lesson"), AfterTitle: words.T(ctx, "Without it"),
			Before: reading(ctx, x.correction.Before, taught), After: reading(ctx, x.prediction, taught),
			Speed: words.T(ctx, "Undone in %s.", duration(ctx, x.correction.Learned))}
	case x.correction != nil:
		return &templates.Change{Title: words.T(ctx, "What this lesson changed"),
			BeforeTitle: words.T(ctx, "It said"), AfterTitle: words.T(ctx, "Now it says"),
			Before: reading(ctx, x.correction.Before, taught), After: after,
			Speed: words.T(ctx, "Learned in %s.", duration(ctx, x.correction.Learned))}
	case named && len(x.observation.Suggested) > 0:
		return &templates.Change{Title: words.T(ctx, "What it said at first, and what it says now"),
			BeforeTitle: words.T(ctx, "It said at first"), AfterTitle: words.T(ctx, "Now it says"),
			Before: firstReading(ctx, x.observation.Suggested, taught), After: after}
	}
	return nil
}

// readingLines is how many names a reading lists.
const readingLines = 3

func reading(ctx context.Context, p identify.Prediction, taught identify.TaxonID) templates.Reading {
	r := templates.Reading{Name: called(ctx, p.Headline.Taxon, p.Headline.Label)}
	if !p.Headline.Certain && len(p.Candidates) > 0 && p.Candidates[0].Taxon == p.Headline.Taxon {
		r.Name = words.T(ctx, "Perhaps %s", r.Name)
	}
	for i, c := range p.Candidates {
		if i < readingLines || c.Taxon == taught && taught != 0 {
			r.Lines = append(r.Lines, templates.Line{Name: called(ctx, c.Taxon, c.Label), Share: share(ctx, c.Probability), Taught: c.Taxon == taught && taught != 0})
		}
	}
	return r
}

func firstReading(ctx context.Context, s []identify.Suggestion, taught identify.TaxonID) templates.Reading {
	r := templates.Reading{Name: called(ctx, s[0].Taxon, s[0].Label)}
	if !s[0].Certain() {
		r.Name = words.T(ctx, "Perhaps %s", r.Name)
	}
	for i, c := range s {
		if i < readingLines || c.Taxon == taught {
			r.Lines = append(r.Lines, templates.Line{Name: called(ctx, c.Taxon, c.Label), Share: share(ctx, c.Probability), Taught: c.Taxon == taught})
		}
	}
	return r
}

func answer(ctx context.Context, o identify.Observation, p identify.Prediction) templates.Answer {
	h := p.Headline
	name := called(ctx, h.Taxon, h.Label)
	a := templates.Answer{
		Kicker: kicker(ctx, p), Name: name, Scientific: unlike(h.Scientific, name), Certain: h.Certain,
		Percent: words.Percent(ctx, h.Probability), Why: why(ctx, o, p),
	}
	if !h.Certain && len(p.Candidates) > 0 && p.Candidates[0].Taxon != h.Taxon {
		a.Perhaps = called(ctx, p.Candidates[0].Taxon, p.Candidates[0].Label)
	}
	for i, c := range p.Candidates {
		name := called(ctx, c.Taxon, c.Label)
		k := templates.Candidate{
			Taxon: int64(c.Taxon), Name: name, Scientific: unlike(c.Scientific, name), Note: note(ctx, c),
			Share: share(ctx, c.Probability), ZeroShot: share(ctx, c.ZeroShot), Exemplar: share(ctx, c.Exemplar), HasExemplar: c.Exemplars > 0,
		}
		if i < acceptKeys {
			k.Key = strconv.Itoa(i + 1)
		}
		a.Candidates = append(a.Candidates, k)
	}
	return a
}

// note says what an answer's name rests on, where that is not the encoder, and
// its rank where it is above the species.
func note(ctx context.Context, c identify.Candidate) string {
	var parts []string
	if aboveSpecies(c.Rank) {
		parts = append(parts, rankWord(ctx, c.Rank))
	}
	switch {
	case c.Exemplars > 0:
		parts = append(parts, words.T(ctx, "taught %d times", c.Exemplars))
	case c.Taxon == 0:
		parts = append(parts, words.T(ctx, "not a name that Fieldmark knows: scored by its text alone"))
	case !c.Seen:
		parts = append(parts, words.T(ctx, "known by name only"))
	}
	return strings.Join(parts, " · ")
}

// rankOf is the rank of a taxon that a photo was answered with, "" of any other.
func rankOf(p identify.Prediction, id identify.TaxonID) identify.Rank {
	for _, c := range p.Candidates {
		if c.Taxon == id {
			return c.Rank
		}
	}
	return ""
}

// advice says so when the likeliest name is one that was never learned.
func advice(ctx context.Context, p identify.Prediction) string {
	if len(p.Candidates) == 0 || p.Candidates[0].Seen || p.Candidates[0].Exemplars > 0 {
		return ""
	}
	return words.T(ctx, "The encoder has never learned to see this: it goes by the name alone, which is little better than a guess. "+
		"Tell Fieldmark what it is, and it will know it the next time.")
}

func why(ctx context.Context, o identify.Observation, p identify.Prediction) templates.Why {
	w := templates.Why{Memory: share(ctx, p.WeightExemplar), Encoder: share(ctx, 1-p.WeightExemplar)}
	if len(p.Neighbours) == 0 {
		w.Sentence = words.T(ctx, "The memory holds nothing yet, so this is the encoder alone: it compared the photo with %d names.", p.Total)
	} else {
		w.Sentence = words.T(ctx, "The encoder compared the photo with %[1]d names, the memory with the photos it was taught. "+
			"Here the memory counts %[2]s and the encoder %[3]s.", p.Total, w.Memory.Percent, w.Encoder.Percent)
	}
	for _, n := range p.Neighbours {
		w.Neighbours = append(w.Neighbours, templates.Neighbour{
			Photo: templates.Photo{Observation: int64(n.Observation), Alt: ""}, Name: called(ctx, n.Taxon, n.Label), TaughtBy: who(ctx, n.TaughtBy),
			Similarity: words.T(ctx, "%.2f", n.Similarity), Itself: n.Observation == o.ID,
		})
	}
	w.Footnotes = []templates.Fact{
		{Term: words.T(ctx, "Names compared"), Value: words.Number(ctx, p.Total)},
		{Term: words.T(ctx, "Memory"), Value: words.T(ctx, "after event %d of the log", int(p.Seq))},
		{Term: words.T(ctx, "Encoder"), Value: p.Encoder, Mono: true},
		{Term: words.T(ctx, "Rule"), Value: string(p.Rule) + ", " + string(p.System), Mono: true},
		{Term: words.T(ctx, "Time"), Value: duration(ctx, p.Timings.Decode+p.Timings.Embed+p.Timings.Predict)},
	}
	if from := p.Headline.From; from > 0 {
		w.Footnotes = append(w.Footnotes, templates.Fact{Term: words.T(ctx, "Said without reserve"), Value: words.T(ctx, "from %s on", words.Percent(ctx, from))})
	}
	return w
}

// said is an answer as a screen reader announces it.
func said(ctx context.Context, a templates.Answer) string {
	if a.Certain {
		return a.Name + ", " + a.Percent
	}
	text := a.Kicker + " " + a.Name + ", " + a.Percent
	if a.Perhaps != "" {
		text += ", " + words.T(ctx, "perhaps %s", a.Perhaps)
	}
	return text
}

func duration(ctx context.Context, d time.Duration) string {
	if d < time.Second {
		return words.T(ctx, "%d ms", max(1, d.Milliseconds()))
	}
	return words.T(ctx, "%.1f s", d.Seconds())
}

// caption is what stands below a photo: when it was seen, and that it is not the photo.
func caption(ctx context.Context, o identify.Observation) string {
	text := day(ctx, o.ObservedAt)
	if !o.Photo.HasGlimpse() {
		return text
	}
	glimpse := words.T(ctx, "only a small picture came with the bundle")
	if text == "" {
		return glimpse
	}
	return text + " · " + glimpse
}

func photoOf(ctx context.Context, o identify.Observation) templates.Photo {
	alt := words.T(ctx, "Photo no. %s", fmt.Sprint(o.ID))
	if current, named := o.Current(); named {
		alt += ": " + lessonName(ctx, current)
	}
	if o.Photo.HasGlimpse() {
		alt += " " + words.T(ctx, "(only a small picture of it came)")
	} else if !o.Photo.HasFile() {
		alt += " " + words.T(ctx, "(it came without a photo)")
	}
	return templates.Photo{Observation: int64(o.ID), Alt: alt, Width: o.Photo.Width, Height: o.Photo.Height, Missing: !o.Photo.HasFile()}
}

// mayWithdraw mirrors the domain's rule, so that nobody is shown a button that
// is refused.
func mayWithdraw(u identify.User, i identify.Identification) bool {
	return !i.Withdrawn() && (u.Role.Allows(identify.Curator) || u.Role.Allows(identify.Expert) && i.User == u.ID)
}
