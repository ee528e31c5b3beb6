package identify

import (
	"context"
	"io"
	"time"
)

// Encoders are the encoders that are installed.
type Encoders interface {
	// Installed lists them, the built-in one first.
	Installed() ([]InstalledEncoder, error)
	// Open opens one by its Model.
	Open(ctx context.Context, model string) (OpenEncoder, error)
}

// OpenEncoder is an embedder that somebody has to close.
type OpenEncoder interface {
	Embedder
	io.Closer
}

// InstalledEncoder describes an encoder that need not be open.
type InstalledEncoder struct {
	Model   string // what it is chosen by
	Title   string
	License string
	Digest  string // identity of its embeddings
	Dim     int
	Bytes   int64
	Fault   Notice // why it cannot be used, zero if it can
}

// EncoderChoice is which encoder serves and which is to. It is kept in the
// database, so that a server and the command line mean the same.
type EncoderChoice struct {
	Serving  string // model; "" until one was chosen
	Digest   string // of its embeddings, when it was made to serve
	Wanted   string // model that is to serve once its memory is ready; "" none
	Paused   bool   // nothing is embedded in the background
	Problem  Notice // why Wanted cannot be made to serve; zero none
	Wishes   int64  // how often an encoder was asked for
	Revision int64  // grows with everything that people ask for
}

// PhotoEmbedding is a photo's raw embedding [D].
type PhotoEmbedding struct {
	Photo  PhotoHash
	Vector []float32
}

// EmbeddingCounts says how far the photos are embedded under an encoder.
type EmbeddingCounts struct {
	Photos   int // that are kept
	Embedded int
	Failed   int // that cannot be read
}

// LostLesson is an identification that stands but is in no memory of an
// encoder, because its photo cannot be read.
type LostLesson struct {
	Observation ObservationID
	Taxon       TaxonID
	Label       string // Taxon.Label
	TaughtBy    string
	Reason      Notice // why its photo cannot be read
}

// EncoderStore keeps embeddings by encoder, and the choice among encoders.
type EncoderStore interface {
	// RegisterEncoder makes an encoder known, before anything is stored under
	// its digest.
	RegisterEncoder(ctx context.Context, e EncoderInfo) error
	// AddEmbeddings stores embeddings; those that are there stay as they are.
	AddEmbeddings(ctx context.Context, encoder string, list []PhotoEmbedding, at time.Time) error
	// AddEmbeddingFailure notes that a photo cannot be embedded, so that it is
	// not tried again until ForgetEmbeddingFailures.
	AddEmbeddingFailure(ctx context.Context, encoder string, photo PhotoHash, reason Notice, at time.Time) error
	// ForgetEmbeddingFailures also forgets which photos have no views.
	ForgetEmbeddingFailures(ctx context.Context, encoder string) error
	// FailPhotoless notes the same failure for everything that came without a
	// photo (Photo.Bytes 0) and has no embedding under the encoder.
	FailPhotoless(ctx context.Context, encoder string, reason Notice, at time.Time) error
	// Unembedded lists up to limit photos by hash after a hash, either those
	// that were ever taught or those that never were, which have neither an
	// embedding nor a failure under the encoder. What came without a photo is
	// none.
	Unembedded(ctx context.Context, encoder string, taught bool, after PhotoHash, limit int) ([]PhotoHash, error)
	EmbeddingCounts(ctx context.Context, encoder string) (EmbeddingCounts, error)
	// AddViews stores the embeddings of photos' views, or that there are none;
	// those of ViewScheme that are there stay as they are.
	AddViews(ctx context.Context, encoder string, list []PhotoViews, at time.Time) error
	// HasViews reports whether AddViews was told of a photo.
	HasViews(ctx context.Context, encoder string, photo PhotoHash) (bool, error)
	// Unviewed lists up to limit photos by hash after a hash that were ever taught
	// and have an embedding under the encoder, but of which AddViews was not told.
	// What came without a photo is none.
	Unviewed(ctx context.Context, encoder string, after PhotoHash, limit int) ([]PhotoHash, error)
	// ViewedLessons counts the events up to seq that add an exemplar and whose
	// photo has views.
	ViewedLessons(ctx context.Context, encoder string, seq Seq) (int, error)
	// Learnable counts the events up to seq that add an exemplar and whose photo
	// has an embedding.
	Learnable(ctx context.Context, encoder string, seq Seq) (int, error)
	// LostLessons lists up to limit lessons that stand and whose photo cannot be
	// embedded, newest observation first; total is how many there are.
	LostLessons(ctx context.Context, encoder string, limit int) (list []LostLesson, total int, err error)

	EncoderChoice(ctx context.Context) (EncoderChoice, error)
	// WantEncoder asks for an encoder to serve; "" takes that back. A problem
	// and a pause end with it.
	WantEncoder(ctx context.Context, model string) (EncoderChoice, error)
	// PauseEmbedding pauses or resumes the work in the background.
	PauseEmbedding(ctx context.Context, paused bool) error
	// ServeEncoder makes an encoder the one that serves; it is not wanted any
	// more.
	ServeEncoder(ctx context.Context, model, digest string) error
	// EncoderProblem notes why the wanted encoder cannot serve; zero ends that.
	EncoderProblem(ctx context.Context, problem Notice) error
	// Reconsider lets a server look again for photos to be embedded.
	Reconsider(ctx context.Context) error
}
