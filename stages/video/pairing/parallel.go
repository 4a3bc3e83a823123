package pairing

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// parallelFor calls do(0) ... do(n-1) on all cores; worker makes the do of one core,
// with what it needs to itself. Results belong in place i, so that which core
// did what leaves no trace.
func parallelFor(ctx context.Context, n int, worker func() func(i int)) error {
	const chunk = 64
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), n/chunk+1) {
		g.Go(func() error {
			do := worker()
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return nil
				}
				for i := from; i < min(from+chunk, n); i++ {
					do(i)
				}
			}
		})
	}
	return g.Wait()
}
