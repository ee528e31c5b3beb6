package identify

import (
	"math"
	"strconv"
)

// BadRow is a row that cannot be taken, and why.
type BadRow struct {
	Row  int    // from 0
	Name Notice // where it is, "line 17"; zero for a row of an array
	Why  *Error
}

// Place says where the row is in the file.
func (r BadRow) Place() Notice {
	if r.Name.Format != "" {
		return r.Name
	}
	return Noticef("row %s", strconv.Itoa(r.Row))
}

// BadRows is the cause of the error by which a file with bad rows is refused.
type BadRows struct {
	Rows  []BadRow // the first maxBadRows
	Count int      // of all that were found
	Good  int      // rows that could be taken without them; 0 if the rest was not looked at
	More  bool     // the rest of the file was not looked at
}

// Error names the first few.
func (b *BadRows) Error() string { return b.notice().String() }

func (b *BadRows) notice() Notice {
	var list []Notice
	for _, r := range b.Rows[:min(3, len(b.Rows))] {
		list = append(list, Noticef("%s: %s", r.Place(), r.Why))
	}
	if len(b.Rows) > 0 && b.Rows[0].Name.Format == "" {
		return Noticef("rows are counted from 0: %s", joined(list, "; "))
	}
	return joined(list, "; ")
}

// add notes a row.
func (b *BadRows) add(r BadRow) {
	b.Count++
	if len(b.Rows) < maxBadRows {
		b.Rows = append(b.Rows, r)
	}
}

const (
	// maxBadRows is how many bad rows are listed.
	maxBadRows = 100
	// maxImportLabels is how many different labels a file may have.
	maxImportLabels = 50_000
)

// badRow says in what follows "row 7: " why a row cannot be taken.
func badRow(format string, args ...any) *Error { return Errorf(Invalid, "row", format, args...) }

// unusable says why an embedding cannot be learned, nil if it can.
func unusable(v []float32) *Error {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return badRow("its embedding has numbers that are not finite")
	case square == 0:
		return badRow("its embedding is all zeros")
	case math.Sqrt(square) < 1e-12 || math.Sqrt(square) > 1e12:
		return badRow("its embedding has the length %.3g, which no encoder gives", math.Sqrt(square))
	}
	return nil
}

// refusal is the error of a file with bad rows.
func (b *BadRows) refusal() error {
	what := Noticef("%d rows of this file cannot be taken, so nothing was (%s).", b.Count, b.notice())
	if b.More {
		what = Noticef("The first %d bad rows of this file were found, and it was not read further, so nothing was (%s).", b.Count, b.notice())
	}
	advice := Noticef("Mend that or leave it out, and import it again.")
	if b.Good > 0 {
		advice = Noticef("Mend that and import it again, or take the %d good rows alone.", b.Good)
	}
	return Sentences(what, advice).Error(Invalid, "file").Because(b)
}
