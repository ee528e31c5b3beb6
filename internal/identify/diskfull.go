package identify

// Unwritable is the kind of errors about a disk that takes nothing: it is full, or it
// may only be read (507). What was acknowledged before is kept, and once there is
// room again the same request succeeds.
const Unwritable ErrorKind = "unwritable"

// DiskFull is the error of a disk without room.
func DiskFull(cause error) *Error {
	return Errorf(Unwritable, "", "The disk of this Fieldmark is full, so nothing of this was kept; what was saved before is safe. Whoever runs it must make room. Then try again.").Because(cause)
}

// DiskReadOnly is the error of a disk that may only be read.
func DiskReadOnly(cause error) *Error {
	return Errorf(Unwritable, "", "The data folder of this Fieldmark cannot be written to, so nothing of this was kept; what was saved before is safe. Whoever runs it must make it writable. Then try again.").Because(cause)
}
