package release

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// ruling is what one gate of a test says of the i-th question. asked is who
// answered: the id of a model, the built-in one, or nobody.
type ruling func(i int) (outcome, reason, asked string)

// judgedSample is a sample of n questions with the verdicts of some gates and no
// others. Gates whose name begins with "live" ask a language model, with "lots"
// show nothing but question and options.
func judgedSample(t testing.TB, n int, gates map[string]ruling) (*memoryStore, Input) {
	t.Helper()
	store, in := sample(t, n)
	in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool {
		return r.Schema == schemas.NameVerdict || r.Schema == schemas.NameProbes
	})
	in.Gates, in.GateCounts, in.Flagged, in.Models = nil, nil, nil, nil
	for name, rule := range gates {
		info := manifest.GateInfo{Name: name, Use: "check", Summary: "nothing is <odd>", Version: "1", Config: pipeline.RawConfig(`{}`), OnFail: "keep"}
		if strings.HasPrefix(name, "live") {
			info.Models = map[string]string{"panel_a": "big-1"}
		}
		in.Gates = append(in.Gates, info)
		var asked schemas.Probes
		for i := range n {
			item := fmt.Sprintf("q-%04d", i)
			outcome, reason, model := rule(i)
			if outcome == "" {
				continue
			}
			v := schemas.Verdict{Item: item, Gate: name, Outcome: outcome, Reason: reason}
			if model != "" {
				v.CallsMade, v.CallsFull = 1, 1
				role := "panel_a"
				if model == pipeline.BuiltInModel {
					role = "panel_b"
				}
				view := "text"
				if strings.HasPrefix(name, "lots") {
					view = "none"
				}
				asked.Probes = append(asked.Probes, schemas.Probe{Item: item, Gate: name, View: view, Role: role, Model: model, Response: "{}", Answer: "A", Mark: schemas.MarkWrong})
			}
			in.Records = append(in.Records, record(t, schemas.NameVerdict, name+"/"+item, v))
		}
		if len(asked.Probes) > 0 {
			in.Records = append(in.Records, record(t, schemas.NameProbes, "probes/"+name, asked))
		}
	}
	slices.SortFunc(in.Gates, func(a, b manifest.GateInfo) int { return strings.Compare(a.Name, b.Name) })
	return store, in
}

func always(outcome, reason, asked string) ruling {
	return func(int) (string, string, string) { return outcome, reason, asked }
}

// told is the section on checking of a card, and the same of the report.
func told(t *testing.T, store pipeline.Store, in Input) (card, report string, c Contents) {
	t.Helper()
	dir := write(t, store, t.TempDir(), in).Dir
	all := files(t, dir)
	_, card, ok := strings.Cut(string(all["README.md"]), "## What was checked\n\n")
	if !ok {
		t.Fatal("the card does not say what was checked")
	}
	card, _, _ = strings.Cut(card, "\n## ")
	card = strings.ReplaceAll("\n"+card, "\n- ", "\n")
	report = textIn(sections(parsePage(t, all["report.html"]))["What was checked"])
	c, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return card, report, c
}

// TestCardSaysWhatWasCheckedAndWhatNot has gates that judge nothing, a part and
// all. The figures in the texts wanted are counted by hand.
func TestCardSaysWhatWasCheckedAndWhatNot(t *testing.T) {
	t.Parallel()
	third := func(outcome, reason, asked string) ruling {
		return func(i int) (string, string, string) {
			if i%3 == 1 { // the questions of type nback
				return outcome, reason, asked
			}
			return schemas.NotApplicable, "other-type: it is of another type", ""
		}
	}
	for name, tc := range map[string]struct {
		gates      map[string]ruling
		want, lack []string
	}{
		"no gates": {nil, []string{
			"No check came to a judgement on any of the 12 questions.\nNo language model tested them.\nNo check judged the 4 media files themselves.",
		}, []string{"Each passed", "| check |", "put to a", "put to fixed"}},
		"gates that judge nothing": {map[string]ruling{
			"few":  always(schemas.Insufficient, "too-few: 12", ""),
			"type": always(schemas.NotApplicable, "other-type: x", ""),
			"live": always(schemas.NotApplicable, "other-type: x", ""),
		}, []string{
			"No check came to a judgement on any of the 12 questions.\nNo language model tested them.",
		}, []string{"Each passed", "No check failed", "put to a language model"}},
		"a gate that judges a part": {map[string]ruling{"roles": third(schemas.Pass, "", "")}, []string{
			"No check failed any of the 12 questions.\nEach passed 0 to 1 checks.\nNo check judged 8 of them (interference 4, source_identification 4).\nNo language model tested them.",
			"| 0 | 8 |\n| 1 | 4 |",
			"| interference | 4 | 0 | 4 |\n| nback | 4 | 4 | 4 |",
		}, []string{"put to a language model"}},
		"a gate that judges all": {map[string]ruling{"roles": always(schemas.Pass, "", "")}, []string{
			"No check failed any of the 12 questions.\nEach passed 1 check.\nNo language model tested them.",
			"| 1 | 12 |",
		}, []string{"No check judged 1", "judged 0"}},
		"a language model that sees a part": {map[string]ruling{
			"roles": always(schemas.Pass, "", ""), "live": third(schemas.Pass, "", "big-1"),
		}, []string{
			"Each passed 1 to 2 checks.\nA language model tested 4 of them (big-1, asked by live).\nThe other 8 had no such test (interference 4, source_identification 4).",
			"| nback | 4 | 4 | 4 | 0 |",
		}, nil},
		"a language model that sees all": {map[string]ruling{"live": always(schemas.Pass, "", "big-1")}, []string{
			"No check failed any of the 12 questions.\nEach passed 1 check.\nA language model tested 12 of them (big-1, asked by live).\nNo check judged the 4",
		}, []string{"no such test", "fixed rules (memforge"}},
		"a gate that could ask one and did not": {map[string]ruling{"live": always(schemas.Fail, "one-source: x", "")}, []string{
			"Of the 12 questions, 12 failed a check and were released all the same (live 12).", "Each passed 0 checks.\nNo language model tested them.",
		}, []string{"No check failed"}},
		"rules in the place of a model": {map[string]ruling{"blind": third(schemas.Pass, "", pipeline.BuiltInModel)}, []string{
			"No language model tested them.\nFor 4 of them fixed rules (memforge-built-in) answered in place of a language model. The other 8 had no such test (interference 4, source_identification 4).",
		}, []string{"A language model tested"}},
		"lots in the place of a model": {map[string]ruling{"lots": third(schemas.Pass, "", pipeline.BuiltInModel), "roles": always(schemas.Pass, "", "")}, []string{
			"No check failed any of the 12 questions.\nEach passed 1 check.\nNo language model tested them.\n" +
				"For 4 questions the stand-in (memforge-built-in, in lots) had nothing to go on and guessed at random; this is not counted as a check.",
			"| 1 | 12 |",
			"| nback | 4 | 4 | 4 | 0 |",
		}, []string{"fixed rules (memforge", "no such test", "put to fixed rules"}},
		"lots, rules and a model": {map[string]ruling{
			"lots": always(schemas.Pass, "", pipeline.BuiltInModel), "blind": third(schemas.Pass, "", pipeline.BuiltInModel), "livelots": third(schemas.Pass, "", "big-1"),
		}, []string{
			"Each passed 0 to 2 checks.\nNo check judged 8 of them (interference 4, source_identification 4).\nA language model tested 4 of them (big-1, asked by livelots).\n" +
				"The other 8 had no such test (interference 4, source_identification 4).\nFor 8 questions the stand-in (memforge-built-in, in lots) had nothing to go on",
		}, []string{"fixed rules (memforge"}},
		"a lot that fell wrong": {map[string]ruling{"lots": always(schemas.Fail, "lucky: x", pipeline.BuiltInModel)}, []string{
			"Of the 12 questions, 12 failed a check and were released all the same (lots 12).", "For 12 questions the stand-in",
		}, nil},
		"both": {map[string]ruling{"blind": always(schemas.Pass, "", pipeline.BuiltInModel), "live": third(schemas.Pass, "", "big-1")}, []string{
			"A language model tested 4 of them (big-1, asked by live).\nFor 8 of them fixed rules (memforge-built-in) answered in place of a language model.\n",
		}, []string{"no such test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, in := judgedSample(t, 12, tc.gates)
			card, report, _ := told(t, store, in)
			page := report
			for _, want := range tc.want {
				if !strings.Contains(card, want) {
					t.Errorf("the card lacks %q:\n%s", want, card)
				}
				if !strings.HasPrefix(want, "|") && !strings.Contains(page, strings.TrimSpace(strings.ReplaceAll(want, "\n", " "))) {
					t.Errorf("the report lacks %q:\n%s", want, page)
				}
			}
			for _, bad := range slices.Concat(tc.lack, []string{"Every item", "Validated"}) {
				if strings.Contains(card, bad) || strings.Contains(page, bad) {
					t.Errorf("it says %q:\n%s", bad, card)
				}
			}
		})
	}
}

// TestCardFollowsFromTheVerdictsTable holds the sentences of releases with
// verdicts drawn by lot against counts of the rows that the release has.
func TestCardFollowsFromTheVerdictsTable(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		gates := map[string]ruling{}
		for g := range 1 + rnd.IntN(4) {
			share := rnd.Float64()
			name, asked := []string{"live", "blind", "plain"}[rnd.IntN(3)]+fmt.Sprint(g), ""
			switch name[:1] {
			case "l":
				asked = "big-1"
			case "b":
				asked = pipeline.BuiltInModel
			}
			gates[name] = func(int) (string, string, string) {
				switch x := rnd.Float64(); {
				case x < share*0.9:
					return schemas.Pass, "", asked
				case x < share:
					return schemas.Fail, "bad: it is", asked
				case x < share+(1-share)/2:
					return schemas.NotApplicable, "other-type: it is", ""
				}
				return schemas.Insufficient, "too-few: they are", ""
			}
		}
		store, in := judgedSample(t, 30, gates)
		card, report, c := told(t, store, in)
		for text, said := range sentencesByHand(c) {
			if strings.Contains(card, text) != said {
				t.Errorf("seed %d: that the card says %q should be %t:\n%s", seed, text, said, card)
			}
			if !strings.HasPrefix(text, "|") && strings.Contains(report, text) != said {
				t.Errorf("seed %d: that the report says %q should be %t", seed, text, said)
			}
		}
	}
}

// sentencesByHand counts rows of the verdicts table, where calls_made says that
// somebody was asked and the manifest whom the gate asks. It gives the beginnings
// of sentences, and whether they must be said.
func sentencesByHand(c Contents) map[string]bool {
	models := map[string]bool{}
	for _, g := range c.Manifest.Gates {
		models[g.Name] = len(g.Models) > 0
	}
	passes, fails, live, rule := map[string]int{}, map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, v := range c.Verdicts {
		if v.Outcome == "pass" {
			passes[v.Item]++
		}
		if v.Outcome == "fail" {
			fails[v.Item]++
		}
		if v.CallsMade > 0 && models[v.Gate] {
			live[v.Item] = true
		} else if v.CallsMade > 0 {
			rule[v.Item] = true
		}
	}
	var failed, unjudged, byModel, byRule, nobody int
	for _, q := range c.Questions {
		id := q.QuestionID
		if fails[id] > 0 {
			failed++
		}
		if passes[id]+fails[id] == 0 {
			unjudged++
		}
		switch {
		case live[id]:
			byModel++
		case rule[id]:
			byRule++
		default:
			nobody++
		}
	}
	all := len(c.Questions)
	judged := all - unjudged
	return map[string]bool{
		"No check came to a judgement on any of the 30 questions.":                                                   judged == 0,
		"No check failed any of the 30 questions.":                                                                   judged > 0 && failed == 0,
		fmt.Sprintf("Of the 30 questions, %d failed a check and were", failed):                                       failed > 0,
		fmt.Sprintf("No check judged %d of them (", unjudged):                                                        judged > 0 && unjudged > 0,
		"No language model tested them.":                                                                             byModel == 0,
		fmt.Sprintf("A language model tested %d of them (big-1, asked by ", byModel):                                 byModel > 0,
		fmt.Sprintf("For %d of them fixed rules (memforge-built-in) answered in place of a language model.", byRule): byRule > 0,
		fmt.Sprintf("The other %d had no such test (", nobody):                                                       nobody > 0 && nobody < all,
		fmt.Sprintf("| 0 | %d |", all-len(passes)):                                                                   len(passes) < all,
	}
}

// TestVerdictsOnOtherWordsDoNotCount: a question that a stage put in other words
// after the gate had seen it is one that the gate has not seen. Where only its
// labels changed, it is the same.
func TestVerdictsOnOtherWordsDoNotCount(t *testing.T) {
	t.Parallel()
	store, in := judgedSample(t, 12, map[string]ruling{"live": always(schemas.Pass, "", "big-1")})
	for _, r := range in.Records {
		if r.Schema != schemas.NameQuestion || r.ID != "q-0001" && r.ID != "q-0002" {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		q.Labels = map[string]string{"direction": "none yet"}
		if r.ID == "q-0001" {
			q.Question = "What was it before?"
		}
		in.Flagged = append(in.Flagged, schemas.FlaggedQuestion{Question: q, JudgedBy: []string{"live"}})
	}
	card, _, _ := told(t, store, in)
	for _, want := range []string{
		"Each passed 0 to 1 checks.\nNo check judged 1 of them (nback 1).\nA language model tested 11 of them (big-1, asked by live).\nThe other 1 had no such test (nback 1).\n",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q:\n%s", want, card)
		}
	}
}

// TestAskingIsNoTest: who was asked and whose answer came to nothing has not
// tested the question.
func TestAskingIsNoTest(t *testing.T) {
	t.Parallel()
	store, in := judgedSample(t, 12, map[string]ruling{"live": always(schemas.Insufficient, "no-use: x", "big-1"), "roles": always(schemas.Pass, "", "")})
	if card, _, _ := told(t, store, in); !strings.Contains(card, "Each passed 1 check.\nNo language model tested them.\n") {
		t.Errorf("%s", card)
	}
}
