package main

import (
	"slices"
	"syscall"
	"time"
)

// times are how long something took, each time that it was done.
type times []time.Duration

// quantile is the least time that a share q of all did not exceed, in seconds.
func (t times) quantile(q float64) float64 {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Seconds()
}

// add times a call.
func (t *times) add(call func() error) error {
	start := time.Now()
	err := call()
	*t = append(*t, time.Since(start))
	return err
}

// processorTime is what this process has used of all processors so far. Rates of
// what runs on one core are by it: they say the same on a machine that others use.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
