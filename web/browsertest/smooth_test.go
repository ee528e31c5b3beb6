package browsertest

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// TestSmoothness measures, where it is asked to, how the page bears four hundred
// photos at once: how long its thread computed, which does not depend on what else the
// machine does; tasks that keep it from answering for more than 50 ms and the longest
// pause between two frames, which do; and what it holds at the end. It judges nothing.
//
//	FIELDMARK_MEASURE=1 go test ./web/browsertest -run TestSmoothness -v
func TestSmoothness(t *testing.T) {
	if os.Getenv("FIELDMARK_MEASURE") == "" {
		t.Skip("it measures only where FIELDMARK_MEASURE is set")
	}
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.do(chromedp.Evaluate[chromedp.Void](drawPhotos(1000, 400) + `.then((files) => { window.files = files; })`))
	b.until("they are drawn", `window.files`)
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const m = window.measured = {tasks: 0, longest: 0, sum: 0, frame: 0, from: performance.now()};
		new PerformanceObserver((list) => {
			for (const e of list.getEntries()) { m.tasks++; m.sum += e.duration; m.longest = Math.max(m.longest, e.duration); }
		}).observe({type: "longtask"});
		let last = performance.now();
		const frame = (now) => { m.frame = Math.max(m.frame, now - last); last = now; requestAnimationFrame(frame); };
		requestAnimationFrame(frame);
	})()`))
	b.do(call(performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}))
	before := b.computed()
	b.drop(`window.files`)
	b.until("they are shown", `document.querySelectorAll("[data-row]").length > 0 && /of 400 photos/.test(document.querySelector("`+queueText+`").textContent)`)
	b.measured("400 shown", before)
	b.until("all are in", `document.querySelector("`+queueText+`").textContent === "400 photos are in."`)
	b.measured("400 in", before)
}

// computed is for how many seconds the page's thread has computed, by what.
func (b *tab) computed() map[string]float64 {
	b.t.Helper()
	seconds := map[string]float64{}
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		got, err := cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range got.Metrics {
			seconds[m.Name] = m.Value
		}
		return nil
	}))
	return seconds
}

func (b *tab) measured(when string, before map[string]float64) {
	b.t.Helper()
	after := b.computed()
	spent := func(name string) float64 { return 1000 * (after[name] - before[name]) }
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(() => {
		const m = window.measured;
		return "after " + Math.round(performance.now() - m.from) + " ms: " + m.tasks + " long tasks, " + Math.round(m.sum) + " ms in all, the longest "
			+ Math.round(m.longest) + " ms; longest pause between frames " + Math.round(m.frame) + " ms; "
			+ document.querySelectorAll("*").length + " elements, " + Math.round(performance.memory.usedJSHeapSize / 1e5) / 10 + " MB of objects";
	})()`))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("%s: %s; computed for %.0f ms, of which scripts %.0f, styles %.0f, layout %.0f", when, text,
		spent("TaskDuration"), spent("ScriptDuration"), spent("RecalcStyleDuration"), spent("LayoutDuration"))
}
