// Package procfs reads the tables in which Linux says how machine and processes are.
package procfs

import (
	"os"
	"strings"
)

// Field is what a table of lines "name: value", such as /proc/meminfo, has under a
// name, the first of several; "" where there is no such table or name.
func Field(file, name string) string {
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
