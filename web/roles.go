package web

import (
	"context"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// roleWord is what a role is called.
func roleWord(ctx context.Context, role identify.Role) string {
	switch role {
	case identify.Viewer:
		return words.T(ctx, "viewer")
	case identify.Expert:
		return words.T(ctx, "expert")
	case identify.Curator:
		return words.T(ctx, "curator")
	case identify.Admin:
		return words.T(ctx, "admin")
	}
	return string(role)
}

// roleIs tells somebody their role.
func roleIs(role identify.Role) words.Key {
	switch role {
	case identify.Viewer:
		return words.Key("You are a viewer.")
	case identify.Expert:
		return words.Key("You are an expert.")
	case identify.Curator:
		return words.Key("You are a curator.")
	}
	return words.Key("You are an admin.")
}

// roleMeans tells somebody what their role may do.
func roleMeans(role identify.Role) words.Key {
	switch role {
	case identify.Viewer:
		return words.Key("You can look at everything and change nothing.")
	case identify.Expert:
		return words.Key("You can send photos and teach names.")
	case identify.Curator:
		return words.Key("You can teach, judge what others taught, import and export.")
	}
	return words.Key("You can do everything here, and invite others.")
}

// invitedAs tells somebody who is invited what they will be.
func invitedAs(role identify.Role) words.Key {
	switch role {
	case identify.Viewer:
		return words.Key("You are invited to this Fieldmark as a viewer: you can look at everything and change nothing.")
	case identify.Expert:
		return words.Key("You are invited to this Fieldmark as an expert: you can send photos and teach names.")
	case identify.Curator:
		return words.Key("You are invited to this Fieldmark as a curator: you can teach, judge what others taught, import and export.")
	}
	return words.Key("You are invited to this Fieldmark as an admin: you can do everything here, and invite others.")
}
