// Package projection draws vectors of many dimensions on a plane, near ones near
// each other: t-SNE (van der Maaten and Hinton, "Visualizing Data using t-SNE",
// JMLR 9, 2008) of up to some thousand landmarks, with everything else placed among
// its neighbours.
//
//	at, err := projection.Layout(ctx, rows, nil, projection.Params{})     // the landmarks, once
//	at, err = projection.Layout(ctx, more, start, projection.Params{})    // later: from where they are
//	p := projection.Place(neighbours)                                     // any other vector
//	cluster := projection.Clusters(points, 5)                             // what lies together
//
// Affinities are sparse, of the 3·Perplexity nearest (as in van der Maaten,
// "Accelerating t-SNE using Tree-Based Algorithms", JMLR 15, 2014), repulsion is
// exact: O(n²) an iteration, without a tree. The start is the plane of the first
// two principal components, which keeps what is far apart in place and needs no
// random layout (Kobak and Berens, "The art of using t-SNE for single-cell
// transcriptomics", Nature Communications 10, 2019). The same input gives the same
// layout, bit for bit on one machine.
package projection

// Point is a place on the plane, in units of the layout.
type Point struct{ X, Y float64 }

// Params are how a Layout is made. Zero fields stand for the defaults.
type Params struct {
	Perplexity float64 // how many neighbours count, about; 0 is a twentieth of the rows, 5 to 20; never more than a third
	Iterations int     // 0 is 500 from nothing and 150 from a start
	Seed       uint64  // of the vectors that the search for the principal components begins with
}

func (p Params) withDefaults(rows int, warm bool) Params {
	if p.Perplexity == 0 {
		p.Perplexity = max(5, min(20, float64(rows)/20))
	}
	p.Perplexity = max(1, min(p.Perplexity, float64(rows-1)/3))
	if p.Iterations == 0 {
		p.Iterations = 500
		if warm {
			p.Iterations = 150
		}
	}
	return p
}
