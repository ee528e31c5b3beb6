package templates

// LearningPage shows how well the memory did along the real log.
type LearningPage struct {
	Figures []Figured
	Recent  string // over what the recent figures are
	Chart   *Chart // nil while there is too little to draw
	Groups  []LearningGroup
	Fused   Reliability
	Zero    Reliability
	Sure    string   // how the threshold of headlines came to be
	Left    []string // what was left out, and why
	Encoder string
	Empty   bool
}

// Figured is a number with what it is of.
type Figured struct {
	Value string
	Name  string
	Note  string // an interval, a number of answers
}

// Chart is a drawing of lines in a box of 1000 × 400.
type Chart struct {
	Label  string // what it shows, in words
	Lines  []Line2D
	Rules  []ChartRule
	Ticks  []ChartTick
	Points []CurveRow // the same as a table
}

// Line2D is one line of a chart.
type Line2D struct {
	Class, Name string
	Path        string // as an SVG path
	EndX, EndY  string
}

// ChartRule is a horizontal rule with its value.
type ChartRule struct{ Y, Text string }

// ChartTick is a mark below the chart.
type ChartTick struct {
	X, Text string
	Anchor  string // "start", "middle", "end"
}

// CurveRow is one point of both lines.
type CurveRow struct{ Lesson, Day, Fused, ZeroShot string }

// LearningGroup is one row of the table of groups.
type LearningGroup struct {
	Name            string
	Asked           string
	Fused, ZeroShot string
	Range           string // interval of Fused
	Unknown         string
	FusedWidth      string // of the bar, of 1000
	ZeroX           string // of the mark, of 1000
}

// Reliability is a reliability diagram in a box of 400 × 400.
type Reliability struct {
	Name  string
	Class string
	ECE   string
	Bars  []ReliabilityBar
	Label string
}

// ReliabilityBar is one bar: answers of about one confidence.
type ReliabilityBar struct {
	X, Y, Width, Height string
	Said, Right, Asked  string // for the table
}
