package vocabulary

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// small returns a vocabulary of a few taxa, with the given tables in place of
// its own. Cells are separated by commas here.
func small(tables map[string]string) fs.FS {
	all := map[string]string{
		"groups":         "key,name,kingdoms\nbirds,Birds,Animalia\nmoths,Moths,Animalia\nplants,Plants,Plantae\nnone,Nothing,",
		"phyla":          "phylum,kingdom\nChordata,Animalia\nArthropoda,Animalia\nTracheophyta,Plantae",
		"genera_birds":   "genus,family,order,class,phylum\nMorus,Sulidae,Suliformes,Aves,Chordata",
		"genera_insects": "genus,family,order,class,phylum\nBombyx,Bombycidae,Lepidoptera,Insecta,Arthropoda",
		"genera_others":  "genus,family,order,class,phylum\nMorus,Moraceae,Rosales,Magnoliopsida,Tracheophyta",
		"clades":         "scientific,rank,parent,members",
		"birds":          "scientific,english,rank,group,synonyms\nMorus bassanus,Northern Gannet,species,birds,Sula bassana",
		"insects":        "scientific,english,rank,group,synonyms\nBombyx mori,,species,moths,",
		"imagenet":       "scientific,english,rank,group,synonyms,label\nMorus bassanus,Gannet,species,birds,,3|5-6\n,Nothing,none,none,,0",
		"others":         "scientific,english,rank,group,synonyms\nMorus alba,White Mulberry,species,plants,",
		"labels":         "list,label,scientific,rank\nbirds,7,Morus bassanus,species",
		"higher":         "scientific,english,rank\nAves,Birds,class",
		"german":         "scientific,german\nMorus bassanus,Basstölpel",
	}
	fsys := make(fstest.MapFS)
	for name, text := range all {
		if other, ok := tables[name]; ok {
			text = other
		}
		fsys["data/"+name+".tsv"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, ",", "\t") + "\n")}
	}
	return fsys
}

func TestOneTaxonFromTwoLists(t *testing.T) {
	tree, err := readTree(small(nil))
	if err != nil {
		t.Fatal(err)
	}
	gannet, err := tree.find("Morus bassanus")
	if err != nil {
		t.Fatal(err)
	}
	got := gannet.taxon()
	if got.EnglishName != "Northern Gannet" || strings.Join(got.Synonyms, "|") != "Gannet|Sula bassana" {
		t.Errorf("names %q, %q", got.EnglishName, got.Synonyms)
	}
	// 7 comes from the labels, 3, 5 and 6 from the ImageNet row.
	want := map[Source]bool{{Birds, 7}: true, {ImageNet, 3}: true, {ImageNet, 5}: true, {ImageNet, 6}: true}
	for _, s := range got.Sources {
		if !want[s] {
			t.Errorf("unexpected source %v", s)
		}
		delete(want, s)
	}
	if len(want) > 0 {
		t.Errorf("missing sources %v", want)
	}
	if class := gannet.parent.parent.parent.parent; class.name != "Aves" || class.english != "Birds" || class.group != "birds" {
		t.Errorf("class is %v, %q, in the group %q", class.key, class.english, class.group)
	}
	if kingdom := tree.byKey[key{"Animalia", Kingdom, "Animalia"}]; kingdom.group != "" {
		t.Errorf("Animalia, with birds and moths, is in the group %q", kingdom.group)
	}
}

func TestCladeTakesItsMembers(t *testing.T) {
	tree, err := readTree(small(map[string]string{
		"clades": "scientific,rank,parent,members\nBombycoidea,superfamily,Lepidoptera,Bombycidae",
	}))
	if err != nil {
		t.Fatal(err)
	}
	family, err := tree.find("Bombycidae")
	if err != nil {
		t.Fatal(err)
	}
	if p := family.parent; p.name != "Bombycoidea" || p.parent.name != "Lepidoptera" {
		t.Errorf("the family is in %v in %v", p.key, p.parent.key)
	}
}

func TestParentOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		rank   Rank
		parent string
	}{
		{"Canis lupus", Species, "Canis"},
		{"Fragaria × ananassa", Species, "Fragaria"},
		{"Larus glaucescens × occidentalis", Hybrid, "Larus"},
		{"Canis lupus tundrarum", Subspecies, "Canis lupus"},
		{"Brassica oleracea var. italica", Variety, "Brassica oleracea"},
		{"Fragaria × ananassa 'Elsanta'", Cultivar, "Fragaria × ananassa"},
		{"Felis catus 'Maine Coon'", Breed, "Felis catus"},
	} {
		if got, _ := parentOf(test.name, test.rank); got != test.parent {
			t.Errorf("%s %q: parent %q, want %q", test.rank, test.name, got, test.parent)
		}
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	const list = "scientific,english,rank,group,synonyms\n"
	for _, test := range []struct{ table, text, want string }{
		{"birds", "scientific,english", "columns are"},
		{"birds", list + "Morus bassanus,Northern Gannet,species", "birds.tsv:2: 3 cells, want 5"},
		{"birds", list + "Sula sula,Red-footed Booby,species,birds,", `no lineage for genus "Sula"`},
		{"birds", list + ",Northern Gannet,species,birds,", "without a scientific name"},
		{"birds", list + "Morus bassanus,Northern Gannet,sort,birds,", `unknown rank "sort"`},
		{"birds", list + "Morus bassanus,Northern Gannet,species,gulls,", `unknown group "gulls"`},
		{"birds", list + "Morus bassanus,Northern Gannet,species,moths,", "groups"},
		{"imagenet", "scientific,english,rank,group,synonyms,label\nMorus bassanus,,species,birds,,6-5", "neither a number nor a range"},
		{"labels", "list,label,scientific,rank\nbirds,7,Morus,species", `0 taxa are called "Morus"`},
		{"genera_birds", "genus,family,order,class,phylum\nMorus,Sulidae,Suliformes,Aves,Vertebrata", `phylum "Vertebrata"`},
		{"genera_birds", "genus,family,order,class,phylum\nMorus,Sulidae,Suliformes,Aves,Chordata\nSula,Sulidae,Pelecaniformes,Aves,Chordata", "not in order"},
		{"clades", "scientific,rank,parent,members\nTerrabacteria,family,Suliformes,Bombycidae", "cannot move"},
		{"clades", "scientific,rank,parent,members\nBombycoidea,class,Lepidoptera,", "cannot be in"},
		{"clades", "scientific,rank,parent,members\nBombycoidea,cohort,Lepidoptera,", `unknown rank "cohort"`},
		{"higher", "scientific,english,rank\nMorus bassanus,Booby,species", "already called"},
		{"german", "scientific,german\nMorus bassanus,Basstölpel\nMorus bassanus,Tölpel", "german.tsv:3"},
		{"german", "scientific,german\nMorus alba,", "one German name is wanted"},
		{"german", "scientific,german\nMorus,Maulbeeren", `2 taxa are called "Morus"`},
	} {
		_, err := readTree(small(map[string]string{test.table: test.text}))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %q: error %v, want %q", test.table, test.text, err, test.want)
		}
	}
}

func TestRenamedTaxonKeepsItsID(t *testing.T) {
	tree, err := readTree(small(nil))
	if err != nil {
		t.Fatal(err)
	}
	register := &ids{byKey: map[key]int64{{"Sula bassana", Species, "Animalia"}: 12}, max: 12}
	missing := register.assign(tree.nodes)
	register.extend(missing)
	gannet, err := tree.find("Morus bassanus")
	if err != nil {
		t.Fatal(err)
	}
	if gannet.id != 12 {
		t.Errorf("the gannet has the id %d, want 12", gannet.id)
	}
	for _, n := range missing {
		if n.id <= 12 {
			t.Errorf("%v got the id %d, which is not new", n.key, n.id)
		}
	}
}
