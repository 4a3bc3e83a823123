package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// CarryByTwoWorkers: two workers share batches, and each is handled once.
func CarryByTwoWorkers(t *testing.T, s Setup) {
	e := s.dial(t)
	queue := Queue(t)
	var by [2]atomic.Int64
	var both sync.WaitGroup // ends when each worker has a parcel
	both.Add(len(by))
	for i := range by {
		startWorker(t, s.dial(t), cluster.Queue{Name: queue, Slots: 4}, Handlers{OnHandle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
			if by[i].Add(1) == 1 {
				both.Done()
			}
			both.Wait()
			return ReplyTo(p), nil
		}})
	}
	carryAll(t, e, queue, 200)
	if a, b := by[0].Load(), by[1].Load(); a == 0 || b == 0 || a+b != 200 {
		t.Errorf("two workers handled %d and %d batches", a, b)
	}
}

// CarryWhenWorkersFail: a worker is killed, or stopped so that it says nothing, while it has
// batches.
func CarryWhenWorkersFail(t *testing.T, s Setup) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(how.String(), func(t *testing.T) {
			d := workerLog{dir: t.TempDir()}
			o := workerOrders{Queues: []cluster.Queue{{Name: Queue(t), Slots: 4}}, Dir: d.dir, Takes: 50 * time.Millisecond}
			children := []*exec.Cmd{child(t, s, o), child(t, s, o)}
			go func() {
				testwait.Poll(time.Minute, func() bool { return len(d.read(t, string(taskBatch(t, 20)))) > 0 || t.Context().Err() != nil })
				_ = children[0].Process.Signal(how)
			}()
			carryAll(t, s.dial(t), Queue(t), 60)
			begun := 0
			for n := range 60 {
				begun += len(d.read(t, string(taskBatch(t, n))))
			}
			if begun < 60 || begun > 75 {
				t.Errorf("60 batches were begun %d times", begun)
			}
		})
	}
}

// CarryWhenTheServerRestarts: the server is killed while batches are on their way.
func CarryWhenTheServerRestarts(t *testing.T, s Setup) {
	e := s.dial(t)
	var handled atomic.Int64
	tenth := make(chan struct{})
	startWorker(t, s.dial(t), cluster.Queue{Name: Queue(t), Slots: 4}, Handlers{OnHandle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		if handled.Add(1) == 10 {
			close(tenth)
		}
		time.Sleep(100 * time.Millisecond) // so that replies come while the server is away
		return ReplyTo(p), nil
	}})
	restarted := make(chan struct{})
	go func() {
		<-tenth
		s.Restart(t, time.Second)
		close(restarted)
	}()
	carryAll(t, e, Queue(t), 60)
	<-restarted
}

// CarryTheSameTwice: two drivers that carry the same get one answer of one worker. When
// one of them gives up, the other gets its answer all the same.
func CarryTheSameTwice(t *testing.T, s Setup) {
	var handled atomic.Int64
	go1 := make(chan struct{})
	startWorker(t, s.dial(t), cluster.Queue{Name: Queue(t), Slots: 4}, Handlers{OnHandle: func(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		handled.Add(1)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-go1:
			return ReplyTo(p), nil
		}
	}})
	p := taskBatch(t, 1)
	a, b := s.dial(t), s.dial(t)
	first := startCarrying(t.Context(), a, Queue(t), p)
	testwait.Until(t, "the batch", func() bool { return handled.Load() == 1 })
	leaves, leave := context.WithCancel(t.Context())
	second := startCarrying(leaves, b, Queue(t), p)
	time.Sleep(300 * time.Millisecond) // no event shows that nothing happens
	if n := handled.Load(); n != 1 {
		t.Errorf("two drivers had one batch handled %d times", n)
	}
	leave()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the driver that left got %v", err)
	}
	testwait.Until(t, "the batch to be sent again", func() bool { return handled.Load() == 2 })
	close(go1)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// startCarrying carries a batch and says how that went.
func startCarrying(ctx context.Context, e cluster.Engine, queue string, p pipeline.Digest) <-chan error {
	done := make(chan error, 1)
	go func() {
		reply, err := e.SendBatch(ctx, queue, p)
		if err == nil && reply != ReplyTo(p) {
			err = fmt.Errorf("another reply: %s", reply)
		}
		done <- err
	}()
	return done
}

// CarryMoves: a driver that moves leaves its batches on their way.
func CarryMoves(t *testing.T, s Setup) {
	e := s.dial(t)
	var handled atomic.Int64
	answer := make(chan struct{})
	startWorker(t, e, cluster.Queue{Name: Queue(t), Slots: 1}, Handlers{OnHandle: func(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		handled.Add(1)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-answer:
			return ReplyTo(p), nil
		}
	}})
	ctx, move := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := e.SendBatch(ctx, Queue(t), taskBatch(t, 1))
		left <- err
	}()
	testwait.Until(t, "the batch", func() bool { return handled.Load() == 1 })
	move(cluster.ErrMoved)
	if err := <-left; !errors.Is(err, cluster.ErrMoved) {
		t.Errorf("the driver that moved got %v", err)
	}
	close(answer)
	if reply, err := e.SendBatch(t.Context(), Queue(t), taskBatch(t, 2)); err != nil || reply != ReplyTo(taskBatch(t, 2)) {
		t.Errorf("another batch: %s, %v", reply, err)
	}
	if stopped, err := s.Ended(t, Queue(t), string(taskBatch(t, 1))); stopped || err != nil || handled.Load() != 2 {
		t.Errorf("the batch that was left ended with %t, %v; two were handled %d times", stopped, err, handled.Load())
	}
}

// CarryErrors: what cannot be mended comes back as such, without what it says; what can is
// tried again. It gives the batches, whose errors speak of a green hat.
func CarryErrors(t *testing.T, s Setup) []pipeline.Digest {
	e := s.dial(t)
	const secret = "the lady wears a green hat"
	var tries atomic.Int64
	startWorker(t, s.dial(t), cluster.Queue{Name: Queue(t), Slots: 4}, Handlers{OnHandle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		switch p {
		case taskBatch(t, 1):
			return "", fmt.Errorf("handle: %w", &cluster.PermanentError{Err: errors.New(secret)})
		case taskBatch(t, 2):
			if tries.Add(1) < 3 {
				return "", errors.New(secret)
			}
		case taskBatch(t, 3):
			if tries.Add(1) == 4 {
				panic(secret)
			}
		}
		return ReplyTo(p), nil
	}})
	var permanent *cluster.PermanentError
	if _, err := e.SendBatch(t.Context(), Queue(t), taskBatch(t, 1)); !errors.As(err, &permanent) || strings.Contains(err.Error(), "green") || !strings.Contains(err.Error(), "log") {
		t.Errorf("a permanent error came back as %v", err)
	}
	for n := 2; n <= 3; n++ {
		if reply, err := e.SendBatch(t.Context(), Queue(t), taskBatch(t, n)); err != nil || reply != ReplyTo(taskBatch(t, n)) {
			t.Errorf("batch %d: %s, %v", n, reply, err)
		}
	}
	if tries.Load() != 5 {
		t.Errorf("what fails for a while was tried %d times, want 3 and 2", tries.Load())
	}
	if _, err := e.SendBatch(t.Context(), Queue(t), "no digest"); !errors.As(err, &permanent) {
		t.Errorf("no digest: %v", err)
	}
	return []pipeline.Digest{taskBatch(t, 1), taskBatch(t, 2), taskBatch(t, 3)}
}
