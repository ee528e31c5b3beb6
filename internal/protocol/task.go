package protocol

import "fieldmark/internal/fusion"

// Split is labelled embeddings: the training or the test images of a Task.
type Split struct {
	Vectors [][]float32 // raw, as the encoder gave them [n][D]
	Labels  []int       // of each vector, an index into Task.Classes
}

// Task is one data set with its own labels.
type Task struct {
	Name    string
	Classes []string    // names, as they were put to the text tower
	Texts   [][]float32 // unit text embedding of each class [len(Classes)][D]
	Train   Split       // not read of a zero-shot task
	Test    Split
	// ZeroShot marks a task that is asked about and never taught. The others are
	// the target tasks.
	ZeroShot bool
}

// Suite is what one encoder makes of some tasks.
type Suite struct {
	Name    string // "small", say
	Encoder string // its name, and the digest of its manifest if it has one
	Tau     float64
	// Near holds the parameters of fusion.Near from the encoder's manifest; the
	// zero value: the rule near is careful.
	Near  fusion.NearParams
	Tasks []Task
	// Log is a real log of lessons, oldest first, for the protocol Log; empty: the
	// target tasks' training images in an order drawn by the seed.
	Log []Lesson
}

// Lesson is one entry of a log: a training image of a task.
type Lesson struct {
	Task  int // index into Suite.Tasks
	Image int // index into that task's Train
}
