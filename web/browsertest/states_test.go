package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// reserve is a checklist with a row of each kind: known and told otherwise, new, and
// without a name.
const reserve = "scientificName,vernacularName,taxonRank,family\nParus major,Titmouse of the reserve,species,Paridae\nPapilio hortensis,Garden Swallowtail,species,Papilionidae\n,No name,species,\n"

// answered are pages that no link leads to, since a form is answered with them: what is
// wrong is said beside its field, or what was made is shown this once.
var answered = []struct {
	name, page, action string
	fields             map[string]string
	status             int64
}{
	{"label set, unknown name", "/label-sets", "/label-sets", map[string]string{"name": "By the wall", "names": "Parus major\nNo such bird"}, 422},
	{"label set, no name", "/label-sets", "/label-sets", map[string]string{"names": "Parus major"}, 422},
	{"checklist, no file", "/taxa/import", "/taxa/import", nil, 422},
	{"invitation refused", "/people", "/people/invitations", map[string]string{"uses": "0"}, 422},
	{"invitation", "/people", "/people/invitations", map[string]string{"uses": "2"}, 201},
	{"token refused", "/people", "/people/tokens", map[string]string{"name": ""}, 422},
	{"token", "/people", "/people/tokens", map[string]string{"name": "Moth trap"}, 201},
	{"name taken", "/account", "/account/name", map[string]string{"name": "Owner"}, 409},
	{"workshop, no title", "/workshop", "/workshop", map[string]string{"title": ""}, 422},
	{"wrong password", "/sign-in", "/sign-in", map[string]string{"name": "Ada", "password": "wrong"}, 422},
	{"quarantine, too long a reason", "/memory/sources/people/1", "/memory/sources/people/1/quarantine", map[string]string{"reason": strings.Repeat("why ", 200)}, 422},
	{"details, no place", "/observations/5", "/observations/5/details", map[string]string{"latitude": "north"}, 422},
}

// states looks at the pages that answer forms, as page does; the last is that of a source
// in quarantine, without what it taught.
func (b *tab) states(t *testing.T, url string, look func(b *tab)) {
	t.Helper()
	for _, s := range answered {
		t.Run(s.name, func(t *testing.T) {
			b := b.in(t)
			b.do(chromedp.Navigate(url + s.page))
			b.answer(s.action, s.fields, s.status)
			b.until("what was refused has the focus", `(document.querySelector("main [aria-invalid=true]") ?? document.activeElement) === document.activeElement`)
			look(b)
			b.gallery("state-" + strings.NewReplacer(",", "", " ", "-").Replace(s.name))
		})
	}
	t.Run("crumbs", func(t *testing.T) { b.in(t).crumbs(url, look) })
	t.Run("workshop", func(t *testing.T) { b.in(t).workshop(url, look) })
	t.Run("quarantine", func(t *testing.T) {
		b := b.in(t)
		b.do(chromedp.Navigate(url + "/memory/sources/people/1"))
		b.answer("/memory/sources/people/1/quarantine", map[string]string{"reason": "to see what it does"}, 200)
		for _, page := range []string{"/memory/sources/people/1", "/memory/sources", "/memory", "/memory/doubts", "/memory/map", "/observations/5", "/observations/1"} {
			b.do(chromedp.Navigate(url + page))
			look(b)
			b.gallery("quarantined" + strings.ReplaceAll(page, "/", "-"))
		}
	})
}

// crumbs looks at the way to a taxon that is far below the top: on a phone it is a few
// lines of text, none of which begins with what stands between two names.
func (b *tab) crumbs(url string, look func(b *tab)) {
	b.t.Helper()
	b.do(chromedp.Navigate(url + "/memory"))
	for b.is(`document.querySelector(".shelf a")`) {
		b.submit(".shelf a")
	}
	look(b)
	b.width(390)
	const lines = `new Set([...document.querySelectorAll(".crumbs li")].map((li) => li.offsetTop)).size`
	if !b.is(`document.querySelectorAll(".crumbs li").length > 5`) || !b.is(lines+` > 1 && document.querySelector(".crumbs ol").offsetHeight <= 30 * `+lines) {
		b.t.Errorf("the way is %s", b.text(".crumbs"))
	}
	if !b.is(`[...document.querySelectorAll(".crumbs li")].every((li) => getComputedStyle(li, "::before").content === "none")`) {
		b.t.Error("a line may begin with what stands between two names")
	}
	b.gallery("crumbs")
	b.width(1280)
}

// workshop looks at the pages of a workshop with a guest, who loses the way in and is let
// back in.
func (b *tab) workshop(url string, look func(b *tab)) {
	b.t.Helper()
	b.do(chromedp.Navigate(url + "/workshop"))
	b.answer("/workshop", map[string]string{"title": "Beetles of the bank"}, 200)
	path := b.path()
	look(b)
	phone := guest(b.t, url, b.text(".workshop-code"), "Mia")
	phone.do(chromedp.Navigate(url + "/workshop/mine"))
	look(phone)
	b.do(chromedp.Navigate(url + path))
	look(b)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#workshop-guests details").open = true`))
	b.submit("#workshop-guests form[action$='/return'] button")
	look(b)
	b.gallery("workshop-return")
	phone.do(chromedp.Navigate(url + "/join/" + b.text(".once-code")))
	look(phone)
	b.do(chromedp.Navigate(url + path + "/reset"))
	look(b)
}

// answer sends a form of the page, filled in past what the browser itself would refuse,
// and waits for the page that answers it.
func (b *tab) answer(action string, fields map[string]string, status int64) {
	b.t.Helper()
	typed, err := json.Marshal(fields)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := chromedp.RunResponse(b.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const form = document.querySelector("form[method=post][action='%s']");
		for (const [name, value] of Object.entries(%s ?? {})) form.elements[name].value = value;
		form.noValidate = true;
		form.requestSubmit();
	})()`, action, typed)))
	if err != nil {
		b.t.Fatal(err)
	}
	if r.Status != status {
		b.t.Fatalf("%s answers %d, want %d: %s", action, r.Status, status, b.text("main"))
	}
}

func (b *tab) path() string {
	b.t.Helper()
	return b.value("location.pathname")
}

// language is the one that the page says it is in.
func (b *tab) language() string {
	b.t.Helper()
	return b.value("document.documentElement.lang")
}

// value is that of a JavaScript expression.
func (b *tab) value(expression string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// speak chooses a language at the foot of the page.
func (b *tab) speak(url, tag string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url + "/about"))
	b.submit(".languages button[value='" + tag + "']")
	if b.language() != tag {
		b.t.Fatalf("the page is not in %s", tag)
	}
}
