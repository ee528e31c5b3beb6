package metrics

import (
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/requests"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var (
	_ requests.Meter = (*Metrics)(nil)
	_ identify.Meter = (*Metrics)(nil)
)

type memory identify.Load

func (m memory) Load() identify.Load { return identify.Load(m) }

type encoding int

func (e encoding) Waiting() int { return int(e) }

type disk struct {
	usage Usage
	err   error
	asked int
}

func (d *disk) Usage(context.Context) (Usage, error) {
	d.asked++
	return d.usage, d.err
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// measured is metrics to which one of everything has happened.
func measured(t *testing.T, d *disk, now func() time.Time) *Metrics {
	t.Helper()
	m := New("v1.2.3")
	if err := m.Read(Sources{Memory: memory{Seq: 7, Exemplars: 5, Labels: 3, Leaves: 2, Pending: 4, Stale: 1, Unindexed: 9, Waiting: 6, Decoding: 8, Reading: 10, Failed: true},
		Encoding: encoding(11), Disk: d, Now: now}); err != nil {
		t.Fatal(err)
	}
	m.Answered("/observations/{id}", "GET", 200, 250*time.Millisecond, false)
	m.Answered("/workshop/events", "GET", 200, time.Hour, true)
	m.Ran(3, 40*time.Millisecond)
	m.Encoded(60 * time.Millisecond)
	m.Learned(4 * time.Millisecond)
	m.Folded(12, 500*time.Millisecond)
	m.Stroked(2 * time.Millisecond)
	m.Consolidated(3 * time.Second)
	m.Recalled(9, 9)
	m.Recalled(7, 9)
	m.Recalled(0, 0) // what could not be compared
	return m
}

func at() time.Time { return time.Unix(1_700_000_000, 0) }

func TestFigures(t *testing.T) {
	got := scrape(t, measured(t, &disk{usage: Usage{Database: 101, Photos: 102, Renditions: 105, Snapshots: 103, Free: 104, SnapshotAt: at().Add(-90 * time.Second)}}, at))
	for _, line := range []string{
		`fieldmark_build_info{version="v1.2.3"} 1`,
		`fieldmark_http_requests_total{method="GET",route="/observations/{id}",status="200"} 1`,
		`fieldmark_http_requests_total{method="GET",route="/workshop/events",status="200"} 1`,
		`fieldmark_http_request_duration_seconds_bucket{method="GET",route="/observations/{id}",le="0.2"} 0`,
		`fieldmark_http_request_duration_seconds_bucket{method="GET",route="/observations/{id}",le="0.3"} 1`,
		`fieldmark_http_streams_total 1`,
		`fieldmark_encoder_batch_photos_sum 3`,
		`fieldmark_encoder_run_seconds_sum 0.04`,
		`fieldmark_encoder_photo_seconds_sum 0.06`,
		`fieldmark_encoder_waiting_photos 11`,
		`fieldmark_learn_seconds_sum 0.004`,
		`fieldmark_learn_stroke_seconds_sum 0.002`,
		`fieldmark_learn_consolidation_seconds_sum 3`,
		`fieldmark_learn_events_folded_total 12`,
		`fieldmark_learn_fold_seconds_total 0.5`,
		`fieldmark_recall_found_total 16`, // 9 + 7
		`fieldmark_recall_asked_total 18`,
		`fieldmark_recall_last_ratio 0.7777777777777778`, // 7/9
		`fieldmark_memory_seq 7`, `fieldmark_memory_exemplars 5`, `fieldmark_memory_labels 3`, `fieldmark_memory_leaves 2`,
		`fieldmark_memory_unindexed_exemplars 9`, `fieldmark_learn_pending_events 4`, `fieldmark_learn_stale_leaves 1`,
		`fieldmark_learn_waiting_corrections 6`, `fieldmark_photos_decoding 8`, `fieldmark_photos_reading 10`, `fieldmark_learn_failed 1`,
		`fieldmark_database_bytes 101`, `fieldmark_photo_bytes 102`, `fieldmark_rendition_bytes 105`, `fieldmark_snapshot_bytes 103`, `fieldmark_data_free_bytes 104`,
		`fieldmark_snapshot_age_seconds 90`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("it lacks %s", line)
		}
	}
	if strings.Contains(got, `duration_seconds_count{method="GET",route="/workshop/events"`) {
		t.Error("an hour of a stream counts as a latency")
	}
}

var family = regexp.MustCompile(`(?m)^# TYPE (\S+ \S+)$`)

// Who watches a Fieldmark has names in rules: one that goes, or is of another kind,
// is a change that this test makes visible. Go's own are Go's to change.
func TestNames(t *testing.T) {
	var names []string
	for _, found := range family.FindAllStringSubmatch(scrape(t, measured(t, &disk{usage: Usage{SnapshotAt: at()}}, at)), -1) {
		if strings.HasPrefix(found[1], namespace) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	got := strings.Join(names, "\n") + "\n"
	const golden = "testdata/names.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("the names are not those of %s (%v); if that is meant, run with -update:\n%s", golden, err, got)
	}
}

// Each metric is described for who runs a Fieldmark.
func TestEveryMetricIsDescribed(t *testing.T) {
	text, err := os.ReadFile("../../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/names.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		if name, _, _ := strings.Cut(line, " "); !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("doc/operating.md does not say what %s is", name)
		}
	}
}

// The disk is asked once a minute however often somebody looks, and when it cannot
// say, the other figures are there all the same.
func TestTheDiskIsAskedSeldom(t *testing.T) {
	now := at()
	d := &disk{}
	m := measured(t, d, func() time.Time { return now })
	for range 3 {
		scrape(t, m)
	}
	if d.asked != 1 {
		t.Errorf("asked %d times in one moment", d.asked)
	}
	now = now.Add(usageFor)
	if text := scrape(t, m); d.asked != 2 || strings.Contains(text, "snapshot_age") {
		t.Errorf("asked %d times; without a snapshot: %v", d.asked, strings.Contains(text, "snapshot_age"))
	}
	now, d.err = now.Add(usageFor), errors.New("disk on fire")
	if text := scrape(t, m); !strings.Contains(text, "fieldmark_memory_seq 7") || strings.Contains(text, "fieldmark_database_bytes") {
		t.Error("a disk that cannot say takes the rest along, or old figures stay")
	}
	now = at().Add(-time.Hour) // the clock was put back
	if d.asked = 0; scrape(t, m) == "" || d.asked != 1 {
		t.Errorf("asked %d times after the clock was put back", d.asked)
	}
}
