package lifelong_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	builds "github.com/memforge/memforge/pipeline/engine/assemble"
	settings "github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/stages/lifelong"
)

// spoil spoils a life where its domain has a defect at that try: health once, finance
// twice, startup whenever it is made.
func spoil(r pipeline.Record) (pipeline.Record, error) {
	l, err := pipeline.Decode[lifelong.Simulation](r)
	if err != nil || l.Try >= map[string]int{"health": 1, "finance": 2, "startup": 9}[l.World.Domain] {
		return r, err
	}
	if !spoiled["a fact that nobody tells"].plant(&l) {
		return r, fmt.Errorf("life %s has no place for it", r.ID)
	}
	return pipeline.NewRecord(r.Schema, r.ID, l)
}

// spoiling gives lives as the source does, some of them spoiled.
type spoiling struct{ pipeline.Source }

func (s spoiling) Read(ctx context.Context, scope *pipeline.Scope, a []pipeline.Asset, emit func(pipeline.Record) error) error {
	return s.Source.Read(ctx, scope, a, func(r pipeline.Record) error {
		bad, err := spoil(r)
		if err != nil {
			return err
		}
		return emit(bad)
	})
}

// respoiling makes lives anew as the stage does, and spoils some of them again.
type respoiling struct{ of pipeline.Map }

func (s respoiling) Spec() pipeline.Spec { return s.of.Spec() }

func (s respoiling) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	out, err := s.of.Map(ctx, scope, in)
	if err != nil {
		return nil, err
	}
	out[0], err = spoil(out[0])
	return out, err
}

// plugin is one of the family, with a configuration.
func plugin[T any](r *pipeline.Registry, kind pipeline.Kind, name string, cfg any) (T, error) {
	var none T
	raw, err := json.Marshal(cfg)
	if err != nil {
		return none, err
	}
	p, ok := r.Plugin(kind, name)
	if !ok {
		return none, fmt.Errorf("there is no %s", name)
	}
	built, err := p.BuildRaw(raw)
	if err != nil {
		return none, err
	}
	return built.(T), nil
}

const loopYAML = `version: 1
seed: 5
release: {name: anew, from: [ended, boundary, options, legible]}
revise: {use: respoiled, rounds: 3}
sources:
  lives: {use: spoiled, with: {domains: [academic, health, finance, startup], size: {sessions: 6, facts: 4, pictures: 1, interference: 1, chatter: 1}}}
stages:
  draw: {use: lifelong.draw, from: [sound]}
  tell: {use: lifelong.sessions, from: [draw]}
  ask: {use: lifelong.ask, from: [draw]}
gates:
  sound: {use: life-sessions, from: [lives], on_fail: revise}
  ended: {use: update-history, from: [tell]}
  legible: {use: trace-legible, from: [draw]}
  future: {use: no-future, from: [ask]}
  boundary: {use: boundary, from: [future]}
  options: {use: option-roles, from: [ask]}
`

// loop builds a release of lives some of which come spoiled.
func loop(t *testing.T) (*pipeline.Registry, release.Contents) {
	t.Helper()
	reg := plugins.Registry()
	pipeline.AddSource(reg, "spoiled", "1", "lives, some of them spoiled", func(c lifelong.WorldsConfig) (pipeline.Source, error) {
		s, err := plugin[pipeline.Source](reg, pipeline.KindSource, "lifelong.worlds", c)
		return spoiling{s}, err
	})
	pipeline.AddStage(reg, "respoiled", "1", "lives made anew, some of them spoiled again", func(c struct{}) (pipeline.Stage, error) {
		s, err := plugin[pipeline.Map](reg, pipeline.KindStage, "lifelong.anew", c)
		return respoiling{s}, err
	})
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, []byte(loopYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := settings.Load(path, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := builds.Build(t.Context(), reg, cfg, builds.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return reg, c
}

// TestLivesGoRoundUntilTheyAreSound: a life whose session fails is made anew as a whole,
// until it passes, three times at most; then it is dropped with the reason, and nothing
// is asked about it. A sound one passes at the first try (WorldMemArena C.2).
func TestLivesGoRoundUntilTheyAreSound(t *testing.T) {
	t.Parallel()
	reg, c := loop(t)
	var judged []string
	for _, v := range c.Verdicts {
		if gate, _, _ := strings.Cut(v.Gate, "~"); gate == "sound" {
			code, _, _ := strings.Cut(v.Reason, ":")
			judged = append(judged, strings.TrimSpace(fmt.Sprint(v.Item, " ", v.Gate, " ", v.Outcome, " ", code)))
		}
	}
	slices.Sort(judged)
	want := []string{
		"academic-0000 sound pass",
		"finance-0000 sound fail other-points", "finance-0000 sound~1 fail other-points", "finance-0000 sound~2 pass",
		"health-0000 sound fail other-points", "health-0000 sound~1 pass",
		"startup-0000 sound fail other-points", "startup-0000 sound~1 fail other-points", "startup-0000 sound~2 fail other-points", "startup-0000 sound~3 fail other-points",
	}
	if !slices.Equal(judged, want) {
		t.Errorf("%q, want %q", judged, want)
	}
	var last string
	for _, r := range c.Rejections {
		if r.Stage == "sound~3" {
			last = r.ID + " " + r.Code + " " + r.Reason
		}
	}
	if !strings.HasPrefix(last, "startup-0000 other-points other-points: ") {
		t.Errorf("after the third time it is rejected as %q", last)
	}
	about := map[string]int{}
	for _, q := range c.Questions {
		about[q.TaskID]++
	}
	if len(c.FlaggedRecords) != 10 {
		t.Errorf("the release holds %d judged forms of lives, want 10", len(c.FlaggedRecords))
	}
	for _, f := range c.FlaggedRecords {
		if strings.Contains(f.Record, `"world"`) || strings.Contains(f.Record, `"unsaid"`) || !strings.Contains(f.Record, `"told"`) {
			t.Errorf("the release holds the world of %s", f.Item)
		}
	}
	if len(c.Tasks) != 3 || len(about) != 3 || about["lifelong/startup-0000"] > 0 {
		t.Errorf("%d tasks, questions by task %v", len(c.Tasks), about)
	}
	audited(t, reg, c)
}

// audited wants everything in a release to follow, gold included.
func audited(t *testing.T, reg *pipeline.Registry, c release.Contents) {
	t.Helper()
	found, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	if found.State() != audit.Same {
		t.Errorf("the audit says %+v", found)
	}
	for _, g := range found.Gold {
		if g.Derived != g.Questions || g.Questions == 0 || g.TasksDerived != g.Tasks {
			t.Errorf("gold: %+v", g)
		}
	}
}
