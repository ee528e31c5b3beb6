package web

import (
	"slices"
	"testing"
)

// Names for one look come as people write a list.
func TestLabelsParam(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		want   []string
	}{
		"commas":         {[]string{"Gatekeeper,  Meadow   brown ,"}, []string{"Gatekeeper", "Meadow brown"}},
		"or":             {[]string{"Gatekeeper, Meadow brown or Ringlet"}, []string{"Gatekeeper", "Meadow brown", "Ringlet"}},
		"comma and or":   {[]string{"Gatekeeper, Meadow brown, or Ringlet"}, []string{"Gatekeeper", "Meadow brown", "Ringlet"}},
		"oder":           {[]string{"Rotauge oder Rotfeder"}, []string{"Rotauge", "Rotfeder"}},
		"within a word":  {[]string{"Corvus corone, Oriole"}, []string{"Corvus corone", "Oriole"}},
		"lines":          {[]string{"robin\r\nwren; robin"}, []string{"robin", "wren"}},
		"several values": {[]string{"robin", "wren", "robin"}, []string{"robin", "wren"}},
		"nothing":        {[]string{"", " or "}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := labelsParam(c.values); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
