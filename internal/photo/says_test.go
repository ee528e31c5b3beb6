package photo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What is told in sentences is what is told as a whole: nothing gets lost on the way
// into another language.
func TestRefusalsAreSaidInSentences(t *testing.T) {
	for _, err := range []error{
		notAPhoto(kindOf([]byte("BM...")), nil), notAPhoto(kindOf([]byte("II*\x00 NIKON")), nil), notAPhoto(kindOf(nil), nil),
		rareKind("JPEG", errors.New("arithmetic")), truncated("PNG", nil), tooLarge(20_000_000, 16_000_000),
		tooManyPixels(20_000, 20_000, 100_000_000), tooSmall(3, 4, 16), tooManyScans(200), unreadableNow(heicFormat(), nil),
	} {
		var refused *Error
		if !errors.As(err, &refused) {
			t.Fatalf("%v is no refusal", err)
		}
		var said []string
		for _, s := range refused.Says {
			text := fmt.Sprintf(s.Format, s.Args...)
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "%!") || strings.Contains(s.Format, ". ") {
				t.Errorf("%q is no sentence", text)
			}
			said = append(said, text)
		}
		if strings.Join(said, " ") != refused.Message || refused.Message == "" {
			t.Errorf("said is %q, the message %q", said, refused.Message)
		}
	}
}
