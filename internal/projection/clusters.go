package projection

import (
	"cmp"
	"math"
	"slices"
)

// None is the cluster of a point that lies by itself.
const None = -1

// Clusters says which points lie together: DBSCAN (Ester et al., "A density-based
// algorithm for discovering clusters", KDD 1996) with a radius of one and a half
// times the median distance to the fourth nearest point. Clusters are numbered from 0, the
// largest first; those of fewer than least points are None.
func Clusters(points []Point, least int) []int {
	out := make([]int, len(points))
	for i := range out {
		out[i] = None
	}
	if len(points) < least {
		return out
	}
	g := newGrid(points, clusterRadius*typicalDistance(points))
	var sizes []int
	for i := range points {
		if out[i] == None && g.core(i) {
			sizes = append(sizes, g.flood(i, len(sizes), out))
		}
	}
	return bySize(out, sizes, least)
}

const (
	corePoints    = 4
	clusterRadius = 1.5
)

// typicalDistance is the median, over up to 400 points, of the distance to the
// fourth nearest.
func typicalDistance(points []Point) float64 {
	stride := max(1, len(points)/400)
	var fourth []float64
	distances := make([]float64, len(points))
	for i := 0; i < len(points); i += stride {
		for j, p := range points {
			distances[j] = math.Hypot(p.X-points[i].X, p.Y-points[i].Y)
		}
		slices.Sort(distances)
		fourth = append(fourth, distances[min(corePoints, len(points)-1)])
	}
	slices.Sort(fourth)
	return max(fourth[len(fourth)/2], 1e-9)
}

type cell struct{ x, y int }

// grid finds the points within a radius of one.
type grid struct {
	points []Point
	radius float64
	cells  map[cell][]int
}

func newGrid(points []Point, radius float64) *grid {
	g := &grid{points, radius, map[cell][]int{}}
	for i, p := range points {
		c := g.cell(p)
		g.cells[c] = append(g.cells[c], i)
	}
	return g
}

func (g *grid) cell(p Point) cell {
	return cell{int(math.Floor(p.X / g.radius)), int(math.Floor(p.Y / g.radius))}
}

// within calls visit for the points within the radius of point i, itself included,
// until that returns false.
func (g *grid) within(i int, visit func(j int) bool) {
	p := g.points[i]
	c := g.cell(p)
	for x := c.x - 1; x <= c.x+1; x++ {
		for y := c.y - 1; y <= c.y+1; y++ {
			for _, j := range g.cells[cell{x, y}] {
				if math.Hypot(g.points[j].X-p.X, g.points[j].Y-p.Y) <= g.radius && !visit(j) {
					return
				}
			}
		}
	}
}

// core says whether point i has enough others about it.
func (g *grid) core(i int) bool {
	n := 0
	g.within(i, func(int) bool { n++; return n <= corePoints })
	return n > corePoints
}

// flood gives a number to all that can be reached from a core point over core
// points, and returns how many these are.
func (g *grid) flood(from, number int, out []int) int {
	out[from] = number
	size := 1
	for todo := []int{from}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !g.core(i) {
			continue
		}
		g.within(i, func(j int) bool {
			if out[j] == None {
				out[j] = number
				size++
				todo = append(todo, j)
			}
			return true
		})
	}
	return size
}

// bySize numbers the clusters anew, the largest first.
func bySize(of, sizes []int, least int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	number := make([]int, len(sizes))
	for n, old := range order {
		if number[old] = n; sizes[old] < least {
			number[old] = None
		}
	}
	for i, c := range of {
		if c != None {
			of[i] = number[c]
		}
	}
	return of
}
