package identify

import (
	"fmt"
	"math"
)

// BadRow is a row that cannot be taken, and why.
type BadRow struct {
	Row     int // from 0
	Message string
}

// BadRows is the cause of the error by which a file with bad rows is refused.
type BadRows struct {
	Rows []BadRow
	More bool // the rest of the file was not looked at
}

// Error names the first few.
func (b *BadRows) Error() string {
	text := "rows are counted from 0:"
	for _, r := range b.Rows[:min(3, len(b.Rows))] {
		text += fmt.Sprintf(" row %d: %s;", r.Row, r.Message)
	}
	return text[:len(text)-1]
}

const (
	// maxBadRows is how many bad rows are looked for.
	maxBadRows = 100
	// maxImportLabels is how many different labels a file may have.
	maxImportLabels = 50_000
)

// unusable says why an embedding cannot be learned, "" if it can.
func unusable(v []float32) string {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return "its embedding has numbers that are not finite"
	case square == 0:
		return "its embedding is all zeros"
	case math.Sqrt(square) < 1e-12 || math.Sqrt(square) > 1e12:
		return fmt.Sprintf("its embedding has the length %.3g, which no encoder gives", math.Sqrt(square))
	}
	return ""
}

// refusal is the error of a file with bad rows.
func (b *BadRows) refusal() error {
	what := fmt.Sprintf("%d rows of this file cannot be taken", len(b.Rows))
	switch {
	case b.More:
		what = fmt.Sprintf("The first %d bad rows of this file were found, and it was not read further", len(b.Rows))
	case len(b.Rows) == 1:
		what = "1 row of this file cannot be taken"
	}
	return &Error{Kind: Invalid, Field: "file", Err: b,
		Message: fmt.Sprintf("%s, so nothing was (%s). Mend or leave out those rows and import it again.", what, b.Error())}
}
