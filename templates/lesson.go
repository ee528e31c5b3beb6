package templates

import (
	"fmt"
	"strconv"

	"fieldmark/internal/words"
)

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

func (p LessonPicture) number() string { return strconv.Itoa(p.Number) }

func (p LessonPicture) src() string { return "/lesson/pictures/" + p.number() }

func (p LessonPage) next() string { return fmt.Sprintf("/lesson?step=%d", p.Step+1) }

// heading is what the step shows.
func (p LessonPage) heading() words.Key {
	right := len(p.Pictures) > 0
	for _, x := range p.Pictures {
		right = right && x.Right
	}
	switch p.Step {
	case 1:
		return words.Key("See it learn, within a minute")
	case 2:
		if len(p.Pictures) > 1 && p.Pictures[1].Right {
			return words.Key("Another one, in another place: it knows")
		}
		return words.Key("Another one, in another place: not yet")
	case 3:
		return words.Key("Now a second beetle")
	case 4:
		if len(p.Pictures) > 1 && p.Pictures[1].Right {
			return words.Key("It tells them apart")
		}
		return words.Key("It does not tell them apart yet")
	}
	if right {
		return words.Key("And the first is not forgotten")
	}
	return words.Key("And the first?")
}
