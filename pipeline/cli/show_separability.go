package cli

import (
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// printSeparability prints how well single frames tell the videos of a pair
// apart, a line for each level of likeness.
func printSeparability(out io.Writer, levels []audit.SeparabilityLevel) {
	if len(levels) == 0 {
		return
	}
	fmt.Fprintln(out, "single frames tell the two videos of a pair apart (separability; 50 % is chance):")
	for _, l := range levels {
		of := "all pairs"
		if l.Likeness != "" {
			of = "likeness " + l.Likeness
		}
		safetext.Fprintf(out, "  %-36s %5.1f %% [%.1f, %.1f]  %d pairs, %.0f to %.0f %%\n", of,
			100*l.Separability.Value, 100*l.Separability.Low, 100*l.Separability.High, l.Pairs, 100*l.Least, 100*l.Most)
	}
	fmt.Fprintln(out)
}
