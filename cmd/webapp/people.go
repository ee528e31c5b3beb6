package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fieldmark/internal/identify"
)

// runPeople prints who may come in, and who may no longer.
func runPeople(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || args[0] != "list" {
		return fmt.Errorf("%w: webapp people list --data DIR", errUsage)
	}
	var c Config
	fs := flagSet("people list", stderr)
	c.register(fs)
	if err := parse(fs, args[1:]); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	return asOwner(ctx, c.Data, true, func(people *identify.People, owner identify.User) error {
		list, err := people.People(ctx, owner)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tROLE\tSIGNS IN\tMADE\tLAST HERE\tSTATE")
		for _, p := range list {
			state := "may come in"
			if p.DisabledAt != nil {
				state = "disabled " + day(p.DisabledAt)
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", p.ID, p.Name, p.Role, signsIn(p), day(&p.CreatedAt), day(p.SeenAt), state)
		}
		return w.Flush()
	})
}

func signsIn(p identify.Person) string {
	switch {
	case p.Owner:
		return "at this machine"
	case p.Guest:
		return "as a guest"
	case p.Password:
		return "by password"
	case p.Tokens > 0:
		return "by token"
	}
	return "not"
}

// runInvite makes an invitation and prints its code or link, and nothing else,
// on stdout. It is shown this once; only a hash of its code is kept.
func runInvite(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	fs := flagSet("invite", stderr)
	c.register(fs)
	role := fs.String("role", string(identify.Expert), "viewer, expert, curator or admin")
	name := fs.String("name", "", "`name` of who is invited; if not given, they choose it")
	uses := fs.Int("uses", 1, "`number` of people who may join")
	days := fs.Int("days", 7, "`number` of days that it is good for")
	guest := fs.Bool("guest", false, "they need no password")
	url := fs.String("url", "", "`address` of the server, to print a link instead of the code alone")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if err := checkRole(*role); err != nil {
		return err
	}
	i := identify.Invitation{Role: identify.Role(*role), Name: *name, Uses: *uses, Guest: *guest,
		ExpiresAt: time.Now().Add(time.Duration(*days) * 24 * time.Hour)}
	return asOwner(ctx, c.Data, false, func(people *identify.People, owner identify.User) error {
		code, _, err := people.Invite(ctx, owner, i)
		if err != nil {
			return err
		}
		if *url != "" {
			code = strings.TrimSuffix(*url, "/") + "/join/" + code
		}
		_, err = fmt.Fprintln(stdout, code)
		return err
	})
}
