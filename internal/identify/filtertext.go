package identify

import (
	"strconv"
	"strings"
	"time"
)

// FilterNames are what ReadFilter asks for: the same in addresses, in the API and
// on the command line (there with dashes).
func FilterNames() []string {
	return []string{"taxon_id", "label_set", "status", "state", "identified_by", "observer_id", "import_id",
		"from", "to", "taught_from", "taught_to", "bbox", "near", "within_km", "license", "q"}
}

// ReadFilter makes a filter of the texts that get returns by name, "" for none.
// Errors name the text that is wrong.
func ReadFilter(get func(name string) string) (ObservationFilter, error) {
	r := filterReader{get: get}
	f := ObservationFilter{Status: get("status"), License: strings.TrimSpace(get("license")), Query: strings.TrimSpace(get("q"))}
	f.Taxon = TaxonID(r.id("taxon_id"))
	f.LabelSet = LabelSetID(r.id("label_set"))
	f.Observer = UserID(r.id("observer_id"))
	f.Import = ImportID(r.id("import_id"))
	f.From, f.To = r.time("from", 0), r.time("to", 1)
	f.Said = IdentificationFilter{By: UserID(r.id("identified_by")), State: get("state"),
		From: r.time("taught_from", 0), To: r.time("taught_to", 1)}
	if x := r.degrees("bbox", 4, "Write the box as west,south,east,north in degrees: 11.3,48.0,11.8,48.3."); x != nil {
		f.Box = &Box{West: x[0], South: x[1], East: x[2], North: x[3]}
	}
	if x := r.degrees("near", 2, "Write the place as latitude,longitude in degrees: 48.137,11.575."); x != nil {
		f.Near = &Circle{Latitude: x[0], Longitude: x[1], Km: 10}
		if km := r.degrees("within_km", 1, "Write the distance as a number of kilometres: 10."); km != nil {
			f.Near.Km = km[0]
		}
	} else if get("within_km") != "" && r.err == nil {
		r.err = Errorf(Invalid, "near", "Say near which place, as latitude,longitude in degrees: 48.137,11.575.")
	}
	if r.err != nil {
		return ObservationFilter{}, r.err
	}
	return f, f.check()
}

// filterReader keeps the first error.
type filterReader struct {
	get func(name string) string
	err error
}

func (r *filterReader) refuse(name, format string, args ...any) {
	if r.err == nil {
		r.err = Errorf(Invalid, name, format, args...)
	}
}

func (r *filterReader) id(name string) int64 {
	text := r.get(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		r.refuse(name, "%s is a whole number from 1.", name)
	}
	return id
}

// time reads a time, or a day, to whose beginning plus days are added: photos
// mostly say when they were taken without a time zone, which is kept as if it
// were UTC, and so days are UTC's too.
func (r *filterReader) time(name string, plus int) *time.Time {
	text := r.get(name)
	if text == "" {
		return nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() >= 1000 {
		t = t.AddDate(0, 0, plus)
		return &t
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.Year() >= 1000 {
		return &t
	}
	r.refuse(name, "Write the time as 2026-05-03T14:30:00+02:00, or the day as 2026-05-03.")
	return nil
}

// degrees reads n numbers with commas between them.
func (r *filterReader) degrees(name string, n int, how string) []float64 {
	text := r.get(name)
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	list := make([]float64, len(parts))
	for i, p := range parts {
		var err error
		if list[i], err = strconv.ParseFloat(strings.TrimSpace(p), 64); err != nil || len(parts) != n {
			r.refuse(name, "%s", Noticef(how))
			return nil
		}
	}
	return list
}
