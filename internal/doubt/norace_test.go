//go:build !race

package doubt

const raceEnabled = false
