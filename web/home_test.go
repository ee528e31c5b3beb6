package web

import (
	"slices"
	"testing"
)

func TestHomeForANewcomer(t *testing.T) {
	b := newBench(t, owner)
	p := b.get("/", 200)
	b.want(p, "What is it?", "How it goes", "up to 1 MB each")
	inputs := 0
	for _, n := range p.find("input") {
		if attr(n, "type") == "file" && attr(n, "name") == "photo" {
			inputs++
		}
	}
	if p.count("input", "accept", "image/jpeg,image/png,image/webp,image/gif,.heic,.heif,.avif") != 1 {
		t.Error("the dialogue does not offer all that is read")
	}
	if inputs != 2 {
		t.Errorf("%d file fields, want one for the camera and one for files", inputs)
	}
}

func TestHomeShowsAnswers(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red), picture(blue))
	p := b.get("/?shown=2,1", 200)
	var shown []string
	for _, card := range p.find("article") {
		if id := attr(card, "id"); id != "" {
			shown = append(shown, id)
		}
	}
	if !slices.Equal(shown, []string{"o2", "o1"}) {
		t.Errorf("the cards are %v", shown)
	}
	b.get("/?shown=7", 404)
	if recent := b.get("/", 200).find(".plate"); len(recent) != 2 {
		t.Errorf("%d recent observations, want 2", len(recent))
	}
}

// A group that the encoder has never seen is said to be one.
func TestHomeSaysWhatWasNeverSeen(t *testing.T) {
	b := newBench(t, owner)
	b.want(b.get("/?label_set=3", 200), "never learned to see any of these", "will learn these from your corrections")
	if advice := b.get("/?label_set=2", 200).find(".advice"); len(advice) != 0 {
		t.Error("birds were all learned, yet there is advice")
	}
}

func TestHomeForAViewer(t *testing.T) {
	b := newBench(t, viewer)
	p := b.get("/", 200)
	if len(p.find(".upload")) != 0 {
		t.Error("a viewer is offered an upload")
	}
}
