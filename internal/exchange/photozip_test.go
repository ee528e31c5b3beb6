package exchange

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"io/fs"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// packed is a zip archive of names and contents, in turn.
func packed(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: zip.Deflate})
		if err == nil {
			_, err = f.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openZip(data []byte) (*PhotoSet, error) {
	return NewPhotoZip(bytes.NewReader(data), int64(len(data)))
}

func TestPhotosByClass(t *testing.T) {
	set, err := openZip(packed(t,
		"birds/Turdus_merula/1.jpg", "one", // the last folder is the class; underscores are spaces
		"Luna Moth/a.jpg", "two",
		"my class_2/b.jpg", "three", // where there are spaces, underscores are meant
		"loose.jpg", "four",
		"Luna Moth/notes.txt", "five", // within a class everything is looked at
		"README.txt", "six", "__MACOSX/Luna Moth/._a.jpg", "x", "Luna Moth/.DS_Store", "x", "Luna Moth/Thumbs.db", "x", "empty/", ""))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ name, label, data string }{
		{"birds/Turdus_merula/1.jpg", "Turdus merula", "one"}, {"Luna Moth/a.jpg", "Luna Moth", "two"},
		{"my class_2/b.jpg", "my class_2", "three"}, {"loose.jpg", "", ""}, {"Luna Moth/notes.txt", "Luna Moth", "five"},
	}
	if set.Rows() != len(want) {
		t.Fatalf("%d rows", set.Rows())
	}
	for i, w := range want {
		row := set.Row(i)
		if row.Name.String() != w.name || row.Label != w.label || (row.Problem != nil) != (w.data == "") {
			t.Errorf("row %d: %+v", i, row)
		}
		if w.data == "" {
			continue
		}
		if data, err := set.Photo(context.Background(), i); err != nil || string(data) != w.data {
			t.Errorf("row %d: %q, %v", i, data, err)
		}
	}
	if left := set.LeftOut().String(); !strings.Contains(left, "3 hidden files") || !strings.Contains(left, "1 file that is no photo (README.txt)") {
		t.Error(left)
	}
}

func TestPhotosWithATable(t *testing.T) {
	table := "\ufeffFile;Scientific Name;decimalLatitude;decimalLongitude;eventDate;license\r\n" +
		"img/1.jpg;Actias luna;52.5;13.4;2026-06-30T14:05:00+02:00;CC0-1.0\r\n" +
		"img/none.jpg;Actias luna;;;;\n" +
		"https://example.org/1.jpg;Actias luna;;;;\n" +
		"img/1.jpg;Actias luna;north;13;;\n" +
		"img/1.jpg;Actias luna;;;30.6.2026;\n" +
		"../../etc/passwd;Actias luna;;;;\n" +
		"img/1.jpg;too;few\n" +
		";Actias luna;;;;\n"
	set, err := openZip(packed(t, "set/labels.csv", table, "set/img/1.jpg", "one", "set/other.csv", "a,b\n1,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	row := set.Row(0)
	if row.Name.String() != "line 2" || row.Label != "Actias luna" || *row.Latitude != 52.5 || *row.Longitude != 13.4 || row.License != "CC0-1.0" ||
		row.ObservedAt.Format("2006-01-02T15:04:05Z07:00") != "2026-06-30T14:05:00+02:00" || row.Problem != nil {
		t.Errorf("%+v", row)
	}
	if data, err := set.Photo(context.Background(), 0); err != nil || string(data) != "one" {
		t.Errorf("%q, %v", data, err)
	}
	for i, want := range []string{"", "has no file", "web address", "no number of degrees", "cannot be read: write it as", "has no file", "3 columns", "names no photo"} {
		if got := set.Row(i).Problem; (want == "") != (got == nil) || got != nil && !strings.Contains(got.Message, want) {
			t.Errorf("%s: %q, want %q", set.Row(i).Name, got, want)
		}
	}
}

// Archives that lie are refused with the reason.
func TestZipsThatLie(t *testing.T) {
	photo := strings.Repeat("photo ", 100)
	good := packed(t, "a/1.jpg", photo)
	bomb := packed(t, "a/1.jpg", strings.Repeat("\x00", 8<<20)) // deflate: some 1,000 to 1
	link := func() []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "a/1.jpg"}
		h.SetMode(fs.ModeSymlink | 0o777)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte("/etc/passwd"))
		}
		if err != nil || w.Close() != nil {
			t.Fatal("no link made")
		}
		return b.Bytes()
	}()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"up and out":   {packed(t, "../a/1.jpg", photo), "leads out of the archive"},
		"within":       {packed(t, "a/../../1.jpg", photo), "leads out of the archive"},
		"absolute":     {packed(t, "/a/1.jpg", photo), "absolute name"},
		"backslashes":  {packed(t, "a\\1.jpg", photo), "of another system"},
		"a drive":      {packed(t, "c:/1.jpg", photo), "of another system"},
		"twice":        {packed(t, "a/1.jpg", photo, "a/1.jpg", photo), "two files named"},
		"unreadable":   {packed(t, "a/\x01.jpg", photo), "not readable text"},
		"link":         {link, "a link"},
		"bomb":         {bomb, "unpack to more than 50 times"},
		"encrypted":    {patched(good, 8, 1, "PK\x01\x02"), "is encrypted"},
		"cut short":    {good[:len(good)-30], "not copied whole"},
		"nothing":      {packed(t, "README.txt", "x"), "no photos here"},
		"two tables":   {packed(t, "a.csv", "file,label\n1,2\n", "b.csv", "file,label\n1,2\n"), "two tables"},
		"larger sizes": {patched(good, 20, 200, "PK\x01\x02"), "larger, packed, than the archive"},
	} {
		_, err := openZip(c.data)
		if identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// patched sets a byte (of little-endian numbers the second) at an offset of the
// first record with a signature.
func patched(data []byte, offset int, value byte, signature string) []byte {
	data = bytes.Clone(data)
	at := bytes.Index(data, []byte(signature)) + offset
	if value == 1 {
		data[at] |= 1
	} else {
		data[at+1] = value
	}
	return data
}

// What is damaged within an archive is that photo's error, and no other's.
func TestDamagedMembers(t *testing.T) {
	data := packed(t, "a/1.jpg", strings.Repeat("abc", 50), "a/2.jpg", "fine")
	central := bytes.Index(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[central+16:], 0xdead) // its CRC
	set, err := openZip(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Photo(context.Background(), 0); identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), "damaged within the archive") {
		t.Errorf("%v", err)
	}
	if got, err := set.Photo(context.Background(), 1); err != nil || string(got) != "fine" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want Kind
	}{
		"photos":    {packed(t, "a/1.jpg", "x"), KindPhotos},
		"npz":       {packed(t, "labels.npy", "x"), KindNPZ},
		"table":     {[]byte("path,species\n1.jpg,a\n"), KindTable},
		"tabs":      {[]byte("URL\tLabel\nhttp://a/1.jpg\tb\n"), KindTable},
		"long":      {[]byte("path,species\n" + strings.Repeat("ü.jpg,ö\n", 2000)), KindTable},
		"words":     {[]byte("just some words"), ""},
		"no labels": {[]byte("path,size\n1.jpg,3\n"), ""},
		"nothing":   {nil, ""},
	} {
		got, err := KindOf(bytes.NewReader(c.data), int64(len(c.data)))
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// No archive brings the reader down, and none is read beyond its limits.
func FuzzPhotoZip(f *testing.F) {
	f.Add(packed(f, "a/1.jpg", "one", "a/b/2.jpg", "two"))
	f.Add(packed(f, "labels.csv", "file,label\n1.jpg,x\n", "1.jpg", "one"))
	f.Add(packed(f, "../x", "one"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := KindOf(bytes.NewReader(data), int64(len(data))); err != nil && identify.KindOf(err) == "" {
			t.Errorf("an error of nobody's: %v", err)
		}
		set, err := openZip(data)
		if err != nil {
			if identify.KindOf(err) == "" {
				t.Errorf("an error of nobody's: %v", err)
			}
			return
		}
		for i := range min(set.Rows(), 20) {
			if photo, err := set.Photo(context.Background(), i); err == nil && len(photo) > maxPhotoBytes {
				t.Errorf("%d bytes", len(photo))
			} else if err != nil && identify.KindOf(err) == "" {
				t.Errorf("an error of nobody's: %v", err)
			}
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("file,label\n1.jpg,x\n")
	f.Add("url;species;lat;lon;date\n\"a\"\"b\";x;1;2;2026-01-01\n")
	f.Add("file\tlabel\n\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readTable(strings.NewReader(text))
		if err != nil && identify.KindOf(err) == "" {
			t.Errorf("an error of nobody's: %v", err)
		}
		for _, r := range rows {
			if r.photo == "" && r.Problem == nil {
				t.Errorf("a row without a photo passes: %+v", r)
			}
		}
	})
}
