package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline/engine"
)

// smallRound is how many requests of a round are so few that asking all of a
// protocol at once costs less than waiting for further rounds.
const smallRound = 100

// suggestFull says that gates which ask one call after the other can ask all at
// once, if this round holds some of theirs and little in all.
func suggestFull(w io.Writer, plan engine.Plan, requests map[string]int) error {
	full, err := plan.AskEverything()
	if err != nil {
		return err
	}
	total, gates := 0, []string(nil)
	for i, n := range plan.Nodes {
		total += requests[n.Name]
		if requests[n.Name] > 0 && !bytes.Equal(n.Config, full.Nodes[i].Config) {
			gates = append(gates, n.Name)
		}
	}
	if len(gates) == 0 || total >= smallRound {
		return nil
	}
	_, err = fmt.Fprintf(w, "only %d requests in this round, and each round brings the gates one call further: with --full-protocol, here and for build, %s would ask all at once\n", total, strings.Join(gates, ", "))
	return err
}
