package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// tellMerge says what taking a bundle in would do.
func tellMerge(w io.Writer, path string, p identify.MergePreview) {
	m := p.Manifest
	fmt.Fprintf(w, "%s: %s of %s, made on %s\n", filepath.Base(path), words.English("%d exemplars", m.Counts.Exemplars), m.Instance.Name, m.CreatedAt.Local().Format(time.DateTime))
	switch by := bundle.Grouped(p.Signer.Fingerprint); {
	case p.Signer.Own:
		fmt.Fprintf(w, "signed here: %s\n", by)
	case p.Signer.Name != "":
		fmt.Fprintf(w, "signed by %s: %s\n", p.Signer.Name, by)
	default:
		fmt.Fprintf(w, "signed by a key that nobody here knows: %s. Compare it with whoever sent the file\n", by)
	}
	if p.Resumes != nil {
		fmt.Fprintf(w, "import %d of this bundle was broken off after %s, and goes on there, with what was decided then\n", p.Resumes.ID, words.English("%d rows", p.Resumes.Done))
		return
	}
	if p.Reembed {
		fmt.Fprintf(w, "another encoder made it (%s): its photos are read anew\n", m.Encoder.Name)
	}
	fmt.Fprintf(w, "%d new", p.New)
	if !p.TakeNew {
		fmt.Fprint(w, " and left out")
	}
	fmt.Fprintf(w, ", %d known already", p.Known)
	for _, x := range []struct {
		rows int
		what string
	}{{p.Withdrawn, "withdrawn where they come from"}, {p.Unseen, "without a photo that could be read anew"}, {p.LeftTaxa, "left out with their names"}} {
		if x.rows > 0 {
			fmt.Fprintf(w, ", %d %s", x.rows, x.what)
		}
	}
	fmt.Fprintln(w)
	tellGroups(w, p.Groups)
	tellTaxa(w, p)
	fmt.Fprintf(w, "%d would be taught\n", p.Take())
}

func tellGroups(w io.Writer, groups []identify.MergeGroup) {
	for i, g := range groups {
		if i == shownLabels {
			fmt.Fprintf(w, "  … and another %s; --preview --json lists them all\n", words.English("%d groups", len(groups)-i))
			return
		}
		fmt.Fprintf(w, "  %s: %s\n", g.Key, groupLine(g))
	}
}

func groupLine(g identify.MergeGroup) string {
	line := fmt.Sprintf("%s there, %s here, of the same photo: %d", g.Theirs, g.Ours, g.Rows)
	switch g.Kind {
	case identify.NearPhoto:
		line = fmt.Sprintf("%s there, %s here, of photos that look the same: %d", g.Theirs, g.Ours, g.Rows)
	case identify.TakenBack:
		line = fmt.Sprintf("%s was withdrawn here: %d", g.Theirs, g.Rows)
	}
	switch {
	case !g.Take:
		return line + "; left out"
	case g.Kind == identify.TakenBack:
		return line + "; taught again"
	}
	return line + "; both will stand"
}

func tellTaxa(w io.Writer, p identify.MergePreview) {
	for i, q := range p.Taxa {
		if i == shownLabels {
			fmt.Fprintf(w, "  … and another %s; --preview --json lists them\n", words.English("%d names", len(p.Taxa)-i+p.MoreTaxa))
			return
		}
		what := "becomes a taxon here" + nearNames(q.Similar)
		switch {
		case q.Decision.Leave:
			what = "left out"
		case q.Decision.Taxon != 0:
			for _, t := range q.Similar {
				if t.ID == q.Decision.Taxon {
					what = "is " + t.Label()
				}
			}
		}
		fmt.Fprintf(w, "  %d: new name: %s, %s: %s\n", q.ID, q.Taxon.ScientificName, words.English("%d rows", q.Rows), what)
	}
}
