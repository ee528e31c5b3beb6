package web

import (
	"fmt"
	"math"

	"fieldmark/internal/identify"
)

// place is where an observation was made, as whoever asked for it may know it; ""
// where that is not known.
func place(o identify.Observation) string {
	if o.Latitude == nil || o.Longitude == nil {
		return ""
	}
	if o.Generalised() {
		return fmt.Sprintf("within %.0f km of %s: the taxon is sensitive", math.Ceil(o.Uncertainty/1000), position(*o.Latitude, *o.Longitude, 2))
	}
	return position(*o.Latitude, *o.Longitude, 4)
}

// position is a place in degrees.
func position(latitude, longitude float64, decimals int) string {
	ns, ew := "N", "E"
	if latitude < 0 {
		ns, latitude = "S", -latitude
	}
	if longitude < 0 {
		ew, longitude = "W", -longitude
	}
	return fmt.Sprintf("%.*f° %s, %.*f° %s", decimals, latitude, ns, decimals, longitude, ew)
}
