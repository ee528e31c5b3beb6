package browsertest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// begun are the pages that TestEveryPage begins with: those that no link leads to,
// and further states of some.
var begun = []string{
	"/", "/?shown=1,2,5,8", "/?label=Common+Daisy", "/observations", "/observations?q=zzzz", "/observations/1", "/observations/5",
	"/review", "/review/groups", "/review/aside", "/review/changed?seq=1",
	"/memory", "/memory?by=leaf", "/memory?by=teacher", "/memory/map", "/memory/doubts", "/memory/sources", "/memory/sources/people/1?preview=1",
	"/memory/history", "/memory/learning", "/imports", "/export", "/bundles", "/label-sets", "/taxa/import", "/workshop", "/taxa?q=tit", "/taxa/4733/merge?taxon=4265",
	"/encoders", "/compare", "/about", "/people", "/account", "/offline", "/nowhere", "/sign-in", "/join", "/join/NONE-NONE", "/setup/none",
}

// TestEveryPage opens every page, filled with something: those of begun, and one of
// each kind that a link on another leads to, in English and in German; then those that
// answer forms. It looks for what axe-core finds, for what is wider than the window or
// too small to touch, for what comes from elsewhere and for what the content security
// policy forbids (failOnErrors).
func TestEveryPage(t *testing.T) {
	t.Parallel()
	tool := axe(t)
	data := t.TempDir()
	var kept []string
	t.Run("fill", func(t *testing.T) { kept = fill(t, startOn(t, data)) })
	whole := func(b *tab) { b.wellMade(tool) }
	code := invite(t, data)
	url := startOn(t, data, "--sign-in")
	b := open(t)
	b.do(chromedp.Navigate(url + "/sign-in"))
	t.Run("sign-in", func(t *testing.T) { b.in(t).page(url, "/sign-in", whole) })
	t.Run("join", func(t *testing.T) { b.in(t).page(url, "/join/"+code, whole) })
	b.join(url + "/join/" + code)

	tabs := make(chan *tab, 2)
	tabs <- b
	tabs <- b.another(url)
	seen := map[string]bool{}
	var all []string
	for some := slices.Concat(begun, kept); len(some) > 0; {
		for _, path := range some {
			seen[kind(url, path)] = true
		}
		all = append(all, some...)
		links := visit(t, "en", tabs, url, whole, some)
		some = nil
		for _, link := range links {
			if k := kind(url, link); k != "" && !seen[k] {
				seen[k] = true
				some = append(some, strings.TrimPrefix(link, url))
			}
		}
	}
	t.Logf("kinds of pages: %s", strings.Join(slices.Sorted(maps.Keys(seen)), " "))

	b.speak(url, "de")
	visit(t, "de", tabs, url, func(b *tab) { b.wellSaid(tool) }, all)
	b.speak(url, "en")
	t.Run("states", func(t *testing.T) { b.states(t, url, whole) })
}

// visit looks at pages in a language, as many at once as there are tabs, and returns
// where their links lead to.
func visit(t *testing.T, language string, tabs chan *tab, url string, look func(b *tab), paths []string) []string {
	t.Helper()
	links := make([][]string, len(paths))
	t.Run(language, func(t *testing.T) {
		for i, path := range paths {
			t.Run(strings.Trim(path, "/"), func(t *testing.T) {
				t.Parallel()
				b := <-tabs
				defer func() { tabs <- b }()
				links[i] = b.in(t).page(url, path, look)
			})
		}
	})
	return slices.Concat(links...)
}

var variable = regexp.MustCompile(`/[A-Za-z0-9_-]{16,}|/[A-Z2-9]{4}-[A-Z2-9]{4}|/[0-9]+`)

// kind is an address without what it is about; "" if it is another site's.
func kind(url, link string) string {
	path, ours := strings.CutPrefix(link, url)
	if !ours && !strings.HasPrefix(link, "/") {
		return ""
	}
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return variable.ReplaceAllString(path, "/*")
}

// page looks at one page and returns where its links lead to. What is no page is
// left alone.
func (b *tab) page(url, path string, look func(b *tab)) []string {
	b.t.Helper()
	html, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(
		`fetch(%q, {method: "HEAD"}).then((r) => r.headers.get("Content-Type").startsWith("text/html"))`, path), chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	if !html {
		return nil
	}
	b.do(chromedp.Navigate(url + path))
	look(b)
	b.gallery("every-" + b.language() + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path))
	if !b.is(`performance.getEntriesByType("resource").every((e) => e.name.startsWith(location.origin) || /^(blob|data):/.test(e.name))`) {
		b.t.Error("something of this page comes from elsewhere")
	}
	links, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a[href]:not([download])")].map((a) => a.href)`))
	if err != nil {
		b.t.Fatal(err)
	}
	return links
}

// fill gives a Fieldmark what its pages show, and returns the addresses of a bundle and
// of a checklist that wait for a decision.
func fill(t *testing.T, url string) []string {
	t.Helper()
	tenPhotos(t, url)
	for number, name := range map[int]string{1: "Coccinella septempunctata", 2: "Common Daisy", 5: "Common Daisy", 8: "Gonepteryx rhamni"} {
		post(t, fmt.Sprintf("%s/api/v1/observations/%d/identifications", url, number), "application/json", strings.NewReader(fmt.Sprintf(`{"label": %q}`, name)))
	}
	form := func(path, fields string) {
		post(t, url+path, "application/x-www-form-urlencoded", strings.NewReader(fields))
	}
	form("/review/decisions", "observation=10&do=aside")
	form("/review/decisions", "observation=9&do=skip")
	form("/label-sets", "name=Of+the+garden&names=Common+Daisy%0ACoccinella+septempunctata")
	form("/people/invitations", "role=expert&uses=3&days=7")
	form("/people/tokens", "name=Trap+camera&role=expert&days=30")

	r, err := http.Get(url + "/bundles/file")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		sendFile(t, url+"/bundles", "file", "garden.fieldmark", data).Request.URL.RequestURI(),
		sendFile(t, url+"/taxa/import", "file", "reserve.csv", []byte(reserve)).Request.URL.RequestURI(),
	}
}

// post sends a body and returns the answer, which is a good one.
func post(t *testing.T, address, mediaType string, body io.Reader) *http.Response {
	t.Helper()
	r, err := http.Post(address, mediaType, body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); r.StatusCode >= 300 {
		t.Fatalf("%s: %s %.2000s", address, r.Status, text)
	}
	return r
}

// invite returns the code of an invitation for an admin.
func invite(t *testing.T, data string) string {
	t.Helper()
	cmd := exec.Command(build(t), "invite", "--data", data, "--role", "admin")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// join makes an account by the page of an invitation.
func (b *tab) join(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address),
		chromedp.SendKeys(chromedp.CSS("main input[name=name]"), "Ada"),
		chromedp.SendKeys(chromedp.CSS("main input[name=password]"), "four words go together"))
	b.submit("main form button")
}
