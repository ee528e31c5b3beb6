package web

import (
	"context"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// deed says that somebody, {1}, did something to its subject, {2}.
func deed(k identify.HistoryKind) words.Key {
	switch k {
	case identify.DidTeach:
		return words.Key("{1} taught {2}")
	case identify.DidTeachHeld:
		return words.Key("{1} taught, in quarantine, {2}")
	case identify.DidWithdraw:
		return words.Key("{1} withdrew {2}")
	case identify.DidImport:
		return words.Key("{1} imported {2}")
	case identify.DidTakeBack:
		return words.Key("{1} took back the import {2}")
	case identify.DidQuarantine:
		return words.Key("{1} put in quarantine what was taught by {2}")
	case identify.DidRelease:
		return words.Key("{1} restored what was taught by {2}")
	case identify.DidRemove:
		return words.Key("{1} removed for good what was taught by {2}")
	case identify.DidEdit:
		return words.Key("{1} edited the {2}")
	case identify.DidMakeLabelSet:
		return words.Key("{1} made the label set {2}")
	case identify.DidChangeLabelSet:
		return words.Key("{1} changed the label set {2}")
	case identify.DidDeleteLabelSet:
		return words.Key("{1} deleted the label set {2}")
	case identify.DidKeepDoubt:
		return words.Key("{1} settled a doubt about {2}")
	case identify.DidMarkSensitive:
		return words.Key("{1} marked as sensitive {2}")
	case identify.DidChangeTaxon:
		return words.Key("{1} changed the name or place of {2}")
	case identify.DidTakeChecklist:
		return words.Key("{1} took in the checklist {2}")
	case identify.DidMergeTaxa:
		return words.Key("{1} merged the name {2}")
	case identify.DidUnmergeTaxa:
		return words.Key("{1} undid the merging of {2}")
	case identify.DidLetIn:
		return words.Key("{1} let in {2}")
	case identify.DidLetBackIn:
		return words.Key("{1} let {2} back in")
	case identify.DidChangeRole:
		return words.Key("{1} changed the role of {2}")
	case identify.DidShutOut:
		return words.Key("{1} ended the access of {2}")
	case identify.DidStartWorkshop:
		return words.Key("{1} started the workshop {2}")
	case identify.DidExtendWorkshop:
		return words.Key("{1} extended the workshop {2}")
	case identify.DidEndWorkshop:
		return words.Key("{1} ended the workshop {2}")
	}
	return words.Key("{1} did something: {2}")
}

// kindOfDeed is what a kind of entry is called where they are chosen from.
func kindOfDeed(k identify.HistoryKind) words.Key {
	switch k {
	case identify.DidTeach:
		return words.Key("Taught")
	case identify.DidTeachHeld:
		return words.Key("Held")
	case identify.DidWithdraw:
		return words.Key("Withdrawn")
	case identify.DidImport:
		return words.Key("Imported")
	case identify.DidTakeBack:
		return words.Key("Import taken back")
	case identify.DidQuarantine:
		return words.Key("Quarantined")
	case identify.DidRelease:
		return words.Key("Released")
	case identify.DidRemove:
		return words.Key("Removed")
	case identify.DidEdit:
		return words.Key("Edited")
	case identify.DidMakeLabelSet:
		return words.Key("Label set made")
	case identify.DidChangeLabelSet:
		return words.Key("Label set changed")
	case identify.DidDeleteLabelSet:
		return words.Key("Label set deleted")
	case identify.DidKeepDoubt:
		return words.Key("Doubt settled")
	case identify.DidMarkSensitive:
		return words.Key("Marked sensitive")
	case identify.DidChangeTaxon:
		return words.Key("Name changed")
	case identify.DidTakeChecklist:
		return words.Key("Checklist imported")
	case identify.DidMergeTaxa:
		return words.Key("Names merged")
	case identify.DidUnmergeTaxa:
		return words.Key("Merge undone")
	case identify.DidLetIn:
		return words.Key("Let in")
	case identify.DidLetBackIn:
		return words.Key("Let back in")
	case identify.DidChangeRole:
		return words.Key("Role changed")
	case identify.DidShutOut:
		return words.Key("Access ended")
	case identify.DidStartWorkshop:
		return words.Key("Workshop started")
	case identify.DidExtendWorkshop:
		return words.Key("Workshop extended")
	case identify.DidEndWorkshop:
		return words.Key("Workshop ended")
	}
	return words.Key("Something else")
}

// editedField is what a field of an observation is called that somebody edited.
func editedField(ctx context.Context, field string) string {
	switch field {
	case "observed at":
		return words.T(ctx, "observed at")
	case "zone":
		return words.T(ctx, "zone")
	case "latitude":
		return words.T(ctx, "latitude")
	case "longitude":
		return words.T(ctx, "longitude")
	case "license":
		return words.T(ctx, "license")
	case "rights holder":
		return words.T(ctx, "rights holder")
	case "notes":
		return words.T(ctx, "notes")
	}
	return strings.ReplaceAll(field, "_", " ")
}
