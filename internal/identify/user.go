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

// User is someone who teaches, or a program that holds a token.
type User struct {
	ID        UserID
	Name      string
	Role      Role
	CreatedAt time.Time
}
