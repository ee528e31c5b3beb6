package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// mapColours is how many colours, each with a shape of its own, the map has; what is
// left over shares one more.
const mapColours = 8

// mapLevel is what the colours of the map stand for.
type mapLevel string

func mapLevels() []mapLevel { return []mapLevel{"group", "class", "order", "family", "name"} }

// word is what a level is called.
func (l mapLevel) word(ctx context.Context) string {
	switch l {
	case "class", "order", "family":
		return capital(rankWord(ctx, identify.Rank(l)))
	case "name":
		return words.T(ctx, "Name")
	}
	return words.T(ctx, "Group")
}

// levelOf is the level asked for, the groups if none is.
func levelOf(query url.Values) (mapLevel, error) {
	by := mapLevel(cmp.Or(query.Get("by"), "group"))
	if !slices.Contains(mapLevels(), by) {
		return "", identify.Errorf(identify.Invalid, "by", "The map has no such colours. Choose group, class, order, family or name.")
	}
	return by, nil
}

// of is what a name is coloured as.
func (l mapLevel) of(ctx context.Context, t identify.MapTaxon) string {
	switch l {
	case "class":
		return calledOf(ctx, t.Class)
	case "order":
		return calledOf(ctx, t.Order)
	case "family":
		return calledOf(ctx, t.Family)
	case "name":
		return nameOf(ctx, t.Taxon)
	}
	return capital(groupWord(ctx, t.Taxon.Group))
}

// coloured is the legend of a map, and the colour of each name in its Taxa.
func coloured(ctx context.Context, m identify.MemoryMap, level mapLevel) (legend []templates.MapLegend, colour []int) {
	counts := map[string]int{}
	for _, t := range m.Taxa {
		counts[level.of(ctx, t)] += t.Count
	}
	rest := counts[""] // what has no such rank, and whatever does not get a colour
	delete(counts, "")
	names := slices.Collect(maps.Keys(counts))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	index := map[string]int{}
	for i, word := range names {
		if i < mapColours {
			index[word] = i
			legend = append(legend, templates.MapLegend{Index: i, Name: word, Count: words.Number(ctx, counts[word])})
			continue
		}
		rest += counts[word]
	}
	if rest > 0 {
		legend = append(legend, templates.MapLegend{Index: mapColours, Name: words.T(ctx, "Others"), Count: words.Number(ctx, rest)})
	}
	for _, t := range m.Taxa {
		c, has := index[level.of(ctx, t)]
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
	x := templates.MapPage{Empty: len(m.Points) == 0, Emptied: m.Now > 0, Working: m.Working, Summary: mapSummary(r.Context(), m), Fresh: mapFreshness(r.Context(), m),
		Points: "/memory/map/points?" + v.Encode(), Picture: "/memory/map/drawing.svg?" + v.Encode(), Dark: "/memory/map/drawing.svg?dark=1&" + v.Encode()}
	for _, l := range mapLevels() {
		x.Levels = append(x.Levels, templates.Option{Value: string(l), Label: l.word(r.Context()), Selected: l == level})
	}
	x.Legend, _ = coloured(r.Context(), m, level)
	for i, c := range m.Clusters {
		x.Clusters = append(x.Clusters, clusterOf(r.Context(), c, i, v))
	}
	if chosen, err := strconv.Atoi(query.Get("cluster")); err == nil && chosen >= 1 && chosen <= len(m.Clusters) {
		c := m.Clusters[chosen-1]
		x.Chosen = &x.Clusters[chosen-1]
		x.List = clusterThumbs(r.Context(), m, c)
	}
	page := s.page(r, words.T(r.Context(), "Map of the memory"), "memory")
	page.Styles, page.Scripts = []string{"memory.css", "map.css"}, []string{"map.js"}
	return s.render(w, r, http.StatusOK, templates.Map(page, x))
}

func mapSummary(ctx context.Context, m identify.MemoryMap) string {
	if len(m.Points) < m.All && m.All > 0 {
		return words.T(ctx, "%d of %d exemplars, evenly spread.", len(m.Points), m.All)
	}
	return words.T(ctx, "%d exemplars.", len(m.Points))
}

func mapFreshness(ctx context.Context, m identify.MemoryMap) string {
	if m.At.IsZero() || m.Seq == m.Now {
		return ""
	}
	if m.Working {
		return words.T(ctx, "A newer map is being drawn.")
	}
	return words.T(ctx, "%d events since are not on it yet.", int(m.Now-m.Seq))
}

func clusterOf(ctx context.Context, c identify.MapCluster, i int, v url.Values) templates.MapCluster {
	link := url.Values{"by": v["by"], "cluster": {strconv.Itoa(i + 1)}}
	return templates.MapCluster{Name: clusterName(ctx, c), Place: placeOnMap(ctx, c.X, c.Y), Count: words.T(ctx, "%d exemplars", c.Size),
		Link: "/memory/map?" + link.Encode() + "#cluster", X: strconv.Itoa(c.X), Y: strconv.Itoa(c.Y), R: strconv.Itoa(c.Radius)}
}

// clusterName calls a cluster by its most frequent names.
func clusterName(ctx context.Context, c identify.MapCluster) string {
	switch len(c.Taxa) {
	case 0:
		return words.T(ctx, "Withdrawn since")
	case 1:
		return called(ctx, c.Taxa[0].Taxon, c.Taxa[0].Label)
	}
	name := called(ctx, c.Taxa[0].Taxon, c.Taxa[0].Label) + ", " + called(ctx, c.Taxa[1].Taxon, c.Taxa[1].Label)
	if len(c.Taxa) > 2 {
		name += " " + words.T(ctx, "and %d other names", len(c.Taxa)-2)
	}
	return name
}

// placeOnMap says where on the map something is, by thirds.
func placeOnMap(ctx context.Context, x, y int) string {
	third := func(v int) int { return max(0, min(2, 3*v/identify.MapSide)) }
	return words.T(ctx, [3][3]words.Key{
		{words.Key("top left"), words.Key("top"), words.Key("top right")},
		{words.Key("left"), words.Key("in the middle"), words.Key("right")},
		{words.Key("bottom left"), words.Key("bottom"), words.Key("bottom right")},
	}[third(y)][third(x)])
}

// clusterShown is how many exemplars of a cluster are shown.
const clusterShown = 24

// clusterThumbs are the exemplars of a cluster nearest to its middle.
func clusterThumbs(ctx context.Context, m identify.MemoryMap, c identify.MapCluster) []templates.Thumb {
	far := func(i int) int {
		p := m.Points[i]
		return (p.X-c.X)*(p.X-c.X) + (p.Y-c.Y)*(p.Y-c.Y)
	}
	members := slices.SortedFunc(slices.Values(c.Members), func(a, b int) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	var out []templates.Thumb
	for _, i := range members[:min(clusterShown, len(members))] {
		p := m.Points[i]
		t := m.Taxa[p.Taxon].Taxon
		name := nameOf(ctx, t)
		out = append(out, templates.Thumb{Link: observationPath(p.Observation), Name: name, Scientific: unlike(t.ScientificName, name),
			Taught: true, Status: words.T(ctx, "Taught"), Photo: templates.Photo{Observation: int64(p.Observation), Missing: !p.HasPhoto}})
	}
	return out
}
