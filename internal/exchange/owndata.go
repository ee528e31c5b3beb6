package exchange

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	"fieldmark/internal/identify"
)

// WriteOwnData writes what is kept of a person, for that person: a zip of account.json;
// observations.csv, a row for each of their observations, with its photo in photos/ as it
// came; and identifications.csv, a row for each name that they gave, as WriteCSV has them.
func WriteOwnData(ctx context.Context, w io.Writer, account any, observed, said Source) error {
	out := newZipOut(w)
	err := out.text("account.json", func(w *bufio.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(account)
	})
	if err != nil {
		return err
	}
	err = out.text("observations.csv", func(w *bufio.Writer) error {
		return writeRows(ctx, w, observed, ofObservations(), func(identify.Record) []identify.Identification { return []identify.Identification{{}} })
	})
	if err != nil {
		return err
	}
	if err := out.text("identifications.csv", func(w *bufio.Writer) error { return WriteCSV(ctx, w, said) }); err != nil {
		return err
	}
	if err := out.photos(ctx, observed, dwcaPhoto); err != nil {
		return err
	}
	return out.close()
}

// ofObservations are the columns that are the same for all identifications.
func ofObservations() []column {
	var list []column
	for _, c := range columns() {
		switch c.name {
		case "identification_id", "taxon_id", "scientific_name", "english_name", "rank", "group", "identified_by", "identified_at",
			"from_suggestion", "withdrawn_at", "is_current", "given_taxon_id", "given_label":
		default:
			list = append(list, c)
		}
	}
	return list
}
