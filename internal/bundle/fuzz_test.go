package bundle_test

import (
	"bytes"
	"errors"
	"testing"

	"fieldmark/internal/bundle"
)

// FuzzRead lets anything be read: whatever it is, it is refused with a reason or
// read in full, within the bounds that its size sets.
func FuzzRead(f *testing.F) {
	plain := sample()
	plain.views, plain.thumbnails, plain.photos = nil, nil, nil
	for i := range plain.exemplars {
		plain.exemplars[i].Views = 0
	}
	f.Add(written(f, manifest(), sample()))
	f.Add(written(f, manifest(), plain))
	f.Add(written(f, manifest(), &made{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, got, err := readAll(data)
		var refused *bundle.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil && len(got.embeddings) != len(got.exemplars) {
			t.Fatal("a line without its embedding")
		}
	})
}

// FuzzSigned lets a signer lie: the members are anything, and the manifest is true
// to them and signed.
func FuzzSigned(f *testing.F) {
	parts := apart(f, written(f, manifest(), sample()))
	f.Add(named(f, parts, "taxa.jsonl").data, named(f, parts, "exemplars.jsonl").data,
		named(f, parts, "embeddings.npy").data, named(f, parts, "views.npy").data, 3, 3, 4, 3)
	f.Fuzz(func(t *testing.T, taxa, exemplars, embeddings, views []byte, nTaxa, n, nViews, dim int) {
		parts := apart(t, written(t, manifest(), sample()))
		named(t, parts, "taxa.jsonl").data = taxa
		named(t, parts, "exemplars.jsonl").data = exemplars
		named(t, parts, "embeddings.npy").data = embeddings
		named(t, parts, "views.npy").data = views
		data := resign(t, parts, func(m *bundle.Manifest) {
			m.Counts.Taxa, m.Counts.Exemplars, m.Counts.Views, m.Encoder.Dim = nTaxa, n, nViews, dim
		})
		_, got, err := readAll(data)
		var refused *bundle.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil && (len(got.exemplars) != n || len(got.taxa) != nTaxa) {
			t.Fatal("another number than the manifest's")
		}
		// What was read can be written and read again.
		if err == nil {
			again := manifest()
			again.Encoder.Dim = dim
			var b bytes.Buffer
			if _, err := bundle.Write(&b, key("a"), again, got); err != nil {
				t.Fatal(err)
			}
			if _, _, err := readAll(b.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
