package web

import (
	"context"
	"fmt"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// together is what several people say of an observation; zero where they are fewer.
func (s *site) together(ctx context.Context, o identify.Observation) (identify.Community, error) {
	if s.Review == nil {
		return identify.Community{}, nil
	}
	return s.Review.Community(ctx, o)
}

func communityView(c identify.Community) *templates.Community {
	if c.People < 2 {
		return nil
	}
	v := &templates.Community{Kicker: "Together they say", Name: c.Name.Label(), Disputed: c.Disputed}
	switch {
	case c.Name.ID == 0:
		v.Sentence = "They agree on nothing."
	case c.For == c.Of:
		v.Sentence = fmt.Sprintf("All %s agree on this.", number(c.For))
	default:
		v.Sentence = fmt.Sprintf("%s of %s agree on this.", number(c.For), number(c.Of))
	}
	if c.Disputed {
		v.Kicker = "Disputed"
		if c.Name.ID != 0 {
			v.Sentence += " What exactly is disputed."
		}
	}
	return v
}
