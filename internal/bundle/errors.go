package bundle

import "fmt"

// Error is why a bundle is refused: one or two sentences for whoever brought it.
type Error struct {
	Message string
	Format  string // what Message was made of, for whoever says it in another language
	Args    []any
	Err     error // cause, may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

func refuse(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// damaged refuses a member that cannot be read to its end.
func damaged(name string, err error) *Error {
	e := refuse("The bundle is damaged: its member %q cannot be read. Ask for it again.", shown(name))
	e.Err = err
	return e
}

// shown cuts a name that a stranger chose before it goes into a message.
func shown(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}
