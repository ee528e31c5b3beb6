package projection

// Neighbour is something that is on the plane, and how near it is: the cosine of
// the angle between the two vectors.
type Neighbour struct {
	At  Point
	Cos float64
}

// Place is where a vector goes that the layout was not made of: the mean of its
// neighbours' places, each weighted by 1/(ε + |x̂ − x̂_j|²)², so that a near one
// counts far more than the others. Without neighbours it is the origin.
func Place(near []Neighbour) Point {
	const epsilon = 1e-3
	var sum Point
	var total float64
	for _, n := range near {
		w := 1 / (epsilon + max(0, 2-2*n.Cos))
		w *= w
		sum.X, sum.Y, total = sum.X+w*n.At.X, sum.Y+w*n.At.Y, total+w
	}
	if total == 0 {
		return Point{}
	}
	return Point{sum.X / total, sum.Y / total}
}
