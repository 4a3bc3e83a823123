package kitchen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

func TestWorldsConform(t *testing.T) {
	testkit.ConformSource(t, testkit.Subject{
		Register: Register,
		Use:      "kitchen.worlds",
		Types:    map[string]func(pipeline.Record) error{Schema: testkit.DecodesTo[World]},
		Golden:   "2 62dd585f0320c5cb3aa41d8d5b20124c8ff41f7b20a569d92abbeaca249368ac",
	})
}

func TestAskConforms(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{
		Register: Register,
		Use:      "kitchen.ask",
		Inputs:   []pipeline.Record{worldRecord(t, 1), worldRecord(t, 2)},
		Types:    map[string]func(pipeline.Record) error{ClueSchema: testkit.DecodesTo[Clue]},
		Golden:   "3 e9c9398121a4ec5996ed26544b2e6eea3f2b809dbbabb4488c524bdfab89ffd4",
	})
}

func TestGateConforms(t *testing.T) {
	made, err := ask{}.Map(t.Context(), &pipeline.Scope{}, worldRecord(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	testkit.ConformGate(t, testkit.Subject{
		Register: func(r *pipeline.Registry) {
			gates.Register(r)
			Register(r)
		},
		Use:    "kitchen.stale",
		Inputs: slices.DeleteFunc(made, func(r pipeline.Record) bool { return r.Schema != schemas.NameQuestion }),
		Golden: "2 74342c8072c475df6fd5bba5058d5aabd7afc0ee34afc01cf1c525598e215628",
	})
}

func worldRecord(t *testing.T, seed uint64) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(Schema, fmt.Sprint("w", seed), world(rand.New(rand.NewPCG(seed, 0))))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGoldIsTheLastPlace derives the answer from the moves once more.
func TestGoldIsTheLastPlace(t *testing.T) {
	for seed := range uint64(50) {
		in := worldRecord(t, seed)
		w, err := pipeline.Decode[World](in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := ask{}.Map(t.Context(), &pipeline.Scope{}, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out[1:] {
			if r.Schema != schemas.NameQuestion {
				continue
			}
			q, err := pipeline.Decode[schemas.Question](r)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for _, m := range w.Moves {
				if q.QuestionID == in.ID+"-"+m.Thing {
					want = m.Place
				}
			}
			if q.AnswerText != want || len(q.Options) != 4 {
				t.Errorf("%s: answer %q of %d options, want %q of 4", q.QuestionID, q.AnswerText, len(q.Options), want)
			}
		}
	}
}
