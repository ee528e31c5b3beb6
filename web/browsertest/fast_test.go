package browsertest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// slow makes each answer of the server take a while longer.
func (b *tab) slow(milliseconds float64) {
	b.t.Helper()
	b.do(call(network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: milliseconds, DownloadThroughput: -1, UploadThroughput: -1}},
	}))
}

// TestKeysBeforeTheAnswer presses keys faster than the server answers: they count for
// the photos that come, in order, and a text for its field; but no name is accepted
// that nobody has seen.
func TestKeysBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	url := start(t)
	tenPhotos(t, url)
	b := open(t)
	b.do(chromedp.Navigate(url + "/review?order=time"))
	b.shows(1)
	b.slow(400)
	b.keys("s", "x", "s", "/")
	b.typed("coccinella sept")
	b.until("the text is in the field of the fourth", `document.querySelector("[data-card='4'] [data-search]")?.value === "coccinella sept" && document.activeElement.matches("[data-search]")`)
	b.until("the name is found", `document.querySelector("[role=option][aria-selected=true] i")?.textContent === "Coccinella septempunctata"`)

	b.do(chromedp.Navigate(url + "/review?order=time"))
	b.shows(4)
	b.keys("1", "1", "1")
	b.shows(5)
	if got := b.text(".last-line p"); !strings.HasPrefix(got, "Taught as") {
		t.Errorf("it says %q", got)
	}
	b.keys("u")
	b.shows(4)
	b.keys("u")
	b.until("the skip of the third is undone too", `document.activeElement.matches("#review [data-card='3']")`)
}

// late is the address of a server behind which one page is two seconds in coming:
// Chromium slows no navigation by itself.
func late(t *testing.T, address, path string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			time.Sleep(2 * time.Second)
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestASignOnALongWay follows a link whose page is long in coming: there is a sign
// meanwhile, and none on the page that comes. Nothing can be asked of a page that is
// about to be left, so it notes by itself what it shows.
func TestASignOnALongWay(t *testing.T) {
	t.Parallel()
	address := late(t, start(t), "/about")
	b := open(t)
	b.do(chromedp.Navigate(address + "/"))
	b.do(chromedp.Evaluate[chromedp.Void](`
		new MutationObserver(() => sessionStorage.setItem("shown", document.documentElement.hasAttribute("data-leaving")))
			.observe(document.documentElement, { attributes: true });
		document.querySelector(".nav a[href='/about']").click()`))
	b.until("there was a sign, and the page is there without one", `sessionStorage.getItem("shown") === "true" && location.pathname === "/about" && document.readyState === "complete" && !document.documentElement?.hasAttribute("data-leaving")`)
}
