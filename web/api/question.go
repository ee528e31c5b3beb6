package api

import (
	"math"
	"mime/multipart"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
)

// ruleName and systemName document which names there are.
type (
	ruleName   string
	systemName string
)

// Schema lists the fusion rules.
func (ruleName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "Fusion rule; the server's default if left out"}
	for _, rule := range fusion.Rules() {
		s.Enum = append(s.Enum, string(rule))
	}
	return s
}

// Schema lists the exemplar systems.
func (systemName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "Exemplar system; TreeProbe if left out"}
	for _, system := range fusion.Systems() {
		s.Enum = append(s.Enum, string(system))
	}
	return s
}

// QuestionQuery is a question as parameters of an address. It is exported for
// huma, which fills in what it can see.
type QuestionQuery struct {
	Label    []string   `query:"label,explode" nullable:"false" doc:"Candidate label, any text; repeat it for several. They go before label_set"`
	LabelSet int64      `query:"label_set" minimum:"1" doc:"Candidate labels by the id of a label set; what the encoder has learned to see, and all that was taught, if left out"`
	Fusion   ruleName   `query:"fusion"`
	System   systemName `query:"system"`
	LongTail bool       `query:"long_tail" doc:"The long-tail variant of AIM"`
	Top      int        `query:"top" minimum:"1" maximum:"1000" default:"5" doc:"How many predictions to return"`
}

func (q QuestionQuery) question() identify.Question {
	return identify.Question{Labels: q.Label, LabelSet: identify.LabelSetID(q.LabelSet),
		Rule: fusion.Rule(q.Fusion), System: fusion.System(q.System), LongTail: q.LongTail, Top: q.Top}
}

// formQuestion reads a question from the fields of a form. A field that is
// empty counts as left out, as browsers send it.
func formQuestion(form *multipart.Form) (q identify.Question, err error) {
	for _, label := range form.Value["label"] {
		if label != "" {
			q.Labels = append(q.Labels, label)
		}
	}
	set, err := formInt(form, "label_set", math.MaxInt64)
	if err != nil {
		return q, err
	}
	top, err := formInt(form, "top", 1000)
	if err != nil {
		return q, err
	}
	q.LabelSet, q.Top = identify.LabelSetID(set), int(top)
	if name := formValue(form, "fusion"); name != "" {
		if q.Rule, err = identify.RuleNamed(name); err != nil {
			return q, err
		}
	}
	if name := formValue(form, "system"); name != "" {
		if q.System, err = identify.SystemNamed(name); err != nil {
			return q, err
		}
	}
	switch formValue(form, "long_tail") {
	case "", "false", "0":
	case "true", "1", "on":
		q.LongTail = true
	default:
		return q, identify.Errorf(identify.Invalid, "long_tail", "long_tail is true or false.")
	}
	return q, nil
}

func formValue(form *multipart.Form, field string) string {
	if values := form.Value[field]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// formInt reads a whole number from 1 to most, 0 if it is left out.
func formInt(form *multipart.Form, field string, most int64) (int64, error) {
	value := formValue(form, field)
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, identify.Errorf(identify.Invalid, field, "%s is a whole number from 1 to %d.", field, most)
	}
	return n, nil
}

// formFloat reads a number, nil if it is left out.
func formFloat(form *multipart.Form, field string) (*float64, error) {
	value := formValue(form, field)
	if value == "" {
		return nil, nil
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, identify.Errorf(identify.Invalid, field, "%s is a number of degrees, such as 48.137.", field)
	}
	return &x, nil
}
