package main

import (
	"context"

	"fieldmark/internal/identify"
)

// library is the encoders of a data folder, as the domain wants them.
type library struct{ config Config }

var _ identify.Encoders = library{}

// Installed implements identify.Encoders.
func (l library) Installed() ([]identify.InstalledEncoder, error) {
	all, err := installedModels(l.config.Data)
	if err != nil {
		return nil, err
	}
	list := make([]identify.InstalledEncoder, len(all))
	for i, m := range all {
		list[i] = m.describe()
	}
	return list, nil
}

func (m installed) describe() identify.InstalledEncoder {
	x := identify.InstalledEncoder{Model: m.name, Title: m.manifest.Title, License: m.manifest.License,
		Digest: m.manifest.Digest(), Dim: m.manifest.Dim, Bytes: m.manifest.Bytes()}
	if m.fault != nil {
		x.Fault = identify.Noticef("its manifest cannot be used (%v)", m.fault)
	}
	return x
}

// Open implements identify.Encoders.
func (l library) Open(_ context.Context, model string) (identify.OpenEncoder, error) {
	c := l.config
	c.Model = model
	e, err := openEncoder(c)
	if err != nil {
		return nil, err // a nil *encoder must not become an OpenEncoder
	}
	return e, nil
}
