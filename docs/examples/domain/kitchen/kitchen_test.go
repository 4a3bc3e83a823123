package kitchen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
)

func TestWorldsConform(t *testing.T) {
	pipelinetest.Source(t, pipelinetest.Subject{
		Register: Register,
		Use:      "kitchen.worlds",
		Types:    map[string]func(pipeline.Record) error{Schema: pipelinetest.Typed[World]},
		Golden:   "1 c3986f001f08040c7a09b561549d5592e33a102668702970f7f8f98371ce8e73",
	})
}

func TestAskConforms(t *testing.T) {
	pipelinetest.Stage(t, pipelinetest.Subject{
		Register: Register,
		Use:      "kitchen.ask",
		Inputs:   []pipeline.Record{world(t, 1), world(t, 2)},
		Types:    map[string]func(pipeline.Record) error{ClueSchema: pipelinetest.Typed[Clue]},
		Golden:   "2 b6112d002984683f362302a2db916ac0fac87b9d95cd330abc9b67424fb60b57",
	})
}

func world(t *testing.T, seed uint64) pipeline.Record {
	t.Helper()
	w := worlds{WorldsConfig{Moves: 8}}.world(rand.New(rand.NewPCG(seed, 0)))
	r, err := pipeline.NewRecord(Schema, fmt.Sprint("w", seed), w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGoldIsTheLastPlace derives the answer from the moves once more.
func TestGoldIsTheLastPlace(t *testing.T) {
	for seed := range uint64(50) {
		in := world(t, seed)
		w, err := pipeline.Decode[World](in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := ask{AskConfig{Split: "test"}}.Map(t.Context(), &pipeline.Scope{}, in)
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
				if m.Thing == q.Labels["thing"] {
					want = m.Place
				}
			}
			if q.AnswerText != want || len(q.Options) != 4 {
				t.Errorf("%s: answer %q of %d options, want %q of 4", q.QuestionID, q.AnswerText, len(q.Options), want)
			}
		}
	}
}
