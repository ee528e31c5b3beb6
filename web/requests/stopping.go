package requests

import "context"

type stopKey struct{}

// WithStop tells every request below ctx, which is the server's base context,
// that stopping is closed when the server begins to stop.
func WithStop(ctx context.Context, stopping <-chan struct{}) context.Context {
	return context.WithValue(ctx, stopKey{}, stopping)
}

// UntilStop returns a context of a request that also ends when the server begins
// to stop: for answers that have no end of their own, such as event streams. Other
// answers keep their request's context, and are let finish.
func UntilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stopping, _ := ctx.Value(stopKey{}).(<-chan struct{})
	if stopping == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
