package identify

import (
	"fmt"
	"math"
)

// Box is a piece of the map between two parallels and two meridians, in degrees.
// One whose West is greater than its East reaches over the antimeridian.
type Box struct{ West, South, East, North float64 }

// Circle is everything within Km of a place, Km included.
type Circle struct{ Latitude, Longitude, Km float64 }

func (b *Box) check() error {
	if b == nil {
		return nil
	}
	if !onMap(b.South, b.West) || !onMap(b.North, b.East) || b.South > b.North {
		return Errorf(Invalid, "bbox", "Write the box as west,south,east,north in degrees, south below north: 11.3,48.0,11.8,48.3.")
	}
	return nil
}

func (c *Circle) check() error {
	if c == nil {
		return nil
	}
	if !onMap(c.Latitude, c.Longitude) {
		return Errorf(Invalid, "near", "Write the place as latitude,longitude in degrees: 48.137,11.575.")
	}
	if !(c.Km > 0 && c.Km <= halfway) {
		return Errorf(Invalid, "within_km", "Say within how many kilometres: more than 0, and at most %.0f, which is half around the Earth.", halfway)
	}
	return nil
}

func onMap(latitude, longitude float64) bool {
	return math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180 // false for NaN too
}

// earth is the mean radius of the Earth in kilometres (IUGG); halfway the
// greatest distance of two places on a globe of that size.
const (
	earth   = 6371.0088
	halfway = earth * math.Pi
)

// Kilometres is the distance of two places in degrees along a great circle
// (haversine formula).
func Kilometres(latitude1, longitude1, latitude2, longitude2 float64) float64 {
	const rad = math.Pi / 180
	a, b := math.Sin((latitude2-latitude1)*rad/2), math.Sin((longitude2-longitude1)*rad/2)
	h := a*a + math.Cos(latitude1*rad)*math.Cos(latitude2*rad)*b*b
	return 2 * earth * math.Asin(math.Sqrt(min(h, 1)))
}

// Bounds is the least box around the circle: to look there first. Around a pole
// it has all longitudes.
func (c Circle) Bounds() Box {
	angle := c.Km / earth
	d := angle * 180 / math.Pi
	b := Box{West: -180, South: c.Latitude - d, East: 180, North: c.Latitude + d}
	if b.South <= -90 || b.North >= 90 {
		b.South, b.North = max(b.South, -90), min(b.North, 90)
		return b
	}
	// The meridians that touch the circle: sin Δλ = sin d / cos φ.
	wide := math.Asin(min(1, math.Sin(angle)/math.Cos(c.Latitude*math.Pi/180))) * 180 / math.Pi
	b.West, b.East = c.Longitude-wide, c.Longitude+wide
	if b.West < -180 {
		b.West += 360
	}
	if b.East > 180 {
		b.East -= 360
	}
	return b
}

// Coarse is the side in degrees of the squares that places of sensitive taxa
// are given by.
const Coarse = 0.1

// Generalise gives the middle of the square of Coarse degrees that a place is
// in, and how far from there, in metres, the place may be.
func Generalise(latitude, longitude float64) (lat, lon, uncertainty float64) {
	lat, lon = CoarseLatitude(latitude), CoarseLongitude(longitude)
	// The square's corners nearer to the equator are the farthest from its middle.
	edge := max(0, math.Abs(lat)-Coarse/2)
	return lat, lon, math.Ceil(1000 * Kilometres(lat, lon, math.Copysign(edge, lat), lon+Coarse/2))
}

// CoarseLatitude is the latitude that Generalise gives.
func CoarseLatitude(latitude float64) float64 { return coarse(latitude, 90) }

// CoarseLongitude is the longitude that Generalise gives.
func CoarseLongitude(longitude float64) float64 { return coarse(longitude, 180) }

// coarse is the middle of the stretch of Coarse degrees, of those up to most, that
// an angle is in.
func coarse(degrees, most float64) float64 {
	const per = 1 / Coarse
	cell := min(math.Floor(degrees*per), most*per-1)
	return math.Round((cell+0.5)*per) / (per * per) // exact to the hundredth
}

// Wider is the box with everything that is within Coarse degrees of it.
func (b Box) Wider() Box {
	w := Box{South: max(-90, b.South-Coarse), North: min(90, b.North+Coarse), West: b.West - Coarse, East: b.East + Coarse}
	if b.West <= b.East {
		w.West, w.East = max(-180, w.West), min(180, w.East)
	} else if w.West <= w.East { // it closes around the Earth
		w.West, w.East = -180, 180
	}
	return w
}

// String is the box as it is written in an address.
func (b Box) String() string { return fmt.Sprintf("%g,%g,%g,%g", b.West, b.South, b.East, b.North) }
