package plugins_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
)

// foreseen is how far the calls of a build may lie from those that plan states.
const foreseen = 1.3

// checkForecast compares the calls that plan states of a configuration with those that a build
// made: all of them, or for each question where the author found less to ask than it may.
func checkForecast(t *testing.T, c release.Contents, made testkit.ModelCounts, each bool, args ...string) {
	t.Helper()
	code, said := memforge(append([]string{"plan", "--json", "--no-cache"}, args...)...)
	var plan struct{ Forecast forecast.Build }
	from := strings.Index(said, "{\n") // after warnings
	if err := json.NewDecoder(strings.NewReader(said[max(from, 0):])).Decode(&plan); code != 0 || err != nil {
		t.Fatalf("plan: exit code %d, %v\n%s", code, err, said)
	}
	asked, tokens := map[string]int{}, map[string]int64{}
	for _, p := range c.Probes {
		asked[p.Gate]++
		tokens[p.Gate] += p.InputTokens + p.OutputTokens
	}
	all := float64(max(len(c.Questions), 1))
	for _, s := range plan.Forecast.Steps {
		if s.Forecast == nil {
			t.Logf("%-14s unknown: %s", s.Name, s.Why)
		} else if s.Forecast.Calls > 0 || asked[s.Name] > 0 {
			t.Logf("%-14s planned %5.0f, probes %4d, %6.0f tokens a released question", s.Name, s.Forecast.Calls, asked[s.Name], float64(tokens[s.Name])/all)
		}
	}
	want, got := plan.Forecast.Total.Calls, float64(made.Answered)
	if each {
		want *= all / plan.Forecast.Questions
	}
	t.Logf("planned %.0f, made %.0f: %.1f calls and %.0f tokens for each of %d questions", want, got, got/all, float64(made.Input+made.Output)/all, len(c.Questions))
	if got > foreseen*want || want > foreseen*got {
		t.Errorf("plan states %.0f calls, the build made %.0f", want, got)
	}
}
