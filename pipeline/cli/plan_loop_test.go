package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

const loopYAML = `version: 1
release: {name: demo, from: [roles]}
sources: {films: {use: procedural, with: {count: 20}}}
stages:
  render: {use: film.render, from: [films]}
  probe: {use: video.probe, from: [render]}
  normalise: {use: video.normalise, from: [probe]}
  pair: {use: video.pair, from: [normalise]}
  concat: {use: video.concat, from: [pair]}
  ask: {use: video.ask, from: [concat]}
gates:
  options: {use: interference-roles, from: [ask]}
  roles: {use: option-roles, from: [options], on_fail: revise}
revise: {rounds: 2}
models:
  writer: {base_url: 'http://models.example/v1', model: writer-1, price: {input: 1, output: 10, currency: EUR}}
roles: {author: writer}
`

// TestPlanShowsLoops wants the loop, its nodes and what its calls will cost,
// with the assumption that rests on.
func TestPlanShowsLoops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, []byte(loopYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := cli.Main(plugins.Registry(), []string{"plan", "-f", path}, strings.NewReader(""), &out, &errs, os.Getenv); code != 0 {
		t.Fatal(errs.String())
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"release demo auto from gather~options~1, gather~options~2, roles~2",
		"loop: what roles flags is rewritten by question.revise and starts again at options (then roles); rounds: up to 2",
		"gather~options~1 stage question.gather 1 roles - 0 %",
		"revise~options~1 stage question.revise 4 gather~options~1 - 100 %",
		"roles~1 gate option-roles 3 options~1 revise 100 %",
		"roles~2 gate option-roles 3 options~2 drop 100 %",
		"revise~options~2 author question.revise writer (writer-1 at models.example)",
		"assumed: a gate with on_fail revise flags 20 % of its questions in every round; no other gate flags any",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	out.Reset()
	if code := cli.Main(plugins.Registry(), []string{"plan", "-f", path, "--set", "roles.author=built-in"}, strings.NewReader(""), &out, &errs, os.Getenv); code != 0 {
		t.Fatal(errs.String())
	}
	if !strings.Contains(out.String(), "none: give the role to a model") {
		t.Errorf("what nobody answers is not named in\n%s", out.String())
	}
}
