package templates

import "fmt"

// LessonPage is one step of the first lesson.
type LessonPage struct {
	Step, Steps int
	CanTeach    bool
	Pictures    []LessonPicture
	Taught      int  // lessons of it that stand
	Cleared     bool // they were just withdrawn
}

// LessonPicture is a drawing and what the memory says of it.
type LessonPicture struct {
	Number       int
	Name         string // that is taught
	Said, Chance string
	Sure, Right  bool
	Taught       bool // by who looks
}

func (p LessonPicture) src() string { return fmt.Sprintf("/lesson/pictures/%d", p.Number) }

func (p LessonPage) next() string { return fmt.Sprintf("/lesson?step=%d", p.Step+1) }
