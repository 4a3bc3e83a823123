package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/testkit"
)

// asking starts a call and returns where its error will be, once the request has
// arrived.
func asking(t *testing.T, server *testkit.ModelServer, b *bench, what string) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	before := server.Counts().Requests
	go func() {
		_, err := b.colour(what)
		done <- err
	}()
	server.WaitForRequests(t, before+1)
	return done
}

func ended(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the call does not end")
	}
	return nil
}

func TestDrainedClientGivesUpACallThatIsNotAnswered(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultHang})
	drain := make(chan struct{})
	b := liveBenchWith(t, server, "", client.Options{Ledger: openLedger(t, t.TempDir()), Drain: drain, Grace: 50 * time.Millisecond})
	done := asking(t, server, b, "sky")
	if n := b.live.(*client.Client).Total().Waiting; n != 1 {
		t.Errorf("%d calls on their way, want 1", n)
	}
	close(drain)
	if err := ended(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := server.Counts().Requests; n != 1 {
		t.Errorf("%d requests: a call that was given up was tried again", n)
	}
	if n := b.live.(*client.Client).Total().Waiting; n != 0 {
		t.Errorf("%d calls on their way, want 0", n)
	}
}

func TestDrainedClientRecordsWhatIsAnsweredAndAsksNothingMore(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 300 * time.Millisecond})
	drain := make(chan struct{})
	b := liveBenchWith(t, server, "", client.Options{Ledger: openLedger(t, t.TempDir()), Drain: drain, Grace: time.Hour})
	done := asking(t, server, b, "sky")
	close(drain)
	if err := ended(t, done); err != nil {
		t.Errorf("a call on its way: %v", err)
	}
	if _, err := b.colour("sea"); !errors.Is(err, context.Canceled) {
		t.Errorf("another call: %v", err)
	}
	if out, err := newBench(t, b.roles, b.live).colour("sky"); err != nil || out.Value.Colour != "colour of sky" {
		t.Errorf("the recorded answer: %+v, %v", out, err)
	}
	if c := server.Counts(); c.Requests != 1 || c.Answered != 1 {
		t.Errorf("%+v, want one request", c)
	}
}

// TestDrainedClientEndsWhatWaits: a server that fails is tried again after a
// pause, which no drained client takes.
func TestDrainedClientEndsWhatWaits(t *testing.T) {
	server := testkit.NewModelServer(t, answerColour)
	server.AddFault(testkit.Refuse429("Retry-After", "600"))
	drain := make(chan struct{})
	b := liveBenchWith(t, server, "", client.Options{Ledger: openLedger(t, t.TempDir()), Drain: drain, Grace: time.Hour})
	done := asking(t, server, b, "sky")
	close(drain)
	if err := ended(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
