package dataset

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3" // driver "sqlite3"
)

// Cache remembers embeddings by the digest of what made them and the SHA-256 of
// what was embedded, so that nothing is embedded twice. It is a database of its
// own, which several runs may use at once and which a crash leaves whole; to
// forget, remove its file.
type Cache struct {
	db *sql.DB
}

const cacheFile = "embeddings.sqlite"

// OpenCache opens the cache in a folder, which is made if need be. Close it.
func OpenCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	file := (&url.URL{Path: filepath.Join(dir, cacheFile)}).EscapedPath()
	db, err := sql.Open("sqlite3", "file:"+file+"?_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=20000&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS embeddings (
		encoder TEXT NOT NULL, input BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (encoder, input)) STRICT`)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cache %s: %w", dir, err), db.Close())
	}
	return &Cache{db: db}, nil
}

// Close ends the use of the cache.
func (c *Cache) Close() error { return c.db.Close() }

// inputKey is the SHA-256 of what is embedded.
type inputKey = [sha256.Size]byte

// get returns the vectors [dim] that are there of some inputs.
func (c *Cache) get(ctx context.Context, encoder string, dim int, keys []inputKey) (map[inputKey][]float32, error) {
	query, err := c.db.PrepareContext(ctx, `SELECT vector FROM embeddings WHERE encoder = ? AND input = ?`)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	defer query.Close()
	found := map[inputKey][]float32{}
	for _, k := range keys {
		var blob []byte
		err := query.QueryRowContext(ctx, encoder, k[:]).Scan(&blob)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil && len(blob) != 4*dim {
			err = fmt.Errorf("an embedding has %d bytes, not %d: remove the cache's folder", len(blob), 4*dim)
		}
		if err != nil {
			return nil, fmt.Errorf("cache: %w", err)
		}
		v := make([]float32, dim)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
		}
		found[k] = v
	}
	return found, nil
}

// put keeps the vectors of some inputs, all of them or none.
func (c *Cache) put(ctx context.Context, encoder string, keys []inputKey, vectors [][]float32) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	for i, k := range keys {
		blob := make([]byte, 0, 4*len(vectors[i]))
		for _, x := range vectors[i] {
			blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
		}
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO embeddings (encoder, input, vector) VALUES (?, ?, ?)`, encoder, k[:], blob)
		if err != nil {
			return errors.Join(fmt.Errorf("cache: %w", err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}
