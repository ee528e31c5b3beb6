package exchange

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// preview is a JPEG of 16 × 12 pixels.
func preview() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 12)), nil); err != nil {
		panic(err) // a picture in memory always encodes
	}
	return b.Bytes()
}

// unzip reads the members of an archive.
func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if _, twice := members[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		members[f.Name] = string(text)
	}
	return members
}

// golden compares texts of an archive with the files of a folder of testdata.
func golden(t *testing.T, folder string, members map[string]string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join("testdata", folder, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(members[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if members[name] != string(want) {
			t.Errorf("%s differs (run with -update if that is meant):\n%s", path, members[name])
		}
	}
}

func written(t *testing.T, write func(w io.Writer) error) []byte {
	t.Helper()
	var a, b bytes.Buffer
	for _, w := range []io.Writer{&a, &b} {
		if err := write(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two exports of one state differ")
	}
	return a.Bytes()
}

func dwca(t *testing.T, photos bool) []byte {
	return written(t, func(w io.Writer) error { return WriteDwCA(t.Context(), w, someRecords(), someDataset(photos)) })
}

func TestWriteDwCA(t *testing.T) {
	data := dwca(t, true)
	members := unzip(t, data)
	golden(t, "dwca", members, "meta.xml", "eml.xml", "occurrence.txt", "multimedia.txt", "identification.txt")
	if err := CheckDwCA(bytes.NewReader(data), int64(len(data))); err != nil {
		t.Error(err)
	}
	// Photos of the sparrow, of the orchid (its preview) and of what has no name;
	// not of the pot.
	const rest = "23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	want := []string{"eml.xml", "identification.txt", "meta.xml", "multimedia.txt", "occurrence.txt",
		"photos/aa" + rest + "-stripped.jpg", "photos/bb" + rest + "-preview.jpg", "photos/cc" + rest + "-stripped.jpg"}
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
		t.Errorf("members %q, want %q", got, want)
	}
	for name, text := range unzip(t, dwca(t, false)) {
		if strings.HasPrefix(name, "photos/") || name == "multimedia.txt" && !strings.Contains(text, "ni:///sha-256;") {
			t.Errorf("%s is there without photos: %.200s", name, text)
		}
	}
}

// readDwCA reads an archive as a program does that knows the text guide and
// nothing of the writer: rows by term, of the core and of each extension.
func readDwCA(t *testing.T, data []byte) map[string][]map[string]string {
	t.Helper()
	type file struct {
		RowType  string `xml:"rowType,attr"`
		Skip     int    `xml:"ignoreHeaderLines,attr"`
		Comma    string `xml:"fieldsTerminatedBy,attr"`
		Location string `xml:"files>location"`
		ID       struct {
			Index int `xml:"index,attr"`
		} `xml:"id"`
		CoreID struct {
			Index int `xml:"index,attr"`
		} `xml:"coreid"`
		Fields []struct {
			Index int    `xml:"index,attr"`
			Term  string `xml:"term,attr"`
		} `xml:"field"`
	}
	var meta struct {
		XMLName    xml.Name `xml:"http://rs.tdwg.org/dwc/text/ archive"`
		Core       file     `xml:"core"`
		Extensions []file   `xml:"extension"`
	}
	members := unzip(t, data)
	if err := xml.Unmarshal([]byte(members["meta.xml"]), &meta); err != nil {
		t.Fatal(err)
	}
	all := map[string][]map[string]string{}
	for _, f := range append(meta.Extensions, meta.Core) {
		in := csv.NewReader(strings.NewReader(members[f.Location]))
		in.Comma = rune(f.Comma[0])
		lines, err := in.ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", f.Location, err)
		}
		for _, line := range lines[f.Skip:] {
			row := map[string]string{"id": line[f.ID.Index+f.CoreID.Index]}
			for _, x := range f.Fields {
				row[x.Term[strings.LastIndex(x.Term, "/")+1:]] = line[x.Index]
			}
			kind := f.RowType[strings.LastIndex(f.RowType, "/")+1:]
			all[kind] = append(all[kind], row)
		}
	}
	return all
}

func TestASecondReaderOpensDwCA(t *testing.T) {
	rows := readDwCA(t, dwca(t, false))
	// Of five observations one is of no organism. Three have photos. Of the five
	// identifications one is the pot's.
	if o, m, i := len(rows["Occurrence"]), len(rows["Multimedia"]), len(rows["Identification"]); o != 4 || m != 3 || i != 4 {
		t.Fatalf("%d occurrences, %d photos, %d identifications; want 4, 3, 4", o, m, i)
	}
	check := func(row map[string]string, want map[string]string) {
		t.Helper()
		for term, value := range want {
			if row[term] != value {
				t.Errorf("%s is %q, want %q", term, row[term], value)
			}
		}
	}
	// Version 5 of RFC 9562 for "observation/7" in the namespace of the instance,
	// by Python's uuid.uuid5.
	const sparrow = "urn:uuid:2ffaacc3-347a-567a-8f5e-dd6b913105a3"
	check(rows["Occurrence"][0], map[string]string{"id": sparrow, "occurrenceID": sparrow, "basisOfRecord": "HumanObservation",
		"eventDate": "2026-05-03T07:30:00+02:00", "decimalLatitude": "-12.3", "geodeticDatum": "EPSG:4326", "coordinateUncertaintyInMeters": "",
		"scientificName": "Passer domesticus", "genus": "Passer", "kingdom": "Animalia", "family": "", "identifiedBy": "Ann",
		"license": "http://creativecommons.org/licenses/by/4.0/legalcode", "occurrenceRemarks": `=HYPERLINK("http://x") second line`})
	check(rows["Occurrence"][1], map[string]string{"decimalLatitude": "48.15", "decimalLongitude": "11.55", "coordinateUncertaintyInMeters": "6690",
		"dataGeneralizations":   "Coordinates are the middle of a square of 0.1 degrees: the taxon is sensitive.",
		"informationWithheld":   "Exact coordinates and the photo in full, whose metadata may have them. Ask who runs this Fieldmark.",
		"eventDate":             "",
		"scientificName":        "Cypripedium calceolus",
		"rightsHolder":          "",
		"identificationRemarks": ""})
	check(rows["Occurrence"][2], map[string]string{"scientificName": "incertae sedis", "taxonID": "", "identificationVerificationStatus": "not identified"})
	check(rows["Identification"][0], map[string]string{"id": sparrow, "scientificName": "Passer montanus", "identifiedBy": "-Bob",
		"identificationVerificationStatus": "withdrawn", "identificationRemarks": "withdrawn 2026-05-03T06:30:00Z"})
	check(rows["Identification"][1], map[string]string{"identificationVerificationStatus": "current", "identificationRemarks": "picked from what the program suggested"})
	check(rows["Multimedia"][0], map[string]string{"id": sparrow, "type": "StillImage", "format": "image/jpeg", "title": "House Sparrow",
		"rightsHolder": `Ann "A." O'Hara, Ltd`})
}

func TestWriteCOCO(t *testing.T) {
	members := unzip(t, written(t, func(w io.Writer) error { return WriteCOCO(t.Context(), w, someRecords(), someDataset(true)) }))
	golden(t, "coco", members, "annotations.json")
	var read struct {
		Info   struct{ Version, Description string }
		Images []struct {
			ID, Datetime, Location string
			FileName               string `json:"file_name"`
			Width, Height          int
		}
		Annotations []struct {
			ID         string
			ImageID    string `json:"image_id"`
			CategoryID int    `json:"category_id"`
		}
		Categories []struct {
			ID   int
			Name string
		}
	}
	if err := json.Unmarshal([]byte(members["annotations.json"]), &read); err != nil {
		t.Fatal(err)
	}
	// Four have photos; of these three have a name that stands. The sparrow's other
	// name was withdrawn. The orchid's picture is the preview, 16 × 12.
	if len(read.Images) != 4 || len(read.Annotations) != 3 || len(read.Categories) != 4 || read.Categories[0].ID != 0 || read.Categories[0].Name != "empty" {
		t.Errorf("%+v", read)
	}
	images := map[string]bool{}
	for _, x := range read.Images {
		images[x.ID] = true
		if _, there := members[x.FileName]; !there {
			t.Errorf("the photo %s is not in the archive", x.FileName)
		}
	}
	if x := read.Images[1]; x.Width != 16 || x.Height != 12 || x.Location != "48.15,11.55" {
		t.Errorf("the orchid: %+v", x)
	}
	if x := read.Images[0]; x.Datetime != "2026-05-03 07:30:00" || x.Width != 640 {
		t.Errorf("the sparrow: %+v", x)
	}
	for _, a := range read.Annotations {
		known := slices.ContainsFunc(read.Categories, func(c struct {
			ID   int
			Name string
		}) bool {
			return c.ID == a.CategoryID
		})
		if !images[a.ImageID] || !known {
			t.Errorf("annotation %+v is of no image, or of no category", a)
		}
	}
}

func TestWriteFiftyOne(t *testing.T) {
	members := unzip(t, written(t, func(w io.Writer) error { return WriteFiftyOne(t.Context(), w, someRecords(), someDataset(true)) }))
	golden(t, "fiftyone", members, "labels.json")
	var read struct {
		Classes []string
		Labels  map[string]struct {
			Label      string
			Attributes map[string]any
		}
	}
	if err := json.Unmarshal([]byte(members["labels.json"]), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Labels) != 3 || read.Labels["observation-7"].Label != "House Sparrow" || len(members) != 4 {
		t.Errorf("%+v, %d members", read, len(members))
	}
	for stem := range read.Labels {
		if _, there := members["data/"+stem+".jpg"]; !there {
			t.Errorf("%s has a label and no photo", stem)
		}
	}
}

func TestPhotosAreThereOnce(t *testing.T) {
	src := someRecords()
	again := src.records[0]
	again.ID = 70
	src.records = append(src.records, again)
	var b bytes.Buffer
	if err := WriteCOCO(t.Context(), &b, src, someDataset(true)); err != nil {
		t.Fatal(err)
	}
	unzip(t, b.Bytes()) // fails for what is there twice
}
