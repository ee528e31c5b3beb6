package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// runToken makes a user and prints its token, and nothing else, on stdout. The
// token is shown this once; only its hash is kept.
func runToken(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	if len(args) == 0 || args[0] != "create" {
		return fmt.Errorf("%w: webapp token create --data DIR --role expert --name NAME", errUsage)
	}
	var c Config
	fs := flagSet("token create", stderr)
	c.register(fs)
	role := fs.String("role", string(identify.Expert), "viewer, expert, curator or admin")
	name := fs.String("name", "", "`name` of the person or program that gets the token")
	if err := parse(fs, args[1:]); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if *name == "" {
		return fmt.Errorf("%w: --name is missing", errUsage)
	}
	if !slices.Contains(identify.Roles(), identify.Role(*role)) {
		return fmt.Errorf("%w: --role %q is none of %v", errUsage, *role, identify.Roles())
	}
	st, err := openStore(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	token, hash, err := auth.NewToken()
	if err != nil {
		return err
	}
	if _, err := st.CreateUser(ctx, *name, identify.Role(*role), hash, time.Now()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, token)
	return err
}
