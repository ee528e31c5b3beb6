package clip

import (
	"io/fs"
	"strings"
)

// readSeen reads a list of names, one a line. A nil file gives a nil map.
func readSeen(folder fs.FS, f *File) (map[string]bool, error) {
	if f == nil {
		return nil, nil
	}
	data, err := f.read(folder)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(data)) {
		if name := strings.TrimSpace(line); name != "" {
			seen[name] = true
		}
	}
	return seen, nil
}
