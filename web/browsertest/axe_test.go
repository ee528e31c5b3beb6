package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is the source of axe-core, which make setup fetches; no page is given it.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root(t), "build", "axe", "axe.min.js"))
	if err != nil {
		t.Fatalf("axe-core is not there (%v): run make setup", err)
	}
	return string(source)
}

// levels are the rules of WCAG 2 to 2.2, levels A and AA; colours are those of them
// that depend on the colour scheme, which changes nothing else in a page.
const (
	levels  = `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`
	colours = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`
)

// violations are the rules that axe-core finds broken in the page as it is shown, each
// with the elements that break it.
func violations(rules string) string {
	return `axe.run(document, {runOnly: ` + rules + `, resultTypes: ["violations"]})
	.then((found) => found.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 5).map((n) =>
		n.html.slice(0, 160) + " (" + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ").slice(0, 160) + ")").join(" | ")).join("\n"))`
}

// TestAxeFinds makes sure that the check can fail: light grey words, and a picture
// that nothing says anything about.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.do(chromedp.Evaluate[chromedp.Void](axe(t)+"; null"), chromedp.Evaluate[chromedp.Void](
		`document.body.innerHTML = "<p style='color: #bbb'>grey</p><img src='data:,'>"; null`))
	found := b.broken(levels)
	for _, rule := range []string{"color-contrast", "image-alt"} {
		if !strings.Contains(found, rule) {
			t.Errorf("%s is not found: %s", rule, found)
		}
	}
	if found := b.broken(colours); !strings.Contains(found, "color-contrast") || strings.Contains(found, "image-alt") {
		t.Errorf("of the colours it finds %s", found)
	}
}

// broken runs axe-core, which is in the page.
func (b *tab) broken(rules string) string {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](violations(rules), chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// wellMade reports what axe-core finds in the page, light and dark, at two widths;
// what is wider than the window, or too small to touch.
func (b *tab) wellMade(axe string) {
	b.t.Helper()
	b.looked(axe, []looking{{1280, "light", levels}, {1280, "dark", colours}, {390, "light", levels}, {390, "dark", colours}})
}

// wellSaid is wellMade of a page in another language, which is in the same colours, and
// made of the same elements at each width.
func (b *tab) wellSaid(axe string) {
	b.t.Helper()
	b.looked(axe, []looking{{390, "light", levels}})
}

// looking is what axe-core looks for, at a width, in a colour scheme.
type looking struct {
	width         int64
	scheme, rules string
}

func (b *tab) looked(axe string, list []looking) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe + "; null"))
	b.width(1280)
	b.fits(1280)
	for _, in := range list {
		b.width(in.width)
		b.scheme(in.scheme)
		if found := b.broken(in.rules); found != "" {
			b.t.Errorf("%s at %d pixels:\n%s", in.scheme, in.width, found)
		}
	}
	b.scheme("light")
	b.width(390)
	b.fits(390)
	if small := b.small(); small != "" {
		b.t.Errorf("too small to touch: %s", small)
	}
	b.width(320)
	b.fits(320)
	b.width(1280)
}

// fits reports what is wider than the window.
func (b *tab) fits(width int64) {
	b.t.Helper()
	// A phone makes its window as wide as the page: innerWidth would say that it fits.
	if !b.is(fmt.Sprintf("document.documentElement.scrollWidth <= %d", width)) {
		b.t.Errorf("at %d pixels the page is wider than the window: %s", width, b.wide(width))
	}
	if !b.is(`[...document.querySelectorAll(".nav a span:not(.icon)")].every((name, i, names) => i === 0 || names[i - 1].getBoundingClientRect().right <= name.getBoundingClientRect().left)`) {
		b.t.Errorf("at %d pixels the names of the pages lie over each other", width)
	}
}

// wide lists the innermost elements that reach over the window's edge.
func (b *tab) wide(width int64) string {
	b.t.Helper()
	return b.value(fmt.Sprintf(`[...document.querySelectorAll("body *")]
		.filter((e) => e.getBoundingClientRect().right > %[1]d + 1 && ![...e.children].some((c) => c.getBoundingClientRect().right > %[1]d + 1))
		.slice(0, 4).map((e) => e.outerHTML.slice(0, 120)).join("; ")`, width))
}
