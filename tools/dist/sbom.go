package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
)

// The part of CycloneDX 1.6 that we write.
type (
	document struct {
		BOMFormat    string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		SerialNumber string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []part       `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component part `json:"component"`
	}
	part struct {
		Type     string    `json:"type"`
		BOMRef   string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		PURL     string    `json:"purl,omitempty"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Licenses []licence `json:"licenses,omitempty"`
	}
	hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	licence struct {
		Expression string `json:"expression"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// sbom writes the document. It has no time of its own and a serial number by its
// contents, so that the same release has the same document.
func sbom(w io.Writer, list []component, version, arch string) error {
	own := part{Type: "application", BOMRef: "fieldmark", Name: "fieldmark", Version: version,
		PURL: "pkg:generic/fieldmark@" + version + "?arch=" + arch + "&os=linux", Licenses: []licence{{"Apache-2.0"}}}
	d := document{BOMFormat: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{own}, Components: []part{}}
	all := dependency{Ref: own.BOMRef}
	for _, c := range list {
		p := part{Type: "library", BOMRef: c.PURL, Name: c.Name, Version: c.Version, PURL: c.PURL}
		if c.Algorithm != "" {
			p.Hashes = []hash{{c.Algorithm, c.Digest}}
		}
		if c.Licence != unknown {
			p.Licenses = []licence{{c.Licence}}
		}
		d.Components, all.DependsOn = append(d.Components, p), append(all.DependsOn, c.PURL)
	}
	d.Dependencies = []dependency{all}
	contents, err := json.Marshal(d)
	if err != nil {
		return err
	}
	d.SerialNumber = serial(sha256.Sum256(contents))
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// serial is a UUID of version 8 (RFC 9562: of the maker's own making).
func serial(sum [32]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
