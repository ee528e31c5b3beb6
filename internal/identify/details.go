package identify

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Details is what people say of an observation besides its name.
type Details struct {
	ObservedAt   *time.Time // by the clock on the wall; one whose offset is not known stands in UTC
	Latitude     *float64   // in degrees, north and east positive (WGS 84); both or neither
	Longitude    *float64
	License      string // SPDX or Creative Commons short name; "" unknown
	RightsHolder string
	Notes        string
}

// Edit is one field of an observation that somebody changed. Values are as the
// JSON API writes them, "" for none.
type Edit struct {
	Observation   ObservationID
	User          UserID
	UserName      string
	At            time.Time
	Field         string // "observed_at", "latitude", …
	Before, After string
}

// DetailsStore keeps what is said of observations.
type DetailsStore interface {
	// EditDetails changes the details of an observation and notes each field
	// that differs, with who changed it and when. An error of change is returned
	// and leaves everything as it was.
	EditDetails(ctx context.Context, id ObservationID, by UserID, at time.Time, change func(Details) (Details, error)) (Observation, error)
	// Edits returns the changes of an observation's details, newest first.
	Edits(ctx context.Context, id ObservationID) ([]Edit, error)
	// LastRights returns the licence and the rights holder that a person chose
	// last, "" if none were.
	LastRights(ctx context.Context, u UserID) (license, holder string, err error)
	// Uploaded returns the observation that a person's upload of a key made;
	// KindOf NotFound if there is none.
	Uploaded(ctx context.Context, u UserID, key string) (Observation, error)
}

// Details returns what is said of the observation besides its name.
func (o Observation) Details() Details {
	return Details{ObservedAt: o.ObservedAt, Latitude: o.Latitude, Longitude: o.Longitude,
		License: o.License, RightsHolder: o.RightsHolder, Notes: o.Notes}
}

// EditableBy reports whether a person may change the details of an observation:
// its observer and curators may.
func (o Observation) EditableBy(u User) bool {
	return u.Role.Allows(Curator) || u.Role.Allows(Expert) && o.Observer == u.ID
}

// EditDetails changes the details of an observation. The change is called once,
// with the details as they are, within the transaction that stores what it
// returns.
func (s *Service) EditDetails(ctx context.Context, u User, id ObservationID, change func(Details) (Details, error)) (Observation, error) {
	o, err := s.observation(ctx, id)
	if err != nil {
		return Observation{}, err
	}
	if !o.EditableBy(u) {
		return Observation{}, Errorf(Forbidden, "", "Date, place and rights can be changed by the observer and by curators. Ask one of them.")
	}
	now := s.Now()
	return s.Store.EditDetails(ctx, id, u.ID, now, func(before Details) (Details, error) {
		after, err := change(before)
		if err == nil {
			err = after.check()
		}
		if err == nil && !sameTime(before.ObservedAt, after.ObservedAt) {
			err = after.past(now)
		}
		return after, err
	})
}

// Edits returns what was changed of an observation's details as u may see it,
// newest first.
func (s *Service) Edits(ctx context.Context, u User, id ObservationID) ([]Edit, error) {
	o, err := s.observation(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Edits(ctx, id)
	for i, e := range list {
		list[i] = e.shownTo(u, o)
	}
	return list, err
}

// LastRights returns the licence and the rights holder that a person chose last.
func (s *Service) LastRights(ctx context.Context, u User) (license, holder string, err error) {
	return s.Store.LastRights(ctx, u.ID)
}

// Uploaded returns the observation that a person made of a photo; KindOf NotFound
// if there is none.
func (s *Service) Uploaded(ctx context.Context, u User, photo PhotoHash) (Observation, error) {
	return s.Store.Uploaded(ctx, u.ID, string(photo))
}

func sameTime(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// farthestEast is the greatest offset from UTC: a clock whose offset is not known
// may be as far ahead of ours.
const farthestEast = 14 * time.Hour

// past refuses a time that is still to come.
func (d *Details) past(now time.Time) error {
	if d.ObservedAt != nil && d.ObservedAt.After(now.Add(farthestEast)) {
		return Errorf(Invalid, "observed_at", "This time is still to come. Check the day and the year.")
	}
	return nil
}

// check validates the details and tidies their texts.
func (d *Details) check() error {
	if (d.Latitude == nil) != (d.Longitude == nil) {
		missing := "latitude"
		if d.Longitude == nil {
			missing = "longitude"
		}
		return Errorf(Invalid, missing, "Give latitude and longitude together, or neither.")
	}
	if d.Latitude != nil {
		if !between(*d.Latitude, 90) {
			return Errorf(Invalid, "latitude", "Latitude is in degrees from -90 to 90.")
		}
		if !between(*d.Longitude, 180) {
			return Errorf(Invalid, "longitude", "Longitude is in degrees from -180 to 180.")
		}
	}
	for _, f := range []struct {
		field string
		text  *string
		limit int
	}{{"license", &d.License, maxName}, {"rights_holder", &d.RightsHolder, maxName}, {"notes", &d.Notes, maxNotes}} {
		if !utf8.ValidString(*f.text) {
			return Errorf(Invalid, f.field, "This text is not in UTF-8. Type it again.")
		}
		*f.text = norm.NFC.String(strings.TrimSpace(*f.text))
		if utf8.RuneCountInString(*f.text) > f.limit {
			return Errorf(Invalid, f.field, "This text is too long: at most %d characters are taken.", f.limit)
		}
		if strings.ContainsFunc(*f.text, hidden) {
			return Errorf(Invalid, f.field, "This text has control characters in it. Type it again.")
		}
	}
	return nil
}

// between reports whether |x| <= limit; false for NaN.
func between(x, limit float64) bool { return x >= -limit && x <= limit }
