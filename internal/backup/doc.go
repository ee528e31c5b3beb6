// Package backup writes a data folder as one file and reads it again.
//
// A backup is a tar archive. Its first member says what it is (backup.json), its
// last lists the SHA-256 of every other in the form of sha256sum
// (SHA256SUMS), so that tar and sha256sum -c can open and check it without us.
// What lies between are the data folder's files under their own names. An archive
// without its last member is not a backup: it was broken off.
package backup

import "time"

// The members that are no files of the data folder.
const (
	aboutFile = "backup.json"
	sumsFile  = "SHA256SUMS"
)

// format is the version of the archive's form.
const format = 1

// About is what a backup says of itself.
type About struct {
	Format        int       `json:"fieldmark_backup"`
	MadeAt        time.Time `json:"made_at"`
	MadeBy        string    `json:"made_by"` // version of the program
	WithoutModels bool      `json:"without_models,omitempty"`
}
