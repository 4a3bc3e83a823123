package cli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// printGains prints what pictures add, model by model; nothing where no gate shows
// all evidence or none shows less.
func printGains(out io.Writer, gains []audit.Gain) error {
	if len(gains) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nmulti-modal gain (S_v - S_wv) and leakage (S_wv - base, at least 0), in % with 95 % intervals")
	if slices.ContainsFunc(gains, func(g audit.Gain) bool { return g.FirstCalls }) {
		fmt.Fprintln(out, "  (scores of the call that was drawn to be the first: answers decide which others were asked)")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  MODEL\tWITHOUT PICTURES\tQUESTIONS\tS_V\tS_WV\tGAIN\tBASE\tLEAKAGE")
	for _, g := range gains {
		without := g.Without
		if g.Label != "" {
			without += " (" + g.Label + " " + g.Value + ")"
		}
		safetext.Fprintf(w, "  %s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", g.Model, without, g.Questions,
			percent(&g.Seeing), percent(&g.Blind), percent(&g.Gain), percent(g.Base), percent(g.Leakage))
	}
	return w.Flush()
}

func percent(i *audit.Interval) string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", 100*i.Value, 100*i.Low, 100*i.High)
}
