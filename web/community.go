package web

import (
	"context"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// together is what several people say of an observation; zero where they are fewer.
func (s *site) together(ctx context.Context, o identify.Observation) (identify.Community, error) {
	if s.Review == nil {
		return identify.Community{}, nil
	}
	return s.Review.Community(ctx, o)
}

func communityView(ctx context.Context, c identify.Community) *templates.Community {
	if c.People < 2 {
		return nil
	}
	v := &templates.Community{Kicker: words.T(ctx, "Together they say"), Name: nameOf(ctx, c.Name), Disputed: c.Disputed}
	switch {
	case c.Name.ID == 0:
		v.Sentence = words.T(ctx, "They agree on nothing.")
	case c.For == c.Of:
		v.Sentence = words.T(ctx, "All %d agree on this.", c.For)
	default:
		v.Sentence = words.T(ctx, "%[1]d of %[2]d agree on this.", c.For, c.Of)
	}
	if c.Disputed {
		v.Kicker = words.T(ctx, "Disputed")
		if c.Name.ID != 0 {
			v.Sentence += " " + words.T(ctx, "What exactly is disputed.")
		}
	}
	return v
}
