package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"fieldmark/internal/identify"
)

// runToken makes, lists and revokes what opens the API to programs.
func runToken(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "create":
			return runTokenCreate(ctx, args[1:], stdout, stderr)
		case "list":
			return runTokenList(ctx, args[1:], stdout, stderr)
		case "revoke":
			return runTokenRevoke(ctx, args[1:], stdout, stderr)
		}
	}
	return fmt.Errorf("%w: webapp token create --data DIR --role expert --name NAME; webapp token list; webapp token revoke ID", errUsage)
}

// asOwner runs do for whoever is at the machine, who may do everything.
func asOwner(ctx context.Context, data string, existing bool, do func(people *identify.People, owner identify.User) error) (err error) {
	if existing {
		if err := dataIsThere(data); err != nil {
			return err
		}
	}
	st, err := openStore(ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	people, err := newPeople(st.Store, nil)
	if err != nil {
		return err
	}
	owner, err := people.Owner(ctx)
	if err != nil {
		return err
	}
	return do(people, owner)
}

// runTokenCreate makes a user for a program and prints its token, and nothing
// else, on stdout. The token is shown this once; only its hash is kept.
func runTokenCreate(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	fs := flagSet("token create", stderr)
	c.register(fs)
	role := fs.String("role", string(identify.Expert), "viewer, expert, curator or admin")
	name := fs.String("name", "", "`name` of the person or program that gets the token")
	days := fs.Int("days", 0, "`number` of days that it opens; 0 means for ever")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if *name == "" {
		return fmt.Errorf("%w: --name is missing", errUsage)
	}
	if err := checkRole(*role); err != nil {
		return err
	}
	t := identify.Token{Name: *name, Role: identify.Role(*role)}
	if *days != 0 {
		end := time.Now().Add(time.Duration(*days) * 24 * time.Hour)
		t.ExpiresAt = &end
	}
	return asOwner(ctx, c.Data, false, func(people *identify.People, owner identify.User) error {
		token, err := people.AddProgram(ctx, owner, t)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(stdout, token)
		return err
	})
}

func checkRole(role string) error {
	if !slices.Contains(identify.Roles(), identify.Role(role)) {
		return fmt.Errorf("%w: --role %q is none of %v", errUsage, role, identify.Roles())
	}
	return nil
}

// runTokenList prints everyone's tokens, of which it knows no secret.
func runTokenList(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	fs := flagSet("token list", stderr)
	c.register(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	return asOwner(ctx, c.Data, true, func(people *identify.People, owner identify.User) error {
		list, err := people.AllTokens(ctx, owner)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tUSER\tROLE\tMADE\tUSED\tENDS\tSTATE")
		for _, t := range list {
			state := "opens"
			if !t.Opens(time.Now()) {
				state = "over"
			}
			if t.RevokedAt != nil {
				state = "revoked"
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.UserName, t.Role, day(&t.CreatedAt), day(t.UsedAt), day(t.ExpiresAt), state)
		}
		return w.Flush()
	})
}

// day is a date, "-" for none.
func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format(time.DateOnly)
}

// runTokenRevoke makes tokens open nothing more.
func runTokenRevoke(ctx context.Context, args []string, _, stderr io.Writer) error {
	var c Config
	fs := flagSet("token revoke", stderr)
	c.register(fs)
	operands, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return fmt.Errorf("%w: name the tokens by their ids, as webapp token list shows them", errUsage)
	}
	return asOwner(ctx, c.Data, true, func(people *identify.People, owner identify.User) error {
		for _, operand := range operands {
			id, err := strconv.ParseInt(operand, 10, 64)
			if err != nil {
				return fmt.Errorf("%w: %q is not the id of a token", errUsage, operand)
			}
			if err := people.RevokeToken(ctx, owner, identify.TokenID(id)); err != nil {
				return fmt.Errorf("token %d: %w", id, err)
			}
		}
		return nil
	})
}
