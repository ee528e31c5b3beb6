package identify

import "strconv"

// Where a sensitive taxon was seen is for its observer and for curators to know
// exactly, and for everyone else to within a square of Coarse degrees. What every
// read hands out goes through this file: what is shown, how it is ordered, and what
// a list can be narrowed by, since a box that is drawn small enough around a place
// that is not shown says where it is.

// mayKnowAll reports whether somebody may have everything that is known of an
// observation: its observer and curators may.
func (u User) mayKnowAll(observer UserID) bool { return u.ID == observer || u.Role.Allows(Curator) }

// shownTo is the observation as somebody may see it.
func (o Observation) shownTo(u User) Observation {
	if u.mayKnowAll(o.Observer) {
		return o
	}
	return o.coarse()
}

// coarse is the observation as it is for those who may not know where a sensitive
// taxon is: itself, unless it is of one.
func (o Observation) coarse() Observation {
	if !o.Sensitive {
		return o
	}
	o.Latitude, o.Longitude, o.Uncertainty = coarsePlace(o.Latitude, o.Longitude)
	o.Photo.Latitude, o.Photo.Longitude = nil, nil
	return o
}

// Generalised reports whether the place is coarser than it is known.
func (o Observation) Generalised() bool { return o.Uncertainty > 0 }

// shownTo is what waits as somebody may see it. The queue is ordered by what is
// shown.
func (w Waiting) shownTo(u User) Waiting {
	if w.Sensitive && !u.mayKnowAll(w.Observer) {
		w.Latitude, w.Longitude, _ = coarsePlace(w.Latitude, w.Longitude)
	}
	return w
}

// coarsePlace is Generalise of a place that may not be known.
func coarsePlace(latitude, longitude *float64) (lat, lon *float64, uncertainty float64) {
	if latitude == nil || longitude == nil {
		return nil, nil, 0
	}
	y, x, uncertainty := Generalise(*latitude, *longitude)
	return &y, &x, uncertainty
}

// shownTo is a change of an observation's details as somebody may see it: that the
// place was changed, and between which squares.
func (e Edit) shownTo(u User, o Observation) Edit {
	if !o.Sensitive || u.mayKnowAll(o.Observer) {
		return e
	}
	switch e.Field {
	case "latitude":
		e.Before, e.After = coarseText(e.Before, CoarseLatitude), coarseText(e.After, CoarseLatitude)
	case "longitude":
		e.Before, e.After = coarseText(e.Before, CoarseLongitude), coarseText(e.After, CoarseLongitude)
	}
	return e
}

// coarseText is degrees made coarse; "" where there are none.
func coarseText(degrees string, coarse func(float64) float64) string {
	x, err := strconv.ParseFloat(degrees, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(coarse(x), 'g', -1, 64)
}

// shownTo narrows what somebody asks for to what they may know.
func (f ObservationFilter) shownTo(u User) ObservationFilter {
	f.Viewer = &u
	return f
}

// Blind reports whether the filter looks at places of sensitive taxa as they are
// shown, but for those that one person observed, rather than as they are.
func (f ObservationFilter) Blind() (but UserID, blind bool) {
	if f.Viewer == nil || f.Viewer.Role.Allows(Curator) {
		return 0, false
	}
	return f.Viewer.ID, true
}
