package identify

import "sync"

// maxWaiting is how many requests may wait for what they taught to be learned.
const maxWaiting = 1024

// waiters are the requests that wait for an event to be learned.
type waiters struct {
	mu   sync.Mutex
	n    int
	seqs map[Seq]int // how many wait for each event
}

// enter notes one more; false if there are too many already.
func (w *waiters) enter(seq Seq) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n >= maxWaiting {
		return false
	}
	if w.seqs == nil {
		w.seqs = map[Seq]int{}
	}
	w.n++
	w.seqs[seq]++
	return true
}

// count is how many wait.
func (w *waiters) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

func (w *waiters) leave(seq Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n--
	if w.seqs[seq]--; w.seqs[seq] == 0 {
		delete(w.seqs, seq)
	}
}

// any says whether someone waits for an event up to seq.
func (w *waiters) any(seq Seq) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.seqs {
		if s <= seq {
			return true
		}
	}
	return false
}
