package testkit_test

import (
	"context"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/prompts"
)

type memo struct {
	Text string `json:"text"`
}

// noter asks a model about each record.
type noter struct{ task *model.Job[memo, memo] }

func (n noter) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"note"}, Emits: []string{"note"}, Resource: pipeline.Model, Asks: []pipeline.Ask{n.task.For("author")}}
}

func (n noter) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := pipeline.Decode[memo](in)
	if err != nil {
		return nil, err
	}
	out, err := n.task.Ask(ctx, scope, "author", v, 0)
	if err != nil {
		return nil, err
	}
	r, err := pipeline.NewRecord("note", in.ID+"-answer", out.Value)
	return []pipeline.Record{r}, err
}

// TestStageThroughALiveModel shows how the stages of a domain are tested with a
// model that is not built in.
func TestStageThroughALiveModel(t *testing.T) {
	prompt, err := prompts.Parse("test.note.md", []byte("---\ntask: test.note\nversion: \"1\"\nschema: note\nroles: [author]\n---\n# System\nAnswer.\n# User\n{{data \"text\" .Text}}"))
	if err != nil {
		t.Fatal(err)
	}
	task, err := model.NewJobFromPrompt[memo, memo](prompt, []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var text string
		if err := a.Data("text", &text); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		return testkit.ReplyJSON(memo{"answer to " + text})
	})
	roles, live := server.Live(t, "author")
	var inputs []pipeline.Record
	for _, id := range []string{"a", "b", "c"} {
		r, err := pipeline.NewRecord("note", id, memo{"question " + id})
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, r)
	}
	testkit.ConformStage(t, testkit.Subject{
		Register: func(r *pipeline.Registry) {
			pipeline.AddStage(r, "noter", "1", "notes", func(struct{}) (pipeline.Stage, error) { return noter{task}, nil })
		},
		Use: "noter", Inputs: inputs, Roles: roles, Models: live, Unpinned: "the port of the server is in its keys",
		Types: map[string]func(pipeline.Record) error{"note": testkit.DecodesTo[memo]},
	})
	if n := server.Counts().Answered; n != len(inputs) {
		t.Errorf("%d answers for %d questions: the ledger should have had the rest", n, len(inputs))
	}
}
