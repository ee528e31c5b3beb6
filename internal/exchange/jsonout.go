package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
)

// jsonOut writes a JSON object whose members are longer than memory: lists and
// objects item by item.
type jsonOut struct {
	w     *bufio.Writer
	items int // of the member that is open
	buf   bytes.Buffer
}

// encode is x in one line, with <, > and & as they are.
func (o *jsonOut) encode(x any) ([]byte, error) {
	o.buf.Reset()
	enc := json.NewEncoder(&o.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(o.buf.Bytes(), []byte("\n")), nil
}

// next begins an item on a line of its own.
func (o *jsonOut) next() {
	if o.items++; o.items > 1 {
		o.w.WriteByte(',')
	}
	o.w.WriteByte('\n')
}

// item writes an item of the list that is open.
func (o *jsonOut) item(x any) error {
	o.next()
	data, err := o.encode(x)
	if err != nil {
		return err
	}
	_, err = o.w.Write(data)
	return err
}

// pair writes a member of the object that is open.
func (o *jsonOut) pair(key string, x any) error {
	o.next()
	data, err := o.encode(key)
	if err != nil {
		return err
	}
	o.w.Write(data)
	o.w.WriteString(": ")
	if data, err = o.encode(x); err != nil {
		return err
	}
	_, err = o.w.Write(data)
	return err
}

// open and close stand around the items of a list or an object. What a
// bufio.Writer could not write it says at the end.
func (o *jsonOut) open(before string) {
	o.items = 0
	o.w.WriteString(before)
}

func (o *jsonOut) close(after string) { o.w.WriteString("\n" + after) }
