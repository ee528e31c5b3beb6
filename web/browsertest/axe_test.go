package browsertest

import (
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

// violations are the rules of WCAG 2 to 2.2, levels A and AA, that axe-core finds
// broken in the page as it is shown, each with the elements that break it.
const violations = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"]})
	.then((found) => found.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 5).map((n) =>
		n.html.slice(0, 160) + " (" + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ").slice(0, 160) + ")").join(" | ")).join("\n"))`

// TestAxeFinds makes sure that the check can fail: light grey words, and a picture
// that nothing says anything about.
func TestAxeFinds(t *testing.T) {
	b := open(t)
	b.do(chromedp.Evaluate[chromedp.Void](axe(t)+"; null"), chromedp.Evaluate[chromedp.Void](
		`document.body.innerHTML = "<p style='color: #bbb'>grey</p><img src='data:,'>"; null`))
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](violations, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"color-contrast", "image-alt"} {
		if !strings.Contains(found, rule) {
			t.Errorf("%s is not found: %s", rule, found)
		}
	}
}

// accessible reports what axe-core finds in the page, light and dark, at both
// widths.
func (b *tab) accessible(axe string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe + "; null"))
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int64{1280, 390} {
			b.width(width)
			found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](violations, chromedp.EvalAwaitPromise))
			if err != nil {
				b.t.Fatal(err)
			}
			if found != "" {
				b.t.Errorf("%s at %d pixels:\n%s", scheme, width, found)
			}
		}
	}
	b.scheme("light")
	b.width(1280)
}

// fits reports what is wider than the window, or too small to touch.
func (b *tab) fits() {
	b.t.Helper()
	for _, width := range []int64{1280, 390, 320} {
		b.width(width)
		if !b.is(`document.documentElement.scrollWidth <= innerWidth`) {
			b.t.Errorf("at %d pixels the page is wider than the window: %s", width, b.wide())
		}
	}
	b.width(390)
	if small := b.small(); small != "" {
		b.t.Errorf("too small to touch: %s", small)
	}
	b.width(1280)
}

// wide lists the innermost elements that reach over the window's edge.
func (b *tab) wide() string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("body *")]
		.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && ![...e.children].some((c) => c.getBoundingClientRect().right > innerWidth + 1))
		.slice(0, 4).map((e) => e.outerHTML.slice(0, 120)).join("; ")`))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}
