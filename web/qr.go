package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is how many modules are left free around a QR code (ISO/IEC 18004: four).
const quiet = 4

// qrSVG draws a QR code of a text, one unit a module, dark on light in any theme: not
// every phone reads it the other way round.
func qrSVG(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("QR code: %w", err)
	}
	side := code.Bounds().Dx()
	var path strings.Builder
	for y := range side {
		for x := 0; x < side; x++ {
			run := 0
			for x+run < side && dark(code.At(x+run, y)) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, run, run)
				x += run
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path fill="#000" d="%s"/></svg>`,
		side+2*quiet, path.String()), nil
}

func dark(c interface{ RGBA() (r, g, b, a uint32) }) bool {
	r, _, _, _ := c.RGBA()
	return r < 0x8000
}

// writeQR answers with a QR code.
func writeQR(w http.ResponseWriter, text string) error {
	svg, err := qrSVG(text)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(svg)) // the reader has gone if this fails
	return nil
}
