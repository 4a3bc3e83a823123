package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestAmountsInWords: amounts are shown with two or three digits, small ones as nothing.
func TestAmountsInWords(t *testing.T) {
	for s, want := range map[float64]string{
		0: "-", 0.49: "-", 0.5: "0 s", 0.51: "1 s", 119: "119 s", 120: "2.0 min", 599: "10.0 min", 600: "10 min", 3600: "60 min", 35999: "600 min", 36000: "10 h", 90000: "25 h",
	} {
		if got := formatDuration(s); got != want {
			t.Errorf("%g seconds: %q, want %q", s, got, want)
		}
	}
	for b, want := range map[float64]string{0: "-", 49999: "-", 5e4: "0.1 MB", 1.25e6: "1.2 MB", 9.99e8: "999.0 MB", 1e9: "1.0 GB", 9.9e9: "9.9 GB", 1e10: "10 GB", 1.234e12: "1234 GB"} {
		if got := formatBytes(b); got != want {
			t.Errorf("%g bytes: %q, want %q", b, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 999_999: "999999", 1e6: "1.0 M", 2.34e7: "23.4 M"} {
		if got := formatTokens(n); got != want {
			t.Errorf("%g tokens: %q, want %q", n, got, want)
		}
	}
	if a, b, c := formatCalls(3, 0), formatCalls(3, 3), formatCalls(3, 4); a != "3" || b != "3" || c != "3 of 4" {
		t.Errorf("calls %q, %q, %q", a, b, c)
	}
	v := pipeline.Volume{"media": {Records: 12, Seconds: 90}, "question": {Records: 3}, "task": {Records: 4, Seconds: 130}, "verdict": {Records: 5}, "video.frames": {Records: 6}}
	if got := formatVolume(v); got != "12 media, 3 question" {
		t.Errorf("volume %q", got)
	}
	if got := formatPlayTime(v); got != "2.2 min" {
		t.Errorf("play time %q", got)
	}
}

// TestGuessedUsage: what is recorded of the model and the task says more than the size of a request.
func TestGuessedUsage(t *testing.T) {
	r := pipeline.Request{Host: "h", Model: "m", Task: "t", Schema: json.RawMessage(`{"a":"bcdefghijklm"}`), Messages: pipeline.ChatMessages("12345678", "1234567", []pipeline.Digest{"x", "y"})}
	stat := func(host, model, task, outcome string, calls int64) ledger.Stat {
		return ledger.Stat{Host: host, Model: model, Task: task, Outcome: outcome, Calls: calls, Usage: pipeline.Usage{Input: 100, Cached: 50, Output: 30}}
	}
	others := []ledger.Stat{stat("g", "m", "t", "ok", 1), stat("h", "n", "t", "ok", 1), stat("h", "m", "u", "ok", 1), stat("h", "m", "t", "refused", 1), stat("h", "m", "t", "ok", 0)}
	for name, tc := range map[string]struct {
		change func(r *pipeline.Request)
		model  server.Model
		stats  []ledger.Stat
		want   pipeline.Usage
	}{
		"recorded":              {nil, server.Model{}, append(others, stat("h", "m", "t", "ok", 10)), pipeline.Usage{Input: 10, Cached: 5, Output: 3}},
		"by its size":           {nil, server.Model{}, others, pipeline.Usage{Input: 5 + 2 + 1 + 2000, Output: 500}},
		"with a longest answer": {nil, server.Model{Sampling: server.Sampling{MaxTokens: 7}}, nil, pipeline.Usage{Input: 2008, Output: 7}},
		"a text to embed": {func(r *pipeline.Request) {
			r.Task, r.Text, r.Messages = pipeline.EmbedTask, "1234", nil
		}, server.Model{Sampling: server.Sampling{MaxTokens: 7}}, nil, pipeline.Usage{Input: 6}},
	} {
		asked := r
		if tc.change != nil {
			tc.change(&asked)
		}
		if got := guessUsage(asked, tc.model, tc.stats); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

// TestGoldenPlans shows what the command plan prints of forecasts, models and the build cache.
func TestGoldenPlans(t *testing.T) {
	var out, errs bytes.Buffer
	e := &env{out: &out, exact: &out, err: &errs}
	video := pipeline.Forecast{Out: pipeline.Volume{"media": {Records: 12, Seconds: 4000}}, CPU: 130, Bytes: 2e6}
	judged := pipeline.Forecast{Out: pipeline.Volume{"question": {Records: 3}}, CPU: 0.1, Calls: 30, CallsFull: 40, Images: 60, TokensIn: 2e6, TokensOut: 500}
	cost, half := 1.5, 0.25
	whole := forecast.Build{
		Steps:   []forecast.Step{{Name: "films", Forecast: &video}, {Name: "judge", Forecast: &judged}},
		Release: pipeline.Forecast{CPU: 4.2, Bytes: 1e6}, Total: pipeline.Forecast{CPU: 140, Bytes: 3e6, Calls: 30, TokensIn: 2e6, TokensOut: 500},
		Models: []forecast.ModelCalls{{Model: "a", Calls: 20, Cost: &cost, Currency: "EUR"}, {Model: "b", Calls: 5, CallsFull: 9, Cost: &half, Currency: "EUR"}, {Model: "c", Calls: 5, Images: 7, TokensIn: 10, TokensOut: 20}},
		Given:  pipeline.Amount{Records: 7, Seconds: 5400}, Questions: 3, FlaggedShare: 0.25, Workers: 4, WallMinutes: 3,
	}
	part := whole
	part.Steps = []forecast.Step{{Name: "films", Forecast: &video, Unpriced: true, Why: "it was never measured"}, {Name: "hub", Why: "it makes no forecast"}}
	part.Unknown, part.Short, part.Media, part.FlaggedShare, part.Models = []string{"hub"}, []string{"films: 3 of 4"}, 1e9, 0, whole.Models[:1]
	ref := &config.Reference{Name: "a paper", Hours: 4, Videos: 9, Questions: 10, Inferred: []string{"seeds", "voices"}}
	for _, b := range []forecast.Build{whole, part} {
		if err := printForecast(e, b); err != nil {
			t.Fatal(err)
		}
		printReference(e, nil, b)
		printReference(e, ref, b)
	}
	no, calls := 0.0, 12.4
	step := func(name string, cached, toMake int, open bool, calls *float64, cost map[string]float64, because ...string) cachedStep {
		return cachedStep{StepPreview: engine.StepPreview{Step: name, Cached: cached, ToMake: toMake, Open: open}, Calls: calls, Cost: cost, Because: because}
	}
	view := cacheView{Steps: []cachedStep{
		step("all", 3, 0, false, &no, nil), step("some", 1, 2, false, nil, nil, "it is new"), step("later", 0, 0, true, &calls, map[string]float64{"USD": 1, "EUR": 0.5}, "a", "b"), step("more", 0, 4, true, &calls, nil),
	}}
	for _, v := range []cacheView{view, {Steps: view.Steps[:1]}, {Steps: view.Steps[1:2]}, {Steps: view.Steps[2:3]}, {}} {
		if err := v.print(e); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "up to date %t\n", v.upToDate())
	}
	share := 0.5
	printBounds(e, engine.Plan{Steps: []engine.Step{{Name: "a", MaxInsufficient: &share}, {Name: "b"}, {Name: "a~2", MaxInsufficient: &share}}})
	warnFittedPictures(e, []config.Fit{
		{Kind: pipeline.KindGate, Node: "judge", Role: "panel", Model: "m", Pictures: 9, Takes: 4, Fitted: true}, {Kind: pipeline.KindStage, Node: "tell", Role: "author", Model: "m", Pictures: 1}, {Kind: pipeline.KindStage, Node: "ask", Role: "author", Model: "m", Pictures: 9, Takes: 8},
	})
	media := func(n int) server.Model { return server.Model{Media: server.Media{MaxImages: n}} }
	warnPanelPictures(e, []rerun.PictureUse{{Gate: "a", Role: "one", Pictures: 5}, {Gate: "b", Role: "two", Pictures: 5}, {Gate: "c", Role: "any", Pictures: 5}, {Gate: "d", Role: "none", Pictures: 5}},
		map[string]string{"one": "four", "two": "five", "any": "all"}, map[string]server.Model{"four": media(4), "five": media(5), "all": media(0)})
	out.WriteString(errs.String())
	golden.Check(t, "plans", strings.ReplaceAll(out.String(), "\t", "\\t"))
}
