package release_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// dialogsPlan builds the dialogue of the documentation through the gates over its
// sessions and its questions.
const dialogsPlan = `version: 1
seed: 3
release: {name: dialogs, title: Dialogues, from: [covered, alone]}
sources:
  talks: {use: dialogs, max_loss: 0.5, with: {path: %s, family: dialogs, license: CC0-1.0}}
stages:
  options: {use: choices, from: [talks], max_loss: 0.9, with: {options: 4, open: true}}
gates:
  chain: {use: update-chain, from: [talks]}
  covered: {use: point-coverage, from: [chain], max_loss: 0.5}
  lettered: {use: option-only, from: [options], max_insufficient: 1}
  alone: {use: option-only-open, from: [lettered]}
`

// unsaid is in statements of two sessions that the judge does not find there.
const unsaid = "stone oven"

// judgeDialogs establishes every statement by the first words of the first turn named
// for it, but for some; as a solver it takes the first option, and finds no answer in
// words right.
func judgeDialogs(a testkit.ChatRequest) testkit.ChatReply {
	if a.Task == "gate_grade" {
		return testkit.ReplyJSON(map[string]string{"why": "It says something else.", "correct": "no"})
	}
	var statements []sessions.Statement
	if a.Data("statements", &statements) != nil {
		return testkit.ReplyJSON(map[string]string{"why": "It comes first.", "answer": "A"})
	}
	var turns []sessions.ShownTurn
	if err := a.Data("session", &turns); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	var out sessions.JudgeAnswer
	for _, s := range statements {
		r := sessions.StatementReply{Number: s.Number, Answer: sessions.No}
		if !strings.Contains(s.Says, unsaid) {
			r.Answer, r.Turn = sessions.Yes, s.Turns[0]
			said := strings.Fields(turns[r.Turn-1].Text)
			r.Quote = strings.Join(said[:min(len(said), 12)], " ")
		}
		out.Statements = append(out.Statements, r)
	}
	return testkit.ReplyJSON(out)
}

func buildDialogs(t *testing.T, reg *pipeline.Registry, talks string) string {
	t.Helper()
	server := testkit.NewModelServer(t, judgeDialogs)
	talks, err := filepath.Abs(talks)
	if err != nil {
		t.Fatal(err)
	}
	return builtFrom(t, reg, fmt.Sprintf(dialogsPlan, talks)+server.YAML("", "judge", "panel_a", "panel_b"))
}

// builtFrom is the release that a configuration gives.
func builtFrom(t *testing.T, reg *pipeline.Registry, plan string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(name, []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(name, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res.Release.Dir
}

// finds lists what an audit finds wrong; what does not even verify is found by
// "verify".
func finds(t *testing.T, reg *pipeline.Registry, dir string) string {
	t.Helper()
	by, err := (&smith{reg: reg}).finders(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(by, ", ")
}

// TestForgedDialogs: a dialogue through three gates is audited clean, with verdicts
// of both kinds on its sessions, and whatever is changed of the sessions is found with
// every digest restated.
func TestForgedDialogs(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	dir := buildDialogs(t, reg, filepath.Join("..", "..", "docs", "examples", "dialogs"))
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	failed, passed := "", ""
	for _, v := range c.Verdicts {
		outcomes[v.Gate+" "+v.Outcome]++
		if v.Gate == "covered" && v.Outcome == schemas.Fail {
			failed = v.Item
		} else if v.Gate == "covered" {
			passed = v.Item
		}
	}
	for _, want := range []string{"chain pass", "covered pass", "covered fail", "alone pass"} {
		if outcomes[want] == 0 {
			t.Fatalf("no verdict is %q: %v", want, outcomes)
		}
	}
	dropped := slices.ContainsFunc(c.FlaggedRecords, func(r schemas.FlaggedRecord) bool { return r.Item == failed && slices.Contains(r.JudgedBy, "covered") })
	rests := slices.ContainsFunc(c.Rejections, func(r schemas.Rejection) bool { return r.Stage == "covered" && r.ID != failed })
	if !dropped || !rests {
		t.Errorf("the session %s is flagged: %t; what rests on it is rejected: %t", failed, dropped, rests)
	}
	checkClean(t, reg, c)
	f, err := release.NewForger(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	same := t.TempDir()
	if err := f.Copy(same); err != nil {
		t.Fatal(err)
	}
	if by := finds(t, reg, same); by != "" {
		t.Fatalf("with nothing changed: %s", by)
	}
	turn := schemas.TurnIDOf(passed, 1)
	for name, change := range map[string]struct {
		table, key, gate, by string
		values               map[string]any
	}{
		"a byte of a turn":               {"turns", turn, "", "verify", map[string]any{"text": "I changed boats. I row in a double with Sanna now, the Plover!"}},
		"who says it":                    {"turns", turn, "", "verify", map[string]any{"speaker": "Tom"}},
		"a session that failed passes":   {"verdicts", failed, "covered", "verdicts of gates", map[string]any{"outcome": schemas.Pass, "reason": nil}},
		"a session that passed fails":    {"verdicts", passed, "covered", "verdicts of gates", map[string]any{"outcome": schemas.Fail, "reason": "not-established: nobody says it"}},
		"a sound chain is called broken": {"verdicts", passed, "chain", "verdicts of gates", map[string]any{"outcome": schemas.Fail, "reason": "unknown-point: it supersedes nothing"}},
		"another reason":                 {"verdicts", failed, "covered", "verdicts of gates", map[string]any{"reason": "not-established: another point"}},
	} {
		t.Run(name, func(t *testing.T) {
			dest := t.TempDir()
			keys := []any{change.key}
			if change.gate != "" {
				keys = append(keys, change.gate)
			}
			if err := f.ForgeRow(dest, change.table, keys, change.values); err != nil {
				t.Fatal(err)
			}
			if by := finds(t, reg, dest); !strings.Contains(by, change.by) {
				t.Errorf("found by %q, not by %q", by, change.by)
			}
		})
	}
	t.Run("a session is gone", func(t *testing.T) {
		dest := t.TempDir()
		if err := f.DropSession(dest, passed); err != nil {
			t.Fatal(err)
		}
		if by := finds(t, reg, dest); by == "" {
			t.Error("nothing finds it")
		}
	})
}

func checkClean(t *testing.T, reg *pipeline.Registry, c release.Contents) {
	t.Helper()
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil || r.State() != audit.Same {
		t.Fatalf("the audit of what was built: %v, %v", r.State(), err)
	}
}

// TestLoCoMo builds LoCoMo's own conversations so, where they are.
func TestLoCoMo(t *testing.T) {
	talks := testfiles.Real(t, "locomo")
	t.Parallel()
	reg := plugins.Registry()
	c, err := release.Read(t.Context(), buildDialogs(t, reg, talks))
	if err != nil {
		t.Fatal(err)
	}
	checkClean(t, reg, c)
	got := map[string]int64{}
	for _, v := range c.Verdicts {
		got[v.Gate+" "+v.Outcome]++
	}
	for _, i := range c.Manifest.Tables {
		if i.Rows > 0 && i.Name != "verdicts" && i.Name != "probes" && i.Name != "rejections" {
			got[i.Name] = i.Rows
		}
	}
	want := map[string]int64{
		"chain pass": 38, "covered pass": 38, "alone pass": 303, "lettered pass": 47, "lettered not_applicable": 256,
		"tasks": 2, "sources": 2, "sessions": 38, "turns": 788, "memory_points": 353, "questions": 303,
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	checkNoTextTells(t, c.Questions)
}

// checkNoTextTells holds that who knows all answers but one, and of each text how
// often it is right where it is offered, guesses that one no better than by chance.
func checkNoTextTells(t *testing.T, qs []schemas.Question) {
	t.Helper()
	right, offered := map[string]float64{}, map[string]float64{}
	for _, q := range qs {
		for _, o := range q.Options {
			offered[o.Text]++
			if o.Key == q.AnswerKey {
				right[o.Text]++
			}
		}
	}
	hits, all, chance := 0, 0, 0.0
	for _, q := range qs {
		best, at := -1.0, ""
		for _, o := range q.Options {
			r, n := right[o.Text], offered[o.Text]-1
			if o.Key == q.AnswerKey {
				r--
			}
			if share := (r + 1) / (n + 4); share > best {
				best, at = share, o.Key
			}
		}
		if len(q.Options) == 0 {
			continue
		}
		all, chance = all+1, chance+1/float64(len(q.Options))
		if at == q.AnswerKey {
			hits++
		}
	}
	t.Logf("the text most often right elsewhere is right in %d of %d questions, by chance in %.1f", hits, all, chance)
	if all == 0 || float64(hits) > chance+2*math.Sqrt(chance) {
		t.Errorf("the text most often right elsewhere is right in %d of %d questions, by chance in %.1f", hits, all, chance)
	}
	if n := offered[schemas.AnswerNone]; n > 0 && 2*right[schemas.AnswerNone] > n {
		t.Errorf("%q is right in %.0f of %.0f questions that offer it", schemas.AnswerNone, right[schemas.AnswerNone], n)
	}
	for text, n := range offered {
		if n > 8 && text != schemas.AnswerNone && right[text] == 0 {
			t.Errorf("%q is offered %.0f times and never right", text, n)
		}
	}
}
