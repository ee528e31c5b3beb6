package clip

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// A port says how a tower's graph is fed and read.
type port struct {
	name   string   // of the file, for messages
	inputs []string // in the order of the feeds
	output string
	half   bool // the output is float16
	dim    int
	batch  int // rows that the graph takes in a run; 0: any number
}

// A session is one tower: an ONNX graph with one output. It may be run from
// many goroutines.
type session struct {
	port

	mu    sync.RWMutex                // held for reading during a run
	graph *ort.DynamicAdvancedSession // nil when closed
}

func newSession(p port, graph []byte, threads int) (*session, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", p.name, err)
	}
	defer options.Destroy()
	err = errors.Join(
		options.SetIntraOpNumThreads(threads),
		options.SetInterOpNumThreads(1),
		// Threads that wait for work must not burn a core meanwhile: the
		// machine has a server to run.
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
	)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", p.name, err)
	}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(graph, p.inputs, []string{p.output}, options)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s is not a graph from %q to %q that ONNX Runtime can run: %w", p.name, p.inputs, p.output, err)
	}
	return &session{port: p, graph: s}, nil
}

// embed runs the graph on n rows of each input, and returns n rows of dim
// numbers.
func (s *session) embed(n int, feeds ...feed) ([][]float32, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.graph == nil {
		return nil, ErrClosed
	}
	step := n
	if s.batch > 0 {
		step = s.batch
	}
	embedded := make([][]float32, 0, n)
	for from := 0; from < n; from += step {
		flat, err := s.run(from, min(from+step, n), feeds)
		if err != nil {
			return nil, fmt.Errorf("encoder: %s: %w", s.name, err)
		}
		for len(flat) > 0 {
			embedded = append(embedded, flat[:s.dim:s.dim])
			flat = flat[s.dim:]
		}
	}
	return embedded, nil
}

// run gives rows from to to-1, one after another.
func (s *session) run(from, to int, feeds []feed) (flat []float32, err error) {
	in := make([]ort.Value, 0, len(feeds))
	defer func() {
		for _, v := range in {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, f := range feeds {
		v, err := f.tensor(from, to)
		if err != nil {
			return nil, err
		}
		in = append(in, v)
	}
	out := []ort.Value{nil} // the graph's own shape, so that a wrong one is seen
	defer func() {
		if out[0] != nil {
			err = errors.Join(err, out[0].Destroy())
		}
	}()
	if s.half {
		half, err := halfResult(to-from, s.dim)
		if err != nil {
			return nil, err
		}
		out[0] = half
	}
	if err := s.graph.Run(in, out); err != nil {
		return nil, fmt.Errorf("%w (is it what its manifest describes?)", err)
	}
	if flat, err = numbers(out[0], to-from, s.dim); err != nil {
		return nil, fmt.Errorf("%w: its manifest does not describe it", err)
	}
	return flat, nil
}

// close waits for the runs that are under way. It may be called more than once.
func (s *session) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.graph == nil {
		return nil
	}
	err := s.graph.Destroy()
	s.graph = nil
	return err
}
