package templates

// NameField is a field in which a name is searched for: an ARIA combobox where there
// is JavaScript, a field whose name the form's page looks up where there is none.
type NameField struct {
	ID        string
	Query     string // what stands in it
	Asks      string // JSON: what the search is told beside the query
	Adds      string // id of the field that takes the names that are chosen; "" sends the form
	Described string // ids of what describes the field
	Invalid   bool
	Key       bool // a key leads to it
}

func (f NameField) list() string { return f.ID + "-list" }

// knownOnly asks for no offer to make a new name.
const knownOnly = `{"known":"1"}`

func (c Card) nameField() NameField {
	f := NameField{ID: c.part("q"), Asks: c.answered(), Key: true}
	if c.Matches != nil {
		f.Query = c.Matches.Query
	}
	if c.Problem != "" {
		f.Invalid, f.Described = true, c.part("problem")
	}
	return f
}

func (d Doubt) nameField() NameField {
	f := NameField{ID: d.part("q"), Query: d.Query}
	if d.Problem != "" {
		f.Invalid, f.Described = true, d.part("problem")
	}
	return f
}

func mergeField(query, problem string) NameField {
	f := NameField{ID: "merge-q", Query: query, Asks: knownOnly}
	if problem != "" {
		f.Invalid, f.Described = true, "merge-problem"
	}
	return f
}

func (f LabelSetForm) nameField() NameField {
	return NameField{ID: "set-q", Asks: knownOnly, Adds: "set-names", Described: "set-q-hint"}
}
