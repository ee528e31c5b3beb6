package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// backups makes backups for those who may have them, one at a time, while the
// server goes on.
type backups struct {
	config Config
	store  *store.Store
	log    *slog.Logger
	one    sync.Mutex
}

// Backup returns a verified backup as a file that has no name: it is gone when it
// is closed, however the process ends. It takes an admin.
func (b *backups) Backup(ctx context.Context, u identify.User, withoutModels bool) (_ *os.File, err error) {
	if !u.Role.Allows(identify.Admin) {
		return nil, identify.Errorf(identify.Forbidden, "", "Your role is %q; a backup holds everything, people's tokens too, and takes the role %q.", u.Role, identify.Admin)
	}
	if !b.one.TryLock() {
		return nil, identify.Errorf(identify.Overloaded, "", "A backup is being made at this moment. Try again when it is done.")
	}
	defer b.one.Unlock()
	if err := removeStale(b.config.Data); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(b.config.Data, scratchFolders)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	out, err := os.CreateTemp(scratch, "backup-")
	if err != nil {
		return nil, err
	}
	sum, err := makeBackup(ctx, b.config, b.store, out, scratch, withoutModels)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("backup: %w", err), out.Close())
	}
	if err := sum.remarks(); err != nil {
		b.log.Warn("a backup was made", "remark", err)
	}
	b.log.Info("a backup was made and verified", "files", sum.Files, "bytes", sum.Bytes, "events", sum.Events, "user", u.ID)
	return out, nil
}
