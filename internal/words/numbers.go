package words

import (
	"context"
	"math"
)

// Number is 1240 as the language groups it: "1,240".
func Number(ctx context.Context, n int) string { return T(ctx, "%d", n) }

// Percent is a probability as a whole percentage. It never rounds to certainty or to
// nothing: ">99%", "<1%".
func Percent(ctx context.Context, p float64) string {
	switch {
	case p > 0.99 && p < 1:
		return T(ctx, ">99%%")
	case p > 0 && p < 0.01:
		return T(ctx, "<1%%")
	}
	return T(ctx, "%d%%", int(math.Round(100*math.Max(0, math.Min(1, p)))))
}

// Size is a number of bytes: "4 kB", "2.5 MB".
func Size(ctx context.Context, bytes int64) string {
	if bytes < 1e6 {
		return T(ctx, "%d kB", max(1, (bytes+500)/1000))
	}
	return T(ctx, "%.1f MB", float64(bytes)/1e6)
}
