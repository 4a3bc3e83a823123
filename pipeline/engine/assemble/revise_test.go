package assemble_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

func buildQuiz(t *testing.T, cfg *config.Config) assemble.Result {
	t.Helper()
	res, err := assemble.Build(t.Context(), quizRegistry(t), cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// released reads the questions of a release by id, and its manifest.
func released(t *testing.T, dir string) (map[string]schemas.Question, manifest.Manifest) {
	t.Helper()
	cleanAudit(t, quizRegistry(t), dir)
	loaded, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.Question{}
	for _, q := range loaded.Questions {
		out[q.QuestionID] = q
	}
	var m manifest.Manifest
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return out, m
}

func TestFlaggedQuestionsGoRound(t *testing.T) {
	t.Parallel()
	server := testkit.NewModelServer(t, mend(t))
	cfg := loadQuiz(t, server)
	res := buildQuiz(t, cfg)
	qs, m := released(t, res.Release.Dir)
	var ids []string
	for id := range qs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	// asia-3 has too many flaws, asia-4 a bad form, asia-6 no label to get, peru-1
	// no author and peru-2 no usable rewrite.
	if want := "asia-0 asia-1-r1 asia-2-r3 asia-5 peru-0-r2 peru-3-r2"; strings.Join(ids, " ") != want {
		t.Fatalf("released %v, want %s", ids, want)
	}
	q := qs["asia-2-r3"]
	if q.Question != "flaws 0 here?" || q.AnswerKey != "C" || q.AnswerText != "text right anew" || q.Options[2].Role != schemas.RoleCorrect ||
		q.QuestionMCQ != "flaws 0 here?\nA. text one anew\nB. text two anew\nC. text right anew\nD. text four anew" || q.TaskID != "task-asia" || len(q.Evidence) != 1 {
		t.Errorf("%+v", q)
	}
	if q.Labels[schemas.LabelRevision] != "3" || q.Labels[schemas.LabelRevisedFrom] != "asia-2" || !strings.HasPrefix(q.Labels[schemas.LabelAuthor], "scripted-1") {
		t.Errorf("labels %v", q.Labels)
	}
	var steps []string
	for _, r := range q.Revisions {
		steps = append(steps, r.Item+" "+r.Gate+" "+r.Code+" "+r.Question)
	}
	if want := "asia-2 blind guessable flaws 3 here?, asia-2-r1 blind~1 guessable flaws 2 here?, asia-2-r2 blind~2 guessable flaws 1 here?"; strings.Join(steps, ", ") != want {
		t.Errorf("revisions %v", steps)
	}
	if r := qs["peru-0-r2"].Revisions; len(r) != 2 || r[0].Gate != "blind" || r[1].Gate != "oracle~1" {
		t.Errorf("a second gate's finding starts at the first gate again: %+v", r)
	}
	if qs["asia-5"].Labels[schemas.LabelReasoning] != schemas.ReasonJoined || qs["peru-3-r2"].Labels[schemas.LabelReasoning] != schemas.ReasonJoined {
		t.Error("the offered label is not taken")
	}
	checkQuizFunnel(t, m)
	checkQuizModels(t, m, server)
}

// checkQuizFunnel wants the figures of every gate and round.
func checkQuizFunnel(t *testing.T, m manifest.Manifest) {
	t.Helper()
	var got strings.Builder
	for _, g := range m.GateCounts {
		fmt.Fprintf(&got, "%s/%d %s in %d passed %d flagged %d (%s) revised %d relabelled %d kept %d dropped %d\n",
			g.Gate, g.Round, g.Source, g.In, g.Passed, g.Flagged, g.MainReason(), g.Revised, g.Relabelled, g.Kept, g.Dropped)
		if g.In != g.Passed+g.Flagged+g.Errors+g.Insufficient || g.Flagged != g.Revised+g.Relabelled+g.Kept+g.Dropped {
			t.Errorf("%+v does not add up", g)
		}
	}
	for _, want := range []string{
		"form/0  in 11 passed 10 flagged 1 (bad-form (1)) revised 0 relabelled 0 kept 0 dropped 1\n",
		"form/0 asia in 7 passed 6 flagged 1 (bad-form (1)) revised 0 relabelled 0 kept 0 dropped 1\n",
		"blind/0  in 10 passed 4 flagged 6 (guessable (6)) revised 6 relabelled 0 kept 0 dropped 0\n",
		"blind/0 peru in 4 passed 1 flagged 3 (guessable (3)) revised 3 relabelled 0 kept 0 dropped 0\n",
		"oracle/0 peru in 1 passed 0 flagged 1 (unsolvable (1)) revised 1 relabelled 0 kept 0 dropped 0\n",
		"kind/0  in 7 passed 4 flagged 3 (wrong-kind (2)) revised 0 relabelled 2 kept 0 dropped 1\n",
		"last/0  in 6 passed 5 flagged 1 (noted (1)) revised 0 relabelled 0 kept 1 dropped 0\n",
		"form/1  in 5 passed 5 flagged 0 () revised 0 relabelled 0 kept 0 dropped 0\n",
		"blind/3  in 2 passed 1 flagged 1 (guessable (1)) revised 0 relabelled 0 kept 0 dropped 1\n",
		"blind/3 asia in 2 passed 1 flagged 1 (guessable (1)) revised 0 relabelled 0 kept 0 dropped 1\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("no row %q", want)
		}
	}
	if t.Failed() {
		t.Log("\n" + got.String())
	}
	for _, f := range m.RecordCounts {
		lost := []manifest.ReasonCount{{Code: "bad-revision", Count: 1}, {Code: "not-mended", Count: 1}}
		if f.Step == "revise~form~1" && (f.In != 7 || f.Out != 5 || f.Lost != 2 || f.Use != "question.revise" || !slices.Equal(f.Reasons, lost)) {
			t.Errorf("reviser %+v", f)
		}
		if f.Step == "blind" && (f.Out != 4 || f.Flagged != 6 || f.Revised != 6) {
			t.Errorf("gate %+v", f)
		}
	}
}

// checkQuizModels wants the models of every round in the manifest.
func checkQuizModels(t *testing.T, m manifest.Manifest, server *testkit.ModelServer) {
	t.Helper()
	if len(m.Models) != 3 {
		t.Fatalf("%+v", m.Models)
	}
	n := m.Models[0]
	if n.Step != "revise~form~1" || len(n.Models) != 1 || n.Models[0].Role != "author" || n.Models[0].Model != "scripted-1" || len(n.Rules) != 0 {
		t.Errorf("%+v", n)
	}
	if strings.Contains(fmt.Sprintf("%+v", m), server.URL) {
		t.Error("the manifest holds the address of the server")
	}
	if host := n.Models[0].Host; !strings.Contains(server.URL, host) || strings.Contains(host, "/") {
		t.Errorf("host %q", host)
	}
	if len(n.Prompts) != 1 || n.Prompts[0].Task != "question.revise" || n.Prompts[0].Version != "4" || len(n.Prompts[0].Digest) != 64 {
		t.Errorf("prompts %+v", n.Prompts)
	}
}

func TestALoopResumesAndRepeats(t *testing.T) {
	t.Parallel()
	server := testkit.NewModelServer(t, mend(t))
	whole := loadQuiz(t, server, "run.workers=1", "run.limits.model=1")
	want := buildQuiz(t, whole)
	asked := server.Counts().Answered
	again := buildQuiz(t, whole)
	if again.Built() != 0 || again.Release.Changed || server.Counts().Answered != asked {
		t.Errorf("nothing changed, and %d units were built after %d of %d answers", again.Built(), server.Counts().Answered, asked)
	}

	// The server dies after a few answers; the build stops and goes on later.
	server.ResetCounts()
	cfg := loadQuiz(t, server, "run.workers=4")
	var answered atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server.SetAnswer(func(a testkit.ChatRequest) testkit.ChatReply {
		if answered.Add(1) == 4 {
			cancel()
		}
		return mend(t)(a)
	})
	if _, err := assemble.Build(ctx, quizRegistry(t), cfg, assemble.Options{Getenv: func(string) string { return "" }}); err == nil {
		t.Fatal("the cancelled build ends well")
	}
	server.SetAnswer(mend(t))
	sameTree(t, want.Release.Dir, buildQuiz(t, cfg).Release.Dir)
}

func TestExplainNamesTheRound(t *testing.T) {
	t.Parallel()
	cfg := loadQuiz(t, testkit.NewModelServer(t, mend(t)))
	buildQuiz(t, cfg)
	st, err := store.OpenReadOnly(t.Context(), cfg.StoreDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	lines, err := explain.Record(t.Context(), plugins.Registry(), st, "peru-0-r2")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.Text + "\n")
	}
	for _, want := range []string{
		"peru-0-r2: given by step revise~form~2 (stage question.revise 4, round 2 of revising)",
		"flagged/oracle~1/peru-0-r1: given by step oracle~1 (gate lit 1, round 1 of revising)",
		"flagged/blind/peru-0: given by step blind (gate blind 1)",
		"peru-0: given by step peru (source quiz 1)",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	lines, err = explain.Record(t.Context(), plugins.Registry(), st, "asia-3-r2")
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprint(lines); !strings.Contains(all, "asia-3-r2: handed on to be rewritten by step blind~2") || strings.Count(all, "guessable: see flaws 2 here?") != 1 {
		t.Errorf("%s", all)
	}
}

func TestWithoutAnAuthorTheAdviceIsClear(t *testing.T) {
	t.Parallel()
	cfg := loadQuiz(t, nil)
	_, err := cfg.Plan.Resolve(t.Context(), quizRegistry(t))
	want := `step revise~form~1: it asks the role "author" for "question.revise", which the built-in model cannot answer; give the role to a model in the roles block, or set on_fail to drop or keep at the gates that have revise`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestAPanelsFindingsAreMended goes round with a gate that asks a panel: both
// solvers know the answer as long as a question has flaws.
func TestAPanelsFindingsAreMended(t *testing.T) {
	t.Parallel()
	author := mend(t)
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var question string
		if a.Data("finding", new(any)) == nil {
			return author(a)
		}
		if err := a.Data("question", &question); err != nil {
			t.Error(err)
		}
		answer := "unknown"
		if m := rightLetter.FindStringSubmatch(a.User); left("flaws", question) > 0 && m != nil {
			answer = m[1]
		}
		return testkit.ReplyJSON(map[string]string{"why": "Because.", "answer": answer})
	})
	cfg := loadQuiz(t, server, "gates.blind.use=option-only")
	res := buildQuiz(t, cfg)
	qs, m := released(t, res.Release.Dir)
	if q := qs["asia-2-r3"]; len(q.Revisions) != 3 || q.Revisions[2].Gate != "blind~2" || !strings.Contains(q.Revisions[2].Reason, q.Revisions[2].Code) {
		t.Errorf("%+v", q.Revisions)
	}
	for _, g := range m.GateCounts {
		if g.Gate == "blind" && g.Source == "" && (g.Use != "option-only" || g.In != []int64{10, 5, 4, 2}[g.Round]) {
			t.Errorf("%+v", g)
		}
	}
	asked := map[string]bool{}
	for _, n := range m.Models {
		asked[n.Step] = len(n.Models) > 0 && len(n.Prompts) == 1
	}
	if !asked["blind"] || !asked["blind~3"] || !asked["revise~form~3"] {
		t.Errorf("%+v", m.Models)
	}
	card, err := os.ReadFile(filepath.Join(res.Release.Dir, "README.md"))
	if host := m.Models[0].Models[0].Host; err != nil || !strings.Contains(string(card), "Written or described by: scripted-1 at "+host+".") {
		t.Errorf("%v: the card does not name who wrote", err)
	}
	// Every question that is released was put to the panel in its last form.
	if want := fmt.Sprintf("\n- A language model tested %d of them (scripted-1, asked by blind).\n", len(qs)); !strings.Contains(string(card), want) {
		t.Errorf("the card lacks %q", want)
	}
}

// rightLetter finds the letter under which the right option is shown.
var rightLetter = regexp.MustCompile(`"letter": "([A-Z])",\s+"text": "text right`)
