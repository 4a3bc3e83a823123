package panel

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestConfigurationsAtTheirBounds are taken, and those beyond are refused.
func TestConfigurationsAtTheirBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(c *Config)
		turns  bool
		want   string
	}{
		"defaults":             {func(*Config) {}, true, ""},
		"most rotations":       {func(c *Config) { c.Rotations = maxRotations }, true, ""},
		"more rotations":       {func(c *Config) { c.Rotations = maxRotations + 1 }, true, "rotations is 27"},
		"rotations below 0":    {func(c *Config) { c.Rotations = -1 }, true, "rotations is -1"},
		"one order":            {func(c *Config) { c.Rotations = 1 }, false, ""},
		"orders of no options": {func(c *Config) { c.Rotations = 2 }, false, "shows no options"},
		"most runs":            {func(c *Config) { c.Runs = maxRuns }, true, ""},
		"more runs":            {func(c *Config) { c.Runs = maxRuns + 1 }, true, "runs is 100"},
		"runs below 0":         {func(c *Config) { c.Runs = -1 }, true, "runs is -1"},
		"one picture":          {func(c *Config) { c.Frames, c.Whole, c.MaxPictures = 1, 1, 1 }, true, ""},
		"most pictures":        {func(c *Config) { c.Frames, c.Whole, c.MaxPictures = maxPictures, maxPictures, maxPictures }, true, ""},
		"more pictures":        {func(c *Config) { c.Whole = maxPictures + 1 }, true, "whole 257"},
		"no pictures":          {func(c *Config) { c.Frames = 0 }, true, "frames is 0"},
		"an empty type":        {func(c *Config) { c.Types = []string{""} }, true, "an empty name"},
		"an empty entire type": {func(c *Config) { c.EntireTypes = []string{""} }, true, "an empty name"},
		"a role":               {func(c *Config) { c.Roles = []string{"b", "a"} }, true, ""},
		"a role twice":         {func(c *Config) { c.Roles = []string{"a", "a"} }, true, `roles holds "a"`},
		"another role":         {func(c *Config) { c.Roles = []string{"c"} }, true, `roles holds "c"`},
	} {
		var c Config
		c.SetDefaults()
		tc.change(&c)
		if err := c.check(tc.turns, []string{"a", "b"}); (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// TestLettersAreRead as options in the order in which they were shown.
func TestLettersAreRead(t *testing.T) {
	q := &schemas.Question{}
	q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleDistractor}, schemas.Option{Text: "blue", Role: schemas.RoleCorrect}, schemas.Option{Text: "green", Role: schemas.RoleDistractor})
	for text, want := range map[string]string{
		`{"answer":"A"}`: "A wrong", `{"answer":"B"}`: "B right", `{"answer":"C"}`: "C wrong", `{"answer":"unknown"}`: "unknown wrong",
		`{"answer":"D"}`: " failed", `{"answer":"a"}`: " failed", `{"answer":"@"}`: " failed", `{"answer":""}`: " failed", `{"answer":"AB"}`: " failed", `{"answer":"B."}`: " failed", `B`: " failed",
	} {
		answer, mark, reason := readLetter(q, text, 0)
		if got := answer + " " + mark; got != want || (mark == schemas.MarkFailed) != (reason != "") {
			t.Errorf("%s: %q, %q, want %q", text, got, reason, want)
		}
	}
}

// TestFieldsOfProbes: what failed has a reason and no answer, what did not has no reason.
func TestFieldsOfProbes(t *testing.T) {
	for _, tc := range []struct {
		p  schemas.Probe
		ok bool
	}{
		{schemas.Probe{Mark: schemas.MarkRight, Answer: "A"}, true}, {schemas.Probe{Mark: schemas.MarkWrong, Answer: "B"}, true}, {schemas.Probe{Mark: schemas.MarkFailed, Reason: "invalid"}, true},
		{schemas.Probe{Mark: "odd"}, false}, {schemas.Probe{Mark: schemas.MarkFailed}, false}, {schemas.Probe{Mark: schemas.MarkFailed, Answer: "A"}, false}, {schemas.Probe{Mark: schemas.MarkFailed, Answer: "A", Reason: "invalid"}, false},
		{schemas.Probe{Mark: schemas.MarkRight, Answer: "A", Reason: "invalid"}, false},
	} {
		if err := checkProbeFields(tc.p); (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc.p, err)
		}
	}
}
