package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// counted is a connection that counts the queries it is asked.
type counted struct {
	*sqlite3.SQLiteConn
	queries *int
}

func (c counted) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	*c.queries++
	return c.SQLiteConn.QueryContext(ctx, query, args)
}

// PrepareContext counts the statement once, however often it is run after that: none
// of what is counted here prepares one.
func (c counted) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	*c.queries++
	return c.SQLiteConn.PrepareContext(ctx, query)
}

// countedConnector makes such connections.
type countedConnector struct {
	connector
	queries *int
}

func (c countedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return counted{conn.(*sqlite3.SQLiteConn), c.queries}, nil
}

// Names in other languages come with the taxa: as many queries for three as for sixty.
func TestNamesAreReadWithTheirTaxa(t *testing.T) {
	taxa := []identify.Taxon{{ID: 1, ScientificName: "Aves", Rank: "class"}}
	for id := identify.TaxonID(2); id <= 62; id++ {
		taxa = append(taxa, identify.Taxon{ID: id, ScientificName: fmt.Sprintf("Parus avis%d", id), Rank: "species", Parent: 1, Synonyms: []string{fmt.Sprintf("Tit no. %d", id)},
			Vernacular: []identify.VernacularName{{Language: "de", Name: fmt.Sprintf("Meise Nr. %d", id)}, {Language: "fr", Name: fmt.Sprintf("Mésange %d", id)}}})
	}
	path := filepath.Join(t.TempDir(), "names.db")
	s := open(t, path)
	if err := s.SeedTaxa(t.Context(), taxa, "1"); err != nil {
		t.Fatal(err)
	}
	queries := 0
	plain := s.read
	s.read = sql.OpenDB(countedConnector{connect(dsn(path, "_query_only=1&_txlock=deferred")), &queries})
	t.Cleanup(func() { s.read.Close(); s.read = plain })
	asked := func(want []identify.Taxon, ask func() ([]identify.Taxon, error)) int {
		t.Helper()
		queries = 0
		got, err := ask()
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d taxa, %v; want %d", len(got), err, len(want))
		}
		for _, x := range got {
			i := slices.IndexFunc(taxa, func(t identify.Taxon) bool { return t.ID == x.ID })
			if !slices.Equal(x.Synonyms, taxa[i].Synonyms) || !slices.Equal(x.Vernacular, taxa[i].Vernacular) {
				t.Errorf("%+v", x)
			}
		}
		return queries
	}
	found := func(limit int) func() ([]identify.Taxon, error) {
		return func() (list []identify.Taxon, err error) {
			matches, err := s.SearchTaxa(t.Context(), "meise", limit)
			for _, m := range matches {
				list = append(list, m.Taxon)
			}
			return list, err
		}
	}
	below := func(limit int) func() ([]identify.Taxon, error) {
		return func() ([]identify.Taxon, error) { return s.TaxaBelow(t.Context(), 1, 0, limit) }
	}
	if few, many := asked(taxa[1:4], found(3)), asked(taxa[1:61], found(60)); few != many || few == 0 {
		t.Errorf("a search asks %d queries for 3 taxa and %d for 60", few, many)
	}
	if few, many := asked(taxa[1:4], below(3)), asked(taxa[1:61], below(60)); few != many || few == 0 {
		t.Errorf("what is below a taxon takes %d queries for 3 taxa and %d for 60", few, many)
	}
	if n := asked(taxa, func() ([]identify.Taxon, error) { return s.Taxa(t.Context()) }); n > 4 {
		t.Errorf("all %d taxa take %d queries", len(taxa), n)
	}
}

// A vocabulary brings names in other languages, in the order in which it gives them, and
// a newer one corrects them, but not those of a taxon that somebody changed.
func TestSeededNamesInOtherLanguages(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "cora")
	german := func(name ...string) (list []identify.VernacularName) {
		for _, n := range name {
			list = append(list, identify.VernacularName{Language: "de", Name: n})
		}
		return list
	}
	seed := func(version string, four, five []identify.VernacularName) {
		t.Helper()
		taxa := tree()
		taxa[0].Vernacular, taxa[1].Vernacular = four, five
		if err := s.SeedTaxa(ctx, taxa, version); err != nil {
			t.Fatal(err)
		}
	}
	want := func(id identify.TaxonID, names []identify.VernacularName) {
		t.Helper()
		if got, err := s.Taxon(ctx, id); err != nil || !slices.Equal(got.Vernacular, names) {
			t.Errorf("taxon %d: %+v, %v; want %v", id, got.Vernacular, err, names)
		}
	}
	seed("1", german("Spatz"), german("Feldspatz", "Baumspatz"))
	want(4, german("Spatz"))
	want(5, german("Feldspatz", "Baumspatz"))
	if found, err := s.SearchTaxa(ctx, "spatz", 5); err != nil || len(found) != 1 || found[0].ID != 4 || found[0].MatchedName != "Spatz" {
		t.Errorf("%+v, %v", found, err)
	}
	edit := identify.TaxonEdit{ScientificName: "Passer montanus", Rank: "species", Parent: 3, Vernacular: german("Holzsperling", "Feldspatz")}
	if _, err := s.EditTaxon(ctx, 5, edit, identify.Noticef("names"), u.ID, noon); err != nil {
		t.Fatal(err)
	}
	seed("2", german("Haussperling"), german("Feldsperling"))
	want(4, german("Haussperling"))
	want(5, edit.Vernacular) // as the curator gave them, the first first
	check(t, s)
}
