package vocabulary

import (
	"fmt"
	"io/fs"
)

// readGroups reads the groups, in the order in which they are shown.
func (t *tree) readGroups(fsys fs.FS) error {
	rows, err := readTable(fsys, "groups", "key", "name", "kingdoms")
	if err != nil {
		return err
	}
	for _, r := range rows {
		t.groups = append(t.groups, group{Group{r.get("key"), r.get("name")}, r.list("kingdoms")})
	}
	return nil
}

// readPhyla reads the kingdom of every phylum.
func (t *tree) readPhyla(fsys fs.FS) error {
	rows, err := readTable(fsys, "phyla", "phylum", "kingdom")
	if err != nil {
		return err
	}
	for _, r := range rows {
		kingdom, phylum := r.get("kingdom"), r.get("phylum")
		t.kingdoms[phylum] = kingdom
		top, err := t.add(key{kingdom, Kingdom, kingdom}, nil)
		if err != nil {
			return r.errorf("%w", err)
		}
		if _, err := t.add(key{phylum, Phylum, kingdom}, top); err != nil {
			return r.errorf("%w", err)
		}
	}
	return nil
}

// readGenera reads the lineages of all genera. A genus may be in several
// tables if they agree about it.
func (t *tree) readGenera(fsys fs.FS) error {
	for _, name := range []string{"genera_birds", "genera_insects", "genera_others"} {
		rows, err := readTable(fsys, name, "genus", "family", "order", "class", "phylum")
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := t.addGenus(r); err != nil {
				return r.errorf("%w", err)
			}
		}
	}
	return nil
}

func (t *tree) addGenus(r row) error {
	kingdom := t.kingdoms[r.get("phylum")]
	parent := t.byKey[key{r.get("phylum"), Phylum, kingdom}]
	if parent == nil {
		return fmt.Errorf("phylum %q is not in data/phyla.tsv", r.get("phylum"))
	}
	for _, rank := range []Rank{Class, Order, Family, Genus} {
		n, err := t.add(key{r.get(string(rank)), rank, kingdom}, parent)
		if err != nil {
			return err
		}
		parent = n
	}
	return nil
}

// readClades reads the taxa above genus that the genera's lineages do not
// give: families of which the lists name no species, and clades between the
// main ranks, such as the butterflies (superfamily Papilionoidea). A clade
// takes its members from its parent.
func (t *tree) readClades(fsys fs.FS) error {
	rows, err := readTable(fsys, "clades", "scientific", "rank", "parent", "members")
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := t.addClade(r); err != nil {
			return r.errorf("%w", err)
		}
	}
	return nil
}

func (t *tree) addClade(r row) error {
	parent, err := t.find(r.get("parent"))
	if err != nil {
		return err
	}
	if Rank(r.get("rank")).Depth() < 0 {
		return fmt.Errorf("unknown rank %q", r.get("rank"))
	}
	clade, err := t.add(key{r.get("scientific"), Rank(r.get("rank")), parent.kingdom}, parent)
	if err != nil {
		return err
	}
	for _, name := range r.list("members") {
		member, err := t.find(name)
		if err != nil {
			return err
		}
		if member.parent != parent || member.rank.Depth() <= clade.rank.Depth() {
			return fmt.Errorf("%v cannot move from %v to %v", member.key, member.parent.key, clade.key)
		}
		member.parent = clade
	}
	return nil
}

// readHigher reads English names of higher taxa that no list has named.
func (t *tree) readHigher(fsys fs.FS) error {
	rows, err := readTable(fsys, "higher", "scientific", "english", "rank")
	if err != nil {
		return err
	}
	for _, r := range rows {
		n, err := t.find(r.get("scientific"), Rank(r.get("rank")))
		if err != nil {
			return r.errorf("%w", err)
		}
		if n.english != "" && n.english != r.get("english") {
			return r.errorf("%v is already called %q", n.key, n.english)
		}
		n.english = r.get("english")
	}
	return nil
}

// readGerman reads what taxa of any rank are called in German.
func (t *tree) readGerman(fsys fs.FS) error {
	rows, err := readTable(fsys, "german", "scientific", "german")
	if err != nil {
		return err
	}
	for _, r := range rows {
		n, err := t.find(r.get("scientific"))
		if err != nil {
			return r.errorf("%w", err)
		}
		if n.german != "" || r.get("german") == "" {
			return r.errorf("%v: one German name is wanted, there is %q and %q", n.key, n.german, r.get("german"))
		}
		n.german = r.get("german")
	}
	return nil
}
