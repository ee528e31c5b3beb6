// Package migrations holds the database's schema as numbered steps. A step that
// has been released is never changed: a new one is added.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Migration is one step of the schema.
type Migration struct {
	Version int    // from 1, without gaps
	Name    string // "initial"
	SQL     string
	Digest  string // SHA-256 of SQL in hex
}

// All returns the steps in order. Files are named NNNN_name.sql.
func All() ([]Migration, error) {
	entries, err := fs.ReadDir(files, ".") // sorted by name
	if err != nil {
		return nil, err
	}
	list := make([]Migration, 0, len(entries))
	for _, e := range entries {
		sql, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		number, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		version, err := strconv.Atoi(number)
		if !ok || err != nil || version != len(list)+1 {
			return nil, fmt.Errorf("migration %s: want the number %04d and a name", e.Name(), len(list)+1)
		}
		sum := sha256.Sum256(sql)
		list = append(list, Migration{Version: version, Name: name, SQL: string(sql), Digest: hex.EncodeToString(sum[:])})
	}
	return list, nil
}
