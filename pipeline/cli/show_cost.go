package cli

import (
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/model/server"
)

// prices are those of the models that have one.
func prices(models map[string]server.Model) map[string]forecast.Price {
	out := map[string]forecast.Price{}
	for name, m := range models {
		if p := m.Price; p != nil {
			out[name] = forecast.Price{Input: p.Input, Output: p.Output, Currency: p.Currency}
		}
	}
	return out
}

// printModelCosts shows what each language model is asked and what that costs; of
// the built-in one there is nothing to show.
func printModelCosts(e *env, asked []forecast.ModelCalls) error {
	if len(asked) == 0 {
		return nil
	}
	fmt.Fprintln(e.out)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tCALLS\tIMAGES\tTOKENS IN, OUT\tCOST")
	sums := map[string]float64{}
	for _, a := range asked {
		cost := "unknown, because it has no price"
		if a.Cost != nil {
			cost = fmt.Sprintf("%.2f %s", *a.Cost, a.Currency)
			sums[a.Currency] += *a.Cost
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%s, %s\t%s\n", a.Model, formatCalls(a.Calls, a.CallsFull), a.Images, formatTokens(a.TokensIn), formatTokens(a.TokensOut), cost)
	}
	if len(asked) > 1 {
		for _, currency := range slices.Sorted(maps.Keys(sums)) {
			fmt.Fprintf(w, "all with a price\t\t\t\t%.2f %s\n", sums[currency], currency)
		}
	}
	return w.Flush()
}

// formatCalls shows those expected and, where gates may ask fewer than that, those of
// the full protocols.
func formatCalls(expected, full float64) string {
	if full > expected {
		return fmt.Sprintf("%.0f of %.0f", expected, full)
	}
	return fmt.Sprintf("%.0f", expected)
}

// formatTokens shows a number of tokens.
func formatTokens(n float64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1f M", n/1e6)
}
