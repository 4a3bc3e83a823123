package temporal

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cluster"
	"github.com/memforge/memforge/pipeline/pipelinetest/temporalserver"
)

// handlers are a worker in this process.
type handlers struct {
	handle func(context.Context, pipeline.Digest) (pipeline.Digest, error)
	drive  func(context.Context, string) error
}

func (h handlers) Handle(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
	return h.handle(ctx, p)
}

func (h handlers) Drive(ctx context.Context, build string) error { return h.drive(ctx, build) }

// works starts a worker in this process, and gives what ends it.
func works(t testing.TB, e *Engine, q cluster.Queue, h cluster.Handlers) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Work(ctx, []cluster.Queue{q}, h) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the worker ended with %v", err)
		}
	})
	t.Cleanup(end)
	return end
}

func parcel(t testing.TB, n int) pipeline.Digest {
	return pipeline.DigestOf(fmt.Appendf(nil, "%s %d", t.Name(), n))
}

// carryAll carries parcels, a few at a time, and wants the answer to each.
func carryAll(t *testing.T, e *Engine, queue string, count int) {
	t.Helper()
	var work sync.WaitGroup
	places := make(chan struct{}, 16)
	for n := range count {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			p := parcel(t, n)
			if reply, err := e.Carry(t.Context(), queue, p); err != nil || reply != replyTo(p) {
				t.Errorf("parcel %d: %s, %v", n, reply, err)
			}
		})
	}
	work.Wait()
}

func TestCarryByTwoWorkers(t *testing.T) {
	s := temporalserver.Started(t)
	e := dial(t, s)
	queue := t.Name()
	var by [2]atomic.Int64
	for i := range by {
		works(t, dial(t, s), cluster.Queue{Name: queue, Slots: 4}, handlers{handle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
			by[i].Add(1)
			time.Sleep(time.Millisecond)
			return replyTo(p), nil
		}})
	}
	carryAll(t, e, queue, 200)
	if a, b := by[0].Load(), by[1].Load(); a == 0 || b == 0 || a+b != 200 {
		t.Errorf("two workers handled %d and %d parcels", a, b)
	}
}

// A worker is killed, or stopped so that it says nothing, while it has parcels.
func TestCarryWhenWorkersFail(t *testing.T) {
	s := temporalserver.Started(t)
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(how.String(), func(t *testing.T) {
			d := diary{dir: t.TempDir()}
			o := orders{Queues: []cluster.Queue{{Name: t.Name(), Slots: 4}}, Dir: d.dir, Takes: 50 * time.Millisecond}
			children := []*exec.Cmd{child(t, s, o), child(t, s, o)}
			go func() {
				for len(d.notes(t, string(parcel(t, 20)))) == 0 && t.Context().Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
				_ = children[0].Process.Signal(how)
			}()
			carryAll(t, dial(t, s), t.Name(), 60)
			begun := 0
			for n := range 60 {
				begun += len(d.notes(t, string(parcel(t, n))))
			}
			if begun < 60 || begun > 75 {
				t.Errorf("60 parcels were begun %d times", begun)
			}
		})
	}
}

func TestCarryWhenTheServerRestarts(t *testing.T) {
	s := temporalserver.Started(t)
	e := dial(t, s)
	var handled atomic.Int64
	works(t, dial(t, s), cluster.Queue{Name: t.Name(), Slots: 4}, handlers{handle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		handled.Add(1)
		time.Sleep(100 * time.Millisecond)
		return replyTo(p), nil
	}})
	restarted := make(chan error, 1)
	go func() {
		for handled.Load() < 10 {
			time.Sleep(10 * time.Millisecond)
		}
		err := s.Kill()
		time.Sleep(time.Second)
		restarted <- errors.Join(err, s.Start())
	}()
	carryAll(t, e, t.Name(), 60)
	if err := <-restarted; err != nil {
		t.Error(err)
	}
}

// Two drivers that carry the same get one answer of one worker. When one of them gives
// up, the other gets its answer all the same.
func TestCarryTheSameTwice(t *testing.T) {
	s := temporalserver.Started(t)
	var handled atomic.Int64
	go1 := make(chan struct{})
	works(t, dial(t, s), cluster.Queue{Name: t.Name(), Slots: 4}, handlers{handle: func(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		handled.Add(1)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-go1:
			return replyTo(p), nil
		}
	}})
	p := parcel(t, 1)
	carry := func(ctx context.Context, e *Engine) chan error {
		done := make(chan error, 1)
		go func() {
			reply, err := e.Carry(ctx, t.Name(), p)
			if err == nil && reply != replyTo(p) {
				err = fmt.Errorf("another reply: %s", reply)
			}
			done <- err
		}()
		return done
	}
	a, b := dial(t, s), dial(t, s)
	first := carry(t.Context(), a)
	until(t, "the parcel", func() bool { return handled.Load() == 1 })
	leaves, leave := context.WithCancel(t.Context())
	second := carry(leaves, b)
	time.Sleep(300 * time.Millisecond)
	if n := handled.Load(); n != 1 {
		t.Errorf("two drivers had one parcel handled %d times", n)
	}
	leave()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the driver that left got %v", err)
	}
	until(t, "the parcel to be sent again", func() bool { return handled.Load() == 2 })
	close(go1)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// A driver that moves leaves its parcels on their way, and the next one finds them there.
func TestCarryMoves(t *testing.T) {
	e := dial(t, temporalserver.Started(t))
	var handled atomic.Int64
	answer := make(chan struct{})
	works(t, e, cluster.Queue{Name: t.Name(), Slots: 1}, handlers{handle: func(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		handled.Add(1)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-answer:
			return replyTo(p), nil
		}
	}})
	ctx, move := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := e.Carry(ctx, t.Name(), parcel(t, 1))
		left <- err
	}()
	until(t, "the parcel", func() bool { return handled.Load() == 1 })
	move(cluster.ErrMoved)
	if err := <-left; !errors.Is(err, cluster.ErrMoved) {
		t.Errorf("the driver that moved got %v", err)
	}
	close(answer)
	if reply, err := e.Carry(t.Context(), t.Name(), parcel(t, 2)); err != nil || reply != replyTo(parcel(t, 2)) {
		t.Errorf("another parcel: %s, %v", reply, err)
	}
	if err := e.client.GetWorkflow(t.Context(), parcelName(t.Name(), parcel(t, 1)), "").Get(t.Context(), nil); err != nil || handled.Load() != 2 {
		t.Errorf("the parcel that was left ended with %v; two were handled %d times", err, handled.Load())
	}
}

// What cannot be mended comes back as such, without what it says; what can is tried again.
func TestCarryErrors(t *testing.T) {
	s := temporalserver.Started(t)
	e := dial(t, s)
	const secret = "the lady wears a green hat"
	var tries atomic.Int64
	works(t, dial(t, s), cluster.Queue{Name: t.Name(), Slots: 4}, handlers{handle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		switch p {
		case parcel(t, 1):
			return "", fmt.Errorf("handle: %w", &cluster.PermanentError{Err: errors.New(secret)})
		case parcel(t, 2):
			if tries.Add(1) < 3 {
				return "", errors.New(secret)
			}
		case parcel(t, 3):
			if tries.Add(1) == 4 {
				panic(secret)
			}
		}
		return replyTo(p), nil
	}})
	var permanent *cluster.PermanentError
	if _, err := e.Carry(t.Context(), t.Name(), parcel(t, 1)); !errors.As(err, &permanent) || strings.Contains(err.Error(), "green") || !strings.Contains(err.Error(), "log") {
		t.Errorf("a permanent error came back as %v", err)
	}
	for n := 2; n <= 3; n++ {
		if reply, err := e.Carry(t.Context(), t.Name(), parcel(t, n)); err != nil || reply != replyTo(parcel(t, n)) {
			t.Errorf("parcel %d: %s, %v", n, reply, err)
		}
	}
	if tries.Load() != 5 {
		t.Errorf("what fails for a while was tried %d times, want 3 and 2", tries.Load())
	}
	if _, err := e.Carry(t.Context(), t.Name(), "no digest"); !errors.As(err, &permanent) {
		t.Errorf("no digest: %v", err)
	}
	for n := 1; n <= 3; n++ {
		checkHistory(t, e, parcelName(t.Name(), parcel(t, n)))
	}
}

// A name that somebody else's workflow has is refused.
func TestCarryTakenName(t *testing.T) {
	e := dial(t, temporalserver.Started(t))
	p := parcel(t, 1)
	o := client.StartWorkflowOptions{ID: parcelName(t.Name(), p), TaskQueue: "elsewhere"}
	if _, err := e.client.ExecuteWorkflow(t.Context(), o, "somebody-elses"); err != nil {
		t.Fatal(err)
	}
	var permanent *cluster.PermanentError
	if _, err := e.Carry(t.Context(), t.Name(), p); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "somebody-elses") {
		t.Errorf("a name that is taken: %v", err)
	}
}

// checkHistory wants nothing in what a server keeps of a parcel but digests, numbers and
// fixed words.
func checkHistory(t testing.TB, e *Engine, name string) {
	t.Helper()
	count := 0
	for all := e.client.GetWorkflowHistory(t.Context(), name, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); count++ {
		event, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		var parts any
		if err := json.Unmarshal(text, &parts); err != nil {
			t.Fatal(err)
		}
		checkPart(t, parts)
	}
	if count != 11 {
		t.Errorf("the history of %s has %d events, want 11", name, count)
	}
}

// What a payload and a message may be.
var (
	digestsOnly = regexp.MustCompile(`^("[0-9a-f]{64}"|\{"name":"[0-9a-f]{64}","silence":\d+\}|\{"parcel":"[0-9a-f]{64}","reply":"[0-9a-f]{64}"\})$`)
	fixedWords  = regexp.MustCompile(`^(activity error|trying again cannot mend it; the worker's log says what|it failed; the worker's log says why)$`)
)

func checkPart(t testing.TB, part any) {
	t.Helper()
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			checkPart(t, p)
		}
	case map[string]any:
		for key, p := range part {
			text, _ := p.(string)
			if raw, err := base64.StdEncoding.DecodeString(text); key == "data" && (err != nil || !digestsOnly.Match(raw)) {
				t.Errorf("a history has the payload %s (%v)", raw, err)
			}
			if slices.Contains([]string{"message", "stackTrace", "details"}, key) && !fixedWords.MatchString(text) {
				t.Errorf("a history says %s: %v", key, p)
			}
			checkPart(t, p)
		}
	}
}
