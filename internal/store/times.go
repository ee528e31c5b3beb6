package store

import (
	"database/sql"
	"time"
)

// micros is how a point in time is stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

// instant is a stored point in time in UTC.
func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// optional is a nullable point in time without an offset.
func optional(t sql.NullInt64) *time.Time {
	if !t.Valid {
		return nil
	}
	at := instant(t.Int64)
	return &at
}

// wallTime is a nullable point in time with the offset of its clock from UTC in
// seconds.
type wallTime struct {
	at, offset sql.NullInt64
}

func wall(t *time.Time) wallTime {
	if t == nil {
		return wallTime{}
	}
	_, offset := t.Zone()
	return wallTime{
		at:     sql.NullInt64{Int64: micros(*t), Valid: true},
		offset: sql.NullInt64{Int64: int64(offset), Valid: true},
	}
}

func (w wallTime) time() *time.Time {
	if !w.at.Valid {
		return nil
	}
	at := instant(w.at.Int64)
	if w.offset.Int64 != 0 {
		at = at.In(time.FixedZone("", int(w.offset.Int64)))
	}
	return &at
}

// number turns 0, which stands for "none" in the domain, into NULL.
func number[T ~int64](id T) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(id), Valid: id != 0}
}
