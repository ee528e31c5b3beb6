package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience bounds everything that one test does in the browser: the machine may
// be busy, and nothing here is about speed.
const patience = 10 * time.Minute

// tab is one page of the browser; what goes wrong in it fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open opens an empty page in a window of its own, which has its own cookies and
// stores and is focused, as far as its page can tell, whatever other windows do.
func open(t *testing.T) *tab {
	t.Helper()
	browser, err := shared.browser()
	if err != nil {
		t.Fatal(err)
	}
	if browser == nil {
		t.Skip("Chromium is not installed: the browser tests need it")
	}
	ctx, cancel := context.WithTimeout(browser, patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return begin(t, ctx)
}

// begin makes a tab of a page that is just opened.
func begin(t *testing.T, ctx context.Context) *tab {
	t.Helper()
	b := &tab{t: t, ctx: ctx}
	b.do(call(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	b.failOnErrors()
	b.width(1280)
	return b
}

// another opens a page in a further window, which shares cookies and stores with b's.
func (b *tab) another(url string) *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	other := begin(b.t, ctx)
	other.do(chromedp.Navigate(url))
	return other
}

// in is the page as a part of the test sees it.
func (b *tab) in(t *testing.T) *tab { return &tab{t: t, ctx: b.ctx} }

// failOnErrors makes every uncaught error and every console error of the page
// an error of the test: a violation of the content security policy is one.
func (b *tab) failOnErrors() {
	err := chromedp.Listen(b.ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.t.Errorf("in the page: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError && len(e.Args) > 0 {
				b.t.Errorf("console: %s", e.Args[0].Value)
			}
		case *log.EventEntryAdded:
			if e.Entry.Source == log.EntrySourceSecurity {
				b.t.Errorf("content security policy: %s", e.Entry.Text)
			}
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.shoot("failed")
		b.t.Fatal(err)
	}
}

// until waits for a JavaScript expression to become true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !b.is(expression) {
		if time.Now().After(deadline) {
			b.shoot("failed")
			b.t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (b *tab) is(expression string) bool {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// text is the text of the first element that matches, without space around it.
func (b *tab) text(selector string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q)?.innerText.trim() ?? ''", selector)))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// keys presses keys one after the other: named ones of package kb, or single
// characters. A character goes down with its text, as a keyboard sends it, so
// that a page that takes the key also keeps it from being typed.
func (b *tab) keys(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		if r := []rune(k)[0]; kb.Keys[r] != nil && (!unicode.IsPrint(r) || unicode.IsMark(r)) { // arrows are marks
			b.do(chromedp.KeyEvent(k))
			continue
		}
		b.do(
			call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k}),
			call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k}),
		)
	}
}

// typed types a text.
func (b *tab) typed(text string) {
	b.t.Helper()
	b.keys(strings.Split(text, "")...)
}

// upload gives the first page photos and waits until all are read.
func (b *tab) upload(photos ...string) {
	b.t.Helper()
	const cards = `document.querySelectorAll("#results [data-card]").length`
	before, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](cards))
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS(chooser), photos))
	b.until("the photos are read", fmt.Sprintf("%s === %d", cards, before+len(photos)))
}

// width sets the width of the window, as a phone's at 390.
func (b *tab) width(pixels int64) {
	b.t.Helper()
	b.window(pixels, 844)
}

func (b *tab) window(width, height int64) {
	b.t.Helper()
	if width < 720 {
		b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
		return
	}
	b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(1)))
}

// stretch makes the window as high as the page, so that what is fixed to the
// window's edges is at the page's.
func (b *tab) stretch(width int64) {
	b.t.Helper()
	height, err := chromedp.Run(b.ctx, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.window(width, max(844, height))
}

func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}))
}

func (b *tab) withoutScripts() {
	b.t.Helper()
	b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
}

func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// gallery leaves pictures of the page at both widths, light and dark, and puts
// the window back as it was.
func (b *tab) gallery(name string) {
	b.t.Helper()
	if os.Getenv("FIELDMARK_SCREENSHOTS") == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int64{1280, 390} {
			b.width(width)
			b.stretch(width)
			time.Sleep(150 * time.Millisecond) // fonts and layout settle
			b.shoot(fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
	}
	b.scheme("light")
	b.width(1280)
}

// shoot leaves a picture of the window.
func (b *tab) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("FIELDMARK_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("no picture of %s: %v", name, err)
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
