package store

import (
	"encoding/json"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
)

// taughtBy says whose lesson it was; "": one's own.
func taughtBy(name string) identify.Notice {
	if name == "" {
		return identify.Notice{}
	}
	return identify.Noticef("taught by %s", name)
}

// lessonsOf is a number of lessons.
func lessonsOf(n int64) identify.Notice { return identify.Noticef("%d lessons", n) }

func countOfLessons(text string) identify.Notice {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return identify.PlainNotice(text)
	}
	return lessonsOf(n)
}

// lessonsAndReason reads "3 they were guesses".
func lessonsAndReason(text string) identify.Notice {
	n, reason, _ := strings.Cut(text, " ")
	if reason == "" {
		return countOfLessons(n)
	}
	return identify.Noticef("%s: %s", countOfLessons(n), reason)
}

// beforeAndAfter reads a list of the two.
func beforeAndAfter(text string) identify.Notice {
	var values [2]string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return identify.PlainNotice(text)
	}
	var said [2]any
	for i, v := range values {
		if said[i] = v; v == "" {
			said[i] = identify.Noticef("none")
		}
	}
	return identify.Noticef("%s → %s", said[0], said[1])
}

func newRole(role string) identify.Notice { return identify.Noticef("now %s", identify.Role(role)) }

func keptAsTaught(string) identify.Notice { return identify.Noticef("kept as taught") }
