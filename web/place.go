package web

import (
	"context"
	"fmt"
	"math"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// place is where an observation was made, as whoever asked for it may know it; ""
// where that is not known.
func place(ctx context.Context, o identify.Observation) string {
	if o.Latitude == nil || o.Longitude == nil {
		return ""
	}
	if o.Generalised() {
		return words.T(ctx, "within %[1]d km of %[2]s: the taxon is sensitive",
			int(math.Ceil(o.Uncertainty/1000)), position(ctx, *o.Latitude, *o.Longitude, 2))
	}
	return position(ctx, *o.Latitude, *o.Longitude, 4)
}

// position is a place in degrees, with a point in every language: as maps take it.
func position(ctx context.Context, latitude, longitude float64, decimals int) string {
	ns, ew := words.Key("N"), words.Key("E")
	if latitude < 0 {
		ns, latitude = words.Key("S"), -latitude
	}
	if longitude < 0 {
		ew, longitude = words.Key("W"), -longitude
	}
	return fmt.Sprintf("%.*f° %s, %.*f° %s", decimals, latitude, words.T(ctx, ns), decimals, longitude, words.T(ctx, ew))
}
