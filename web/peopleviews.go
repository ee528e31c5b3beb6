package web

import (
	"fmt"
	"strings"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// personView shows one person to u.
func personView(p identify.Person, u identify.User) templates.Person {
	v := templates.Person{ID: int64(p.ID), Name: p.Name, Role: string(p.Role), Kind: kindOf(p), You: p.ID == u.ID, Fixed: p.Owner, Tokens: p.Tokens,
		Roles: roleOptions(p.Role, p.Role)}
	if p.SeenAt != nil {
		v.Facts = append(v.Facts, "last here "+moment(*p.SeenAt).Text)
	} else if !p.Owner {
		v.Facts = append(v.Facts, "never here yet")
	}
	if p.CreatedBy != "" {
		v.Facts = append(v.Facts, "let in by "+p.CreatedBy+" on "+p.CreatedAt.Local().Format("2 Jan 2006"))
	}
	if p.ChangedAt != nil {
		v.Facts = append(v.Facts, "role changed by "+p.ChangedBy+" on "+p.ChangedAt.Local().Format("2 Jan 2006"))
	}
	if p.DisabledAt != nil {
		v.Disabled = true
		v.Facts = append(v.Facts, fmt.Sprintf("disabled by %s on %s", p.DisabledBy, p.DisabledAt.Local().Format("2 Jan 2006")))
	}
	return v
}

func kindOf(p identify.Person) string {
	switch {
	case p.Owner:
		return "at the machine itself"
	case p.Guest:
		return "guest"
	case !p.Password:
		return "by token only"
	}
	return ""
}

// invitationView shows an invitation, without its code.
func invitationView(i identify.Invitation, now time.Time) templates.Invitation {
	v := templates.Invitation{ID: int64(i.ID), For: i.Name, Role: string(i.Role), Guest: i.Guest,
		Left: fmt.Sprintf("%s of %d used", number(i.Used), i.Uses), Ends: moment(i.ExpiresAt), By: i.CreatedByName}
	if v.For == "" {
		v.For = "Anyone"
		if i.Uses > 1 {
			v.For = "Up to " + number(i.Uses) + " people"
		}
	}
	switch {
	case i.RevokedAt != nil:
		v.Over = "revoked by " + i.RevokedByName
	case i.Left() <= 0:
		v.Over = "used up"
	case !i.Open(now):
		v.Over = "over"
	}
	return v
}

func tokenView(t identify.Token, below string) templates.Token {
	v := templates.Token{Name: t.Name, User: t.UserName, Role: string(t.Role), RevokeLink: fmt.Sprintf("%s/%d/revoke", below, t.ID), Used: "never used", Ends: "no end"}
	if t.UsedAt != nil {
		v.Used = "last used " + moment(*t.UsedAt).Text
	}
	if t.ExpiresAt != nil {
		v.Ends = "until " + t.ExpiresAt.Local().Format("2 Jan 2006")
	}
	return v
}

// roleOptions lists the roles up to most, or all if that is def; chosen is the
// one that is selected, def if it is none.
func roleOptions(chosen, def identify.Role) []templates.Option {
	if !chosen.Allows(identify.Viewer) {
		chosen = def
	}
	var list []templates.Option
	for _, role := range identify.Roles() {
		list = append(list, templates.Option{Value: string(role), Label: string(role), Selected: role == chosen})
	}
	return list
}

// roleMeans says what a role may do.
func roleMeans(role identify.Role) string {
	switch role {
	case identify.Viewer:
		return "you can look at everything and change nothing."
	case identify.Expert:
		return "you can send photos and teach names."
	case identify.Curator:
		return "you can teach, judge what others taught, import and export."
	}
	return "you can do everything here, and invite others."
}

// a is a word with its article.
func a(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}
