package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes what is measured on, without its name.
func machine() string {
	processor, memory := "an unknown processor", ""
	if v := procField("/proc/cpuinfo", "model name"); v != "" {
		processor = v
	}
	var kib int
	if _, err := fmt.Sscanf(procField("/proc/meminfo", "MemTotal"), "%d", &kib); err == nil {
		memory = fmt.Sprintf(", %d GiB of memory", kib>>20)
	}
	return fmt.Sprintf("%s, %d cores%s, %s/%s", processor, runtime.NumCPU(), memory, runtime.GOOS, runtime.GOARCH)
}

// procField is a field of one of Linux's tables, "" where there is none.
func procField(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load is the machine's load average over the last minute, "unknown" where it does
// not say.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(data)); err == nil && len(fields) > 0 {
		return fields[0]
	}
	return "unknown"
}

// residentPeak is the most memory that this process ever had, in bytes; 0 where
// the system does not say.
func residentPeak() float64 {
	var kib float64
	if _, err := fmt.Sscanf(procField("/proc/self/status", "VmHWM"), "%f", &kib); err != nil {
		return 0
	}
	return kib * 1024
}
