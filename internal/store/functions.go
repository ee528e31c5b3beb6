package store

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// connector opens connections that know km(latitude, longitude, latitude,
// longitude), the distance of two places in kilometres (SQLite as it is built here
// has no trigonometry of its own), coarse_latitude and coarse_longitude, where
// a place is for those who may not know it exactly, and how folded text is looked for:
// spelled, spaced_words and search_index.
type connector struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

func connect(dsn string) connector {
	return connector{dsn: dsn, driver: &sqlite3.SQLiteDriver{ConnectHook: teachFunctions}}
}

func teachFunctions(c *sqlite3.SQLiteConn) error {
	var errs []error
	for name, f := range map[string]any{
		"km": identify.Kilometres, "coarse_latitude": identify.CoarseLatitude, "coarse_longitude": identify.CoarseLongitude,
		"spelled": spelled, "spaced_words": spacedWords, "search_index": indexText,
	} {
		errs = append(errs, c.RegisterFunc(name, f, true))
	}
	return errors.Join(errs...)
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }
