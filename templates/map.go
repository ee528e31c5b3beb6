package templates

// MapPage is the map of the memory.
type MapPage struct {
	Empty    bool
	Emptied  bool // it was not always
	Summary  string
	Fresh    string
	Working  bool
	Levels   []Option // what colours stand for
	Points   string   // address of the points, for map.js
	Picture  string   // address of the drawing
	Dark     string   // the same for dark pages
	Legend   []MapLegend
	Clusters []MapCluster
	Chosen   *MapCluster // whose exemplars are listed
	List     []Thumb
}

// MapLegend is one colour of the map, which has a shape of its own too.
type MapLegend struct {
	Index int
	Name  string
	Count string
}

// MapCluster is what lies together on the map.
type MapCluster struct {
	Name    string // its most frequent names
	Place   string // "top left"
	Count   string
	Link    string
	X, Y, R string // for map.js
}

func (l MapLegend) class() string { return "swatch swatch-" + string(rune('0'+l.Index)) }
