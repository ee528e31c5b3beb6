package templates

// Community is the name that several people give an observation together.
type Community struct {
	Kicker   string // "Together they say", "Disputed"
	Name     string // "" where nothing is agreed on
	Sentence string // "2 of 3 agree."
	Disputed bool
}

// entries are those of the history that were taken back, or those that stand.
func (o ObservationPage) entries(undone bool) []Entry {
	var list []Entry
	for _, e := range o.History {
		if (e.Withdrawn != nil) == undone {
			list = append(list, e)
		}
	}
	return list
}
