package identify

import "context"

// ImportFile is something that can be imported: an EmbeddingFile or a PhotoSet.
type ImportFile interface {
	Rows() int // N, above 0
}

// PhotoSet is a set of photos with their labels. Its methods are safe for
// concurrent use.
type PhotoSet interface {
	ImportFile
	// Row describes a photo by its number, from 0; no photo is read for that.
	Row(i int) PhotoRow
	// Photo returns a photo's bytes. An *Error says what is wrong with that
	// photo, and no other error does.
	Photo(ctx context.Context, i int) ([]byte, error)
	// LeftOut says in a sentence or two what else is in the file and is not
	// looked at, nothing if there is nothing.
	LeftOut() Notice
}

// PhotoRow is what a PhotoSet says of a photo. What is left out is taken from
// its EXIF, where that says it.
type PhotoRow struct {
	Name  Notice // where it is: "line 17", "Luna Moth/3.jpg"
	Label string
	Taxon TaxonID // 0 where only a label is given
	Ref   string  // which observation it is where it comes from; "" unknown

	Details
	Problem *Error // why the row cannot be taken, nil if it can
}

// ImportOptions are what whoever imports a file decides.
type ImportOptions struct {
	Current bool // the file's embeddings are those of the encoder that serves, though it does not say so
	SkipBad bool // take the rows that are good, and leave the bad ones out
}
