// Package metrics measures a running Fieldmark for Prometheus. doc/operating.md
// says which of the figures to watch.
//
// What happens is counted as it happens (Metrics is the Meter of the requests, of
// the domain and of the encoder); what is, is asked for when somebody looks
// (Sources). Nothing in it names a person, a taxon or a file.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace begins the names of all our own metrics.
const namespace = "fieldmark"

// Metrics is a registry of its own. Its methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	streams  prometheus.Counter

	encodeRun, encodeBatch, encode prometheus.Histogram
	learn, stroke, consolidate     prometheus.Histogram
	folded                         prometheus.Counter
	foldTime                       prometheus.Counter
	recallFound, recallAsked       prometheus.Counter
	recallLast                     prometheus.Gauge
}

// New returns metrics of a program of that version, with the process's own and
// Go's.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("http_requests_total", "Answers by the route's pattern, method and status; streams are counted when they end.", "route", "method", "status"),
		latency: histograms("http_request_duration_seconds", "From a request's arrival to the end of its answer; streams left out.",
			requestBuckets(), "route", "method"),
		streams:     counter("http_streams_total", "Event streams that have ended."),
		encodeRun:   histogram("encoder_run_seconds", "One run of the photo tower, of one photo or of several that came together.", workBuckets()),
		encodeBatch: histogram("encoder_batch_photos", "Photos that shared a run.", prometheus.LinearBuckets(1, 1, 8)),
		encode:      histogram("encoder_photo_seconds", "From a decoded photo to its embedding, waiting for a run included.", workBuckets()),
		learn:       histogram("learn_seconds", "From a correction being durable to the memory that has it being published.", workBuckets()),
		stroke:      histogram("learn_stroke_seconds", "First stroke of the leaves that a version changed.", workBuckets()),
		consolidate: histogram("learn_consolidation_seconds", "Bringing one leaf to its optimum, in the background.", workBuckets()),
		folded:      counter("learn_events_folded_total", "Events of the log that were put into the memory."),
		foldTime:    counter("learn_fold_seconds_total", "Time that took, fitting left out."),
		recallFound: counter("recall_found_total", "Of the exemplars that a sampled exact scan found nearest, those that the index had found."),
		recallAsked: counter("recall_asked_total", "Exemplars that sampled exact scans found nearest."),
		recallLast:  gauge("recall_last_ratio", "Recall of the last sample; 1 before there was one. No sample is taken while the scan is exact."),
	}
	m.recallLast.Set(1)
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "Always 1; the label is the program's version."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(m.requests, m.latency, m.streams, m.encodeRun, m.encodeBatch, m.encode, m.learn, m.stroke, m.consolidate,
		m.folded, m.foldTime, m.recallFound, m.recallAsked, m.recallLast, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// requestBuckets has the goals as bounds: 0.2 s for a page, 0.3 s for a
// correction, 1.5 s to identify.
func requestBuckets() []float64 {
	return []float64{.005, .01, .025, .05, .1, .2, .3, .5, 1, 1.5, 2.5, 5, 10}
}

// workBuckets goes from a millisecond to half a minute.
func workBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets})
}

// Handler answers with all metrics as Prometheus reads them. It does not ask who
// wants to know.
func (m *Metrics) Handler() http.Handler {
	// One source that fails leaves the others to be read.
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4})
}

// Answered implements requests.Meter.
func (m *Metrics) Answered(route, method string, status int, took time.Duration, stream bool) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	if stream {
		m.streams.Inc()
		return
	}
	m.latency.WithLabelValues(route, method).Observe(took.Seconds())
}

// Ran is clip.Options.Ran.
func (m *Metrics) Ran(photos int, took time.Duration) {
	m.encodeBatch.Observe(float64(photos))
	m.encodeRun.Observe(took.Seconds())
}

// Encoded is told how long a photo waited for its embedding.
func (m *Metrics) Encoded(took time.Duration) { m.encode.Observe(took.Seconds()) }

// Learned implements identify.Meter, as do the methods below.
func (m *Metrics) Learned(took time.Duration) { m.learn.Observe(took.Seconds()) }

// Folded counts events that were folded.
func (m *Metrics) Folded(events int, took time.Duration) {
	m.folded.Add(float64(events))
	m.foldTime.Add(took.Seconds())
}

// Stroked measures a first stroke.
func (m *Metrics) Stroked(took time.Duration) { m.stroke.Observe(took.Seconds()) }

// Consolidated measures a fit to the optimum.
func (m *Metrics) Consolidated(took time.Duration) { m.consolidate.Observe(took.Seconds()) }

// Recalled takes a sample of recall in.
func (m *Metrics) Recalled(found, of int) {
	if of == 0 {
		return
	}
	m.recallFound.Add(float64(found))
	m.recallAsked.Add(float64(of))
	m.recallLast.Set(float64(found) / float64(of))
}
