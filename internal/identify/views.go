package identify

import "fieldmark/internal/photo"

// A crop of a taught photo is found again by views of it, parts of the photo whose
// embeddings are remembered beside that of the whole. They count for nothing but
// how near an exemplar is (memory.nearestByView): the tree and its classifiers, the
// paper's system, know only wholes.

// ViewScheme is which views of a photo are remembered.
const ViewScheme = photo.ViewScheme

// PhotoViews are the raw embeddings [D] of a photo's views, in the order of
// photo.Views; none if the photo could not be read for them.
type PhotoViews struct {
	Photo   PhotoHash
	Vectors [][]float32
}
