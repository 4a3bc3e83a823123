//go:build temporal

package temporal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/enginetest"
	"github.com/memforge/memforge/pipeline/testkit/temporalserver"
)

func TestMain(m *testing.M) {
	site(nil).Child()
	code := m.Run()
	temporalserver.End()
	os.Exit(code)
}

func noVariables(string) string { return "" }

// quick is a rhythm for tests: what is dead is found dead within seconds.
func quick() rhythm { return rhythm{beat: 500 * time.Millisecond, silence: 3 * time.Second} }

func connect(ctx context.Context, address string, log slog.Handler) (*Engine, error) {
	e, err := Dial(ctx, scheme+address+"/default", noVariables, Options{Drain: 2 * time.Second, Log: log})
	if err == nil {
		e.rhythm = quick()
	}
	return e, err
}

func dial(t testing.TB, s *temporalserver.Server) *Engine {
	t.Helper()
	e, err := connect(t.Context(), s.Address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func started(t testing.TB) enginetest.Setup { return site(temporalserver.Start(t)) }

// site is a server as the tests of all engines want it.
func site(s *temporalserver.Server) enginetest.Setup {
	o := enginetest.Setup{Silence: quick().silence}
	o.Dial = func(ctx context.Context, address string, log slog.Handler) (cluster.Engine, error) {
		return connect(ctx, address, log)
	}
	if s == nil {
		return o
	}
	o.Address = s.Address()
	o.Restart = func(t testing.TB, after time.Duration) {
		err := s.Kill()
		time.Sleep(after) // it is away for so long
		if err := errors.Join(err, s.Start()); err != nil {
			t.Error(err)
		}
	}
	o.Ended = func(t testing.TB, queue, name string) (bool, error) {
		flow := buildName(name)
		if d, err := pipeline.ParseDigest(name); err == nil {
			flow = batchName(queue, d)
		}
		err := dial(t, s).client.GetWorkflow(t.Context(), flow, "").Get(t.Context(), nil)
		if stopped(err) {
			return true, nil
		}
		return false, err
	}
	return o
}
