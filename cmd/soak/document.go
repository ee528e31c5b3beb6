package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"fieldmark/internal/procfs"
)

// writeSection puts text between the marks of a section of a document: the lines
// "<!-- NAME -->" and "<!-- /NAME -->". Without a document it does nothing.
func writeSection(path, name, text string) error {
	if path == "" {
		return nil
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	first, last := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	head, rest, found := strings.Cut(string(whole), first)
	_, tail, ended := strings.Cut(rest, last)
	if !found || !ended {
		return fmt.Errorf("%s has no section %q", path, name)
	}
	return os.WriteFile(path, []byte(head+first+text+last+tail), 0o644)
}

// machine says what a run was made on.
func (c *common) machine() string {
	words := fmt.Sprintf("%s, %s cores of %s, %s/%s", time.Now().UTC().Format(time.DateOnly), fmt.Sprint(runtime.NumCPU()),
		procfs.Field("/proc/cpuinfo", "model name"), runtime.GOOS, runtime.GOARCH)
	if c.notes != "" {
		words += ". " + c.notes
	}
	return words
}

// killSection is the result of the kills as Markdown.
func killSection(k killing, got killed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", k.machine())
	fmt.Fprintf(&b, "| kills | corrections acknowledged | at most before one kill | events in the logs | acknowledged and lost | `webapp verify` disagreed | mean `verify` | took |\n")
	fmt.Fprintf(&b, "|---|---|---|---|---|---|---|---|\n")
	fmt.Fprintf(&b, "| %d | %d | %d | %d | **%d** | **%d** | %s | %s |\n", got.kills, got.acknowledged, got.longest, got.events, got.lost, got.disagreed,
		(got.verified / time.Duration(max(1, got.kills))).Round(10*time.Millisecond), got.took.Round(time.Second))
	return b.String()
}
