package identify

import "time"

// Role says what a person may do; each includes those before it.
type Role string

// The roles, weakest first.
const (
	Viewer  Role = "viewer"
	Expert  Role = "expert"
	Curator Role = "curator"
	Admin   Role = "admin"
)

// Roles lists the roles, weakest first.
func Roles() []Role { return []Role{Viewer, Expert, Curator, Admin} }

// Allows reports whether r includes what need may do.
func (r Role) Allows(need Role) bool { return r.level() >= need.level() && need.level() > 0 }

func (r Role) level() int {
	for i, x := range Roles() {
		if x == r {
			return i + 1
		}
	}
	return 0
}

// Weaker returns the role that may do less; who is known by a token may do no
// more than the token says, and no more than they may themselves.
func Weaker(a, b Role) Role {
	if a.Allows(b) {
		return b
	}
	return a
}

// User is someone who teaches, or a program that holds a token.
type User struct {
	ID        UserID
	Name      string
	Role      Role
	Guest     bool // has no password: the session is the key
	CreatedAt time.Time
	Token     TokenID // by which they came, with Role the weaker of both; 0: by no token
}
