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
// has no trigonometry of its own), and coarse_latitude and coarse_longitude, where
// a place is for those who may not know it exactly.
type connector struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

func connect(dsn string) connector {
	return connector{dsn: dsn, driver: &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return errors.Join(c.RegisterFunc("km", identify.Kilometres, true),
			c.RegisterFunc("coarse_latitude", identify.CoarseLatitude, true),
			c.RegisterFunc("coarse_longitude", identify.CoarseLongitude, true))
	}}}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }
