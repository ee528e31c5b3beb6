package exchange

import (
	"slices"
	"testing"

	"fieldmark/internal/identify"
)

func TestReadNames(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		"Great Tit\r\n\r\n\"Parus major\"\n": {"Great Tit", "Parus major"},
		"\ufeffGreat Tit;Robin\tWren":        {"Great Tit", "Robin", "Wren"},
		"scientificName,family\nParus major,Paridae\nBellis perennis,Asteraceae\n": {"Parus major", "Bellis perennis"},
	} {
		if got, err := ReadNames([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := ReadNames([]byte("M\xf6we")); identify.KindOf(err) != identify.Invalid {
		t.Errorf("not UTF-8: %v", err)
	}
}
