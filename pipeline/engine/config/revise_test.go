package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
)

const looped = `version: 1
release: {name: demo, from: [last, integrity]}
sources:
  films: {use: procedural}
stages:
  probe: {use: video.probe, from: [films]}
  ask: {use: video.ask, from: [probe]}
  again: {use: video.ask, from: [options]}
gates:
  options: {use: interference-roles, from: [ask]}
  blind: {use: interference-roles, from: [options], on_fail: revise}
  kind: {use: interference-roles, from: [blind], on_fail: relabel}
  oracle: {use: interference-roles, from: [kind], on_fail: revise, max_loss: 0.3}
  last: {use: interference-roles, from: [oracle, again], on_fail: keep}
  integrity: {use: integrity, from: [probe]}
revise: {rounds: 2, max_loss: 0.5, with: {strict: true}}
`

// shape shows what of a plan the loop decides.
func shape(p engine.Plan) string {
	var b strings.Builder
	for _, n := range p.Steps {
		fmt.Fprintf(&b, "%s <- %s", n.Name, strings.Join(n.From, " "))
		if n.Kind == pipeline.KindGate {
			fmt.Fprintf(&b, " (%s)", n.OnFail)
		}
		b.WriteString("\n")
	}
	return b.String() + "release <- " + strings.Join(p.Release.From, " ")
}

func TestALoopIsSpeltOut(t *testing.T) {
	p := parse(t, looped).Plan
	want := `films <- 
probe <- films
ask <- probe
integrity <- probe (drop)
options <- ask (drop)
blind <- options (revise)
flags~options~1 <- blind
kind <- blind (relabel)
oracle <- kind (revise)
gather~options~1 <- flags~options~1 oracle
revise~options~1 <- gather~options~1
options~1 <- revise~options~1 (drop)
blind~1 <- options~1 (revise)
flags~options~2 <- blind~1
kind~1 <- blind~1 (relabel)
oracle~1 <- kind~1 (revise)
gather~options~2 <- flags~options~2 oracle~1
revise~options~2 <- gather~options~2
options~2 <- revise~options~2 (drop)
again <- options options~1 options~2
blind~2 <- options~2 (drop)
kind~2 <- blind~2 (relabel)
oracle~2 <- kind~2 (drop)
last <- gather~options~1 gather~options~2 oracle~2 again (keep)
release <- last integrity`
	if got := shape(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, n := range p.Steps {
		switch name, _ := pipeline.SplitRound(n.Name); name {
		case "revise~options":
			if n.Use != "question.revise" || string(n.Config) != `{"strict":true}` || n.MaxLoss != 0.5 || n.Version != "1" {
				t.Errorf("reviser %+v", n)
			}
		case "oracle":
			if want := map[bool]float64{true: 0.3, false: 0.5}[n.Name == name]; n.MaxLoss != want {
				t.Errorf("gate or copy %+v", n)
			}
		}
	}
	loops := p.Loops()
	if want := []engine.Loop{{
		Gates: []string{"options", "blind", "kind", "oracle"}, Revising: []string{"blind", "oracle"}, Use: "question.revise", Rounds: 2,
	}}; !reflect.DeepEqual(loops, want) {
		t.Errorf("loops %+v", loops)
	}
}

// TestLoopsStandApart has two loops with a whole gate between them, the first
// of a single gate.
func TestLoopsStandApart(t *testing.T) {
	p := parse(t, `version: 1
release: {name: demo, from: [b]}
sources: {films: {use: procedural}}
stages:
  probe: {use: video.probe, from: [films]}
  ask: {use: video.ask, from: [probe]}
gates:
  a: {use: interference-roles, from: [ask], on_fail: revise}
  all: {use: balance, from: [a]}
  b: {use: interference-roles, from: [all], on_fail: revise}
revise: {rounds: 1}
`).Plan
	want := `films <- 
probe <- films
ask <- probe
a <- ask (revise)
gather~a~1 <- a
revise~a~1 <- gather~a~1
a~1 <- revise~a~1 (drop)
all <- gather~a~1 a~1 (drop)
b <- all (revise)
gather~b~1 <- b
revise~b~1 <- gather~b~1
b~1 <- revise~b~1 (drop)
release <- gather~b~1 b~1`
	if got := shape(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if l := p.Loops(); len(l) != 2 || l[1].String() != "what b flags is rewritten by question.revise and starts again at b; rounds: up to 1" {
		t.Errorf("%v", l)
	}
}

func TestNoLoopWithoutAGateThatRevises(t *testing.T) {
	if l := parse(t, good).Plan.Loops(); len(l) != 0 {
		t.Errorf("%v", l)
	}
}

// TestLoopsOfOtherRecords rewrites videos film by film beside questions: each loop has
// the stage that gives what its gates judge.
func TestLoopsOfOtherRecords(t *testing.T) {
	p := parse(t, `version: 1
release: {name: demo, from: [a, whole]}
sources: {films: {use: procedural}}
stages:
  probe: {use: video.probe, from: [films]}
  ask: {use: video.ask, from: [whole]}
gates:
  whole: {use: integrity, from: [probe], on_fail: revise}
  a: {use: interference-roles, from: [ask], on_fail: revise}
revise: {rounds: 1, also: [{use: video.retake}]}
`).Plan
	want := `films <- 
probe <- films
whole <- probe (revise)
gather~whole~1 <- whole
revise~whole~1 <- gather~whole~1
whole~1 <- revise~whole~1 (drop)
ask <- gather~whole~1 whole~1
a <- ask (revise)
gather~a~1 <- a
revise~a~1 <- gather~a~1
a~1 <- revise~a~1 (drop)
release <- gather~a~1 a~1 gather~whole~1 whole~1`
	if got := shape(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	uses := map[string]string{}
	for _, n := range p.Steps {
		uses[n.Name] = n.Use + " " + string(n.Config)
	}
	for node, want := range map[string]string{
		"revise~whole~1": "video.retake {}", "gather~whole~1": `unit.gather {"schemas":["video"],"unit":"film"}`,
		"revise~a~1": `question.revise {"strict":false}`, "gather~a~1": "question.gather {}",
	} {
		if uses[node] != want {
			t.Errorf("%s is %s, want %s", node, uses[node], want)
		}
	}
}

// TestSessionsThatAModelFaults: where a stage of the revise block gives sessions, they are
// rewritten and then dropped without a word in the file, else dropped; to keep them needs a reason.
func TestSessionsThatAModelFaults(t *testing.T) {
	r := registry()
	pipeline.AddStage(r, "talk", "1", "Write sessions", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"film"}, Emits: []string{"session"}}}, nil
	})
	pipeline.AddStage(r, "talk.again", "1", "Rewrite sessions", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"flagged"}, Emits: []string{"session"}, Unit: "task_id"}}, nil
	})
	pipeline.AddGate(r, "covered", "1", "Ask a judge", func(struct{}) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"session"}, Asks: []pipeline.Ask{{Role: "judge", Task: "t"}}}}, nil
	})
	pipeline.AddGate(r, "sound", "1", "Ask nobody", func(struct{}) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"session"}}}, nil
	})
	base := `version: 1
release: {name: demo, from: [covered]}
sources: {films: {use: procedural}}
stages: {talk: {use: talk, from: [films]}}
gates:
  sound: {use: sound, from: [talk]}
  covered: {use: covered, from: [sound]}
`
	also := "revise.also=[{use: talk.again}]"
	for name, tc := range map[string]struct {
		sets            []string
		want, last, err string
	}{
		"nothing rewrites":       {nil, "drop", "", ""},
		"a stage rewrites":       {[]string{also}, "revise", "drop", ""},
		"the file says drop":     {[]string{also, "gates.covered.on_fail=drop"}, "drop", "", ""},
		"kept without a reason":  {[]string{also, "gates.covered.on_fail=keep"}, "", "", "keep_because"},
		"kept for a blank":       {[]string{"gates.covered.on_fail=keep", "gates.covered.keep_because= "}, "", "", "keep_because"},
		"kept for a reason":      {[]string{"gates.covered.on_fail=keep", "gates.covered.keep_because=a study of faults"}, "keep", "", ""},
		"a rule keeps as it is":  {[]string{"gates.sound.on_fail=keep"}, "drop", "", ""},
		"it reads several steps": {[]string{also, "gates.covered.from=[sound, talk]"}, "drop", "", ""},
	} {
		c, err := config.Parse("pipeline.yaml", []byte(base), r, tc.sets)
		if tc.err != "" || err != nil {
			if err == nil || tc.err == "" || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v, want %q", name, err, tc.err)
			}
			continue
		}
		last := ""
		for _, s := range c.Plan.Steps {
			if s.Name == "covered" && s.OnFail != tc.want {
				t.Errorf("%s: covered has %q, want %q", name, s.OnFail, tc.want)
			}
			if s.Name != "covered" && strings.HasPrefix(s.Name, "covered~") {
				last = s.OnFail
			}
		}
		if last != tc.last {
			t.Errorf("%s: the last copy of covered has %q, want %q", name, last, tc.last)
		}
	}
}
