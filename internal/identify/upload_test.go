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

func TestDetailsCheck(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, tc := range []struct {
		details Details
		field   string
	}{
		{Details{}, ""},
		{Details{Latitude: at(48.1), Longitude: at(-11.6), Notes: " on the wall "}, ""},
		{Details{Latitude: at(48.1)}, "longitude"},
		{Details{Longitude: at(48.1)}, "latitude"},
		{Details{Latitude: at(91), Longitude: at(0)}, "latitude"},
		{Details{Latitude: at(0), Longitude: at(math.NaN())}, "longitude"},
		{Details{Notes: strings.Repeat("n", maxNotes+1)}, "notes"},
		{Details{Notes: "two\nlines"}, ""},
		{Details{Notes: "bad \xff"}, "notes"},
		{Details{RightsHolder: "A\x1b[2J"}, "rights_holder"},
		{Details{License: strings.Repeat("l", maxName+1)}, "license"},
	} {
		err := tc.details.check()
		field := ""
		if e, is := err.(*Error); is {
			field = e.Field
		}
		if field != tc.field {
			t.Errorf("%+v: %v, want an error about %q", tc.details, err, tc.field)
		}
	}
}
