package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// boxes asks 40 questions about numbered boxes; the answer to number i is the
// option of letter i modulo 4.
type boxes struct{}

const boxCount = 40

func (boxes) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameQuestion, schemas.NameTask}, License: "CC0-1.0"}
}
func (boxes) Needs() []pipeline.Need { return nil }
func (boxes) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	task, err := pipeline.NewRecord(schemas.NameTask, "boxes", schemas.Task{TaskID: "boxes", Family: "boxes", SourceRecords: []string{"boxes"}})
	if err != nil {
		return err
	}
	if err := emit(task); err != nil {
		return err
	}
	for i := range boxCount {
		q := schemas.Question{
			QuestionID: fmt.Sprintf("q-%02d", i), Family: "boxes", TaskID: "boxes", Type: "box", Split: "test",
			Question: fmt.Sprint("What is in box ", i, "?"), QuestionMCQ: "", Labels: map[string]string{schemas.LabelPair: fmt.Sprint(i / 2)},
		}
		for o, text := range []string{"a cup", "a hat", "a key", "a map"} {
			q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + o)), Text: text})
		}
		q.AnswerKey, q.AnswerText = q.Options[i%4].Key, q.Options[i%4].Text
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

const boxPlan = `version: 1
release: {name: boxes, license: CC0-1.0, from: [blind]}
sources:
  boxes: {use: boxes}
gates:
  blind: {use: option-only, from: [boxes], with: {roles: [panel_a], rotations: 1}}
models:
  first: {base_url: %[1]s, model: first-1, price: {input: 1, output: 10, currency: EUR}}
  second: {base_url: %[1]s, model: second-1, price: {input: 1, output: 10, currency: EUR}}
roles: {panel_a: first}
panels:
  others: {panel_a: second}
`

// boxServer answers right about some boxes and else does not know: the first
// model about 0 to 19, the second about 0 to 14 and 35 to 39.
func boxServer(t *testing.T) *testkit.ModelServer {
	return testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var question string
		if err := a.Data("question", &question); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		var i int
		if _, err := fmt.Sscanf(question, "What is in box %d?", &i); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		answer := "unknown"
		if a.Model == "first-1" && i < 20 || a.Model == "second-1" && (i < 15 || i >= 35) {
			answer = string(rune('A' + i%4))
		}
		s := testkit.ReplyJSON(map[string]string{"why": "so it is", "answer": answer})
		s.Input, s.Output = 1000, 100
		return s
	})
}

type boxProject struct {
	t       *testing.T
	dir     string
	release string
	// register adds the plugins.
	register func(*pipeline.Registry)
}

func (p boxProject) run(args ...string) (code int, out, errs string) {
	p.t.Helper()
	reg := pipeline.NewRegistry()
	p.register(reg)
	var o, e bytes.Buffer
	code = cli.Main(reg, append(args, "-f", filepath.Join(p.dir, "pipeline.yaml")), strings.NewReader(""), &o, &e, func(string) string { return "" })
	return code, o.String(), e.String()
}

func buildBoxes(t *testing.T, server *testkit.ModelServer) boxProject {
	t.Helper()
	p := boxProject{t: t, dir: t.TempDir(), register: func(r *pipeline.Registry) {
		gates.Register(r)
		pipeline.AddSource(r, "boxes", "1", "Boxes", func(struct{}) (pipeline.Source, error) { return boxes{}, nil })
	}}
	if err := os.WriteFile(filepath.Join(p.dir, "pipeline.yaml"), fmt.Appendf(nil, boxPlan, server.URL), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := p.run("build"); code != 0 {
		t.Fatalf("build: %d\n%s%s", code, out, errs)
	}
	p.release = filepath.Join(p.dir, "out", "releases", "boxes", "1.0.0")
	return p
}

// said is what a rerun prints, as far as it is looked at here.
type saidAgain struct {
	State string
	Rerun struct {
		Answers  compared
		Verdicts compared
		Flipped  []struct{ Item, Gate, Release, Rerun string } `json:"verdict_flips"`
		Answered []struct{ Item, Gate, Release, Rerun string } `json:"answer_flips"`
		Skipped  []any
		Calls    int `json:"model_calls"`
		Replayed int `json:"model_calls_replayed"`
		Cost     map[string]float64
	}
}

type compared struct {
	Calls     int
	Kappa     *struct{ Value, Low, High float64 }
	Labels    []string
	Confusion [][]int
}

func (p boxProject) again(want int, args ...string) saidAgain {
	p.t.Helper()
	code, out, errs := p.run(append([]string{"audit", "--json", "--rerun", p.release}, args...)...)
	if code != want {
		p.t.Fatalf("%v: exit code %d, want %d\n%s%s", args, code, want, out, errs)
	}
	var said saidAgain
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	return said
}

// TestRerunByHand. Verdicts, of which a right answer is a fail: both fail 15
// items, each fails 5 that the other passes, both pass 15. Observed 30/40,
// expected (20/40)^2 + (20/40)^2 = 0.5: kappa 0.5. Answers: both 20 times
// unknown and 5 times each letter; the same on 30. Expected 4 x (5/40)^2 +
// (20/40)^2 = 0.3125: kappa (0.75 - 0.3125) / 0.6875 = 7/11.
func TestRerunByHand(t *testing.T) {
	server := boxServer(t)
	p := buildBoxes(t, server)
	said := p.again(12, "--panel", "others")
	r := said.Rerun
	near := func(what string, c compared, want float64) {
		t.Helper()
		if c.Kappa == nil || math.Abs(c.Kappa.Value-want) > 1e-12 || c.Kappa.Low >= want || c.Kappa.High <= want || c.Calls != boxCount {
			t.Errorf("%s: %+v, kappa %+v; want %g", what, c, c.Kappa, want)
		}
	}
	near("verdicts", r.Verdicts, 0.5)
	near("answers", r.Answers, 7.0/11)
	if got := fmt.Sprint(r.Verdicts.Labels, r.Verdicts.Confusion); got != "[fail pass] [[15 5] [5 15]]" {
		t.Errorf("verdicts: %s", got)
	}
	if got := fmt.Sprint(r.Answers.Labels); got != "[A B C D unknown]" {
		t.Errorf("answers: %s", got)
	}
	if len(r.Flipped) != 10 || len(r.Answered) != 10 || len(r.Skipped) != 0 {
		t.Fatalf("%d verdicts and %d answers flipped, %d skipped; want 10, 10 and 0", len(r.Flipped), len(r.Answered), len(r.Skipped))
	}
	for i, f := range r.Flipped {
		a := r.Answered[i]
		n := 15 + i + i/5*15 // 15 to 19, 35 to 39
		letter := string(rune('A' + n%4))
		before, after := [2]string{"fail", letter}, [2]string{"pass", "unknown"}
		if n >= 35 {
			before, after = after, before
		}
		id := fmt.Sprintf("q-%02d", n)
		if f.Item != id || a.Item != id || f.Gate != "blind" || a.Gate != "blind" ||
			[2]string{f.Release, a.Release} != before || [2]string{f.Rerun, a.Rerun} != after {
			t.Errorf("flips %+v and %+v; want %s from %v to %v", f, a, id, before, after)
		}
	}
	// 40 calls of 1000 tokens in and 100 out: 40 x 0.002.
	if r.Calls != 40 || r.Replayed != 0 || math.Abs(r.Cost["EUR"]-0.08) > 1e-9 {
		t.Errorf("%d calls, %d replayed, cost %v", r.Calls, r.Replayed, r.Cost)
	}
	before := server.Counts().Requests
	replayed := p.again(12, "--panel", "others", "--offline").Rerun
	if replayed.Calls != 0 || replayed.Replayed != 40 || *replayed.Answers.Kappa != *r.Answers.Kappa || server.Counts().Requests != before {
		t.Errorf("offline: %+v", replayed)
	}
}

func TestRerunOfTheSamePanelAgrees(t *testing.T) {
	p := buildBoxes(t, boxServer(t))
	said := p.again(0, "--panel", "first")
	if r := said.Rerun; said.State != "same" || r.Verdicts.Kappa.Value != 1 || r.Answers.Kappa.Value != 1 || len(r.Flipped)+len(r.Answered) != 0 || r.Replayed != 40 {
		t.Errorf("%+v", r)
	}
	code, out, errs := p.run("audit", "--rerun", "--panel", "others", p.release)
	for _, want := range []string{
		"blind  option-only  40        40      same", "gate blind (option-only): 40 items, 40 calls, 40 of which are in the release too",
		"verdicts of release and rerun, 40: kappa 0.500 [", "10 verdicts flipped:", `view none, panel_a, rotation 0, run 0: "D", now "unknown"`, "0.0800 EUR",
	} {
		if !strings.Contains(out, want) || code != 12 {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
}

// A rerun needs models and panels, wherever it is started, and nothing of what was
// built; the built-in model needs no file.
func TestRerunNeedsModelsAndPanelsAlone(t *testing.T) {
	p := buildBoxes(t, boxServer(t))
	text, err := os.ReadFile(filepath.Join(p.dir, "pipeline.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, models, _ := strings.Cut(string(text), "models:")
	elsewhere := p
	elsewhere.dir = t.TempDir()
	t.Chdir(elsewhere.dir)
	if code, out, errs := elsewhere.run("audit", "--rerun", "--panel", "built-in", p.release); code != 12 || !strings.Contains(out, "rerun with panel built-in") {
		t.Errorf("the built-in model without a file: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := elsewhere.run("audit", "--rerun", "--panel", "others", p.release); code != 3 || !strings.Contains(errs, "name another file with --file") {
		t.Errorf("a panel without a file: exit code %d\n%s", code, errs)
	}
	if err := os.WriteFile("pipeline.yaml", []byte("models:"+models), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := elsewhere.again(12, "--panel", "others"); said.Rerun.Calls != 40 {
		t.Errorf("%+v", said.Rerun)
	}
	if _, err := os.Stat(filepath.Join(elsewhere.dir, "out", "ledger")); err != nil {
		t.Errorf("the ledger stands beside the file: %v", err)
	}
	if code, _, errs := elsewhere.run("audit", "--rerun", "--panel", "others", "--set", "models.second.modl=x", p.release); code != 3 || !strings.Contains(errs, `did you mean "model"?`) {
		t.Errorf("a mistake in it: exit code %d\n%s", code, errs)
	}
}

func TestRerunKeepsToItsBudget(t *testing.T) {
	server := boxServer(t)
	p := buildBoxes(t, server)
	built := server.Counts().Answered
	code, _, errs := p.run("audit", "--rerun", "--panel", "others", "--max-cost", "0.021", p.release)
	if n := server.Counts().Answered - built; code != 8 || n != 10 || !strings.Contains(errs, "models: 10 calls") {
		t.Errorf("exit code %d after %d calls\n%s", code, n, errs)
	}
	if r := p.again(12, "--panel", "others", "--max-cost", "0.07").Rerun; r.Calls != 30 || r.Replayed != 10 {
		t.Errorf("the next run: %d calls, %d replayed", r.Calls, r.Replayed)
	}
}

func TestAuditExitCodes(t *testing.T) {
	server := boxServer(t)
	p := buildBoxes(t, server)
	asked := server.Counts().Requests
	for _, tc := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{p.release}, 0, "clean: 40 of 40 verdicts"},
		{[]string{"--rerun", p.release}, 2, "--rerun needs --panel"},
		{[]string{"--panel", "others", p.release}, 2, "go with --rerun"},
		{[]string{"--rerun", "--panel", "nobody", p.release}, 2, "there are others, first, second, built-in"},
		{[]string{p.release + "x"}, 4, "audit"},
	} {
		code, out, errs := p.run(append([]string{"audit"}, tc.args...)...)
		if code != tc.want || !strings.Contains(out+errs, tc.says) {
			t.Errorf("audit %v: exit code %d, want %d and %q\n%s%s", tc.args, code, tc.want, tc.says, out, errs)
		}
	}
	card := filepath.Join(p.release, "README.md")
	text, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(card, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := p.run("audit", "--rerun", "--panel", "others", p.release); code != 4 || !strings.Contains(errs, "README.md: has digest") {
		t.Errorf("a changed file: exit code %d\n%s", code, errs)
	}
	if n := server.Counts().Requests; n != asked {
		t.Errorf("%d requests were made for a release that is not clean", n-asked)
	}
}

// TestAuditFindsAFlippedByte flips single bytes of the judgements of a release
// that is else as it was; package release tries all of them.
func TestAuditFindsAFlippedByte(t *testing.T) {
	p := buildBoxes(t, boxServer(t))
	for _, table := range []string{"probes", "verdicts"} {
		found, err := filepath.Glob(filepath.Join(p.release, "data", table, "*.parquet"))
		if err != nil || len(found) != 1 {
			t.Fatalf("files of %s: %v, %v", table, found, err)
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range []int{0, 4, len(data) / 4, len(data) / 2, len(data) - 9, len(data) - 1} {
			bad := bytes.Clone(data)
			bad[at] ^= 1 << i
			if err := os.WriteFile(found[0], bad, 0o644); err != nil {
				t.Fatal(err)
			}
			code, out, errs := p.run("audit", p.release)
			place := "data/" + table + "/" + filepath.Base(found[0])
			// Where rows can still be read the audit goes on over them.
			said := out == "" || strings.Contains(out, place+" differs:\n  has digest") && strings.Contains(out, "\ndiffers: ")
			if code != 4 || !said || !strings.Contains(errs, place+": has digest") {
				t.Errorf("%s, byte %d: exit code %d\n%s%s", table, at, code, out, errs)
			}
		}
		if err := os.WriteFile(found[0], data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := p.run("audit", p.release); code != 0 {
		t.Errorf("as it was: exit code %d\n%s%s", code, out, errs)
	}
}
