package api

import (
	"context"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// Backups makes backups.
type Backups interface {
	// Backup returns a verified backup, to be closed.
	Backup(ctx context.Context, u identify.User, withoutModels bool) (*os.File, error)
}

type backupInput struct {
	WithoutModels bool `query:"without_models" doc:"Leave out the encoders that were added"`
}

func (s *server) registerBackup(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "backup", Method: http.MethodGet, Path: "/api/v1/backup", Tags: []string{"backup"},
		Summary: "All data as one file",
		Description: "A tar archive with the database as it is at one moment, photos, thumbnails, added encoders, and SHA256SUMS at its end. " +
			"It is made and verified before the first byte is sent: digests, the database, and the memory that its log folds to. " +
			"webapp restore puts it into an empty folder. Needs the role admin.",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{
			"application/x-tar": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}},
	}, s.backup)
}

func (s *server) backup(ctx context.Context, in *backupInput) (*huma.StreamResponse, error) {
	file, err := s.backups.Backup(ctx, auth.UserFrom(ctx), in.WithoutModels)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		defer file.Close()
		w.Header().Set("Content-Type", "application/x-tar")
		w.Header().Set("Content-Disposition", `attachment; filename="fieldmark-`+time.Now().UTC().Format("2006-01-02-1504")+`.tar"`)
		http.ServeContent(w, r, "", time.Time{}, file)
	}}, nil
}
