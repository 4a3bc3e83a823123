package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// carrier is an Engine within one process.
type carrier struct {
	mu     sync.Mutex
	queues map[string]chan job
	cancel map[string]context.CancelFunc // builds that run
	// bring, if set, is between a worker's reply and who waits for it.
	bring   func(batch, reply pipeline.Digest) pipeline.Digest
	carried int
	drives  sync.WaitGroup
}

// job is one that a worker takes from a queue.
type job struct {
	ctx  context.Context
	do   func(context.Context, Handlers) error
	done chan error
}

func newCarrier() *carrier {
	return &carrier{queues: map[string]chan job{}, cancel: map[string]context.CancelFunc{}}
}

func (c *carrier) queue(name string) chan job {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queues[name] == nil {
		c.queues[name] = make(chan job)
	}
	return c.queues[name]
}

// try has workers of a queue do a job until one has done it.
func (c *carrier) try(ctx context.Context, queue string, do func(context.Context, Handlers) error) error {
	for {
		j := job{ctx: ctx, do: do, done: make(chan error, 1)}
		select {
		case c.queue(queue) <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := <-j.done
		if err == nil || is[*PermanentError](err) || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // an engine takes its time before it tries again
	}
}

func (c *carrier) SendBatch(ctx context.Context, queue string, batch pipeline.Digest) (reply pipeline.Digest, err error) {
	c.mu.Lock()
	c.carried++
	c.mu.Unlock()
	err = c.try(ctx, queue, func(ctx context.Context, h Handlers) (err error) {
		reply, err = h.Handle(ctx, batch)
		return err
	})
	if err == nil && c.bring != nil {
		reply = c.bring(batch, reply)
	}
	return reply, err
}

func (c *carrier) Start(_ context.Context, queue, build string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel[build] != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel[build] = cancel
	c.drives.Go(func() {
		_ = c.try(ctx, queue, func(ctx context.Context, h Handlers) error { return h.Coordinate(ctx, build) })
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancel, build)
	})
	return nil
}

func (c *carrier) Cancel(_ context.Context, build string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end := c.cancel[build]; end != nil {
		end()
	}
	return nil
}

func (c *carrier) Work(ctx context.Context, queues []Queue, h Handlers) error {
	var work sync.WaitGroup
	for _, q := range queues {
		for range q.Slots {
			work.Go(func() { c.serve(ctx, c.queue(q.Name), h) })
		}
	}
	work.Wait()
	return nil
}

func (c *carrier) serve(ctx context.Context, jobs chan job, h Handlers) {
	for {
		select {
		case j := <-jobs:
			// What is at work ends with its worker.
			both, cancel := context.WithCancel(j.ctx)
			stop := context.AfterFunc(ctx, cancel)
			err := j.do(both, h)
			stop()
			cancel()
			if err == nil && ctx.Err() != nil && both.Err() != nil {
				err = errors.New("the worker ended")
			}
			j.done <- err
		case <-ctx.Done():
			return
		}
	}
}

func (c *carrier) Close() error { return nil }
