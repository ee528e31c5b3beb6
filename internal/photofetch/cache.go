package photofetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Cache keeps what was fetched in a folder, so that photos that were checked need
// not be fetched again to be taught, nor those of an import that goes on.
type Cache struct {
	folder string
	client *Client
}

// NewCache returns a cache in a folder, which is made when something is fetched.
func NewCache(folder string, c *Client) *Cache { return &Cache{folder: folder, client: c} }

// Get opens the photo at an address.
func (c *Cache) Get(ctx context.Context, address string) (io.ReadCloser, error) {
	sum := sha256.Sum256([]byte(address))
	path := filepath.Join(c.folder, hex.EncodeToString(sum[:]))
	if f, err := os.Open(path); err == nil {
		return f, nil
	}
	if err := c.fetch(ctx, address, path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// fetch writes to a temporary file and renames it, so that what is there is whole.
func (c *Cache) fetch(ctx context.Context, address, path string) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return fmt.Errorf("keeping what is fetched: %w", err)
	}
	tmp, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return fmt.Errorf("keeping what is fetched: %w", err)
	}
	defer os.Remove(tmp.Name()) // fails once renamed, which is the point
	err = c.client.Fetch(ctx, address, tmp)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// Remove removes all that was fetched.
func (c *Cache) Remove() error { return os.RemoveAll(c.folder) }
