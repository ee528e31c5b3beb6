// Package identifytest makes data folders of a size that people take years to
// fill, to test and to measure the memory with.
package identifytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/snapshotfile"
	"fieldmark/internal/store"
)

// Workshop is a data folder with a service over it, both of a made-up encoder.
type Workshop struct {
	*identify.Service // nil until Open
	Store             *store.Store
	Config            identify.Config // with snapshots; may be changed before Open
	Owner             identify.User
	Exemplars         *Exemplars
}

// New opens the data folder dir, which is made if need be, for a memory of such
// exemplars; it has none yet. Close it.
func New(ctx context.Context, dir string, x *Exemplars) (_ *Workshop, err error) {
	w := &Workshop{Exemplars: x}
	if w.Store, err = store.Open(ctx, filepath.Join(dir, "fieldmark.db")); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Store.Close())
		}
	}()
	taxa := make([]identify.Taxon, x.Labels)
	set := store.BuiltinSet{Key: "all", Name: "Everything"}
	for i := range taxa {
		taxa[i] = identify.Taxon{ID: identify.TaxonID(i + 1), ScientificName: fmt.Sprintf("Species %04d", i+1), Rank: "species"}
		set.Taxa = append(set.Taxa, taxa[i].ID)
	}
	version := strconv.Itoa(x.Labels)
	if err := w.Store.SeedTaxa(ctx, taxa, version); err != nil {
		return nil, err
	}
	sets, err := w.Store.SeedLabelSets(ctx, []store.BuiltinSet{set}, version)
	if err != nil {
		return nil, err
	}
	embedder := Encoder{x}
	if err := w.Store.RegisterEncoder(ctx, embedder.Info()); err != nil {
		return nil, err
	}
	if w.Owner, err = w.Store.Owner(ctx); err != nil {
		return nil, err
	}
	photos, err := photofile.Open(dir)
	if err != nil {
		return nil, err
	}
	w.Config = identify.Config{Store: w.Store, Photos: photos, Embedder: embedder, Model: "made-up", DefaultSet: sets["all"],
		Memory: identify.MemoryConfig{Snapshots: snapshotfile.Open(dir)}}
	return w, nil
}

// fillBatch is how many exemplars Fill stores in one transaction.
const fillBatch = 2000

// Fill stores the first n exemplars as one import would, with their events.
func (w *Workshop) Fill(ctx context.Context, n int) error {
	digest := sha256.Sum256([]byte(fmt.Sprint("made up ", n)))
	source := identify.ImportSource{Kind: "npz", Name: "made-up.npz", Digest: hex.EncodeToString(digest[:]),
		Encoder: w.Config.Embedder.Info().Digest, Total: n}
	imported, err := w.Store.BeginImport(ctx, source, w.Owner.ID, nil, time.Now())
	if err != nil {
		return err
	}
	for from := 0; from < n; from += fillBatch {
		rows := make([]identify.ImportedExemplar, min(fillBatch, n-from))
		for i := range rows {
			v, label := w.Exemplars.At(from + i)
			rows[i] = identify.ImportedExemplar{Embedding: v, Taxon: identify.TaxonID(label + 1)}
		}
		if _, _, err := w.Store.TeachImported(ctx, imported.ID, from, rows, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Open starts the service over what is stored.
func (w *Workshop) Open(ctx context.Context) (err error) {
	w.Service, err = identify.New(ctx, w.Config)
	return err
}

// Close ends the service and closes the store.
func (w *Workshop) Close() error {
	var err error
	if w.Service != nil {
		err = w.Service.Close()
	}
	return errors.Join(err, w.Store.Close())
}

// See adds an observation with the embedding of exemplar i, which came without a
// photo.
func (w *Workshop) See(ctx context.Context, i int) (identify.Observation, error) {
	v, _ := w.Exemplars.At(i)
	hash := sha256.Sum256([]byte(fmt.Sprint("photo ", i)))
	return w.Store.AddObservation(ctx, identify.NewObservation{
		Photo:     identify.Photo{Hash: identify.PhotoHash(hex.EncodeToString(hash[:])), MediaType: "image/jpeg", Width: 1, Height: 1},
		Embedding: v, Encoder: w.Config.Embedder.Info().Digest, Observer: w.Owner.ID, At: time.Now(),
	})
}

// Correct teaches an observation that was added with See as what exemplar i is.
func (w *Workshop) Correct(ctx context.Context, o identify.ObservationID, i int) (identify.Correction, error) {
	_, label := w.Exemplars.At(i)
	return w.Identify(ctx, w.Owner, o, identify.Answer{Taxon: identify.TaxonID(label + 1)}, identify.Question{})
}

// Encoder is the made-up encoder of Exemplars. It reads no photos.
type Encoder struct{ *Exemplars }

// Info implements identify.Embedder.
func (e Encoder) Info() identify.EncoderInfo {
	return identify.EncoderInfo{Name: "made-up", Digest: strings.Repeat("e", 64), Dim: e.Dim(), LogitScale: 100,
		Names: []string{"scientific"}, NearSlope: 30, NearMid: 0.9}
}
