package identify

import (
	"testing"
	"time"
)

func feedAt(n int64) *Feed { return newFeed(time.UnixMicro(n)) }

// heard empties what a listener has got so far.
func heard(l *Listener) (list []int64, open bool) {
	for {
		select {
		case h, there := <-l.C:
			if !there {
				return list, false
			}
			list = append(list, h.N)
		default:
			return list, true
		}
	}
}

// Two listeners hear the same; one that does not listen is dropped, and holds nobody
// up; it hears what it missed when it comes back in time.
func TestTheFeedDropsWhoLagsBehind(t *testing.T) {
	f := feedAt(1000)
	quick, _ := f.Listen(0)
	slow, _ := f.Listen(0)
	for range happeningsAhead + 1 {
		f.tell(Happening{Kind: PhotoCame})
		if list, open := heard(quick); len(list) != 1 || !open {
			t.Fatalf("%v, open: %v", list, open)
		}
	}
	list, open := heard(slow)
	if open || len(list) != happeningsAhead || list[0] != 1001 {
		t.Errorf("the slow one got %d, and is still there: %v", len(list), open)
	}
	back, missed := f.Listen(list[len(list)-1])
	if again, open := heard(back); missed || !open || len(again) != 1 || again[0] != f.Last() {
		t.Errorf("it came back and heard %v, missed: %v", again, missed)
	}
	slow.Close() // twice is once
	back.Close()
	if _, open := heard(back); open {
		t.Error("a closed listener listens")
	}
}

// Who comes back too late, or from another process, is told to look anew.
func TestTheFeedSaysWhatIsNotKnownAnyMore(t *testing.T) {
	f := feedAt(1000)
	for range happeningsKept + 10 {
		f.tell(Happening{})
	}
	for after, want := range map[int64]bool{
		f.Last(): false, f.Last() - happeningsKept: false, f.Last() - happeningsKept - 1: true, 999: true, f.Last() + 5: true, 0: false,
	} {
		l, missed := f.Listen(after)
		if missed != want {
			t.Errorf("after %d of %d: missed %v", after, f.Last(), missed)
		}
		l.Close()
	}
	l, _ := f.Listen(0)
	f.Close()
	f.tell(Happening{})
	if _, open := heard(l); open {
		t.Error("the feed ended, its listener did not")
	}
	if late, _ := f.Listen(0); late != nil {
		if _, open := heard(late); open {
			t.Error("one can listen to a feed that has ended")
		}
	}
}
