package audit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

const talksPlan = `version: 1
seed: 7
release: {name: talks, title: Talks, from: [heard, shortcuts, tasks]}
sources:
  quiz: {use: test.quiz}
  talks: {use: test.talks}
gates:
  shortcuts: {use: statistical-shortcuts, from: [quiz], on_fail: keep}
  tasks: {use: test.tasks, from: [quiz]}
  heard: {use: test.heard, from: [talks]}
`

// talks gives the tasks of the quiz n sessions each, all of them long.
type talks struct{ n int }

const turnsOfTalk = 24

func (talks) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameSession}, License: "CC0-1.0"}
}
func (talks) Needs() []pipeline.Need { return nil }
func (s talks) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 12 * s.n {
		task := fmt.Sprintf("t-%02d", i%12)
		talk := schemas.Session{SessionID: schemas.SessionIDOf(task, i/12), TaskID: task, Kind: schemas.KindDialogue, Participants: []string{schemas.TurnUser}, Order: int32(i / 12)}
		for n := range turnsOfTalk {
			var text strings.Builder
			for range 64 {
				fmt.Fprintf(&text, "%x ", rnd.Uint64())
			}
			talk.Turns = append(talk.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(talk.SessionID, n+1), SessionID: talk.SessionID, Order: int32(n + 1), Role: schemas.TurnUser, Text: text.String()})
		}
		r, err := pipeline.NewRecord(schemas.NameSession, talk.SessionID, talk)
		if err == nil {
			err = emit(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// live is the most that is reachable in the heap when somebody looks.
type live struct {
	mu    sync.Mutex
	calls int
	most  uint64
}

// look looks at every so many calls: collecting all garbage takes its time.
func (l *live) look(every int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls++; l.calls%every != 1 && every > 1 {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.most = max(l.most, m.HeapAlloc)
}

// heard is a gate that looks at the heap while it judges sessions.
type heard struct{ *live }

func (heard) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameSession}} }
func (h heard) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	h.look(100)
	return []pipeline.Judgement{{Outcome: pipeline.Pass, Reason: fmt.Sprint(len(items))}}, nil
}

// TestMemoryOfAnAuditDoesNotGrowWithRecords looks at what is in memory while sessions are
// read, judged again and rested on. At full size they are 60 MB of text that hardly packs.
func TestMemoryOfAnAuditDoesNotGrowWithRecords(t *testing.T) {
	n := testsize.Choose(2, 200)
	seen := &live{}
	reg := registry(t)
	pipeline.AddSource(reg, "test.talks", "1", "talks", func(none) (pipeline.Source, error) { return talks{n}, nil })
	pipeline.AddGate(reg, "test.heard", "1", "hears", func(none) (pipeline.Gate, error) { return heard{seen}, nil })
	reg.AddDerivation("quiz", pipeline.Derivation{
		Version: "1", Reads: []string{schemas.NameSession},
		Question: func(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
			seen.look(20)
			if got := len(p.Records[schemas.NameSession]); got != n {
				return pipeline.Derived[schemas.Question]{}, fmt.Errorf("it rests on %d sessions, want %d", got, n)
			}
			return pipeline.Derived[schemas.Question]{Item: q}, nil
		},
		Task: func(task schemas.Task, _ pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
			return pipeline.Derived[schemas.Task]{Item: task}, nil
		},
	})
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	c := buildQuiz(t, reg, talksPlan)
	*seen = live{}
	seen.look(1)
	before, table := seen.most, tableOf(t, reg)
	for _, err := range c.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		seen.look(100)
	}
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	if text := found(r); r.State() == audit.Differs || r.State() == audit.Errored || r.Gold[0].Derived != 200 {
		t.Errorf("%s, %+v: %s", r.State(), r.Gold, text)
	}
	const most = 40 << 20
	if seen.most > before+most {
		t.Errorf("%d MiB were in use, %d of them before; at most %d more may be", seen.most>>20, before>>20, most>>20)
	}
	t.Logf("%d MiB before, %d MiB at most, %d sessions", before>>20, seen.most>>20, 12*n)
}

func tableOf(t *testing.T, reg *pipeline.Registry) pipeline.Table {
	t.Helper()
	table, ok := reg.Table(schemas.NameSession)
	if !ok {
		t.Fatal("sessions have no table")
	}
	return table
}
