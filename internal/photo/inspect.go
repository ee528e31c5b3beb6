package photo

import "bytes"

// Inspect refuses what Decode would refuse by a file's first bytes and its header,
// without decoding a pixel: other kinds of files, and pictures beyond the limits.
// A file that is damaged further on passes. Every error is an *Error.
func (l Limits) Inspect(data []byte) error {
	l = l.withDefaults()
	if len(data) > l.MaxBytes {
		return tooLarge(len(data), l.MaxBytes)
	}
	f, err := sniff(data)
	if err != nil {
		return err
	}
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return f.fail(err)
	}
	return l.check(f, config, len(data))
}

// Bytes is how many bytes a file may have.
func (l Limits) Bytes() int { return l.withDefaults().MaxBytes }
