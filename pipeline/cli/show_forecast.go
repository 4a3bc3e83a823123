package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/release"
)

// printForecast shows what each node gives and takes.
func printForecast(e *env, b forecast.Build) error {
	fmt.Fprintln(e.out)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FORECAST\tGIVES\tMEDIA\tCPU\tDISK\tMODEL CALLS\tIMAGES\tTOKENS IN, OUT")
	for _, n := range b.Nodes {
		if n.Forecast == nil {
			fmt.Fprintf(w, "%s\tunknown\t?\t?\t?\t?\t?\t?\n", n.Name)
			continue
		}
		takes := formatForecast(*n.Forecast)
		if n.Unpriced {
			takes = "?\t?\t?\t?\t?"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, formatVolume(n.Forecast.Out), formatPlayTime(n.Forecast.Out), takes)
	}
	fmt.Fprintf(w, "release\t\t\t%s\n", formatForecast(b.Release))
	total := "total"
	if len(b.Unknown) > 0 {
		total = "at least"
	}
	fmt.Fprintf(w, "%s\t\t\t%s\n", total, formatForecast(b.Total))
	if err := w.Flush(); err != nil {
		return err
	}
	if err := printModelCosts(e, b.Models); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "\n%s %s with %d workers, waiting for models and networks aside\n", total, formatDuration(60*b.WallMinutes), b.Workers)
	if b.FlaggedShare > 0 {
		fmt.Fprintf(e.out, "assumed: a gate with on_fail revise flags %.0f %% of its questions in every round; no other gate flags any\n", 100*b.FlaggedShare)
	}
	printMissing(e, b)
	return nil
}

// printMissing says what cannot be done, and what cannot be said.
func printMissing(e *env, b forecast.Build) {
	for _, s := range b.Short {
		fmt.Fprintf(e.out, "too little: %s\n", s)
	}
	if why := release.TooManyMedia(b.Media); why != "" {
		fmt.Fprintf(e.out, "too much: %s\n", why)
	}
	for _, n := range b.Nodes {
		if n.Forecast == nil || n.Unpriced {
			fmt.Fprintf(e.out, "unknown: %s, because %s\n", n.Name, n.Why)
		}
	}
}

// formatVolume lists what comes out, without what only accompanies it.
func formatVolume(v pipeline.Volume) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(v)) {
		if s != "task" && s != "verdict" && !strings.Contains(s, ".") {
			parts = append(parts, fmt.Sprintf("%.0f %s", v[s].Records, s))
		}
	}
	return strings.Join(parts, ", ")
}

// formatPlayTime is how long the media of a volume play.
func formatPlayTime(v pipeline.Volume) string {
	longest := 0.0
	for _, a := range v {
		longest = max(longest, a.Seconds)
	}
	return formatDuration(longest)
}

func formatForecast(f pipeline.Forecast) string {
	asked, images, tokens := "-", "-", "-"
	if f.Calls > 0 {
		asked, tokens = formatCalls(f.Calls, f.CallsFull), formatTokens(f.TokensIn)+", "+formatTokens(f.TokensOut)
	}
	if f.Images > 0 {
		images = fmt.Sprintf("%.0f", f.Images)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", formatDuration(f.CPU), formatBytes(f.Bytes), asked, images, tokens)
}

// formatDuration shows seconds to two or three digits.
func formatDuration(s float64) string {
	switch {
	case s < 0.5:
		return "-"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 36000:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.0f h", s/3600)
}

func formatBytes(b float64) string {
	switch {
	case b < 5e4:
		return "-"
	case b < 1e9:
		return fmt.Sprintf("%.1f MB", b/1e6)
	case b < 1e10:
		return fmt.Sprintf("%.1f GB", b/1e9)
	}
	return fmt.Sprintf("%.0f GB", b/1e9)
}
