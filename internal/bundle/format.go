package bundle

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Format and Version are what the manifest of a bundle says it is.
const (
	Format  = "fieldmark-bundle"
	Version = 1
)

// Extension is how the name of a bundle's file ends.
const Extension = ".fieldmark"

// The members that are neither thumbnails nor photos.
const (
	taxaName       = "taxa.jsonl"
	exemplarsName  = "exemplars.jsonl"
	embeddingsName = "embeddings.npy"
	viewsName      = "views.npy"
	filesName      = "files.sha256"
	manifestName   = "manifest.json"
	signatureName  = "signature"
)

// signed goes before the manifest in what is signed, so that the signature is
// good for nothing else.
const signed = "fieldmark bundle 1\n"

// Limits of what is read.
const (
	maxMembers   = 400_000
	maxDirectory = 64 << 20 // bytes of a zip's directory
	maxManifest  = 1 << 20
	maxTaxa      = 200_000
	maxTaxaBytes = 64 << 20
	maxLine      = 256 << 10
	meanLine     = 16 << 10 // of exemplars.jsonl
	maxFiles     = 128 << 20
	maxDim       = 16_384
	maxExemplars = 10_000_000
	maxPhoto     = 64 << 20
	maxThumbnail = 1 << 20
	maxViews     = 64 // of one photo
	maxText      = 64 << 10
)

// Manifest says what a bundle is. A writer fills in Instance, CreatedAt, Software,
// Scope, Filter, Log and Encoder; Write does the rest.
type Manifest struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Instance  Instance  `json:"instance"` // where it was made
	CreatedAt time.Time `json:"created_at"`
	Software  string    `json:"software,omitempty"`
	Scope     Scope     `json:"scope"`
	Filter    string    `json:"filter,omitempty"` // what it was narrowed to, for people to read
	Log       LogRange  `json:"log"`
	Encoder   Encoder   `json:"encoder"`
	Counts    Counts    `json:"counts"`
	Members   []Member  `json:"members"`
	Signer    Signer    `json:"signer"`
}

// Instance is one Fieldmark: a data folder with its log.
type Instance struct {
	ID   string `json:"id"` // 32 hex digits, drawn at random when the first bundle is made
	Name string `json:"name"`
}

// Scope is which lessons of the log are in a bundle.
type Scope string

// The scopes.
const (
	Standing Scope = "standing" // those that had not been withdrawn
	WholeLog Scope = "log"      // the withdrawn ones too, marked as such
)

// LogRange is the numbers of the first and the last lesson within the log of the
// instance; both are 0 where there is none.
type LogRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Encoder is what made the embeddings.
type Encoder struct {
	Name       string `json:"name"`
	Digest     string `json:"digest"`
	Dim        int    `json:"dim"`
	ViewScheme int    `json:"view_scheme"` // which parts of a photo its views are
}

// Counts says how much a bundle has.
type Counts struct {
	Taxa       int `json:"taxa"`
	Exemplars  int `json:"exemplars"`
	Views      int `json:"views"`
	Thumbnails int `json:"thumbnails"`
	Photos     int `json:"photos"`
}

// Member is one member whose digest is in the manifest.
type Member struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`  // uncompressed
	SHA256 string `json:"sha256"` // of the uncompressed bytes, lower-case hex
}

// Signer is whose key signed.
type Signer struct {
	PublicKey []byte `json:"public_key"` // Ed25519, 32 bytes, in base64
}

// Fingerprint is how people tell one key from another: 32 hex digits.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:16])
}

// Grouped writes a fingerprint as it is read aloud: in groups of four.
func Grouped(fingerprint string) string {
	var groups []string
	for len(fingerprint) > 4 {
		groups, fingerprint = append(groups, fingerprint[:4]), fingerprint[4:]
	}
	return strings.Join(append(groups, fingerprint), " ")
}

// Taxon is one line of taxa.jsonl.
type Taxon struct {
	ID             int64    `json:"id"` // within the bundle
	ScientificName string   `json:"scientific_name"`
	EnglishName    string   `json:"english_name,omitempty"`
	Synonyms       []string `json:"synonyms,omitempty"`
	Rank           string   `json:"rank"`
	Group          string   `json:"group,omitempty"`
	Parent         int64    `json:"parent,omitempty"` // an ID of an earlier line, 0 at the top
	// Local has the sites where a taxon that is in no vocabulary is known, with its
	// number at each: that of the bundle's own site first. None for one of the
	// vocabulary, which is known by ScientificName and Rank.
	Local []Origin `json:"local,omitempty"`
}

// Origin names something by the instance where it first was, and its number there.
type Origin struct {
	Instance string `json:"instance"`
	ID       int64  `json:"id"`
}

// Exemplar is one line of exemplars.jsonl: a lesson, with what is known of its
// observation.
type Exemplar struct {
	Seq          int64      `json:"seq"`         // of its event in the log that it was exported from
	Observation  Origin     `json:"observation"` // where it was first
	Taxon        int64      `json:"taxon"`       // an ID of taxa.jsonl
	TaughtBy     string     `json:"taught_by,omitempty"`
	TaughtAt     time.Time  `json:"taught_at"`
	WithdrawnAt  *time.Time `json:"withdrawn_at,omitempty"`
	Observer     string     `json:"observer,omitempty"`
	ObservedAt   *time.Time `json:"observed_at,omitempty"`
	Latitude     *float64   `json:"latitude,omitempty"`
	Longitude    *float64   `json:"longitude,omitempty"`
	License      string     `json:"license,omitempty"`
	RightsHolder string     `json:"rights_holder,omitempty"`
	Notes        string     `json:"notes,omitempty"`
	Photo        Photo      `json:"photo"`
	Views        int        `json:"views,omitempty"` // how many rows of views.npy are its photo's
}

// Photo is what is known of an exemplar's photo. One that never had a photo is
// known by the SHA-256 of its embedding, and has 0 bytes.
type Photo struct {
	SHA256    string     `json:"sha256"`
	MediaType string     `json:"media_type,omitempty"`
	Bytes     int64      `json:"bytes,omitempty"`
	Width     int        `json:"width,omitempty"`
	Height    int        `json:"height,omitempty"`
	TakenAt   *time.Time `json:"taken_at,omitempty"`
}
