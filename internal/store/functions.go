package store

import (
	"context"
	"database/sql/driver"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// connector opens connections that know km(latitude, longitude, latitude,
// longitude), the distance of two places in kilometres. SQLite as it is built
// here has no trigonometry of its own.
type connector struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

func connect(dsn string) connector {
	return connector{dsn: dsn, driver: &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc("km", identify.Kilometres, true)
	}}}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }
