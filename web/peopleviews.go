package web

import (
	"context"
	"fmt"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// personView shows one person to u.
func personView(ctx context.Context, p identify.Person, u identify.User) templates.Person {
	v := templates.Person{ID: int64(p.ID), Name: who(ctx, p.Name), Role: roleWord(ctx, p.Role), You: p.ID == u.ID, Fixed: p.Owner,
		Roles: roleOptions(ctx, p.Role, p.Role)}
	switch {
	case p.Owner:
		v.Kind = words.T(ctx, "at the machine itself")
	case p.Guest:
		v.Kind = words.T(ctx, "guest")
	case !p.Password:
		v.Kind = words.T(ctx, "by token only")
	}
	if p.SeenAt != nil {
		v.Facts = append(v.Facts, words.T(ctx, "last here %s", words.DateTime(ctx, p.SeenAt.Local())))
	} else if !p.Owner {
		v.Facts = append(v.Facts, words.T(ctx, "never here yet"))
	}
	if p.CreatedBy != "" {
		v.Facts = append(v.Facts, words.T(ctx, "let in by %s on %s", who(ctx, p.CreatedBy), words.Date(ctx, p.CreatedAt.Local())))
	}
	if p.PasswordAt != nil {
		v.Facts = append(v.Facts, words.T(ctx, "password changed on %s", words.Date(ctx, p.PasswordAt.Local())))
	}
	if p.ChangedAt != nil {
		v.Facts = append(v.Facts, words.T(ctx, "role changed by %s on %s", who(ctx, p.ChangedBy), words.Date(ctx, p.ChangedAt.Local())))
	}
	switch {
	case p.Left:
		v.Fixed, v.Facts = true, append(v.Facts, words.T(ctx, "left for good"))
	case p.DisabledAt != nil:
		v.Disabled = true
		v.Facts = append(v.Facts, words.T(ctx, "disabled by %s on %s", p.DisabledBy, words.Date(ctx, p.DisabledAt.Local())))
	}
	if p.Tokens > 0 && (p.Owner || p.Guest || p.Password) {
		v.Facts = append(v.Facts, words.T(ctx, "has %d tokens", p.Tokens))
	}
	return v
}

// invitationView shows an invitation, without its code.
func invitationView(ctx context.Context, i identify.Invitation, now time.Time) templates.Invitation {
	v := templates.Invitation{ID: int64(i.ID), For: i.Name, Named: i.Name != "", Role: roleWord(ctx, i.Role), Guest: i.Guest,
		Left: words.T(ctx, "%d of %d used", i.Used, i.Uses), Ends: moment(ctx, i.ExpiresAt), By: who(ctx, i.CreatedByName)}
	if !v.Named {
		v.For = words.T(ctx, "Anyone")
		if i.Uses > 1 {
			v.For = words.T(ctx, "Up to %d people", i.Uses)
		}
	}
	switch {
	case i.RevokedAt != nil:
		v.Over = words.T(ctx, "revoked by %s", i.RevokedByName)
	case i.Left() <= 0:
		v.Over = words.T(ctx, "used up")
	case !i.Open(now):
		v.Over = words.T(ctx, "over")
	}
	return v
}

func tokenView(ctx context.Context, t identify.Token, below string) templates.Token {
	v := templates.Token{Name: t.Name, User: t.UserName, Role: roleWord(ctx, t.Role), RevokeLink: fmt.Sprintf("%s/%d/revoke", below, t.ID),
		Used: words.T(ctx, "never used"), Ends: words.T(ctx, "no end")}
	if t.UsedAt != nil {
		v.Used = words.T(ctx, "last used %s", words.DateTime(ctx, t.UsedAt.Local()))
	}
	if t.ExpiresAt != nil {
		v.Ends = words.T(ctx, "until %s", words.Date(ctx, t.ExpiresAt.Local()))
	}
	return v
}

// roleOptions lists the roles up to most, or all if that is def; chosen is the
// one that is selected, def if it is none.
func roleOptions(ctx context.Context, chosen, def identify.Role) []templates.Option {
	if !chosen.Allows(identify.Viewer) {
		chosen = def
	}
	var list []templates.Option
	for _, role := range identify.Roles() {
		list = append(list, templates.Option{Value: string(role), Label: roleWord(ctx, role), Selected: role == chosen})
	}
	return list
}
