package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
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
func (x sighting) card() templates.Card {
	o, p := x.observation, x.prediction
	current, named := o.Current()
	c := templates.Card{
		ID: int64(o.ID), Photo: photoOf(o), Caption: day(o.ObservedAt),
		Answer: answer(o, p), Advice: advice(p), Question: x.question.view(),
		CanTeach: x.user.Role.Allows(identify.Expert), Next: x.question.path(o.ID), Change: x.change(),
	}
	if x.question.set != 0 || len(x.question.labels) > 0 {
		c.Answer.Among = among(p.Total)
	}
	c.Said = said(c.Answer)
	if x.elsewhere && x.correction != nil {
		c.Elsewhere = changedPath(x.correction.Seq)
	}
	if named {
		c.Lesson = &templates.Lesson{ID: int64(current.ID), Name: ranked(current.TaxonLabel, rankOf(p, current.Taxon)), Link: taxonPath(current.Taxon),
			By: by(current, x.user), When: moment(current.CreatedAt), CanUndo: mayWithdraw(x.user, current)}
		c.Said = "Taught as " + current.TaxonLabel + ". Now it says: " + c.Said
		for i := range c.Answer.Candidates {
			c.Answer.Candidates[i].Accepted = p.Candidates[i].Taxon == current.Taxon
		}
		c.Advice = ""
	}
	for _, i := range o.Identifications {
		if i.Quarantined && i.User == x.user.ID {
			c.Advice = "Your lessons are in quarantine. That it is " + i.TaxonLabel + " is kept, and waits until a curator restores it."
		}
	}
	return c
}

// change compares what was said with what is said now: across the correction
// that was just made or, when the page is opened later, since the photo came in.
func (x sighting) change() *templates.Change {
	current, named := x.observation.Current()
	var taught identify.TaxonID
	if named {
		taught = current.Taxon
	}
	after := reading(x.prediction, taught)
	switch {
	case x.correction != nil && x.correction.Identification.Quarantined:
		return nil // it changed nothing: the card says why
	case x.correction != nil && x.correction.Identification.Withdrawn():
		taught = x.correction.Identification.Taxon
		return &templates.Change{Title: "What the undo changed", BeforeTitle: "With the lesson", AfterTitle: "Without it",
			Before: reading(x.correction.Before, taught), After: reading(x.prediction, taught),
			Speed: "Undone in " + duration(x.correction.Learned) + "."}
	case x.correction != nil:
		return &templates.Change{Title: "What this lesson changed", BeforeTitle: "It said", AfterTitle: "Now it says",
			Before: reading(x.correction.Before, taught), After: after,
			Speed: "Learned in " + duration(x.correction.Learned) + "."}
	case named && len(x.observation.Suggested) > 0:
		return &templates.Change{Title: "What it said at first, and what it says now", BeforeTitle: "It said at first",
			AfterTitle: "Now it says", Before: firstReading(x.observation.Suggested, taught), After: after}
	}
	return nil
}

// readingLines is how many names a reading lists.
const readingLines = 3

func reading(p identify.Prediction, taught identify.TaxonID) templates.Reading {
	r := templates.Reading{Name: p.Headline.Label}
	if !p.Headline.Certain && len(p.Candidates) > 0 && p.Candidates[0].Taxon == p.Headline.Taxon {
		r.Name = "Perhaps " + r.Name
	}
	for i, c := range p.Candidates {
		if i < readingLines || c.Taxon == taught && taught != 0 {
			r.Lines = append(r.Lines, templates.Line{Name: c.Label, Share: share(c.Probability), Taught: c.Taxon == taught && taught != 0})
		}
	}
	return r
}

func firstReading(s []identify.Suggestion, taught identify.TaxonID) templates.Reading {
	r := templates.Reading{Name: s[0].Label}
	if !s[0].Certain() {
		r.Name = "Perhaps " + s[0].Label
	}
	for i, c := range s {
		if i < readingLines || c.Taxon == taught {
			r.Lines = append(r.Lines, templates.Line{Name: c.Label, Share: share(c.Probability), Taught: c.Taxon == taught})
		}
	}
	return r
}

func answer(o identify.Observation, p identify.Prediction) templates.Answer {
	h := p.Headline
	a := templates.Answer{
		Kicker: kicker(p), Name: h.Label, Scientific: unlike(h.Scientific, h.Label), Certain: h.Certain,
		Percent: share(h.Probability).Percent, Why: why(o, p),
	}
	if !h.Certain && len(p.Candidates) > 0 && p.Candidates[0].Taxon != h.Taxon {
		a.Perhaps = p.Candidates[0].Label
	}
	for i, c := range p.Candidates {
		k := templates.Candidate{
			Taxon: int64(c.Taxon), Name: c.Label, Scientific: unlike(c.Scientific, c.Label), Note: note(c),
			Share: share(c.Probability), ZeroShot: share(c.ZeroShot), Exemplar: share(c.Exemplar), HasExemplar: c.Exemplars > 0,
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
func note(c identify.Candidate) string {
	var parts []string
	if rank := aboveSpecies(c.Rank); rank != "" {
		parts = append(parts, rank)
	}
	switch {
	case c.Exemplars > 0:
		parts = append(parts, "taught "+times(c.Exemplars))
	case c.Taxon == 0:
		parts = append(parts, "not a name that Fieldmark knows: scored by its text alone")
	case !c.Seen:
		parts = append(parts, "known by name only")
	}
	return strings.Join(parts, " · ")
}

// among says what the percentages of a chosen label set are shares of.
func among(total int) string {
	if total == 1 {
		return "of this one name"
	}
	return "of these " + number(total) + " names"
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
func advice(p identify.Prediction) string {
	if len(p.Candidates) == 0 || p.Candidates[0].Seen || p.Candidates[0].Exemplars > 0 {
		return ""
	}
	return "The encoder has never learned to see this: it goes by the name alone, which is little better than a guess. " +
		"Tell Fieldmark what it is, and it will know it the next time."
}

func why(o identify.Observation, p identify.Prediction) templates.Why {
	w := templates.Why{Memory: share(p.WeightExemplar), Encoder: share(1 - p.WeightExemplar)}
	compared := plural(p.Total, "name", "names")
	if len(p.Neighbours) == 0 {
		w.Sentence = "The memory holds nothing yet, so this is the encoder alone: it compared the photo with " + compared + "."
	} else {
		w.Sentence = fmt.Sprintf("The encoder compared the photo with %s, the memory with the photos it was taught. "+
			"Here the memory counts %s and the encoder %s.", compared, w.Memory.Percent, w.Encoder.Percent)
	}
	for _, n := range p.Neighbours {
		w.Neighbours = append(w.Neighbours, templates.Neighbour{
			Photo: templates.Photo{Observation: int64(n.Observation), Alt: ""}, Name: n.Label, TaughtBy: n.TaughtBy,
			Similarity: fmt.Sprintf("%.2f", n.Similarity), Itself: n.Observation == o.ID,
		})
	}
	w.Footnotes = []templates.Fact{
		{Term: "Names compared", Value: number(p.Total)},
		{Term: "Memory", Value: fmt.Sprintf("after event %s of the log", number(int(p.Seq)))},
		{Term: "Encoder", Value: p.Encoder, Mono: true},
		{Term: "Rule", Value: string(p.Rule) + ", " + string(p.System), Mono: true},
		{Term: "Time", Value: duration(p.Timings.Decode + p.Timings.Embed + p.Timings.Predict)},
	}
	if from := p.Headline.From; from > 0 {
		w.Footnotes = append(w.Footnotes, templates.Fact{Term: "Said without reserve", Value: "from " + share(from).Percent + " on"})
	}
	return w
}

// said is an answer as a screen reader announces it.
func said(a templates.Answer) string {
	if a.Certain {
		return a.Name + ", " + a.Percent
	}
	text := a.Kicker + " " + a.Name + ", " + a.Percent
	if a.Perhaps != "" {
		text += ", perhaps " + a.Perhaps
	}
	return text
}

func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(1, d.Milliseconds()))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func photoOf(o identify.Observation) templates.Photo {
	alt := fmt.Sprintf("Photo no. %d", o.ID)
	if current, named := o.Current(); named {
		alt += ": " + current.TaxonLabel
	}
	if !o.Photo.HasFile() {
		alt += " (it came without a photo)"
	}
	return templates.Photo{Observation: int64(o.ID), Alt: alt, Width: o.Photo.Width, Height: o.Photo.Height, Missing: !o.Photo.HasFile()}
}

func by(i identify.Identification, u identify.User) string {
	if i.User == u.ID {
		return "you"
	}
	return i.UserName
}

// mayWithdraw mirrors the domain's rule, so that nobody is shown a button that
// is refused.
func mayWithdraw(u identify.User, i identify.Identification) bool {
	return !i.Withdrawn() && (u.Role.Allows(identify.Curator) || u.Role.Allows(identify.Expert) && i.User == u.ID)
}
