package cli

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
)

// printReference states the forecast beside what a publication says of its
// benchmark, and what of the configuration stands nowhere in it.
func printReference(e *env, r *config.Reference, b forecast.Build) {
	if r == nil {
		return
	}
	fmt.Fprintf(e.out, "\ncompared with %s:\n", r.Name)
	least := ""
	if len(b.Unknown) > 0 {
		least = "at least "
	}
	fmt.Fprintf(e.out, "  hours of source video  %s%.0f here, %.0f there\n", least, b.Given.Seconds/3600, r.Hours)
	fmt.Fprintf(e.out, "  source videos          %s%.0f here, %d there\n", least, b.Given.Records, r.Videos)
	fmt.Fprintf(e.out, "  questions              %s%.0f here, %d there\n", least, b.Questions, r.Questions)
	for _, said := range r.Inferred {
		fmt.Fprintf(e.out, "  inferred: %s\n", said)
	}
}
