package web

import (
	"context"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// sumOfSources says how many lessons there are, and from how many.
func sumOfSources(ctx context.Context, lessons, people, imports int) string {
	from := words.T(ctx, "%d people", people)
	if imports > 0 {
		from = words.T(ctx, "%s and %s", from, words.T(ctx, "%d imports", imports))
	}
	return words.T(ctx, "%d lessons from %s", lessons, from)
}

func sourceView(ctx context.Context, x identify.SourceReport) templates.Source {
	v := templates.Source{Path: sourcePath(x.Source), Name: who(ctx, x.Name), Kind: words.T(ctx, "Person"), Last: moment(ctx, x.LastAt)}
	if x.Import != 0 {
		v.Kind = words.T(ctx, "Import by %s", x.By)
		if x.Name == "" {
			v.Name = words.T(ctx, "Import %s", strconv.FormatInt(int64(x.Import), 10))
		}
	}
	v.Bar, v.BarLabel = sourceBar(ctx, x)
	fact := func(name words.Key, n int, key string) {
		v.Facts = append(v.Facts, templates.SourceFact{Name: words.T(ctx, name), Value: words.Number(ctx, n), Key: key})
	}
	fact(words.Key("taught"), x.Taught, "")
	fact(words.Key("standing"), x.Standing, "bar-standing")
	if x.Waiting > 0 || x.Quarantine != nil {
		fact(words.Key("in quarantine"), x.Waiting, "bar-waiting")
	}
	fact(words.Key("overruled"), x.Overruled, "bar-overruled")
	fact(words.Key("taken back"), x.TakenBack, "bar-back")
	fact(words.Key("contradicted since"), x.Disputed, "")
	if x.Quarantine != nil {
		v.Held = heldView(ctx, x)
	}
	return v
}

// heldView says that what a source taught is in quarantine, or which way it goes at this
// moment and how far it is.
func heldView(ctx context.Context, x identify.SourceReport) *templates.Quarantine {
	q := x.Quarantine
	v := &templates.Quarantine{State: words.T(ctx, "In quarantine."), Reason: q.Reason,
		Text: words.T(ctx, "%d lessons wait outside the memory since %s (%s).", x.Waiting, words.DateTime(ctx, q.BeganAt.Local()), who(ctx, q.ByName))}
	all := x.Waiting + x.Standing
	switch q.UnderWay {
	case identify.NoStep:
		return v
	case identify.TakingOut:
		v.State, v.UnderWay = words.T(ctx, "On the way into quarantine."), words.T(ctx, "Taken out of the memory so far: %d of %d.", x.Waiting, all)
	case identify.BringingBack:
		v.State, v.UnderWay = words.T(ctx, "On the way back from quarantine."), words.T(ctx, "Brought back into the memory so far: %d of %d.", x.Standing, all)
	case identify.Removing:
		v.State, v.UnderWay = words.T(ctx, "Being removed for good."), words.T(ctx, "Still to be withdrawn: %d.", x.Waiting)
	}
	v.UnderWay += " " + words.T(ctx, "It goes on by itself, after a restart too; until it is done nothing else can be decided here.")
	return v
}

// sourceBar shows what became of a source's lessons, as a bar and in words.
func sourceBar(ctx context.Context, x identify.SourceReport) (bar []templates.Segment, label string) {
	var said []string
	at := 0
	for _, part := range []struct {
		said  words.Key
		class string
		n     int
	}{{words.Key("%d standing"), "bar-standing", x.Standing}, {words.Key("%d in quarantine"), "bar-waiting", x.Waiting},
		{words.Key("%d overruled"), "bar-overruled", x.Overruled}, {words.Key("%d taken back"), "bar-back", x.TakenBack}} {
		if part.n > 0 {
			bar = append(bar, templates.Segment{Class: part.class, From: 1000 * at / x.Taught, To: 1000 * (at + part.n) / x.Taught})
			said = append(said, words.T(ctx, part.said, part.n))
		}
		at += part.n
	}
	return bar, strings.Join(append(said, words.T(ctx, "of %d lessons", x.Taught)), ", ")
}

func previewView(ctx context.Context, p identify.QuarantinePreview) *templates.Preview {
	v := &templates.Preview{
		With: percentOf(ctx, p.With, p.Named), Without: percentOf(ctx, p.Without, p.Named),
		WithOf: words.T(ctx, "%d of %d", p.With, p.Named), NoneOf: words.T(ctx, "%d of %d", p.Without, p.Named),
		Changed: words.T(ctx, "%d of %d", p.Changed, p.Named+p.Unnamed),
		How: words.T(ctx, "%d photos that others named, and %d that nobody else did, were read twice: by the memory as it is (%s) and without these %d.",
			p.Named, p.Unnamed, words.T(ctx, "%d lessons", p.Exemplars), p.Lessons) + " " +
			words.T(ctx, "Each was read as if it were new: what was taught about the photo itself was set aside both times. Right is what others say, and stands. Nothing was changed by looking."),
	}
	v.Verdict, v.Better = verdict(ctx, p)
	for _, c := range p.List {
		v.List = append(v.List, changedName(ctx, c))
	}
	if p.Changed > len(p.List) {
		v.More = words.T(ctx, "The first %d of %d are shown.", len(p.List), p.Changed)
	}
	return v
}

// verdict says whether the memory would be right more often without a source.
func verdict(ctx context.Context, p identify.QuarantinePreview) (text, class string) {
	switch gain := p.Without - p.With; {
	case p.Named == 0:
		return words.T(ctx, "Nobody else has named a photo, so there is nothing to judge it by."), "same"
	case gain > 0:
		return words.T(ctx, "The memory would be right more often without it: %s gained.", words.T(ctx, "%d photos", gain)), "better"
	case gain < 0:
		return words.T(ctx, "The memory would be right less often without it: %s lost.", words.T(ctx, "%d photos", -gain)), "worse"
	}
	return words.T(ctx, "The memory would be right as often without it."), "same"
}

func changedName(ctx context.Context, c identify.ChangedAnswer) templates.ChangedName {
	v := templates.ChangedName{Observation: int64(c.Observation), Photo: c.File, Truth: calledOf(ctx, c.Truth),
		Before: called(ctx, c.Before.Taxon, c.Before.Label), BeforeChance: words.Percent(ctx, c.Before.Probability), After: called(ctx, c.After.Taxon, c.After.Label), AfterChance: words.Percent(ctx, c.After.Probability)}
	switch {
	case c.After.Right && !c.Before.Right:
		v.Effect, v.EffectWord = "better", words.T(ctx, "better")
	case c.Before.Right && !c.After.Right:
		v.Effect, v.EffectWord = "worse", words.T(ctx, "worse")
	}
	return v
}

// percentOf is a share in percent, "–" of none.
func percentOf(ctx context.Context, n, of int) string {
	if of == 0 {
		return "–"
	}
	return wholePercent(ctx, float64(n)/float64(of))
}

// wholePercent is a share that was counted: unlike a probability it may be certain.
func wholePercent(ctx context.Context, share float64) string {
	return words.T(ctx, "%d%%", points(share))
}
