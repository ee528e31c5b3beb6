package exchange

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
)

// npyHeader says what an array in NumPy's npy format (1.0 to 3.0) holds.
type npyHeader struct {
	kind    byte // 'f', 'i', 'u', 'U' (UCS-4 text), 'S' (bytes)
	size    int  // bytes of one item
	order   binary.ByteOrder
	fortran bool // the first index varies fastest
	shape   []int
	length  int64 // bytes before the array begins
}

const (
	// maxHeader is how long a header may be: NumPy itself refuses longer ones.
	maxHeader = 10_000
	// maxItem is how many bytes one text may have: 1,000 characters.
	maxItem = 4_000
	// maxRows is how many rows a file may have.
	maxRows = 5_000_000
	// maxDim is how many numbers an embedding may have.
	maxDim = 16_384
)

// damaged is the error of an array that cannot be read.
func damaged(array, format string, args ...any) error {
	return identify.Errorf(identify.Invalid, "file", "The array %q cannot be read: %s. Nothing was taken from this file.",
		array, identify.Noticef(format, args...))
}

// readNpyHeader reads the header of an array, with nothing behind it. (npyio,
// which reads sound arrays, panics on headers that lie.)
func readNpyHeader(r io.Reader, array string) (npyHeader, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != "\x93NUMPY" {
		return npyHeader{}, damaged(array, "it is not in NumPy's npy format")
	}
	width := 4
	switch start[6] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return npyHeader{}, damaged(array, "it is in version %d of NumPy's npy format, and only 1 to 3 are known here", start[6])
	}
	var size [4]byte
	if _, err := io.ReadFull(r, size[:width]); err != nil {
		return npyHeader{}, damaged(array, "it ends within its header")
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxHeader {
		return npyHeader{}, damaged(array, "its header says that it has %d bytes, more than NumPy takes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, damaged(array, "it ends within its header")
	}
	h, err := parseNpyHeader(string(text))
	if err != nil {
		return h, damaged(array, "%v", err)
	}
	h.length = int64(len(start)) + int64(width) + int64(n)
	return h, nil
}

var (
	npyEntry = regexp.MustCompile(`^\s*'(\w+)'\s*:\s*('[^']*'|True|False|\([0-9,\s]*\)|\[.*\])\s*(?:,|(\}))`)
	npyDtype = regexp.MustCompile(`^'([<>|])([fiuUS])([0-9]{1,9})'$`)
)

// parseNpyHeader reads the Python dictionary of a header: descr, fortran_order
// and shape, each once.
func parseNpyHeader(text string) (npyHeader, error) {
	rest, open := strings.CutPrefix(strings.TrimSpace(text), "{")
	entries := map[string]string{}
	for open && strings.TrimSpace(rest) != "}" {
		m := npyEntry.FindStringSubmatch(rest)
		if m == nil {
			return npyHeader{}, fmt.Errorf("its header is not one that NumPy writes")
		}
		if _, twice := entries[m[1]]; twice {
			return npyHeader{}, fmt.Errorf("its header says %s twice", m[1])
		}
		entries[m[1]], rest = m[2], rest[len(m[0]):]
		if m[3] != "" { // the brace that closes it
			if rest != "" {
				return npyHeader{}, fmt.Errorf("its header goes on after its end")
			}
			rest = "}"
		}
	}
	var h npyHeader
	order := entries["fortran_order"]
	if !open || len(entries) != 3 || order != "True" && order != "False" {
		return h, fmt.Errorf("its header is not one that NumPy writes")
	}
	h.fortran = order == "True"
	if err := h.setShape(entries["shape"]); err != nil {
		return h, err
	}
	return h, h.setType(entries["descr"])
}

func (h *npyHeader) setShape(tuple string) error {
	if !strings.HasPrefix(tuple, "(") {
		return fmt.Errorf("its header has no shape")
	}
	for field := range strings.SplitSeq(strings.Trim(tuple, "()"), ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n > maxRows {
			return fmt.Errorf("its shape %.60s is too large: at most %d rows are taken at once", tuple, maxRows)
		}
		if h.shape = append(h.shape, n); len(h.shape) > 2 {
			return fmt.Errorf("it has more than two dimensions")
		}
	}
	return nil
}

func (h *npyHeader) setType(descr string) error {
	switch {
	case descr == "'|O'":
		return fmt.Errorf("it holds Python objects (dtype object), which only Python can read. Save text as unicode: labels.astype(str)")
	case strings.HasPrefix(descr, "["):
		return fmt.Errorf("it holds records (a structured dtype). Save each of their fields as an array of its own")
	}
	m := npyDtype.FindStringSubmatch(descr)
	if m == nil {
		return fmt.Errorf("its dtype %.40s is neither numbers nor text", descr)
	}
	h.order = binary.LittleEndian
	if m[1] == ">" {
		h.order = binary.BigEndian
	}
	h.kind = m[2][0]
	h.size, _ = strconv.Atoi(m[3]) // at most nine digits
	if h.kind == 'U' {
		h.size *= 4
	}
	switch h.kind {
	case 'U', 'S':
		if h.size > maxItem {
			return fmt.Errorf("its texts have room for %s characters each, and at most %d bytes are taken", m[3], maxItem)
		}
	case 'f':
		if h.size != 2 && h.size != 4 && h.size != 8 {
			return fmt.Errorf("its dtype %s is unknown here; save it as float32", descr)
		}
	default:
		if h.size != 1 && h.size != 2 && h.size != 4 && h.size != 8 {
			return fmt.Errorf("its dtype %s is unknown here; save it as int64", descr)
		}
	}
	return nil
}

// items is how many items the array has; setShape keeps it from overflowing.
func (h npyHeader) items() int64 {
	n := int64(1)
	for _, d := range h.shape {
		n *= int64(d)
	}
	return n
}

// text reports whether the array holds text.
func (h npyHeader) text() bool { return h.kind == 'U' || h.kind == 'S' }
