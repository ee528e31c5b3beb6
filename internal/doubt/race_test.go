//go:build race

package doubt

const raceEnabled = true
