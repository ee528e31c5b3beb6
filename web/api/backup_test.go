package api

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// fakeBackups makes a backup that says what was asked for.
type fakeBackups struct{}

func (fakeBackups) Backup(_ context.Context, u identify.User, withoutModels bool) (*os.File, error) {
	if u.Role != identify.Admin {
		return nil, identify.Errorf(identify.Forbidden, "", "A backup takes an admin.")
	}
	f, err := os.CreateTemp("", "backup-*")
	if err != nil {
		return nil, err
	}
	text := "all of it"
	if withoutModels {
		text = "without models"
	}
	if _, err := f.WriteString(text); err != nil { // and is not rewound
		return nil, err
	}
	return f, os.Remove(f.Name())
}

func TestBackup(t *testing.T) {
	h := handler(t, &fake{})
	admin := identify.User{ID: 1, Role: identify.Admin}
	for query, want := range map[string]string{"": "all of it", "?without_models=true": "without models"} {
		w := ask(h, admin, http.MethodGet, "/api/v1/backup"+query, "", "")
		if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != "application/x-tar" ||
			!strings.Contains(w.Header().Get("Content-Disposition"), "attachment") || w.Header().Get("Content-Length") == "" {
			t.Errorf("%q: %d %q %v", query, w.Code, w.Body, w.Header())
		}
	}
	wantProblem(t, "a curator", ask(h, curator, http.MethodGet, "/api/v1/backup", "", ""), 403, "")
}
