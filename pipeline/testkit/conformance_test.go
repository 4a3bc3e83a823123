package testkit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
)

// The stage of these tests writes its input's text to a blob. Each defect
// breaks one promise, and the suite must notice.

type note struct {
	Text string          `json:"text"`
	Copy pipeline.Digest `json:"copy,omitempty"`
}

type config struct {
	Repeat int `json:"repeat"`
}

func (c *config) SetDefaults() { c.Repeat = 2 }

type echo struct {
	config
	defect string
	calls  *int
}

func (echo) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"note"}, Emits: []string{"note"}}
}

func (e echo) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	n, err := pipeline.Decode[note](in)
	if err != nil {
		return nil, err
	}
	n.Text = strings.Repeat(n.Text, e.Repeat)
	if *e.calls++; e.defect == "counter" {
		n.Text += fmt.Sprint(*e.calls)
	}
	blob, err := scope.PutBlob(ctx, bytes.NewReader([]byte(n.Text)))
	if err != nil {
		if e.defect == "swallow" {
			return nil, pipeline.Reject("lost", "%v", err)
		}
		return nil, err
	}
	n.Copy = blob.Digest
	if e.defect == "schema" {
		r, err := pipeline.NewRecord("note", in.ID, map[string]string{"words": n.Text}, blob.Digest)
		return []pipeline.Record{r}, err
	}
	r, err := pipeline.NewRecord("note", in.ID, n, blob.Digest)
	return []pipeline.Record{r}, err
}

func subject(defect string) testkit.Subject {
	calls := new(int)
	s := testkit.Subject{
		Use:   "echo",
		Types: map[string]func(pipeline.Record) error{"note": testkit.DecodesTo[note]},
		Register: func(r *pipeline.Registry) {
			pipeline.AddStage(r, "echo", "1", "Repeat a note", func(c config) (pipeline.Stage, error) {
				if defect == "writes" {
					return echo{c, defect, calls}, os.WriteFile("left-behind", nil, 0o600)
				}
				return echo{c, defect, calls}, nil
			})
		},
	}
	for i := range 3 {
		r, err := pipeline.NewRecord("note", fmt.Sprint("n", i), note{Text: fmt.Sprint("text ", i)})
		if err != nil {
			panic(err)
		}
		s.Inputs = append(s.Inputs, r)
	}
	return s
}

func TestAGoodStagePasses(t *testing.T) {
	s := subject("")
	s.Golden = "1 066d1231805427d21bfa9f81c84b14013ab1503c049d3a24c6365eeca4cbe272"
	testkit.ConformStage(t, s)
}

// TestDefectsAreNoticed runs the suite on each defect in a process of its own,
// where it must fail in the subtest that is about it.
func TestDefectsAreNoticed(t *testing.T) {
	if defect := os.Getenv("PIPELINETEST_DEFECT"); defect != "" {
		s := subject(defect)
		if defect == "golden" {
			s.Golden = "1 something else"
		}
		testkit.ConformStage(t, s)
		return
	}
	for defect, subtest := range map[string]string{
		"counter": "two_runs_give_the_same_bytes",
		"swallow": "failed_write,_then_a_rerun",
		"schema":  "outputs_match_their_schema",
		"writes":  "constructor_is_inert",
		"golden":  "golden",
	} {
		t.Run(defect, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDefectsAreNoticed$")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "PIPELINETEST_DEFECT="+defect)
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) || !bytes.Contains(out, []byte("--- FAIL: TestDefectsAreNoticed/"+subtest)) {
				t.Errorf("the suite did not fail in %q (%v):\n%s", subtest, err, out)
			}
		})
	}
}
