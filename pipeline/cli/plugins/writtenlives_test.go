package plugins_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/scriptedlife"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// writtenLives is a build of docs/written-lives.yaml with one short life. Its scripted
// panel knows no answer, so the gate that wants one keeps what fails.
func writtenLives(t *testing.T, url string, sets ...string) *own {
	return ownBuild(t, "written-lives.yaml", url, []string{"writer", "other"}, append(sets,
		`sources.briefs.with.lives=[{id: startup-x1, domain: startup, who: a baker, sessions: 4, from: 2026-01-01, until: 2026-04-01}]`,
		"stages.plan.with.densities={facts: 2, updates: 0, shown: 0, interference: 0, pictures: 1}", "stages.tell.with.turns=4", "stages.tell.with.words=88",
		"stages.word.with.checkpoints=1", "stages.assemble.with.checkpoints=1",
		"gates.answerable.on_fail=keep", "gates.answerable.keep_because=the scripted panel knows no answer")...)
}

// TestWrittenLives builds docs/written-lives.yaml with a scripted server as author, readers,
// judge and panel: once calmly, once with every third request spoiled, once killed on the
// way. All three are one release, which verifies and audits clean.
func TestWrittenLives(t *testing.T) {
	t.Parallel()
	m := scriptedlife.New(t, testfiles.Repo(t, "stages/lifelong/written/testdata/life.json"))
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return answerForLife(m, a) })
	calm := writtenLives(t, server.URL).build()
	want := server.Counts()
	checkForecast(t, calm, want, false, writtenLives(t, server.URL).args...)
	if code, said := memforge("verify", calm.Dir); code != 0 {
		t.Errorf("verify: exit code %d\n%s", code, said)
	}
	soundly(t, plugins.Registry(), calm, "lifelong")
	types := map[string]bool{}
	for _, q := range calm.Questions {
		if types[q.Type] = true; q.Labels["origin"] != "written" {
			t.Errorf("question %s is of the origin %q", q.QuestionID, q.Labels["origin"])
		}
	}
	outcomes := map[string]int{}
	for _, v := range calm.Verdicts {
		outcomes[v.Gate+" "+v.Outcome]++
	}
	if len(types) != 9 || outcomes["covered fail"]+outcomes["apart fail"]+outcomes["shipped fail"] > 0 || outcomes["covered pass"] != 4 || outcomes["shipped pass"] == 0 {
		t.Errorf("types %v, verdicts %v", types, outcomes)
	}
	if want.Repeated > 0 {
		t.Errorf("%d calls of %d are paid twice", want.Repeated, want.Answered)
	}
	steadfast(t, server, calm, want.Answered, 1, func(t *testing.T, sets ...string) *own { return writtenLives(t, server.URL, sets...) })
}

// answerForLife answers what the life does not: as judge of sessions, and as a panel that
// knows no answer and finds every question well put.
func answerForLife(m *scriptedlife.Model, a testkit.ChatRequest) testkit.ChatReply {
	switch a.Task {
	case "gate_point_coverage", "gate_interference":
		return judgeStatements(m, a)
	case "gate_update": // every update changes something
		var claims []struct{ Number int }
		if err := a.Data("claims", &claims); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		var findings []map[string]any
		for _, c := range claims {
			findings = append(findings, map[string]any{"number": c.Number, "why": "the value is another", "so": "no"})
		}
		return testkit.ReplyJSON(map[string]any{"findings": findings})
	case "gate_shipped":
		return testkit.ReplyJSON(map[string]string{"why": "nothing speaks against it", "answerable": "yes", "unambiguous": "yes", "grammatical": "yes", "self_contained": "yes"})
	case "gate_answer":
		return testkit.ReplyJSON(map[string]string{"why": "nothing shown decides", "answer": "unknown"})
	}
	return m.Answer(a)
}

// judgeStatements says yes to all but interference, and cites the turns that are named, or
// the first one.
func judgeStatements(m *scriptedlife.Model, a testkit.ChatRequest) testkit.ChatReply {
	var turns []sessions.ShownTurn
	var statements []sessions.Statement
	if err := a.Data("statements", &statements); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	if err := a.Data("session", &turns); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	out := sessions.JudgeAnswer{}
	for _, s := range statements {
		r := sessions.StatementReply{Number: s.Number, Answer: sessions.Yes, Turn: 1}
		shown := slices.ContainsFunc(m.Life.Plan.Facts, func(f map[string]any) bool {
			return f["mode"] == "shown" && strings.Contains(s.Says, fmt.Sprint(f["aspect"])) && strings.Contains(s.Says, fmt.Sprint(f["value"]))
		})
		if a.Task == "gate_point_coverage" && shown && len(s.Pictures) == 0 { // no word says what a picture shows
			out.Statements = append(out.Statements, sessions.StatementReply{Number: s.Number, Answer: sessions.No})
			continue
		}
		misleads := slices.ContainsFunc(m.Life.Plan.Interference, func(i map[string]any) bool { return strings.HasSuffix(s.Says, fmt.Sprint(i["value"])) })
		if len(s.Turns) == 0 && (misleads || strings.HasSuffix(s.Says, "10 March 2026")) {
			r.Answer = sessions.No
		}
		if len(s.Turns) > 0 {
			r.Turn = s.Turns[0]
		}
		r.Quote = turns[r.Turn-1].Text
		if len(s.Pictures) > 0 {
			r = sessions.StatementReply{Number: s.Number, Answer: r.Answer, Picture: s.Pictures[0]}
		}
		out.Statements = append(out.Statements, r)
	}
	return testkit.ReplyJSON(out)
}

// TestOwnLives: lives that leave as WorldMemArena's layout come back as lives of one's own,
// with the same questions, answers, options and checkpoints.
func TestOwnLives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	life, err := os.ReadFile(testfiles.Repo(t, "stages/lifelong/written/testdata/life.json"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("lives/life.json", string(life))
	const frame = "version: 1\nrelease: {name: %s, title: Lives, from: [options, history, future]}\nsources: {talks: {use: %s}}\nstages: {place: {use: %s, from: [talks]}}\n" +
		"gates:\n  options: {use: option-roles, from: [place]}\n  structure: {use: session-structure, from: [place]}\n  history: {use: update-history, from: [structure]}\n  future: {use: no-future, from: [place]}\nrun: {out: %s}\n"
	exported := func(name, source, stage string, more ...string) string {
		file := write(name+".yaml", fmt.Sprintf(frame, name, source, stage, name))
		run := func(args ...string) string {
			code, said := memforge(args...)
			if code != 0 {
				t.Fatalf("%v: exit code %d\n%s", args, code, said)
			}
			return said
		}
		run("build", "-f", file)
		release := strings.TrimSpace(run("release", "latest", "-f", file))
		out := filepath.Join(dir, name+"-export")
		run(append([]string{"export", "--format", "worldmemarena", release, out}, more...)...)
		run("verify", release)
		return out
	}
	first := exported("kept", "lifelong.kept", "lifelong.assemble, with: {checkpoints: 1}")
	again := exported("own", "dialogs, with: {path: kept-export, family: own, license: CC0-1.0}", "lifelong.dialogues", "--family", "own")
	want, got := askedInExport(t, first), askedInExport(t, again)
	if len(want) != 11 || !slices.Equal(want, got) {
		t.Errorf("%d questions come back as\n%s\nwant\n%s", len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// askedInExport returns the questions of an export, with answers, options and the sessions
// that they cover.
func askedInExport(t *testing.T, dir string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "worldmemarena", "lifelong", "project", "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("samples %v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var sample struct {
		Checkpoints []struct {
			Covered   []string `json:"covered_sessions"`
			Questions []struct {
				Question, Answer string
				Short            string `json:"question_type_abbrev"`
				Memforge         struct{ Options []schemas.Option }
			}
		} `json:"qa_checkpoints"`
	}
	if err := json.Unmarshal(b, &sample); err != nil {
		t.Fatal(err)
	}
	for _, c := range sample.Checkpoints {
		for _, q := range c.Questions {
			var options []string
			for _, o := range q.Memforge.Options {
				options = append(options, o.Text)
			}
			slices.Sort(options)
			out = append(out, fmt.Sprint(c.Covered, q.Short, q.Question, q.Answer, options))
		}
	}
	slices.Sort(out)
	return out
}
