package clip

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// A session is one tower: an ONNX graph with one input and one output.
// It may be run from many goroutines.
type session struct {
	name string
	dim  int

	mu    sync.RWMutex                // held for reading during a run
	graph *ort.DynamicAdvancedSession // nil when closed
}

func newSession(name string, graph []byte, input, output string, dim, threads int) (*session, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", name, err)
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
		return nil, fmt.Errorf("encoder: %s: %w", name, err)
	}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(graph, []string{input}, []string{output}, options)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s is not a graph from %q to %q that ONNX Runtime can run: %w", name, input, output, err)
	}
	return &session{graph: s, name: name, dim: dim}, nil
}

// embed runs the graph on n inputs that lie one after another in data, each of
// the given shape, and returns n rows of dim numbers.
func embed[T float32 | int64 | int32](s *session, data []T, n int, shape ...int64) ([][]float32, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.graph == nil {
		return nil, ErrClosed
	}
	in, err := ort.NewTensor(append(ort.Shape{int64(n)}, shape...), data)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", s.name, err)
	}
	defer in.Destroy()
	outputs := []ort.Value{nil} // the graph's own shape, so that a wrong one is seen
	if err := s.graph.Run([]ort.Value{in}, outputs); err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", s.name, err)
	}
	defer outputs[0].Destroy()
	out, ok := outputs[0].(*ort.Tensor[float32])
	if got := outputs[0].GetShape(); !ok || len(got) != 2 || got[0] != int64(n) || got[1] != int64(s.dim) {
		return nil, fmt.Errorf("encoder: %s gave %v instead of float32 [%d %d]: its manifest does not describe it", s.name, got, n, s.dim)
	}
	rows := make([][]float32, n)
	flat := append([]float32(nil), out.GetData()...) // the tensor's memory goes with it
	for i := range rows {
		rows[i] = flat[i*s.dim : (i+1)*s.dim : (i+1)*s.dim]
	}
	return rows, nil
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
