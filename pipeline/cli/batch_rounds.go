package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// smallRound is how many requests of a round are so few that asking all of a
// protocol at once costs less than waiting for further rounds.
const smallRound = 100

// suggestFullProtocol says of gates with requests in this round that they ask one call after the
// other, and can ask all at once: what rounds that saves and calls it costs, or, where
// little is asked in all, that it costs nearly nothing.
func suggestFullProtocol(w io.Writer, reg *pipeline.Registry, plan engine.Plan, requests map[string]int) error {
	full, err := plan.AskEverything()
	if err != nil {
		return err
	}
	total, gates, each := 0, []string(nil), []string(nil)
	for i, n := range plan.Steps {
		total += requests[n.Name]
		if requests[n.Name] == 0 || bytes.Equal(n.Config, full.Steps[i].Config) {
			continue
		}
		one, err := forecastOneItem(reg, n)
		if err != nil {
			return err
		}
		gates = append(gates, n.Name)
		if one.CallsFull > one.Calls {
			each = append(each, fmt.Sprintf("%s asks one call after another, each in a round of its own: up to %.0f about an item, %.1f on average; with --full-protocol, here and for build, it asks all %.0f at once\n", n.Name, one.CallsFull, one.Calls, one.CallsFull))
		}
	}
	switch {
	case len(gates) == 0:
	case total < smallRound:
		_, err = fmt.Fprintf(w, "only %d requests in this round, and each round brings the gates one call further: with --full-protocol, here and for build, %s would ask all at once\n", total, strings.Join(gates, ", "))
	default:
		_, err = io.WriteString(w, strings.Join(each, ""))
	}
	return err
}

// forecastOneItem is what a gate takes for one item; nothing where it does not say.
func forecastOneItem(reg *pipeline.Registry, n engine.Step) (pipeline.Forecast, error) {
	p, ok := reg.Plugin(n.Kind, n.Use)
	if !ok {
		return pipeline.Forecast{}, nil
	}
	built, err := p.BuildRaw(n.Config)
	if err != nil {
		return pipeline.Forecast{}, fmt.Errorf("node %s: %w", n.Name, err)
	}
	does, ok := built.(pipeline.Forecaster)
	if !ok || n.Kind != pipeline.KindGate {
		return pipeline.Forecast{}, nil
	}
	one := pipeline.Volume{}
	for _, schema := range built.(pipeline.Gate).Spec().Accepts {
		one[schema] = pipeline.Amount{Records: 1}
	}
	return does.Forecast(one), nil
}
