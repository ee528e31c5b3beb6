package bundle_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"fieldmark/internal/bundle"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	s := sample()
	b, got, err := readAll(written(t, manifest(), s))
	if err != nil {
		t.Fatal(err)
	}
	// Times come back with another Location of the same offset.
	for i := range got.exemplars {
		x, y := &got.exemplars[i], &s.exemplars[i]
		if !x.TaughtAt.Equal(y.TaughtAt) || (x.ObservedAt == nil) != (y.ObservedAt == nil) ||
			x.ObservedAt != nil && x.ObservedAt.Format("2006-01-02T15:04:05Z07:00") != y.ObservedAt.Format("2006-01-02T15:04:05Z07:00") {
			t.Errorf("times of exemplar %d: %+v", i, x)
		}
		x.TaughtAt, x.ObservedAt, x.Photo.TakenAt = y.TaughtAt, y.ObservedAt, y.Photo.TakenAt
	}
	if !reflect.DeepEqual(got, s) {
		t.Errorf("read %+v\nwrote %+v", got, s)
	}
	want := bundle.Counts{Taxa: 3, Exemplars: 3, Views: 4, Thumbnails: 1, Photos: 1}
	if m := b.Manifest; m.Counts != want || m.Instance.Name != "Lab A" || m.Encoder.Dim != 3 || len(m.Members) != 5 {
		t.Errorf("%+v", m)
	}
	if !bytes.Equal(b.Signer(), key("a").Public().(ed25519.PublicKey)) {
		t.Error("another signer")
	}
}

func TestAnEmptyBundle(t *testing.T) {
	b, got, err := readAll(written(t, manifest(), &made{}))
	if err != nil || len(got.exemplars) != 0 || b.Manifest.Counts != (bundle.Counts{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFingerprints(t *testing.T) {
	f := bundle.Fingerprint(key("a").Public().(ed25519.PublicKey))
	if len(f) != 32 || f == bundle.Fingerprint(key("b").Public().(ed25519.PublicKey)) {
		t.Error(f)
	}
	if g := bundle.Grouped("0123456789ab"); g != "0123 4567 89ab" {
		t.Error(g)
	}
}

// Every byte of a bundle counts: a change anywhere is noticed, or changes nothing
// that is read.
func TestOneWrongBit(t *testing.T) {
	data := written(t, manifest(), sample())
	_, want, err := readAll(data)
	if err != nil {
		t.Fatal(err)
	}
	silent := 0
	for i := range data {
		spoilt := bytes.Clone(data)
		spoilt[i] ^= 1 << (i % 8)
		_, got, err := readAll(spoilt)
		if err == nil {
			if silent++; !reflect.DeepEqual(got, want) {
				t.Fatalf("byte %d: another bundle is read", i)
			}
		}
	}
	// Times, versions and the headers that repeat what the directory says.
	if silent > len(data)/4 {
		t.Errorf("%d of %d bytes can be changed unnoticed", silent, len(data))
	}
}

func TestATruncatedBundle(t *testing.T) {
	data := written(t, manifest(), sample())
	for n := range data {
		if _, _, err := readAll(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are read as a bundle", n, len(data))
		}
	}
	if _, _, err := readAll(append(bytes.Clone(data), 0)); err == nil {
		t.Error("a byte more is taken")
	}
	if _, _, err := readAll(append([]byte{0}, data...)); err == nil {
		t.Error("a byte before it is taken")
	}
}

func floats(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Archives that lie are refused with the reason, even where their signer is the
// liar.
func TestBundlesThatLie(t *testing.T) {
	whole := written(t, manifest(), sample())
	change := func(do func([]part) []part) []byte { return together(t, do(apart(t, whole))) }
	lie := func(do func([]part) []part, m func(*bundle.Manifest)) []byte {
		return resign(t, do(apart(t, whole)), m)
	}
	same := func(p []part) []part { return p }
	spoil := func(name string, do func([]byte) []byte) func([]part) []part {
		return func(p []part) []part {
			x := named(t, p, name)
			x.data = do(x.data)
			return p
		}
	}
	replace := func(name, old, new string) func([]part) []part {
		return spoil(name, func(b []byte) []byte {
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("%s has no %q", name, old)
			}
			return bytes.Replace(b, []byte(old), []byte(new), 1)
		})
	}
	tail := func(name string, v ...float32) func([]part) []part {
		return spoil(name, func(b []byte) []byte { return append(b[:len(b)-4*len(v)], floats(v...)...) })
	}
	more := func(name string) func([]part) []part {
		return func(p []part) []part {
			x := part{zip.FileHeader{Name: name}, []byte("x")}
			if strings.HasSuffix(name, "/") {
				x.data = nil
			}
			return append(p, x)
		}
	}
	photo := hashOf([]byte("a photo"))
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"not a zip":            {[]byte("PK but not really, and long enough to be one"), "no zip archive"},
		"empty":                {nil, "no zip archive"},
		"a way out":            {change(more("../../etc/passwd")), "which no bundle has"},
		"an absolute name":     {change(more("/etc/passwd")), "which no bundle has"},
		"another name":         {change(more("README")), "which no bundle has"},
		"a folder":             {change(more("photos/")), "which no bundle has"},
		"a link":               {change(func(p []part) []part { named(t, p, "photos/"+photo).SetMode(fs.ModeSymlink | 0o777); return p }), "is a link"},
		"a member twice":       {change(func(p []part) []part { return append(p, *named(t, p, "taxa.jsonl")) }), "two members"},
		"unsigned photo":       {change(more("photos/" + strings.Repeat("0", 64))), "not signed"},
		"manifest changed":     {change(replace("manifest.json", "Lab A", "Lab B")), "signature"},
		"signature of another": {change(spoil("signature", func(b []byte) []byte { return ed25519.Sign(key("b"), []byte("x")) })), "signature"},
		"no signature":         {change(func(p []part) []part { return p[:len(p)-1] }), "lacks its member \"signature\""},
		"no embeddings":        {change(func(p []part) []part { return append(p[:2], p[3:]...) }), "lacks its member \"embeddings.npy\""},
		"taxa changed":         {change(replace("taxa.jsonl", "Rubus", "Robus")), "not what was signed"},
		"lines changed":        {change(replace("exemplars.jsonl", "Ada", "Eva")), "not what was signed"},
		"embedding changed":    {change(tail("embeddings.npy", 7)), "not what was signed"},
		"view changed":         {change(tail("views.npy", 7)), "not what was signed"},
		"photo changed":        {change(spoil("photos/"+photo, func(b []byte) []byte { return []byte("b photo") })), "not what was signed"},
		"thumbnail changed":    {change(spoil("thumbnails/"+photo+".jpg", func(b []byte) []byte { return []byte("smell") })), "not what was signed"},
		"digests changed":      {change(replace("files.sha256", "a", "b")), "not what was signed"},
		"NaN":                  {lie(tail("embeddings.npy", float32(math.NaN())), nil), "not finite"},
		"infinite":             {lie(tail("embeddings.npy", float32(math.Inf(-1))), nil), "not finite"},
		"all zeros":            {lie(tail("embeddings.npy", 0, float32(math.Copysign(0, -1)), 0), nil), "all zeros"},
		"NaN in a view":        {lie(tail("views.npy", float32(math.NaN())), nil), "view of exemplar 1"},
		"a bomb of lines": {lie(spoil("exemplars.jsonl", func(b []byte) []byte {
			return append(b, make([]byte, 1<<21)...)
		}), nil), "larger than it can be"},
		"a line without end": {lie(spoil("exemplars.jsonl", func(b []byte) []byte {
			return append([]byte(`{"notes":"`+strings.Repeat("x", 300<<10)+`"}`+"\n"), b...)
		}), nil), "longer than"},
		"no JSON":             {lie(spoil("exemplars.jsonl", func(b []byte) []byte { b[0] = 'x'; return b }), nil), "cannot be read"},
		"too few lines":       {lie(spoil("exemplars.jsonl", func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }), nil), "cannot be read"},
		"too many lines":      {lie(spoil("exemplars.jsonl", func(b []byte) []byte { return append(b, "{}\n"...) }), nil), "more in it"},
		"absurd count":        {lie(same, func(m *bundle.Manifest) { m.Counts.Exemplars = 1 << 50 }), "more than a bundle can have"},
		"wrong count":         {lie(same, func(m *bundle.Manifest) { m.Counts.Exemplars = 9_000_000 }), "its size is another"},
		"negative count":      {lie(same, func(m *bundle.Manifest) { m.Counts.Taxa = -1 }), "less than nothing"},
		"too many dimensions": {lie(same, func(m *bundle.Manifest) { m.Encoder.Dim = 1 << 30 }), "no embedding"},
		"other dimensions":    {lie(same, func(m *bundle.Manifest) { m.Encoder.Dim = 4 }), "its size is another"},
		"more photos":         {lie(same, func(m *bundle.Manifest) { m.Counts.Photos = 2 }), "Its manifest says"},
		"a size that is none": {lie(same, func(m *bundle.Manifest) { m.Members[1].Bytes++ }), "not the size"},
		"a member listed twice": {lie(same, func(m *bundle.Manifest) { m.Members = append(m.Members, m.Members[0]) }),
			"where it must not"},
		"another format":   {lie(same, func(m *bundle.Manifest) { m.Format = "x" }), "version"},
		"a later version":  {lie(same, func(m *bundle.Manifest) { m.Version = 2 }), "version 2"},
		"from nowhere":     {lie(same, func(m *bundle.Manifest) { m.Instance.ID = "A" }), "no proper id"},
		"unknown taxon":    {lie(replace("exemplars.jsonl", `"taxon":7`, `"taxon":8`), nil), "a taxon that it does not have"},
		"taxa in a circle": {lie(replace("taxa.jsonl", `"parent":1`, `"parent":7`), nil), "does not come before"},
		"a taxon twice":    {lie(replace("taxa.jsonl", `"id":7`, `"id":1`), nil), "twice"},
		"no such place":    {lie(replace("exemplars.jsonl", `"latitude":47.5`, `"latitude":95`), nil), "not on Earth"},
		"half a place":     {lie(replace("exemplars.jsonl", `"latitude":47.5,`, ``), nil), "not on Earth"},
		"no hash":          {lie(replace("exemplars.jsonl", photo, "../x"), nil), "no SHA-256"},
		"too many views":   {lie(replace("exemplars.jsonl", `"views":2`, `"views":5`), nil), "more views"},
		"absurd views":     {lie(replace("exemplars.jsonl", `"views":2`, `"views":500`), nil), "so many views"},
		"another shape":    {lie(replace("embeddings.npy", "(3, 3)", "(9, 1)"), nil), "not an array"},
		"doubles":          {lie(replace("embeddings.npy", "<f4", "<f8"), nil), "not an array"},
	} {
		_, _, err := readAll(c.data)
		var refused *bundle.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want a refusal that says %q", name, err, c.says)
		}
	}
}

// What a zip's own records say is checked before memory is taken for it.
func TestDirectoriesThatLie(t *testing.T) {
	whole := written(t, manifest(), sample())
	set16 := func(at int, v uint16) []byte {
		b := bytes.Clone(whole)
		binary.LittleEndian.PutUint16(b[at:], v)
		return b
	}
	end := len(whole) - 22
	for name, data := range map[string][]byte{
		"more members than there are":  set16(end+10, 900),
		"fewer members than there are": set16(end+10, 1),
		"a comment":                    append(set16(end+20, 3), "abc"...),
		"a directory elsewhere":        set16(end+16, 1),
		"Zip64 that is not there":      set16(end+10, 0xffff),
	} {
		if _, _, err := readAll(data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	var many bytes.Buffer
	z := zip.NewWriter(&many)
	for i := range 400_001 {
		if _, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(many.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 400000 members") {
		t.Errorf("too many members: %v", err)
	}
}

// A visitor's own error comes back as it is.
func TestAVisitorThatStops(t *testing.T) {
	data := written(t, manifest(), sample())
	b, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	if err := b.Each(func(bundle.Row) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// A source that does not give what it says is not written as if it did.
func TestSourcesThatDisagree(t *testing.T) {
	short, wide, viewless := sample(), sample(), sample()
	short.embeddings = short.embeddings[:2]
	wide.embeddings[1] = []float32{1}
	viewless.views = nil
	for name, s := range map[string]*made{"too few embeddings": short, "another dimension": wide, "no views": viewless} {
		var b bytes.Buffer
		if _, err := bundle.Write(&b, key("a"), manifest(), s); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}
