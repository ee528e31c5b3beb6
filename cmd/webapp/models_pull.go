package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"

	"fieldmark/internal/catalogue"
)

// pullFlags are what `models pull` can be told.
type pullFlags struct {
	accept bool
	mirror string
}

func runModelsPull(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	var p pullFlags
	fs := flagSet("models pull", stderr)
	c.register(fs)
	fs.BoolVar(&p.accept, "accept-license", false, "you have read the encoder's licence and accept it")
	fs.StringVar(&p.mirror, "mirror", "", "`address` to download from instead of the publisher's host, such as https://mirror.example")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp models pull [NAME] [flags]\n"+
			"Downloads an encoder of the catalogue and adds it; without a name it lists the catalogue. What was broken off\n"+
			"goes on where it was. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are obeyed.")
		fs.PrintDefaults()
	}
	operands, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	all, err := catalogue.Entries()
	if err != nil {
		return err
	}
	switch len(operands) {
	case 0:
		return listCatalogue(stdout, all)
	case 1:
	default:
		return fmt.Errorf("%w: name one encoder", errUsage)
	}
	for _, e := range all {
		if e.Name == operands[0] {
			if e, err = p.from(e); err != nil {
				return err
			}
			return pull(ctx, c, e, p.accept, stdout, stderr)
		}
	}
	return fmt.Errorf("%w: the catalogue has no %q; `webapp models pull` lists it", errUsage, operands[0])
}

// from lets the files come from the mirror that was named.
func (p pullFlags) from(e catalogue.Entry) (catalogue.Entry, error) {
	if p.mirror == "" {
		return e, nil
	}
	mirror, err := url.Parse(p.mirror)
	if err != nil || mirror.Host == "" || mirror.Scheme != "http" && mirror.Scheme != "https" {
		return e, fmt.Errorf("%w: --mirror %q: an address begins with https:// or http://", errUsage, p.mirror)
	}
	e.Files = append([]catalogue.File(nil), e.Files...)
	for i, f := range e.Files {
		u, err := url.Parse(f.URL)
		if err != nil {
			return e, err
		}
		e.Files[i].URL = mirror.JoinPath(u.Path).String()
	}
	return e, nil
}

func listCatalogue(stdout io.Writer, all []catalogue.Entry) error {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tTITLE\tNUMBERS\tMB\tLICENCE")
	for _, e := range all {
		licence := e.License.Name
		if e.License.Note != "" {
			licence += " (" + e.License.Note + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%s\n", e.Name, e.Title, e.Dim, float64(e.Size())/1e6, licence)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, "\nNothing is downloaded until you name one: webapp models pull NAME. None of these was tried by Fieldmark's authors;\n"+
		"what could not be confirmed of one is said when it is pulled.")
	return err
}

// describe says what is about to be downloaded, and under what licence.
func describe(w io.Writer, e catalogue.Entry) {
	fmt.Fprintf(w, "%s: %s, %.0f MB\nlicence: %s (%s)\n", e.Name, e.Title, float64(e.Size())/1e6, e.License.Name, e.License.URL)
	if e.License.Note != "" {
		fmt.Fprintln(w, "  it allows use "+e.License.Note)
	}
	for _, u := range e.Unconfirmed {
		fmt.Fprintln(w, "not confirmed: "+u)
	}
}
