package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestTextIsGolden(t *testing.T) {
	var got bytes.Buffer
	if err := Compose(smallResult(), []string{"one photo was left out"}).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "small.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the text differs from %s (go test -update, and read the diff):\n%s", golden, got.String())
	}
}

// The figures are those that smallResult's comment works out.
func TestFindings(t *testing.T) {
	all := strings.ReplaceAll(strings.Join(Compose(smallResult(), nil).Findings, "\n"), "\u00a0", " ")
	for _, want := range []string{
		"from 30.0 % to 59.0 %", // target tasks
		"59.0 % (−1.0 points)",  // zero-shot tasks, 60 before
		"60.0 % on target tasks, +1.0 points beside the paper's aim-emb", // near: (80 + 40)/2
		"TreeProbe took 50.0 ms",       // 5 s, 100 exemplars
		"LinProbe 700 ms",              // 70 s
		"+20.3 points on target tasks", // the paper's 80.5 - 60.2
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the findings do not say %q:\n%s", want, all)
		}
	}
}

func TestPage(t *testing.T) {
	for name, r := range map[string]Report{"small": Compose(smallResult(), []string{"<i>left</i> out"}), "measured": Compose(measuredResult(t), nil)} {
		var out bytes.Buffer
		if err := r.WriteHTML(&out); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		wellFormed(t, name, page)
		for _, table := range r.Tables() {
			for _, cells := range table.Rows {
				for _, c := range cells {
					if !strings.Contains(page, html.EscapeString(c.Text)) && !strings.Contains(html.UnescapeString(page), c.Text) {
						t.Errorf("%s: the page lacks %q of table %s", name, c.Text, table.ID)
					}
				}
			}
		}
		if n := strings.Count(page, "<svg "); n != len(r.Charts()) || n == 0 {
			t.Errorf("%s: %d pictures, want %d", name, n, len(r.Charts()))
		}
		if strings.Contains(page, "#010203") || strings.Contains(page, "#010204") {
			t.Errorf("%s: a stand-in for a colour was left in the page", name)
		}
	}
}

// wellFormed checks that a page is parsed to what it says: no element is closed
// that was not opened, ids are unique, and nothing is fetched or run.
func wellFormed(t *testing.T, name, page string) {
	t.Helper()
	void := map[string]bool{"meta": true, "br": true}
	ids := map[string]bool{}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				t.Errorf("%s: %v", name, z.Err())
			}
			break
		}
		token := z.Token()
		switch kind {
		case html.StartTagToken:
			if token.Data == "script" || token.Data == "link" || token.Data == "img" || token.Data == "iframe" || token.Data == "i" || token.Data == "b" {
				t.Errorf("%s: there is a <%s>", name, token.Data)
			}
			if !void[token.Data] {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%s: </%s> closes %q", name, token.Data, open)
			}
			open = open[:len(open)-1]
		}
		for _, a := range token.Attr {
			switch {
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("%s: two elements have the id %q", name, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "src", a.Key == "href" && !strings.HasPrefix(a.Val, "#"), strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s: %s=%q refers to elsewhere", name, a.Key, a.Val)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %q are left open", name, open)
	}
	if found := regexp.MustCompile(`url\(|@import|javascript:|https?://[^"]*`).FindAllString(page, -1); len(found) > 0 {
		for _, f := range found {
			if !strings.HasPrefix(f, "http://www.w3.org/") { // the namespaces of SVG
				t.Errorf("%s: the page refers to %q", name, f)
			}
		}
	}
}

// chartsAreDrawn checks the charts that Save wrote into a folder. Each is drawn a second
// time, which must give the same text and the same pixels.
func chartsAreDrawn(t *testing.T, dir string, charts []Chart) {
	seen := map[string]bool{}
	for _, c := range charts {
		seen[c.ID] = true
		svg, err := os.ReadFile(filepath.Join(dir, "plots", c.ID+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.SVG(); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: drawn twice, it differs (%v)", c.ID, err)
		}
		if err := parses(svg); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		for _, l := range c.Lines {
			if !strings.Contains(string(svg), html.EscapeString(l.Name)) {
				t.Errorf("%s: the legend lacks %q", c.ID, l.Name)
			}
		}
		picture := pixelsOf(t, filepath.Join(dir, "plots", c.ID+".png"))
		canvas, err := c.picture()
		if err != nil {
			t.Fatal(err)
		}
		if again := flat(canvas.Image()); again.Rect != picture.Rect || !bytes.Equal(again.Pix, picture.Pix) {
			t.Errorf("%s: drawn twice, its picture differs", c.ID)
		}
		colours := coloursOf(picture)
		for i, l := range c.Lines {
			if !l.Reference && !colours[color.RGBAModel.Convert(lineColour(i)).(color.RGBA)] {
				t.Errorf("%s: nothing has the colour of %q", c.ID, l.Name)
			}
		}
	}
	for _, id := range []string{"task-target", "task-zero-shot", "class-seen", "class-unseen", "data-target", "growth", "accuracy-time", "log-accuracy", "reliability"} {
		if !seen[id] {
			t.Errorf("there is no chart %s", id)
		}
	}
}

// pixelsOf decodes a PNG.
func pixelsOf(t *testing.T, file string) *image.RGBA {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return flat(img)
}

func flat(img image.Image) *image.RGBA {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// coloursOf are the colours of an opaque picture.
func coloursOf(img *image.RGBA) map[color.RGBA]bool {
	seen := map[color.RGBA]bool{}
	var last color.RGBA
	for i := 0; i < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4]
		if c := (color.RGBA{p[0], p[1], p[2], p[3]}); c != last { // most pixels are as their neighbour
			seen[c], last = true, c
		}
	}
	return seen
}

func parses(svg []byte) error {
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestCSV(t *testing.T) {
	table := Table{Title: "t", Columns: []Column{{Name: "what"}, {Name: "top-1", Numeric: true}, {Name: "n", Numeric: true}},
		Rows: [][]Cell{{words(`a "b", c`), percent(.5, .015625), count(1200)}, {words("d"), none(), none()}}}
	var got bytes.Buffer
	if err := table.WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	want := "what,top-1,\"top-1, standard deviation\",n\n\"a \"\"b\"\", c\",50,1.5625,1200\nd,,,\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	result := measuredResult(t)
	r, err := Save(dir, result, []string{"a note"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var back Document
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := r.WriteText(&first); err != nil {
		t.Fatal(err)
	}
	if err := Compose(back.Result, back.Notes).WriteText(&second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("what result.json holds gives another report")
	}
	for _, name := range []string{"report.html", "report.txt"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, n := range map[string]int{"tables/*.csv": len(r.Tables()), "plots/*.svg": len(r.Charts()), "plots/*.png": len(r.Charts())} {
		if files, err := filepath.Glob(filepath.Join(dir, kind)); err != nil || len(files) != n {
			t.Errorf("%s: %d files, want %d (an id may be there twice): %v", kind, len(files), n, err)
		}
	}
	chartsAreDrawn(t, dir, r.Charts())
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		duration(0):         "0 s",
		duration(2.5e-7):    "0.25 µs",
		duration(.0123):     "12.3 ms",
		duration(7):         "7.00 s",
		duration(30971):     "30,971 s",
		roundDuration(1e-5): "10 µs",
		roundDuration(1e-7): "100 ns",
		roundDuration(100):  "100 s",
		thousands(-12345):   "-12,345",
		short(50_000):       "50k",
		short(1_500):        "1500",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
