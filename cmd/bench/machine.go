package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"fieldmark/internal/procfs"
)

// machine describes what is measured on, without its name.
func machine() string {
	processor, memory := "an unknown processor", ""
	if v := procfs.Field("/proc/cpuinfo", "model name"); v != "" {
		processor = v
	}
	var kib int
	if _, err := fmt.Sscanf(procfs.Field("/proc/meminfo", "MemTotal"), "%d", &kib); err == nil {
		memory = fmt.Sprintf(", %d GiB of memory", kib>>20)
	}
	return fmt.Sprintf("%s, %d cores%s, %s/%s", processor, runtime.NumCPU(), memory, runtime.GOOS, runtime.GOARCH)
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
	if _, err := fmt.Sscanf(procfs.Field("/proc/self/status", "VmHWM"), "%f", &kib); err != nil {
		return 0
	}
	return kib * 1024
}
