package report

import (
	"fmt"

	"fieldmark/internal/protocol"
)

// flexible is inference over candidates other than each task's own.
func (c composer) flexible() (Section, bool) {
	var tables []Table
	for _, f := range []struct{ candidates, title string }{
		{"union", fmt.Sprintf("Union + Zero-shot: target photos among the labels of all target tasks, zero-shot photos among %d labels of zero-shot tasks", c.Plan.ZeroShotLabels)},
		{"mix", fmt.Sprintf("Mix + Zero-shot: both among one of %d parts of the target labels and %d labels of zero-shot tasks", c.Plan.MixSplits, c.Plan.ZeroShotLabels)},
	} {
		list := strands(c.points, protocol.Flexible, f.candidates)
		if len(list) > 0 {
			tables = append(tables, lastStages("flexible-"+f.candidates, f.title, list, onTargets(), onOthers(), column{"Mean of both", both, true}))
		}
	}
	if len(tables) == 0 {
		return Section{}, false
	}
	return Section{ID: "flexible", Title: "Asked among other labels", Tables: tables,
		Text: []string{"After the last task, the same memory is asked among labels of several tasks at once, as people do who do not know beforehand what is in a photo."}}, true
}

func (c composer) longTail() (Section, bool) {
	list := strands(c.points, protocol.LongTail, own)
	if len(list) == 0 {
		return Section{}, false
	}
	return Section{
		ID: "long-tail", Title: "Many photos of few classes, few of most",
		Text: []string{fmt.Sprintf("The last class of a task is taught %g times fewer photos than its first. “Few” are the rarer two thirds of the classes.", c.Plan.Imbalance)},
		Tables: []Table{lastStages("long-tail", "After all photos", list,
			onTargets(), onOthers(), column{"Many", group("many"), true}, column{"Few", group("few"), true})},
	}, true
}
