package exchange

import (
	"fieldmark/internal/identify"
)

// npzArrays are the arrays with a row for each exemplar, while they are read
// side by side.
type npzArrays struct {
	embeddings, labels *npyArray
	taxa, observations *npyArray // nil where there is none
}

// open opens the arrays at their first rows. Close what it returns.
func (z *NPZ) open() (*npzArrays, error) {
	arrays := &npzArrays{}
	for _, x := range []struct {
		name string
		into **npyArray
	}{
		{arrayEmbeddings, &arrays.embeddings}, {arrayLabels, &arrays.labels},
		{arrayTaxa, &arrays.taxa}, {arrayObservations, &arrays.observations},
	} {
		if z.members[x.name] == nil {
			continue
		}
		a, err := openArray(z.members[x.name], x.name)
		if err != nil {
			arrays.close()
			return nil, err
		}
		*x.into = a
	}
	return arrays, nil
}

func (a *npzArrays) all() []*npyArray {
	var list []*npyArray
	for _, x := range []*npyArray{a.embeddings, a.labels, a.taxa, a.observations} {
		if x != nil {
			list = append(list, x)
		}
	}
	return list
}

// close gives up what only was read: an error can no longer matter.
func (a *npzArrays) close() {
	for _, x := range a.all() {
		_ = x.close()
	}
}

// Each visits the rows in order. The arrays' checksums are compared after the
// last one, so an error may come when all rows have been visited.
func (z *NPZ) Each(visit func(identify.EmbeddingRow) error) error {
	arrays, err := z.open()
	if err != nil {
		return err
	}
	defer arrays.close()
	row := identify.EmbeddingRow{Embedding: make([]float32, z.dim)}
	for row.Row = range z.rows {
		if err := arrays.read(&row); err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	for _, a := range arrays.all() {
		if err := a.finish(); err != nil {
			return err
		}
	}
	return nil
}

// read reads the next row of each array.
func (a *npzArrays) read(row *identify.EmbeddingRow) error {
	row.Problem, row.Taxon, row.Ref = nil, 0, ""
	if err := a.embeddings.vector(row.Embedding); err != nil {
		return err
	}
	var ok bool
	raw, err := a.labels.bytes(1)
	if err != nil {
		return err
	}
	if row.Label, ok = a.labels.string(raw); !ok {
		row.Problem = badRow("its label is not valid text")
	}
	if a.taxa != nil {
		if raw, err = a.taxa.bytes(1); err != nil {
			return err
		}
		id, ok := a.taxa.integer(raw)
		if row.Taxon = identify.TaxonID(id); !ok || id < 0 {
			row.Taxon = 0
		}
	}
	if a.observations != nil {
		if raw, err = a.observations.bytes(1); err != nil {
			return err
		}
		if row.Ref, ok = a.observations.string(raw); !ok {
			row.Problem = badRow("its observation_id is not valid text")
		}
	}
	return nil
}
