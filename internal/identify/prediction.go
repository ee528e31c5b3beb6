package identify

import (
	"time"

	"fieldmark/internal/fusion"
)

// Question says how a photo is to be read. The zero value asks the default:
// every taxon of the vocabulary, by the service's default rule.
type Question struct {
	Labels   []string      // candidate labels as free text; they go before LabelSet
	LabelSet LabelSetID    // candidate labels by set; 0 for the default set
	Rule     fusion.Rule   // "" for the default
	System   fusion.System // exemplar system; "" for the default, the tree
	LongTail bool          // the long-tail variant of AIM
	Top      int           // how many predictions to return; 0 means 5
}

// Prediction is an answer with its evidence. Every one names the memory and the
// encoder that made it.
type Prediction struct {
	Candidates     []Candidate   // likeliest first, at most Question.Top
	Total          int           // how many candidate labels were compared
	Headline       Headline      // what to say in one line
	WeightExemplar float64       // share of the exemplar memory in the answer, 0 to 1
	Neighbours     []Neighbour   // nearest exemplars, nearest first
	Seq            Seq           // memory that answered
	Encoder        string        // name of the encoder
	Rule           fusion.Rule   // rule that was used
	System         fusion.System // exemplar system that was used
	Timings        Timings
}

// Candidate is one candidate label with its probabilities over all candidates.
type Candidate struct {
	Label       string // Taxon.Label, or the free text
	Scientific  string // "" for free text that is no taxon
	Taxon       TaxonID
	Rank        Rank
	Group       string
	Local       bool
	Seen        bool // the photo tower has learned to see it, or does not say what it has
	Probability float64
	ZeroShot    float64
	Exemplar    float64
	Exemplars   int // how many exemplars of it the memory holds
}

// Headline is the most specific taxon that is likely enough to be said.
type Headline struct {
	Label       string
	Scientific  string
	Taxon       TaxonID // 0 where nothing is likely enough, or for free text
	Rank        Rank
	Probability float64
	Certain     bool    // false: Label is a common ancestor, or only a guess
	From        float64 // probability from which a name was said without reserve
}

// Neighbour is one of the exemplars nearest to the photo.
type Neighbour struct {
	Observation ObservationID
	Photo       PhotoHash
	Taxon       TaxonID
	Label       string
	TaughtBy    string
	Similarity  float64 // cosine
}

// Timings says where the time went.
type Timings struct {
	Decode, Embed, Predict time.Duration
}

// Correction is what came of an identification or of its withdrawal: the same
// photo read by the memory before and after.
type Correction struct {
	Identification Identification
	Seq            Seq
	Learned        time.Duration // from the durable event to the new memory's publication
	Before, After  Prediction
}

// Stats describes the service at one moment.
type Stats struct {
	Seq          Seq
	Exemplars    int
	Labels       int // taxa with at least one exemplar
	Leaves       int
	Pending      int // events whose consolidating stroke is still to come
	Observations int
	Photos       int
	Taxa         int
	Users        int
	Encoder      EncoderInfo
	Work         *EncoderWork // what is embedded in the background; nil if nothing is
}
