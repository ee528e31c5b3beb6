// Package eval measures: it compares the pure core with reference results that
// an independent program computed (Parity), and forms the figures by which a
// fusion rule is judged (accuracy on seen and unseen labels, calibration).
//
// It reads files through an io/fs file system that its caller opens, and
// prints nothing.
package eval
