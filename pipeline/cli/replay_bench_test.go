//go:build linux

package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/store"
)

// callsOfAnExam is what the full protocol asks about one question on average: 33
// about nine of twelve, and of the others 8, 16 and 25 until they are flagged.
const callsOfAnExam = (9*33 + 8 + 16 + 25) / 12.0

// BenchmarkReplayThroughGates builds releases from recorded answers alone: items
// go through five gates that ask a panel. The ledger holds what the full
// protocol asks, 100,000 calls unless MEMFORGE_BENCH_CALLS says otherwise. Each
// build is a process of its own with an empty store. Wall time, CPU time and the
// largest resident memory are told of the whole process and, as gates-..., of the
// part from the first question handed to a gate to the last verdict committed;
// calls/s are those of that part.
func BenchmarkReplayThroughGates(b *testing.B) {
	calls := 100_000
	if v := os.Getenv("MEMFORGE_BENCH_CALLS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			b.Fatal(err)
		}
		calls = n
	}
	items := fmt.Sprint("sources.exam.with.count=", int(float64(calls)/callsOfAnExam))
	book := recordExam(b, items)
	for _, protocol := range []string{"full", "sequential"} {
		b.Run(protocol, func(b *testing.B) {
			p := newExam(b, examPlan(protocol == "full"), examModels("http://127.0.0.1:9/v1", ""))
			replayExam(b, p, items, "run.ledger="+book)
		})
	}
}

func replayExam(b *testing.B, p *project, settings ...string) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var cpu time.Duration
	var gates gatesShare
	var memory float64
	for i := range b.N {
		cmd := exec.Command(self, append(settings, fmt.Sprint("run.out=out", i))...)
		cmd.Env = append(os.Environ(), replayVariable+"="+p.file)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		var told gatesShare
		if err := json.Unmarshal(out, &told); err != nil || told.Replayed == 0 {
			b.Fatalf("nothing was replayed: %v\n%s", err, out)
		}
		gates.Replayed += told.Replayed
		gates.Wall += told.Wall
		gates.CPU += told.CPU
		gates.PeakMB = max(gates.PeakMB, told.PeakMB)

		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		memory = max(memory, float64(used.Maxrss)/1024)
	}
	n := float64(b.N)
	b.ReportMetric(float64(gates.Replayed)/n, "calls/op")
	b.ReportMetric(float64(gates.Replayed)/gates.Wall.Seconds(), "calls/s")
	b.ReportMetric(gates.Wall.Seconds()/n, "gates-wall-s")
	b.ReportMetric(gates.CPU.Seconds()/n, "gates-cpu-s")
	b.ReportMetric(gates.PeakMB, "gates-peak-MB")
	b.ReportMetric(b.Elapsed().Seconds()/n, "wall-s/op")
	b.ReportMetric(cpu.Seconds()/n, "cpu-s/op")
	b.ReportMetric(memory, "peak-MB")
}

// recordExam fills a ledger with the answers to all that the full protocol asks.
func recordExam(b *testing.B, items string) string {
	p := newExam(b, examPlan(true), examModels("http://127.0.0.1:9/v1", ""))
	cfg, err := config.Load(p.file, thingRegistry(), []string{items})
	if err != nil {
		b.Fatal(err)
	}
	steps, err := cfg.Plan.Resolve(b.Context(), thingRegistry())
	if err != nil {
		b.Fatal(err)
	}
	st, err := store.Open(b.Context(), cfg.StoreDir())
	if err != nil {
		b.Fatal(err)
	}
	book, err := ledger.Open(b.Context(), cfg.LedgerDir())
	if err != nil {
		b.Fatal(err)
	}
	r := &recorder{roles: cfg.Plan.Models, ledger: book}
	rt := engine.Runtime{Registry: thingRegistry(), Store: st, Models: r, TempRoot: p.dir}
	if _, err := local.Execute(b.Context(), rt, steps, nil, local.Options{Limits: map[pipeline.Resource]int{pipeline.Model: 64}}); err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(r.flush(b.Context()), st.Close(), book.Close()); err != nil {
		b.Fatal(err)
	}
	return cfg.LedgerDir()
}

// recorder answers as the scripted models do, without a server, and records.
type recorder struct {
	roles  map[string]pipeline.ModelIdentity
	ledger *ledger.Ledger
	mu     sync.Mutex
	calls  []ledger.Entry
}

// Ask implements pipeline.Models.
func (r *recorder) Ask(ctx context.Context, s *pipeline.Scope, q pipeline.Request) (pipeline.Reply, error) {
	who := r.roles[q.Role]
	e := ledger.Entry{Step: s.Origin().Step, Item: s.Origin().Item}
	e.Request = pipeline.Request{
		Host: who.Host, Model: who.Model, Task: q.Task, Schema: q.Schema, Sample: q.Sample,
		Sampling: json.RawMessage(who.Sampling), Form: json.RawMessage(who.Form),
		Messages: pipeline.ChatMessages(q.System(), q.User(), nil),
	}
	e.Key = ledger.Key(e.Request)
	e.Reply = pipeline.Reply{Outcome: model.OK, Served: who.Model, Usage: pipeline.Usage{Input: 1200, Output: 30}}
	var p put
	if err := json.Unmarshal(q.Input, &p); err != nil {
		return pipeline.Reply{}, err
	}
	said, given := p.answer(who.Model)
	text, err := json.Marshal(said)
	if err != nil {
		return pipeline.Reply{}, err
	}
	e.Reply.Text = string(text)
	if !given {
		e.Reply.Outcome, e.Reply.Text, e.Reply.Detail = model.Refusal, "", "I would rather not say."
	}
	if err := r.keep(ctx, e); err != nil {
		return pipeline.Reply{}, err
	}
	if !given {
		return pipeline.Reply{}, &model.OutcomeError{Outcome: model.Refusal, Task: q.Task, Model: who.Model, Usage: e.Reply.Usage}
	}
	return pipeline.Reply{Text: string(text), Model: who.Model, Usage: e.Reply.Usage}, nil
}

// Embed implements pipeline.Models.
func (*recorder) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errors.New("nobody embeds in an exam")
}

// keep records calls in lots: one by one the disk would take the time.
func (r *recorder) keep(ctx context.Context, e ledger.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls = append(r.calls, e); len(r.calls) < 2000 {
		return nil
	}
	return r.flush(ctx)
}

func (r *recorder) flush(ctx context.Context) error {
	calls := r.calls
	r.calls = nil
	_, err := r.ledger.Record(ctx, calls...)
	return err
}
