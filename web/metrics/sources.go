package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldmark/internal/identify"
)

// Memory is what is in the memory and waits for it; *identify.Service has it.
type Memory interface {
	Load() identify.Load
}

// Encoding is an encoder that photos wait for; *clip.Encoder is one.
type Encoding interface {
	Waiting() int
}

// Disk is what the data folder holds.
type Disk interface {
	Usage(ctx context.Context) (Usage, error)
}

// Usage is what the data folder holds, in bytes.
type Usage struct {
	Database   int64 // with its write-ahead log
	Photos     int64 // originals
	Renditions int64 // photos in other sizes, for pages
	Snapshots  int64
	Free       int64     // that the program may still write
	SnapshotAt time.Time // when the newest snapshot was written; zero if there is none
}

// Sources is where the figures come from that are asked for. A nil one is left out.
type Sources struct {
	Memory   Memory
	Encoding Encoding
	Disk     Disk
	Now      func() time.Time // nil means time.Now
}

// Read adds figures that are asked for whenever somebody looks. It may be called
// once.
func (m *Metrics) Read(s Sources) error {
	if s.Now == nil {
		s.Now = time.Now
	}
	for _, c := range []struct {
		there bool
		prometheus.Collector
	}{{s.Memory != nil, memoryCollector{s.Memory, memoryFigures()}}, {s.Encoding != nil, encodingGauge(s.Encoding)}, {s.Disk != nil, &diskCollector{disk: s.Disk, now: s.Now, is: newDiskDescs()}}} {
		if !c.there {
			continue
		}
		if err := m.registry.Register(c.Collector); err != nil {
			return err
		}
	}
	return nil
}

func encodingGauge(e Encoding) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "encoder_waiting_photos",
		Help: "Photos that wait for a run of the serving encoder or are in one."}, func() float64 { return float64(e.Waiting()) })
}

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, nil)
}

// memoryCollector reads one moment's Load for all of its figures.
type memoryCollector struct {
	memory  Memory
	figures []memoryFigure
}

type memoryFigure struct {
	desc *prometheus.Desc
	of   func(identify.Load) float64
}

func memoryFigures() []memoryFigure {
	return []memoryFigure{
		{desc("memory_seq", "Number of the last event of the log that is learned."), func(l identify.Load) float64 { return float64(l.Seq) }},
		{desc("memory_exemplars", "Exemplars that stand."), func(l identify.Load) float64 { return float64(l.Exemplars) }},
		{desc("memory_labels", "Taxa with at least one exemplar."), func(l identify.Load) float64 { return float64(l.Labels) }},
		{desc("memory_leaves", "Leaves of the clustering tree."), func(l identify.Load) float64 { return float64(l.Leaves) }},
		{desc("memory_unindexed_exemplars", "Exemplars that wait to be taken into the graph; 0 while the scan is exact."), func(l identify.Load) float64 { return float64(l.Unindexed) }},
		{desc("learn_pending_events", "Events that are learned and whose consolidation is still to come."), func(l identify.Load) float64 { return float64(l.Pending) }},
		{desc("learn_stale_leaves", "Leaves that are not at their optimum."), func(l identify.Load) float64 { return float64(l.Stale) }},
		{desc("learn_waiting_corrections", "Corrections that are durable and wait to be learned."), func(l identify.Load) float64 { return float64(l.Waiting) }},
		{desc("photos_decoding", "Photos whose pixels are in memory."), func(l identify.Load) float64 { return float64(l.Decoding) }},
		{desc("photos_reading", "Photos that are being read for someone who waits."), func(l identify.Load) float64 { return float64(l.Reading) }},
		{desc("learn_failed", "1 if learning has stopped because of a fault."), func(l identify.Load) float64 {
			if l.Failed {
				return 1
			}
			return 0
		}},
	}
}

// Describe implements prometheus.Collector.
func (c memoryCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range c.figures {
		out <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c memoryCollector) Collect(out chan<- prometheus.Metric) {
	load := c.memory.Load()
	for _, f := range c.figures {
		out <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, f.of(load))
	}
}

const (
	// usageFor is how long what the disk held counts as what it holds: the sum
	// over a million photos takes a moment.
	usageFor = time.Minute
	// usageWithin bounds asking, so that no scrape hangs on a slow disk.
	usageWithin = 5 * time.Second
)

// diskCollector asks the disk at most once in usageFor.
type diskCollector struct {
	disk Disk
	now  func() time.Time
	is   diskDescs

	mu    sync.Mutex
	asked time.Time
	last  Usage
	err   error
}

// diskDescs says what each figure of the disk is.
type diskDescs struct{ database, photos, renditions, snapshots, age, free *prometheus.Desc }

func newDiskDescs() diskDescs {
	return diskDescs{
		database:   desc("database_bytes", "Size of the database, its write-ahead log included."),
		photos:     desc("photo_bytes", "Size of all original photos."),
		renditions: desc("rendition_bytes", "Size of photos in other sizes, which are made for pages and bounded by --renditions."),
		snapshots:  desc("snapshot_bytes", "Size of the memory's snapshots."),
		age:        desc("snapshot_age_seconds", "Since the newest snapshot was written; left out if there is none."),
		free:       desc("data_free_bytes", "Free space of the data folder's disk."),
	}
}

// Describe implements prometheus.Collector.
func (c *diskCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.is.database, c.is.photos, c.is.renditions, c.is.snapshots, c.is.age, c.is.free} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *diskCollector) Collect(out chan<- prometheus.Metric) {
	now := c.now()
	u, err := c.usage(now)
	if err != nil {
		out <- prometheus.NewInvalidMetric(c.is.database, err)
		return
	}
	for d, bytes := range map[*prometheus.Desc]int64{c.is.database: u.Database, c.is.photos: u.Photos, c.is.renditions: u.Renditions, c.is.snapshots: u.Snapshots, c.is.free: u.Free} {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(bytes))
	}
	if !u.SnapshotAt.IsZero() {
		out <- prometheus.MustNewConstMetric(c.is.age, prometheus.GaugeValue, now.Sub(u.SnapshotAt).Seconds())
	}
}

func (c *diskCollector) usage(now time.Time) (Usage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || now.Sub(c.asked) >= usageFor || now.Before(c.asked) {
		ctx, cancel := context.WithTimeout(context.Background(), usageWithin)
		defer cancel()
		c.last, c.err = c.disk.Usage(ctx)
		c.asked = now
	}
	return c.last, c.err
}
