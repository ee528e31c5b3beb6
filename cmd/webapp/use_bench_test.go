package main

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkChangeOfEncoder says how long another encoder takes until it serves,
// as a multiple of going back, and how long photos of people take meanwhile, as a
// multiple of what they take when nothing is being done.
func BenchmarkChangeOfEncoder(b *testing.B) {
	const photos, asked = 200, 40
	for b.Loop() {
		data := b.TempDir()
		addVariant(b, data, "brighter")
		p := &process{url: startApp(b, data).URL()}
		for i := range photos {
			_, err := p.teach(drawn(uint64(i)), "Luna Moth")
			must(b, err)
		}
		classify := func(n uint64) {
			contentType, body := form(b, nil, drawn(photos+n))
			resp, err := http.Post(p.url+"/api/v1/classify", contentType, body)
			must(b, err)
			must(b, resp.Body.Close())
		}
		classify(0)
		begin := time.Now()
		for i := range uint64(asked) {
			classify(i)
		}
		quiet := time.Since(begin) / asked

		use := func(name string) {
			resp, err := http.Post(p.url+"/api/v1/encoders/"+name+"/use", "", nil)
			must(b, err)
			must(b, resp.Body.Close())
		}
		var busy time.Duration
		n := 0
		begin = time.Now()
		for use("brighter"); p.serving(b) != "brighter"; n++ {
			at := time.Now()
			classify(uint64(n))
			busy += time.Since(at)
		}
		there := time.Since(begin)
		begin = time.Now()
		for use(builtin); p.serving(b) != builtin; {
		}
		back := time.Since(begin)
		b.ReportMetric(there.Seconds()/photos*1e3, "ms/photo")
		b.ReportMetric(there.Seconds()/back.Seconds(), "there/back")
		b.ReportMetric((busy/time.Duration(n)).Seconds()/quiet.Seconds(), "busy/quiet")
	}
}
