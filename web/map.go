package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// mapColours is how many colours, each with a shape of its own, the map has; what is
// left over shares one more.
const mapColours = 8

// mapLevel is what the colours of the map stand for.
type mapLevel string

func mapLevels() []templates.Option {
	return []templates.Option{{Value: "group", Label: "Group"}, {Value: "class", Label: "Class"}, {Value: "order", Label: "Order"},
		{Value: "family", Label: "Family"}, {Value: "name", Label: "Name"}}
}

// levelOf is the level asked for, the groups if none is.
func levelOf(query url.Values) (mapLevel, error) {
	by := cmp.Or(query.Get("by"), "group")
	if !slices.ContainsFunc(mapLevels(), func(o templates.Option) bool { return o.Value == by }) {
		return "", identify.Errorf(identify.Invalid, "by", "The map has no such colours. Choose group, class, order, family or name.")
	}
	return mapLevel(by), nil
}

// of is what a name is coloured as.
func (l mapLevel) of(t identify.MapTaxon) string {
	switch l {
	case "class":
		return t.Class
	case "order":
		return t.Order
	case "family":
		return t.Family
	case "name":
		return t.Taxon.Label()
	}
	return capital(groupWords(t.Taxon.Group))
}

// coloured is the legend of a map, and the colour of each name in its Taxa.
func coloured(m identify.MemoryMap, level mapLevel) (legend []templates.MapLegend, colour []int) {
	counts := map[string]int{}
	for _, t := range m.Taxa {
		counts[level.of(t)] += t.Count
	}
	rest := counts[""] // what has no such rank, and whatever does not get a colour
	delete(counts, "")
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	index := map[string]int{}
	for i, word := range words {
		if i < mapColours {
			index[word] = i
			legend = append(legend, templates.MapLegend{Index: i, Name: word, Count: number(counts[word])})
			continue
		}
		rest += counts[word]
	}
	if rest > 0 {
		legend = append(legend, templates.MapLegend{Index: mapColours, Name: "Others", Count: number(rest)})
	}
	for _, t := range m.Taxa {
		c, has := index[level.of(t)]
		if !has {
			c = mapColours
		}
		colour = append(colour, c)
	}
	return legend, colour
}

// memoryMap is the page of the map.
func (s *site) memoryMap(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	level, err := levelOf(query)
	if err != nil {
		return err
	}
	m, err := s.Gallery.Map(r.Context())
	if err != nil {
		return err
	}
	v := url.Values{"by": {string(level)}}
	x := templates.MapPage{Empty: len(m.Points) == 0, Working: m.Working, Summary: mapSummary(m), Fresh: mapFreshness(m),
		Points: "/memory/map/points?" + v.Encode(), Picture: "/memory/map/drawing.svg?" + v.Encode(), Dark: "/memory/map/drawing.svg?dark=1&" + v.Encode()}
	for _, o := range mapLevels() {
		o.Selected = o.Value == string(level)
		x.Levels = append(x.Levels, o)
	}
	x.Legend, _ = coloured(m, level)
	for i, c := range m.Clusters {
		x.Clusters = append(x.Clusters, clusterOf(c, i, v))
	}
	if chosen, err := strconv.Atoi(query.Get("cluster")); err == nil && chosen >= 1 && chosen <= len(m.Clusters) {
		c := m.Clusters[chosen-1]
		x.Chosen = &x.Clusters[chosen-1]
		x.List = clusterThumbs(m, c)
	}
	page := s.page(r, "Map of the memory", "memory")
	page.Styles, page.Scripts = []string{"memory.css", "map.css"}, []string{"map.js"}
	return s.render(w, r, http.StatusOK, templates.Map(page, x))
}

func mapSummary(m identify.MemoryMap) string {
	if len(m.Points) < m.All && m.All > 0 {
		return fmt.Sprintf("%s of %s exemplars, evenly spread.", number(len(m.Points)), number(m.All))
	}
	return capital(plural(len(m.Points), "exemplar", "exemplars")) + "."
}

func mapFreshness(m identify.MemoryMap) string {
	if m.At.IsZero() || m.Seq == m.Now {
		return ""
	}
	if m.Working {
		return "A newer map is being drawn."
	}
	return plural(int(m.Now-m.Seq), "event", "events") + " since are not on it yet."
}

func clusterOf(c identify.MapCluster, i int, v url.Values) templates.MapCluster {
	name := "Withdrawn since"
	for n, t := range c.Taxa {
		switch {
		case n == 0:
			name = t.Label
		case n == 1:
			name += ", " + t.Label
		case n == 2:
			name += " and " + plural(len(c.Taxa)-2, "other name", "other names")
		}
	}
	link := url.Values{"by": v["by"], "cluster": {strconv.Itoa(i + 1)}}
	return templates.MapCluster{Name: name, Place: placeOnMap(c.X, c.Y), Count: plural(c.Size, "exemplar", "exemplars"),
		Link: "/memory/map?" + link.Encode() + "#cluster", X: strconv.Itoa(c.X), Y: strconv.Itoa(c.Y), R: strconv.Itoa(c.Radius)}
}

// placeOnMap says where on the map something is, by thirds.
func placeOnMap(x, y int) string {
	third := func(v int) int { return max(0, min(2, 3*v/identify.MapSide)) }
	rows, columns := [...]string{"top", "", "bottom"}, [...]string{"left", "", "right"}
	switch row, column := rows[third(y)], columns[third(x)]; {
	case row == "" && column == "":
		return "in the middle"
	case row == "":
		return column
	case column == "":
		return row
	default:
		return row + " " + column
	}
}

// clusterShown is how many exemplars of a cluster are shown.
const clusterShown = 24

// clusterThumbs are the exemplars of a cluster nearest to its middle.
func clusterThumbs(m identify.MemoryMap, c identify.MapCluster) []templates.Thumb {
	far := func(i int) int {
		p := m.Points[i]
		return (p.X-c.X)*(p.X-c.X) + (p.Y-c.Y)*(p.Y-c.Y)
	}
	members := slices.SortedFunc(slices.Values(c.Members), func(a, b int) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	var out []templates.Thumb
	for _, i := range members[:min(clusterShown, len(members))] {
		p := m.Points[i]
		t := m.Taxa[p.Taxon].Taxon
		out = append(out, templates.Thumb{Link: observationPath(p.Observation), Name: t.Label(), Scientific: unlike(t.ScientificName, t.Label()),
			Taught: true, Status: "Taught", Photo: templates.Photo{Observation: int64(p.Observation), Missing: !p.HasPhoto}})
	}
	return out
}
