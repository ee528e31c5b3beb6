package nearest

// Best is the k things that are nearest by the best of their vectors, each with the
// cosine of that, where a thing has a whole and may have views. It merges the k
// things nearest by their wholes with views that are nearest by themselves, enough of
// them to be of k things; owner tells whose view one is. Among things that tie the
// earlier one is first.
func Best(k int, wholes, views []Neighbour, owner func(view int) int) []Neighbour {
	best := make(map[int]float64, len(wholes)+len(views))
	for _, n := range wholes {
		best[n.ID] = n.Cos
	}
	// A thing that is found by a view alone is no nearer by its whole than any of
	// wholes are.
	for _, n := range views {
		if cos, found := best[owner(n.ID)]; !found || n.Cos > cos {
			best[owner(n.ID)] = n.Cos
		}
	}
	list := make([]Neighbour, 0, len(best))
	for id, cos := range best {
		list = append(list, Neighbour{ID: id, Cos: cos})
	}
	return first(list, k)
}
