package web

import (
	"context"
	"net/http"
	"os"
	"time"

	"fieldmark/internal/identify"
)

// BackupService makes backups.
type BackupService interface {
	// Backup returns a verified backup, to be closed.
	Backup(ctx context.Context, u identify.User, withoutModels bool) (*os.File, error)
}

// backup sends all data as one file, which is verified before its first byte is
// sent.
func (s *site) backup(w http.ResponseWriter, r *http.Request) error {
	file, err := s.Backup.Backup(r.Context(), s.User(r), r.URL.Query().Get("models") == "without")
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="fieldmark-`+time.Now().UTC().Format("2006-01-02-1504")+`.tar"`)
	http.ServeContent(w, r, "", time.Time{}, file)
	return nil
}
