package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// degreesPattern takes degrees, and minutes and seconds if there are any, between
// which anything may stand that people put there: ° ' " ′ ″ and spaces.
var degreesPattern = regexp.MustCompile(`^([+-]?[0-9]+(?:\.[0-9]+)?)(?:[°º\s]+([0-9]+(?:\.[0-9]+)?)(?:['’′\s]+([0-9]+(?:\.[0-9]+)?))?)?[°º'’′"”″\s]*$`)

// parseDegrees reads one coordinate as it is typed or copied from a map: 48.137,
// 48,137, 48° 8′ 13.2″ N, N 48 8.22, 11.5 W. Positive and negative are the letters
// of the two directions: "N" and "S", or "EO", since east is Ost in German, and "W".
// It is not ok if text is none.
func parseDegrees(text, positive, negative string) (degrees float64, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(strings.ReplaceAll(text, "−", "-")))
	sign, directed := 1.0, false
	if rest, letter, found := cutDirection(text, positive+negative); found {
		text, directed = rest, true
		if strings.ContainsRune(negative, letter) {
			sign = -1
		}
	}
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	m := degreesPattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var parts [3]float64
	for i := range parts {
		if m[i+1] == "" {
			continue
		}
		x, err := strconv.ParseFloat(m[i+1], 64)
		if err != nil || i > 0 && x >= 60 {
			return 0, false
		}
		parts[i] = x
	}
	if strings.HasPrefix(m[1], "-") {
		if directed {
			return 0, false // -11 W could mean either
		}
		sign = -1
	}
	return sign * (math.Abs(parts[0]) + parts[1]/60 + parts[2]/3600), true
}

// cutDirection cuts the letter of a direction off, where text begins or ends with one.
func cutDirection(text, letters string) (rest string, letter rune, found bool) {
	for _, letter := range letters {
		rest, found := strings.CutPrefix(text, string(letter))
		if !found {
			rest, found = strings.CutSuffix(text, string(letter))
		}
		if found {
			return strings.TrimSpace(rest), letter, true
		}
	}
	return text, 0, false
}

// splitPlace takes a latitude and a longitude apart that were pasted into the one
// field, as maps give them: "48.137, 11.575".
func splitPlace(latitude, longitude string) (string, string) {
	if strings.TrimSpace(longitude) != "" {
		return latitude, longitude
	}
	if a, b, both := strings.Cut(latitude, ", "); both {
		return a, b
	}
	for _, letter := range []string{"N", "S", "n", "s"} {
		if a, b, both := strings.Cut(latitude, letter+" "); both && strings.TrimSpace(a) != "" {
			return a + letter, b
		}
	}
	return latitude, longitude
}
