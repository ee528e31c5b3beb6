package words

import (
	"context"
	"strconv"
	"time"
)

// months are the short names of the months.
func months() [12]Key {
	return [...]Key{Key("Jan"), Key("Feb"), Key("Mar"), Key("Apr"), Key("May"), Key("Jun"),
		Key("Jul"), Key("Aug"), Key("Sep"), Key("Oct"), Key("Nov"), Key("Dec")}
}

// longMonths are the names of the months.
func longMonths() [12]Key {
	return [...]Key{Key("January"), Key("February"), Key("March"), Key("April"), Key("May"), Key("June"),
		Key("July"), Key("August"), Key("September"), Key("October"), Key("November"), Key("December")}
}

// Date is a day in the time's own zone: "2 Jan 2006".
func Date(ctx context.Context, at time.Time) string {
	return T(ctx, "%[1]d %[2]s %[3]s", at.Day(), T(ctx, months()[at.Month()-1]), strconv.Itoa(at.Year()))
}

// LongDateTime is a moment in the time's own zone: "2 January 2006, 15:04".
func LongDateTime(ctx context.Context, at time.Time) string {
	day := T(ctx, "%[1]d %[2]s %[3]s", at.Day(), T(ctx, longMonths()[at.Month()-1]), strconv.Itoa(at.Year()))
	return T(ctx, "%[1]s, %[2]s", day, at.Format("15:04"))
}

// DateTime is a moment in the time's own zone: "2 Jan 2006, 15:04".
func DateTime(ctx context.Context, at time.Time) string {
	return T(ctx, "%[1]s, %[2]s", Date(ctx, at), at.Format("15:04"))
}
