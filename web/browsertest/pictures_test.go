package browsertest

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// shade is a colour of a drawing at a point, with how much of it covers what is
// below, 0 to 1.
type shade struct {
	r, g, b, cover float64
}

// creature draws one organism in its own coordinates, about -1 to 1, upward y.
type creature func(x, y float64) shade

// view is how a creature was photographed.
type view struct {
	x, y, zoom, turn, light float64
	seed                    uint64
}

// photograph draws a creature on blurred foliage and writes it as a JPEG.
func photograph(t *testing.T, name string, c creature, v view) string {
	t.Helper()
	return pictured(t, name, c, v, 960, 720)
}

// snapshot is a small photograph: soon drawn, where many are needed.
func snapshot(t *testing.T, name string, c creature, v view) string {
	t.Helper()
	return pictured(t, name, c, v, 320, 240)
}

func pictured(t *testing.T, name string, c creature, v view, width, height int) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	w, h := float64(width), float64(height)
	rng := rand.New(rand.NewPCG(v.seed, 7))
	at := func(px, py int) (x, y float64) { return (float64(px) - w/2) / (h / 2), (h/2 - float64(py)) / (h / 2) }
	leaves := foliage(rng, width, height, at)
	sin, cos := math.Sincos(v.turn)
	for py := range height {
		for px := range width {
			x, y := at(px, py)
			r, g, b := leaves(px, py)
			dx, dy := (x-v.x)/v.zoom, (y-v.y)/v.zoom
			s := c(cos*dx+sin*dy, cos*dy-sin*dx)
			grain := (rng.Float64() - 0.5) * 0.03
			mix := func(under, over float64) uint8 {
				return uint8(255 * min(1, max(0, v.light*(under*(1-s.cover)+over*s.cover)+grain)))
			}
			img.SetRGBA(px, py, color.RGBA{mix(r, s.r), mix(g, s.g), mix(b, s.b), 255})
		}
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 88}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".jpg")
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// foliage is a background of soft green blots, at each pixel. What a blot covers is
// the product of a column's share and a row's, exp(−dx²/s²)·exp(−dy²/s²): so the
// exponentials are taken once for each column and each row.
func foliage(rng *rand.Rand, width, height int, at func(px, py int) (x, y float64)) func(px, py int) (r, g, b float64) {
	type blot struct {
		columns, rows []float64
		r, g, b       float64
	}
	var blots []blot
	for range 22 {
		hue := rng.Float64()
		cx, cy, size := 3*rng.Float64()-1.5, 2.2*rng.Float64()-1.1, 0.15+0.35*rng.Float64()
		o := blot{make([]float64, width), make([]float64, height), 0.18 + 0.35*hue, 0.32 + 0.3*rng.Float64(), 0.12 + 0.14*hue}
		for px := range width {
			x, _ := at(px, 0)
			o.columns[px] = math.Exp(-(x - cx) * (x - cx) / (size * size))
		}
		for py := range height {
			_, y := at(0, py)
			o.rows[py] = math.Exp(-(y - cy) * (y - cy) / (size * size))
		}
		blots = append(blots, o)
	}
	return func(px, py int) (r, g, b float64) {
		r, g, b = 0.24, 0.36, 0.17
		for _, o := range blots {
			k := 0.55 * o.columns[px] * o.rows[py]
			r, g, b = r+(o.r-r)*k, g+(o.g-g)*k, b+(o.b-b)*k
		}
		return r, g, b
	}
}

// edge is 1 within (d < 0), 0 outside, and smooth between.
func edge(d float64) float64 { return min(1, max(0, 0.5-d*70)) }

func ellipse(x, y, cx, cy, rx, ry float64) float64 {
	return (math.Hypot((x-cx)/rx, (y-cy)/ry) - 1) * min(rx, ry)
}

func (s shade) over(r, g, b, cover float64) shade {
	return shade{s.r + (r-s.r)*cover, s.g + (g-s.g)*cover, s.b + (b-s.b)*cover, s.cover + (1-s.cover)*cover}
}

// ladybird is red with seven black spots.
func ladybird(x, y float64) shade {
	s := shade{}
	ax := math.Abs(x)
	for _, leg := range [][2]float64{{0.2, 0.5}, {-0.1, 0.05}, {-0.4, -0.45}} {
		tip := ax*0.35 + leg[0]
		s = s.over(0.08, 0.07, 0.07, edge(max(math.Abs(y-tip-leg[1]*0.1)-0.03, ax-0.85)))
	}
	lit := 1 + ((x+0.25)*(x+0.25)+(y-0.2)*(y-0.2))/0.05
	gloss := 0.25 / (lit * lit)
	s = s.over(0.09, 0.08, 0.08, edge(ellipse(x, y, 0, 0.62, 0.36, 0.24)))
	s = s.over(0.92, 0.9, 0.84, edge(ellipse(ax, y, 0.2, 0.68, 0.07, 0.06)))
	s = s.over(0.78+gloss, 0.13+gloss, 0.07+gloss, edge(ellipse(x, y, 0, 0, 0.6, 0.68)))
	s = s.over(0.1, 0.06, 0.05, edge(max(ax-0.012, ellipse(x, y, 0, 0, 0.6, 0.68))))
	for _, spot := range [][3]float64{{0, 0.48, 0.13}, {0.3, 0.22, 0.11}, {0.22, -0.14, 0.12}, {0.24, -0.45, 0.09}} {
		s = s.over(0.07, 0.05, 0.05, edge(ellipse(ax, y, spot[0], spot[1], spot[2], spot[2])))
	}
	return s
}

// daisy has white rays around a yellow disc.
func daisy(x, y float64) shade {
	s := shade{}
	rad, angle := math.Hypot(x, y), math.Atan2(y, x)
	ray := math.Abs(math.Mod(angle+4*math.Pi, 2*math.Pi/17)-math.Pi/17) * 17 / math.Pi
	s = s.over(0.96-0.12*ray, 0.95-0.12*ray, 0.93-0.08*ray, edge(max(rad-0.82+0.1*ray*ray, 0.07*(ray-0.82))))
	dots := 0.06 * math.Sin(40*x) * math.Sin(40*y)
	return s.over(0.93+dots, 0.72+dots, 0.12, edge(rad-0.27))
}

// brimstone is a yellow butterfly with an orange point on each wing.
func brimstone(x, y float64) shade {
	s := shade{}
	ax := math.Abs(x)
	veins := 0.05 * math.Sin(9*math.Atan2(y+0.1, ax))
	for _, wing := range [][4]float64{{0.44, -0.32, 0.4, 0.36}, {0.5, 0.26, 0.48, 0.4}} {
		s = s.over(0.92+veins, 0.88+veins, 0.33, edge(ellipse(ax, y, wing[0], wing[1], wing[2], wing[3])))
	}
	s = s.over(0.9, 0.45, 0.12, edge(ellipse(ax, y, 0.52, 0.24, 0.05, 0.05)))
	s = s.over(0.9, 0.45, 0.12, edge(ellipse(ax, y, 0.48, -0.32, 0.05, 0.05)))
	return s.over(0.3, 0.28, 0.22, edge(ellipse(x, y, 0, 0, 0.055, 0.5)))
}
