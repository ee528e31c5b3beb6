package web

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// NamesService says what taxa are called; *identify.Service does.
type NamesService interface {
	// Called is what a taxon is called in a language, a BCP 47 tag; "" if nobody has
	// said. It is asked for every name that a page shows, and must not take long.
	Called(id identify.TaxonID, language string) string
}

type namesInContext struct{}

// naming lets what is answered call taxa as the reader's language does.
func (s *site) naming(next http.Handler) http.Handler {
	if s.Names == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), namesInContext{}, s.Names)))
	})
}

// called is what the reader's language calls a taxon, or the label that it has, which
// is English or else scientific. What is no taxon's, of id 0, is called by its label.
func called(ctx context.Context, id identify.TaxonID, label string) string {
	names, _ := ctx.Value(namesInContext{}).(NamesService)
	if names == nil || id == 0 {
		return label
	}
	return cmp.Or(names.Called(id, words.Tag(ctx)), label)
}

// calledOf is what the reader's language calls what a sentence names.
func calledOf(ctx context.Context, n identify.TaxonName) string { return called(ctx, n.Taxon, n.Label) }

// nameOf is what the reader's language calls a taxon.
func nameOf(ctx context.Context, t identify.Taxon) string { return called(ctx, t.ID, t.Label()) }

// byName puts taxa in the order in which the reader's language has their names.
func byName(ctx context.Context, taxa []identify.Taxon) {
	order, buffer := collate.New(language.Make(words.Tag(ctx)), collate.Loose), &collate.Buffer{}
	keys := make(map[identify.TaxonID][]byte, len(taxa))
	for _, t := range taxa {
		keys[t.ID] = order.KeyFromString(buffer, nameOf(ctx, t))
	}
	slices.SortStableFunc(taxa, func(a, b identify.Taxon) int { return bytes.Compare(keys[a.ID], keys[b.ID]) })
}

// lessonName is what the reader's language calls what somebody said.
func lessonName(ctx context.Context, i identify.Identification) string {
	return called(ctx, i.Taxon, i.TaxonLabel)
}
