package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/model/client"
)

// formatSpending says what was asked of models and what it cost, in one line; empty when
// nothing was.
func formatSpending(t client.Total) string {
	if t.Calls+t.Replayed == 0 {
		return ""
	}
	text := fmt.Sprintf("%d calls, %d replayed, %d tokens in (%d cached), %d out", t.Calls, t.Replayed, t.Usage.Input, t.Usage.Cached, t.Usage.Output)
	var sums []string
	for _, currency := range slices.Sorted(maps.Keys(t.Cost)) {
		sums = append(sums, fmt.Sprintf("%.4f %s", t.Cost[currency], currency))
	}
	if t.Unpriced > 0 {
		sums = append(sums, fmt.Sprintf("%d calls without a price", t.Unpriced))
	}
	if len(sums) > 0 {
		text += ", " + strings.Join(sums, ", ")
	}
	return text
}

// formatWaiting says what an interrupted build waits for; empty when nothing is asked.
func formatWaiting(t client.Total, grace time.Duration) string {
	if t.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls on their way to models have %s to be answered (run.grace)", t.Waiting, grace)
}

// printModels prints what each node asked of models and what it cost.
func printModels(e *env, res assemble.Result) {
	if res.Models.Calls+res.Models.Replayed == 0 {
		return
	}
	say := func(event string, fields map[string]any, format string, args ...any) {
		_ = e.emit(e.err, event, fields, fmt.Sprintf(format, args...))
	}
	say("models", map[string]any{"models": formatSpending(res.Models)}, "models: %s\n", formatSpending(res.Models))
	for _, s := range res.Served {
		say("served", map[string]any{"model": s.Name, "asked": s.Asked, "answered": s.Names()}, "warning: model %s was asked for as %s, and the server says that answers came from %s; the release names %s: check base_url and model, or pin a version\n",
			s.Name, s.Asked, strings.Join(s.Names(), " and "), s.Asked)
	}
	if len(res.PerStep) < 2 {
		return
	}
	for _, node := range slices.Sorted(maps.Keys(res.PerStep)) {
		say("models", map[string]any{"node": node, "models": formatSpending(res.PerStep[node])}, "  %s: %s\n", node, formatSpending(res.PerStep[node]))
	}
}
