package identify

import (
	"math"
	"strings"
	"testing"
)

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"  House   Sparrow ":        "House Sparrow",
		"Passer\tdomesticus":        "Passer domesticus",
		"Ku\u0308stenseeschwalbe":   "Küstenseeschwalbe",
		"":                          "",
		"   ":                       "",
		"12 34":                     "",
		"a\x00b":                    "",
		"a\u202eb":                  "",
		"a\u200b":                   "",
		"می\u200cخک":                "می\u200cخک",
		"bad \xff":                  "",
		strings.Repeat("a", 201):    "",
		strings.Repeat("x", 10_000): "",
		strings.Repeat("é", 200):    strings.Repeat("é", 200),
	} {
		got, err := cleanName("label", in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("cleanName(%.20q) = %.20q, %v; want %.20q", in, got, err, want)
		}
		if err != nil && KindOf(err) != Invalid {
			t.Errorf("cleanName(%.20q): kind %q", in, KindOf(err))
		}
	}
}

func TestUploadCheck(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, tc := range []struct {
		up    Upload
		field string
	}{
		{Upload{}, ""},
		{Upload{Latitude: at(48.1), Longitude: at(-11.6), Notes: " on the wall "}, ""},
		{Upload{Latitude: at(48.1)}, "latitude"},
		{Upload{Latitude: at(91), Longitude: at(0)}, "latitude"},
		{Upload{Latitude: at(0), Longitude: at(math.NaN())}, "longitude"},
		{Upload{Notes: strings.Repeat("n", maxNotes+1)}, "notes"},
		{Upload{Notes: "two\nlines"}, ""},
		{Upload{Notes: "bad \xff"}, "notes"},
		{Upload{RightsHolder: "A\x1b[2J"}, "rights_holder"},
		{Upload{License: strings.Repeat("l", maxName+1)}, "license"},
	} {
		err := tc.up.check()
		field := ""
		if e, is := err.(*Error); is {
			field = e.Field
		}
		if field != tc.field {
			t.Errorf("%+v: %v, want an error about %q", tc.up, err, tc.field)
		}
	}
}
