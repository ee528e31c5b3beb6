package report

import (
	"bytes"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// onto draws the legend below the plot, where it hides nothing.
func (d drawn) onto(c draw.Canvas) {
	legend := d.height - chartHeight
	d.plot.Draw(draw.Crop(c, 0, -rightMargin, legend, 0))
	d.legend.Draw(draw.Crop(c, 36, 0, 0, -chartHeight))
}

// PNG draws the chart at twice the usual resolution.
func (c Chart) PNG() ([]byte, error) {
	canvas, err := c.picture()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(&out)
	return out.Bytes(), err
}

func (c Chart) picture() (*vgimg.Canvas, error) {
	d, err := c.draw(printed())
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(chartWidth, d.height), vgimg.UseDPI(192))
	d.onto(draw.New(canvas))
	return canvas, nil
}

// SVG draws the chart as a file of its own.
func (c Chart) SVG() ([]byte, error) { return c.svg(printed()) }

func (c Chart) svg(t theme) ([]byte, error) {
	d, err := c.draw(t)
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(chartWidth, d.height)
	paper := draw.New(canvas)
	if t.paper != nil {
		paper.SetColor(t.paper)
		paper.Fill(paper.Rectangle.Path())
	}
	d.onto(paper)
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return []byte(fontFamily.ReplaceAllString(out.String(), "font-family:Liberation Sans,Arial,Helvetica,sans-serif")), nil
}

// fontFamily is what vgsvg writes: a font that few machines have, by a name that
// none knows.
var fontFamily = regexp.MustCompile(`font-family:[^;"]*`)

// inline is the chart for the page: as wide as there is room, in the text's colour.
func (c Chart) inline() (string, error) {
	raw, err := c.svg(inlaid())
	if err != nil {
		return "", err
	}
	svg := string(raw)
	if at := strings.Index(svg, "<svg"); at >= 0 {
		svg = svg[at:]
	}
	svg = sized.ReplaceAllString(svg, "<svg viewBox=")
	for stand, in := range map[string]string{
		"stroke:#010204": "stroke:currentColor;stroke-opacity:.16", "fill:#010204": "fill:currentColor",
		"stroke:#010203": "stroke:currentColor", "fill:#010203": "fill:currentColor",
	} {
		svg = strings.ReplaceAll(svg, stand, in)
	}
	return svg, nil
}

var sized = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*" viewBox=`)
