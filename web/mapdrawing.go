package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// mapData is the map for map.js, by columns: compact, and soon read. Indices go from
// 0; side is that of the square that x and y are in.
type mapData struct {
	Side   int      `json:"side"`
	Legend []string `json:"legend"` // by colour; the colour mapColours stands for all others
	Names  []string `json:"names"`
	Colour []int    `json:"colour"` // of each name
	X      []int    `json:"x"`
	Y      []int    `json:"y"`
	Name   []int    `json:"name"` // of each point
	ID     []int64  `json:"id"`   // of each point's observation
	Bare   []int    `json:"bare"` // points without a photo
}

// mapPoints sends the points to map.js.
func (s *site) mapPoints(w http.ResponseWriter, r *http.Request) error {
	level, err := levelOf(r.URL.Query())
	if err != nil {
		return err
	}
	m, err := s.Gallery.Map(r.Context())
	if err != nil {
		return err
	}
	legend, colour := coloured(r.Context(), m, level)
	d := mapData{Side: identify.MapSide, Legend: make([]string, mapColours+1), Names: []string{}, Colour: colour, X: []int{}, Y: []int{}, Name: []int{}, ID: []int64{}, Bare: []int{}}
	for _, l := range legend {
		d.Legend[l.Index] = l.Name
	}
	for _, t := range m.Taxa {
		d.Names = append(d.Names, nameOf(r.Context(), t.Taxon))
	}
	for i, p := range m.Points {
		d.X, d.Y, d.Name, d.ID = append(d.X, p.X), append(d.Y, p.Y), append(d.Name, p.Taxon), append(d.ID, int64(p.Observation))
		if !p.HasPhoto {
			d.Bare = append(d.Bare, i)
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("map: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	// The reader has gone if this fails: there is nobody to tell.
	_, _ = w.Write(text)
	return nil
}

// Colours of the drawing, as map.css has them: told apart by those who see few
// colours, after Okabe and Ito's palette, and dark or light enough on either paper.
func drawingColours(dark bool) [mapColours + 1]string {
	if dark {
		return [...]string{"#56b4e9", "#f08a4b", "#4fd1a5", "#e79bc4", "#e6c229", "#b9a3f0", "#d8d3c0", "#c77f5a", "#7b7d6c"}
	}
	return [...]string{"#0063a0", "#b84a00", "#00775a", "#a23b75", "#806600", "#5b3fa8", "#22251e", "#7a3b1e", "#8d8a7a"}
}

// shape is the path of a dot about the origin, one for each colour.
func shape(colour int) string {
	return [...]string{
		"m-45 0a45 45 0 1 0 90 0a45 45 0 1 0-90 0z",      // disc
		"m-40-40h80v80h-80z",                             // square
		"m0-52l50 90h-100z",                              // triangle
		"m0-56l50 56l-50 56l-50-56z",                     // diamond
		"m0 52l50-90h-100z",                              // triangle on its tip
		"m-16-50h32v34h34v32h-34v34h-32v-34h-34v-32h34z", // plus
		"m-50-16h100v32h-100z",                           // bar
		"m-16-50h32v100h-32z",                            // upright bar
		"m-24 0a24 24 0 1 0 48 0a24 24 0 1 0-48 0z",      // small disc
	}[colour]
}

// drawnMost is how many dots the drawing has at most.
const drawnMost = 5000

// mapDrawing is the map as a picture, for those without JavaScript.
func (s *site) mapDrawing(w http.ResponseWriter, r *http.Request) error {
	level, err := levelOf(r.URL.Query())
	if err != nil {
		return err
	}
	m, err := s.Gallery.Map(r.Context())
	if err != nil {
		return err
	}
	_, colour := coloured(r.Context(), m, level)
	var paths [mapColours + 1]strings.Builder
	stride := max(1, (len(m.Points)+drawnMost-1)/drawnMost)
	for i := 0; i < len(m.Points); i += stride {
		p := m.Points[i]
		c := colour[p.Taxon]
		fmt.Fprintf(&paths[c], "M%d %d%s", p.X, p.Y, shape(c))
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "no-store")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="1000" height="1000"><title>%s</title>`, identify.MapSide, identify.MapSide,
		html.EscapeString(words.T(r.Context(), "Map of the memory")))
	for c, fill := range drawingColours(r.URL.Query().Get("dark") != "") {
		if paths[c].Len() > 0 {
			fmt.Fprintf(w, `<path fill="%s" fill-opacity=".8" d="%s"/>`, fill, paths[c].String())
		}
	}
	_, _ = fmt.Fprint(w, `</svg>`)
	return nil
}
