package rerun_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

type gateConfig struct {
	FullProtocol bool `json:"full_protocol"`
	Pictures     int  `json:"pictures"`
}

// scripted is a gate whose answers stand in the items: "A A B" are those of its calls.
type scripted struct {
	gateConfig
	asks   []pipeline.Ask
	atOnce *atomic.Int64
	most   *atomic.Int64
}

func (g scripted) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Asks: g.asks}
}

func (g scripted) MaxPictures() int { return g.Pictures }

func (g scripted) Judge(ctx context.Context, s *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	g.most.Store(max(g.most.Load(), g.atOnce.Add(1)))
	defer g.atOnce.Add(-1)
	q, err := pipeline.Decode[schemas.Question](items[0])
	if err != nil {
		return nil, err
	}
	answers := strings.Fields(q.Explanation)
	switch q.Explanation {
	case "reject":
		return nil, pipeline.Reject("odd", "it is odd")
	case "no blob":
		return nil, fmt.Errorf("show it: %w", pipeline.ErrNoBlob)
	case "broken":
		return nil, errors.New("it is broken")
	}
	j := pipeline.Judgement{Outcome: pipeline.Pass, Reason: "of " + q.QuestionID, CallsFull: 3}
	if !g.FullProtocol {
		answers = answers[:min(len(answers), 2)]
	}
	for i, a := range answers {
		j.Probes = append(j.Probes, schemas.Probe{View: "all", Role: "judge", Rotation: int32(i), Answer: strings.Trim(a, "-")})
	}
	if slices.Contains(answers, "B") {
		j.Outcome = pipeline.Fail
	}
	return []pipeline.Judgement{j}, nil
}

// asked is a release of which the gates asked three calls an item, answered "A", and passed it.
func asked(t *testing.T, full bool, gates []manifest.GateInfo, answers ...string) (*pipeline.Registry, release.Contents, *atomic.Int64) {
	t.Helper()
	reg, most := pipeline.NewRegistry(), new(atomic.Int64)
	for name, asks := range map[string][]pipeline.Ask{"panel": {{Role: "judge", Task: "t"}, {Role: "second", Task: "t"}, {Role: "judge", Task: "u"}}, "rule": nil} {
		atOnce := new(atomic.Int64)
		pipeline.AddGate(reg, name, "1", "judges", func(c gateConfig) (pipeline.Gate, error) { return scripted{c, asks, atOnce, most}, nil })
	}
	reg.AddRule("t", "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) { return nil, nil })
	reg.AddRule("u", "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) { return nil, nil })
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	c := release.Contents{Manifest: manifest.Manifest{ID: "sample-1.0.0", Seed: 4, Gates: gates}}
	for i, a := range answers {
		q := schemas.Question{QuestionID: fmt.Sprintf("q%d", i), Explanation: a}
		q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleCorrect}, schemas.Option{Text: "blue", Role: schemas.RoleDistractor})
		if a != "missing" {
			c.Questions = append(c.Questions, q)
		}
		for _, g := range gates {
			v := schemas.Verdict{Item: q.QuestionID, Gate: g.Name, Outcome: schemas.Pass, Reason: "as built", CallsMade: 3, CallsFull: 3}
			if i == 0 && !full {
				v.CallsMade = 2
			}
			c.Verdicts = append(c.Verdicts, v)
			for n := range v.CallsMade {
				c.Probes = append(c.Probes, schemas.Probe{Item: q.QuestionID, Gate: g.Name, View: "all", Role: "judge", Rotation: n, Answer: "A"})
			}
		}
	}
	slices.Reverse(c.Verdicts)
	return reg, c, most
}

func panel(name, config string) manifest.GateInfo {
	return manifest.GateInfo{Name: name, Use: "panel", Version: "1", Config: pipeline.RawConfig(config)}
}

// TestGoldenReruns shows what another panel's answers say beside those of a release.
func TestGoldenReruns(t *testing.T) {
	var out strings.Builder
	gates := []manifest.GateInfo{
		panel("first", `{"full_protocol":false}`), {Name: "ruled", Use: "rule", Version: "1", Config: pipeline.RawConfig(`{}`)},
		{Name: "older", Use: "panel", Version: "0", Config: pipeline.RawConfig(`{}`)}, panel("second", `{"full_protocol":true}`), panel("spoiled", `[]`),
	}
	answers := []string{"A A A", "A B B", "A A A", "yes - AB", "reject", "no blob", "missing", "A Z unknown"}
	for _, full := range []bool{false, true} {
		reg, c, _ := asked(t, full, gates, answers...)
		roles := map[string]pipeline.ModelIdentity{"second": {Name: "m", Model: "m-1"}}
		r, err := rerun.Run(t.Context(), reg, c, rerun.Options{Roles: roles, Full: full, Workers: 3, Temp: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "full %t\n%s\n", full, b)
	}
	golden.Check(t, "reruns", out.String())
}

// TestAQuietReleaseHasNothingToCompare: gates without models are not asked, and give no figures.
func TestAQuietReleaseHasNothingToCompare(t *testing.T) {
	reg, c, _ := asked(t, true, []manifest.GateInfo{{Name: "ruled", Use: "rule", Version: "1", Config: pipeline.RawConfig(`{}`)}}, "A A A")
	r, err := rerun.Run(t.Context(), reg, c, rerun.Options{Temp: t.TempDir()})
	if err != nil || len(r.Gates)+len(r.Skipped)+len(r.Judged)+len(r.Answered) != 0 || r.Answers != nil || r.Verdicts != nil || r.Partial {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAnErrorEndsARerun: that of the item, not those of work that was cancelled for it; so does the end of time.
func TestAnErrorEndsARerun(t *testing.T) {
	answers := slices.Repeat([]string{"A A A"}, 40)
	answers[5] = "broken"
	reg, c, most := asked(t, true, []manifest.GateInfo{panel("first", `{"full_protocol":false}`)}, answers...)
	if _, err := rerun.Run(t.Context(), reg, c, rerun.Options{Workers: 2, Temp: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "ask again: gate first: ") || !strings.Contains(err.Error(), "it is broken") || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := most.Load(); n > 2 {
		t.Errorf("%d items at once, want at most 2", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reg, c, _ = asked(t, true, []manifest.GateInfo{panel("first", `{"full_protocol":false}`)}, "A A A")
	if _, err := rerun.Run(ctx, reg, c, rerun.Options{Temp: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := rerun.Run(t.Context(), reg, c, rerun.Options{Temp: "/nowhere"}); err == nil {
		t.Error("a rerun without a folder succeeds")
	}
}

// TestAsk puts the full protocol of a gate to questions of a release that never was asked by it.
func TestAsk(t *testing.T) {
	reg, c, _ := asked(t, true, nil, "A B A", "reject", "A A A")
	probes, skipped, err := rerun.Ask(t.Context(), reg, c, "panel", []string{"q2", "q0", "q1", "q9"}, rerun.Options{Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range probes {
		got = append(got, fmt.Sprint(p.Item, p.Gate, p.Rotation, p.Answer))
	}
	if text := strings.Join(got, " "); text != "q0panel0A q0panel1B q0panel2A q2panel0A q2panel1A q2panel2A" {
		t.Errorf("probes %s", text)
	}
	if text := fmt.Sprint(skipped); text != "[{q1 panel odd: it is odd} {q9 panel it is in neither questions nor flagged}]" {
		t.Errorf("skipped %s", text)
	}
	for _, use := range []string{"other", "rule"} {
		_, _, err := rerun.Ask(t.Context(), reg, c, use, []string{"q0"}, rerun.Options{Temp: "/nowhere"})
		if err == nil || !strings.Contains(err.Error(), "ask gate "+use) {
			t.Errorf("%s: %v", use, err)
		}
	}
	c.Questions[0].Explanation = "broken"
	if _, _, err := rerun.Ask(t.Context(), reg, c, "panel", []string{"q0"}, rerun.Options{Temp: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "it is broken") {
		t.Error(err)
	}
}

// TestRolesAndPictures: what a release's gates ask and show, each role once; gates of other programs ask none.
func TestRolesAndPictures(t *testing.T) {
	reg, c, _ := asked(t, true, []manifest.GateInfo{panel("first", `{"pictures":3}`), panel("second", `{}`), {Name: "older", Use: "panel", Version: "0"}}, "A")
	if got := fmt.Sprint(rerun.Roles(reg, c)); got != "[judge second]" {
		t.Errorf("roles %s", got)
	}
	if got := fmt.Sprint(rerun.PictureUses(reg, c)); got != "[{first judge 3} {first second 3}]" {
		t.Errorf("pictures %s", got)
	}
	roles, err := rerun.RolesOf(reg, []string{"panel", "rule", "panel"})
	if err != nil || fmt.Sprint(roles) != "[judge second]" {
		t.Errorf("roles %v, %v", roles, err)
	}
	if _, err := rerun.RolesOf(reg, []string{"panel", "other"}); !errors.Is(err, pipeline.ErrOtherPlugin) {
		t.Errorf("roles of another program's gate: %v", err)
	}
}
