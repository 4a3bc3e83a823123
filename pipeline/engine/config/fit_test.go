package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
)

type lookConfig struct {
	Most int `json:"most"`
}

func (c *lookConfig) SetDefaults() { c.Most = 32 }

// look is a gate that shows pictures to two roles; show is a stage that does and
// cannot do with fewer.
type look struct {
	gate
	cfg lookConfig
}

func (g look) MaxPictures() int           { return g.cfg.Most }
func (g look) LimitPictures(most int) any { return &lookConfig{min(g.cfg.Most, most)} }

type show struct {
	stage
	cfg lookConfig
}

func (s show) MaxPictures() int { return s.cfg.Most }

const seeing = good + `models:
  eyes: {base_url: https://eyes.example/v1, model: eyes-1}
  blind: {base_url: https://blind.example/v1, model: blind-1, capabilities: {images: false}}
  small: {base_url: https://small.example/v1, model: small-1, media: {max_images: 20}}
roles: {panel_a: eyes, panel_b: small, captioner: eyes}
`

func parseSeeing(t *testing.T, sets ...string) *config.Config {
	t.Helper()
	r := registry()
	asks := []pipeline.Ask{{Role: "panel_a", Task: "t"}, {Role: "panel_b", Task: "t"}}
	pipeline.AddGate(r, "look", "1", "Show pictures", func(c lookConfig) (pipeline.Gate, error) {
		return look{gate{pipeline.Spec{Accepts: []string{"question"}, Asks: asks}}, c}, nil
	})
	pipeline.AddStage(r, "show", "1", "Show pictures", func(c lookConfig) (pipeline.Stage, error) {
		return show{stage{pipeline.Spec{Accepts: []string{"video"}, Emits: []string{"video"}, Asks: []pipeline.Ask{{Role: "captioner", Task: "t"}}}}, c}, nil
	})
	nodes := strings.Replace(seeing, "gates:\n", "  describe: {use: show, from: [probe]}\ngates:\n  judge: {use: look, from: [roles]}\n", 1)
	c, err := config.Parse("pipeline.yaml", []byte(nodes), r, sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestViewsAreFittedToModels: the configuration of a gate says how many pictures
// are shown at most, whatever the models take, and the plan says where that is
// fewer.
func TestViewsAreFittedToModels(t *testing.T) {
	for _, tc := range []struct {
		sets []string
		most int
		fits string
	}{
		{nil, 20, "[{judge panel_b small gate 32 20 true}]"},
		{[]string{"gates.judge.with.most=12"}, 12, "[]"},
		{[]string{"roles.panel_b=eyes"}, 32, "[]"},
		{[]string{"roles.panel_b=built-in"}, 32, "[]"},
		{[]string{"models.small.media.max_images=0"}, 32, "[]"},
		{[]string{"models.eyes.media.max_images=9"}, 9, "[{describe captioner eyes stage 32 9 false} {judge panel_a eyes gate 32 9 true}]"},
		{[]string{"roles.panel_b=blind"}, 32, "[{judge panel_b blind gate 32 0 false}]"},
	} {
		c := parseSeeing(t, tc.sets...)
		if got := fmt.Sprint(c.Fits); got != tc.fits {
			t.Errorf("%v: fits %s, want %s", tc.sets, got, tc.fits)
		}
		for _, n := range c.Plan.Steps {
			if want := fmt.Sprintf(`{"most":%d}`, tc.most); n.Name == "judge" && string(n.Config) != want {
				t.Errorf("%v: the gate shows %s, want %s", tc.sets, n.Config, want)
			}
		}
	}
}

// TestMaxImagesEntersNoKey: of what a model takes, only what is shown because of
// it can change anything.
func TestMaxImagesEntersNoKey(t *testing.T) {
	base := parseSeeing(t).Plan
	for set, changed := range map[string]bool{
		"models.eyes.media.max_images=40": false, "models.eyes.media.max_images=32": false, "models.eyes.media.max_images=20": false,
		"models.eyes.media.max_images=0": false, "models.eyes.media.max_images=19": true,
		"models.small.media.max_images=21": true, "models.blind.media.max_images=1": false,
	} {
		plan := parseSeeing(t, set).Plan
		if !reflect.DeepEqual(plan.Models, base.Models) {
			t.Errorf("%s: the models' identities change", set)
		}
		for i, n := range plan.Steps {
			want := changed && n.Name == "judge"
			if got := !reflect.DeepEqual(n, base.Steps[i]); got != want {
				t.Errorf("%s: step %s changes: %t, want %t", set, n.Name, got, want)
			}
		}
	}
}

// A model without a price cannot play a role in a build with a budget.
func TestABudgetThatCannotBeKeptIsForeseen(t *testing.T) {
	const priced = "models.eyes.price={input: 1, output: 2, currency: USD}"
	unbound, c := parseSeeing(t, priced), parseSeeing(t, priced, "run.max_cost=5")
	const want = `pipeline.yaml:18:3: model "small" plays panel_b and has no price, so that run.max_cost cannot be kept and a build ends before it begins; add the price or leave max_cost out`
	if slices.Contains(unbound.Warnings, want) || !slices.Equal(c.Warnings, append(unbound.Warnings, want)) {
		t.Errorf("warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
}

func TestOneModelInBothSeatsIsWarnedOf(t *testing.T) {
	if c := parseSeeing(t); strings.Contains(strings.Join(c.Warnings, "\n"), "one opinion") {
		t.Errorf("warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
	c := parseSeeing(t, "roles.panel_b=eyes")
	const want = "the roles panel_a and panel_b are one model, "
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, want) && strings.Contains(w, "one opinion") }) {
		t.Errorf("warned of\n%s", strings.Join(c.Warnings, "\n"))
	}
}
