package main

import (
	"fmt"
	"os"
	"strings"

	"fieldmark/internal/procfs"
)

// resident is the memory of a process in bytes: all of it, and what of it is its own
// and in no file.
func resident(pid int) (all, own float64) {
	status := fmt.Sprintf("/proc/%d/status", pid)
	fmt.Sscanf(procfs.Field(status, "VmRSS"), "%f", &all)
	fmt.Sscanf(procfs.Field(status, "RssAnon"), "%f", &own)
	return all * 1024, own * 1024
}

// ticksPerSecond is what Linux counts processors' time in (USER_HZ), on every
// architecture that Go knows.
const ticksPerSecond = 100

// busy is the processors' time that a process has used, in seconds.
func busy(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in brackets, may hold anything. After it, utime and stime are the
	// 12th and 13th.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var user, system float64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return (user + system) / ticksPerSecond
}

// machineBusy is the processors' time that all processes have used, in seconds.
func machineBusy() float64 {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system float64
	fmt.Sscanf(string(data), "cpu %f %f %f", &user, &nice, &system)
	return (user + nice + system) / ticksPerSecond
}
