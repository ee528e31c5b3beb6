package web

import (
	"net/http"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// languageCookie remembers which language somebody chose.
const languageCookie = "language"

// speak chooses the language of what is answered: the one that was chosen, or the
// one that the browser asks for.
func (s *site) speak(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chosen := ""
		if c, err := r.Cookie(languageCookie); err == nil {
			chosen = c.Value
		}
		spoken := s.words.Choose(chosen, r.Header.Get("Accept-Language"))
		next.ServeHTTP(w, r.WithContext(words.With(r.Context(), spoken)))
	})
}

// chooseLanguage remembers a language and leads back to the page it was chosen on.
func (s *site) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	chosen := r.FormValue("language")
	for _, l := range s.words.All() {
		if l.Tag.String() == chosen {
			http.SetCookie(w, &http.Cookie{Name: languageCookie, Value: chosen, Path: "/",
				MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
			return seeOther(w, r, localPath(r.FormValue("back"), "/"))
		}
	}
	return identify.Errorf(identify.Invalid, "language", "Fieldmark does not speak %q. Choose one of the languages at the foot of a page.", chosen)
}

// languages are the languages that a page can be read in; the page that an answer to
// a form belongs to cannot be got again, so that those lead to the first page.
func (s *site) languages(r *http.Request) []templates.Language {
	back := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		back = r.URL.RequestURI()
	}
	var list []templates.Language
	for _, l := range s.words.All() {
		list = append(list, templates.Language{Tag: l.Tag.String(), Name: l.Name, Back: back, Current: l == words.In(r.Context())})
	}
	return list
}
