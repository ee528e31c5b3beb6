package web

import (
	"context"
	"net/http"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// PasswordService says what is to be said of passwords; *identify.People has it.
type PasswordService interface {
	JudgePassword(name, password string) identify.Judgement
	PasswordChanges(ctx context.Context, u identify.User) ([]identify.PasswordChange, error)
	ChangeThatEnded(ctx context.Context, secret string) (identify.PasswordChange, error)
}

// passwordPage is a page on which a password is typed.
func (s *site) passwordPage(r *http.Request, title, section string) templates.Page {
	p := s.peoplePage(r, title, section)
	p.Scripts = []string{"password.js"}
	return p
}

// judgePassword is a part of a page: how a password would do that is being typed. Who
// asks may not have an account yet. Where no scripts run nobody asks, and the form says
// what is wrong when it comes.
func (s *site) judgePassword(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	name, password := r.PostForm.Get("name"), r.PostForm.Get("password")
	if name == "" {
		name = s.User(r).Name
	}
	var said templates.PasswordJudgement
	if password != "" {
		said = judgement(r.Context(), s.People.JudgePassword(name, password))
	}
	return s.render(w, r, http.StatusOK, templates.JudgedPassword(said))
}

func judgement(ctx context.Context, j identify.Judgement) templates.PasswordJudgement {
	v := templates.PasswordJudgement{Strength: int(j.Strength)}
	switch {
	case j.Missing > 0:
		v.Said = words.T(ctx, "Too short: %d more characters.", j.Missing)
	case j.Problem != nil:
		v.Said = problem(ctx, j.Problem).Message
	default:
		v.Said = words.T(ctx, strengthMeans(j.Strength))
	}
	return v
}

// strengthMeans says of a password that can be set how well it would do.
func strengthMeans(s identify.Strength) words.Key {
	switch s {
	case identify.Strong:
		return words.Key("Very hard to guess.")
	case identify.Good:
		return words.Key("Hard to guess.")
	}
	return words.Key("It will do. Another word makes it much harder to guess.")
}

// passwordChange shows when and where a password was set.
func passwordChange(ctx context.Context, c identify.PasswordChange) templates.PasswordChange {
	return templates.PasswordChange{At: moment(ctx, c.At), Browser: browserName(ctx, c.Agent), First: c.First}
}

// refused reports whether a password that opened an account could not be set any more:
// what is tried first becomes more with each version.
func (s *site) refused(name, password string) bool {
	return s.People != nil && s.People.JudgePassword(name, password).Strength == identify.Refused
}
