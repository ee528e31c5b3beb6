package photo

import (
	"bytes"
	"image"
)

// Inspect refuses what Decode would refuse by a file's first bytes, its header and
// a look over its parts, without decoding a pixel: other kinds of files, and
// pictures beyond the limits. A file that is damaged further on passes. Every error
// is an *Error.
func (d Decoder) Inspect(data []byte) error {
	_, err := d.Memory(data)
	return err
}

// Memory is how many bytes decoding the photo may take at most, and never more
// than Limits.MaxMemory and a little. Its errors are those of Inspect.
func (d Decoder) Memory(data []byte) (memory int64, err error) {
	defer recovered(&err)
	_, _, memory, err = d.open(data)
	return memory, err
}

// open reads what can be known of a file without decoding it.
func (d Decoder) open(data []byte) (f *format, config image.Config, memory int64, err error) {
	l := d.Limits.withDefaults()
	if len(data) > l.MaxBytes {
		return nil, config, 0, tooLarge(len(data), l.MaxBytes)
	}
	if f, err = sniff(data); err != nil {
		return nil, config, 0, err
	}
	if f.boxed() && d.sandbox(f) == nil {
		return nil, config, 0, without(f)
	}
	if config, err = f.config(bytes.NewReader(data)); err != nil {
		return nil, config, 0, f.fail(err)
	}
	memory, err = l.check(f, config, data)
	return f, config, memory, err
}

// Bytes is how many bytes a file may have.
func (l Limits) Bytes() int { return l.withDefaults().MaxBytes }
