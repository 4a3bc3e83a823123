package gates

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// leakDrafts are the drafts of structural/testdata as items, by what is said.
func leakDrafts(t *testing.T, file string) (out []pipeline.Record, said []string) {
	t.Helper()
	f, err := os.Open("structural/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d struct {
			Said, Question string
			Options        []string
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		q := schemas.Question{QuestionID: fmt.Sprintf("%s-%02d", file, len(out)), Family: "f", Type: "t", Question: d.Question, Split: "test", Evidence: []schemas.Evidence{{Order: 1, Role: schemas.RoleClue, Text: "user: " + d.Said}}}
		for i, text := range d.Options {
			q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(i), Text: text, Role: map[bool]string{true: schemas.RoleCorrect, false: schemas.RoleDistractor}[i == 0]})
		}
		q.AnswerKey, q.AnswerText = "A", d.Options[0]
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			t.Fatal(err)
		}
		out, said = append(out, r), append(said, d.Said)
	}
	return out, said
}

// TestJudgeOfLeaks: what the rule proposes is judged by who understands it, once a question, and
// the rule decides where the judge is the built-in model.
func TestJudgeOfLeaks(t *testing.T) {
	sound, _ := leakDrafts(t, "texts_sound.jsonl")
	leaking, told := leakDrafts(t, "texts_leaking.jsonl")
	all := append(sound, leaking...)
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var said []string
		var claims []leakClaim
		if a.Data("said", &said) != nil || a.Data("claims", &claims) != nil || strings.Contains(a.User, "answer_key") {
			t.Errorf("asked %s", a.User)
		}
		var out claimsResponse
		for i, c := range claims {
			reply := claimReply{c.Number, "So it reads.", "no"}
			for _, s := range told {
				if said[0] == "user: "+s && (i == 0 || c.Option == claims[0].Option) {
					reply.So = "yes"
				}
			}
			out.Findings = append(out.Findings, reply)
		}
		return testkit.ReplyJSON(out)
	})
	judged, ruled := newBenchOf(t, server, all, nil).must("text-leak"), newBenchOf(t, nil, all, nil).must("text-leak")
	asked := 0
	for i, r := range all {
		v, byRule := judged[r.ID], ruled[r.ID]
		if want := map[bool]string{true: schemas.Pass, false: schemas.Fail}[i < len(sound)]; v.Outcome != want || want == schemas.Fail && v.CallsMade != 1 {
			t.Errorf("%s: %+v, want %s", r.ID, v.Verdict, want)
		}
		asked += int(v.CallsMade)
		if byRule.CallsMade != 0 || byRule.CallsFull != 0 || len(byRule.probes) > 0 {
			t.Errorf("%s without a judge: %+v", r.ID, byRule.Verdict)
		}
		for name, x := range map[string]verdictOf{"judged": v, "by rule": byRule} {
			for _, item := range []*pipeline.Item{pipeline.RecordItem(r), nil} {
				if item == nil && len(x.probes) == 0 {
					continue
				}
				if j, err := judgeOf(t, "text-leak").Recompute(item, x.probes, int(x.CallsFull)); err != nil || string(j.Outcome) != x.Outcome || j.Reason != x.Reason {
					t.Errorf("%s %s again: %+v, %v; it was %+v", r.ID, name, j, err, x.Verdict)
				}
			}
		}
	}
	if n := server.Counts().Requests; n != asked || asked != 76 {
		t.Errorf("%d requests for %d calls", n, asked)
	}
}

// TestLeakRepliesAreChecked: a judge that leaves a claim out is asked again, and a changed reply
// is found.
func TestLeakRepliesAreChecked(t *testing.T) {
	all, _ := leakDrafts(t, "texts_leaking.jsonl")
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		if !strings.Contains(a.User, "<problem>") {
			return testkit.ReplyJSON(claimsResponse{[]claimReply{{7, "It is.", "yes"}}})
		}
		return testkit.ReplyJSON(claimsResponse{[]claimReply{{1, "It is.", "yes"}}})
	})
	v := newBenchOf(t, server, all[:1], nil).must("text-leak")[all[0].ID]
	if v.Outcome != schemas.Fail || !strings.HasPrefix(v.Reason, "gold-in-text: ") || len(v.probes) != 2 || v.probes[0].Mark != schemas.MarkFailed {
		t.Fatalf("%+v", v)
	}
	for name, edit := range map[string]func(*schemas.Probe){
		"another reply": func(p *schemas.Probe) { p.Response = strings.Replace(p.Response, "yes", "no", 1) },
		"another mark":  func(p *schemas.Probe) { p.Mark = schemas.MarkRight },
		"no findings":   func(p *schemas.Probe) { p.Answer = "A" },
		"fewer claims":  func(p *schemas.Probe) { p.Answer = `{"about":{"options":["A"],"gold":"A","claims":[]},"so":[]}` },
	} {
		probes := []schemas.Probe{v.probes[0], v.probes[1]}
		edit(&probes[1])
		if j, err := judgeOf(t, "text-leak").Recompute(nil, probes, int(v.CallsFull)); err == nil {
			t.Errorf("%s: it recomputes to %+v", name, j)
		}
	}
}

// TestJudgeOfWhatARuleLeavesOpen: with a judge, the gates by rule find what those that ask about
// every point find, and ask about fewer.
func TestJudgeOfWhatARuleLeavesOpen(t *testing.T) {
	t.Parallel()
	set := plantSessions(t)
	var statements atomic.Int64
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		out, err := read(a)
		if err != nil {
			t.Error(err)
		}
		statements.Add(int64(len(out.Statements)))
		return testkit.ReplyJSON(out)
	})
	for _, gate := range []string{"point-coverage", "caption-coverage"} {
		mine := slices.Clone(set.all[:20])
		for _, s := range set.all[20:] {
			if d := set.what[s.SessionID]; d.gate == gate && d.name != set.what[mine[len(mine)-1].SessionID].name {
				mine = append(mine, s)
			}
		}
		statements.Store(0)
		full := newBench(t, server, mine, set.blobs).must(gate)
		whole := statements.Swap(0)
		part := newBench(t, server, mine, set.blobs).must(gate + "-by-rule")
		for id, v := range full {
			if (v.Outcome == schemas.Fail) != (part[id].Outcome == schemas.Fail) {
				t.Errorf("%s of %s with %q: %s %s; by rule and judge %s %s", gate, id, set.what[id].name, v.Outcome, v.Reason, part[id].Outcome, part[id].Reason)
			}
		}
		t.Logf("%s: %d sessions, %d statements, %d where a rule reads first", gate, len(mine), whole, statements.Load())
		if n := statements.Load(); n == 0 || n >= whole {
			t.Errorf("%s: %d statements, %d where a rule reads first", gate, whole, n)
		}
	}
}

// TestJudgeOfUpdates: an update that says what held in other words is found by the judge alone;
// one that changes something passes, and most are not asked about.
func TestJudgeOfUpdates(t *testing.T) {
	for _, tc := range []struct {
		before, after string
		asked, same   bool
	}{
		{"Mara has a yellow bicycle", "Mara has a lemon bicycle", true, true},
		{"Mara sold the red car", "Mara sold the crimson car", true, true},
		{"The dinner is on Saturday", "The dinner is on the day before Sunday", true, true},
		{"Mara wears a shirt", "Mara wears a T-shirt", true, false},
		{"Mara owns a dog", "Mara owns a puppy", true, false},
		{"The dinner is on Saturday", "The dinner is on Monday", false, false},
		{"The dinner is on Saturday", "The dinner is next week", true, false},
		{"Mara lives in Lyon", "Mara lives in Porto", false, false},
		{"Mara has a yellow bicycle", "Mara has a blue bicycle", false, false},
		{"Mara works as a baker", "Mara works as a nurse", false, false},
	} {
		s := schemas.Session{SessionID: "s", TaskID: "t", Order: 1, Participants: []string{"Mara"}, Turns: []schemas.Turn{{TurnID: "s-1", SessionID: "s", Order: 1, Role: "user", Text: "Well."}}}
		s.Earlier = []schemas.EarlierPoint{{MemoryID: "m0", SessionID: "s0", Content: tc.before, Subject: "x"}}
		s.Points = []schemas.MemoryPoint{{MemoryID: "m1", SessionID: "s", Content: tc.after, Subject: "x", Modality: schemas.ModalityText, EvidenceTurns: []string{"s-1"}, IsUpdate: true, Supersedes: []string{"m0"}}}
		server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
			return testkit.ReplyJSON(claimsResponse{[]claimReply{{1, "So it reads.", map[bool]string{true: "yes", false: "no"}[tc.same]}}})
		})
		v := newBench(t, server, []schemas.Session{s}, nil).must("update-chain")["s"]
		if (v.CallsMade == 1) != tc.asked || (v.Outcome == schemas.Fail) != tc.same || tc.same && !strings.HasPrefix(v.Reason, "same-content: m1: ") {
			t.Errorf("%q, then %q: %+v", tc.before, tc.after, v.Verdict)
		}
		if j, err := judgeOf(t, "update-chain").Recompute(pipeline.NewItem(schemas.NameSession, "s", &s), v.probes, int(v.CallsFull)); err != nil || string(j.Outcome) != v.Outcome || j.Reason != v.Reason {
			t.Errorf("%q again: %+v, %v", tc.after, j, err)
		}
		if byRule := newBenchOf(t, nil, []pipeline.Record{sessionRecord(t, s)}, nil).must("update-chain")["s"]; byRule.Outcome != schemas.Pass || len(byRule.probes) > 0 {
			t.Errorf("%q by rule: %+v", tc.after, byRule)
		}
	}
}
