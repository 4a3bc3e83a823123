package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/server"
)

// estimate is what the calls of one node to one model will take.
type estimate struct {
	node, task, model string
	calls             int
	usage             pipeline.Usage
}

// printCalls runs what needs no language model and says what the rest would
// ask: calls, tokens and cost. Calls that only follow from an answer are not
// among them.
func printCalls(e *env, cfg *config.Config) error {
	err := assemble.CollectRequests(e, e.reg, cfg, assemble.Options{Getenv: e.getenv, Drain: e.stop.Drain()})
	if errors.Is(err, assemble.ErrNoModels) {
		_, err := fmt.Fprintf(e.out, "\n%v\n", err)
		return err
	}
	var lost *engine.LostError
	if err != nil && !errors.As(err, &lost) {
		return err
	}
	if lost != nil {
		fmt.Fprintf(e.err, "warning: %v\n", lost)
	}
	return withLedger(e, true, func(l *ledger.Ledger) error {
		all, err := estimates(e, l, cfg)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nNODE\tTASK\tMODEL\tCALLS\tINPUT\tOUTPUT\tCOST")
		for _, x := range all {
			price := "no price"
			if p := cfg.Models[x.model].Price; p != nil {
				price = fmt.Sprintf("%.4f %s", client.Cost(p, x.usage), p.Currency)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", x.node, x.task, x.model, x.calls, x.usage.Input, x.usage.Output, price)
		}
		if len(all) == 0 {
			fmt.Fprintln(w, "nothing is left to ask")
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if _, err := printWaiting(e, l); err != nil {
			return err
		}
		return printProtocols(e, cfg.Plan, cfg.Models, all)
	})
}

// printProtocols says of every gate that puts one call after another how many
// its verdicts will take: each item waits with its next call.
func printProtocols(e *env, plan engine.Plan, models map[string]server.Model, all []*estimate) error {
	waiting := map[string]*bill{}
	for _, x := range all {
		if waiting[x.node] == nil {
			waiting[x.node] = &bill{cost: map[string]float64{}}
		}
		waiting[x.node].add(x, models[x.model].Price)
	}
	for _, n := range plan.Steps {
		if waiting[n.Name] == nil {
			continue
		}
		one, err := forecastOneItem(e.reg, n)
		if err != nil {
			return err
		}
		if one.CallsFull <= one.Calls {
			continue
		}
		b := waiting[n.Name]
		fmt.Fprintf(e.out, "%s asks one call after another: about %s until all %.0f verdicts are settled; %s by the full protocol\n",
			n.Name, b.describe(one.Calls), b.calls, b.describe(one.CallsFull))
	}
	return nil
}

// bill adds up the calls with which the items of a gate wait.
type bill struct {
	calls, input, output float64
	// cost by currency, of calls to models with a price; priceless are the others.
	cost      map[string]float64
	priceless bool
}

func (b *bill) add(x *estimate, p *server.Price) {
	b.calls += float64(x.calls)
	b.input += float64(x.usage.Input)
	b.output += float64(x.usage.Output)
	if p == nil {
		b.priceless = true
		return
	}
	b.cost[p.Currency] += client.Cost(p, x.usage)
}

// describe says what so many calls an item come to, when all are as those that wait.
func (b *bill) describe(each float64) string {
	text := fmt.Sprintf("%.0f calls (%.0f tokens in, %.0f out", b.calls*each, b.input*each, b.output*each)
	for _, currency := range slices.Sorted(maps.Keys(b.cost)) {
		text += fmt.Sprintf(", %.4f %s", b.cost[currency]*each, currency)
	}
	if b.priceless {
		text += ", no price"
	}
	return text + ")"
}

// estimates adds up what waits, in the order in which nodes were met.
func estimates(e *env, l *ledger.Ledger, cfg *config.Config) ([]*estimate, error) {
	stats, err := l.Stats(e)
	if err != nil {
		return nil, err
	}
	var all []*estimate
	err = l.EachPending(e, func(p ledger.Pending) error {
		x := &estimate{node: p.Step, task: p.Request.Task, model: p.Name}
		for _, known := range all {
			if known.node == x.node && known.task == x.task && known.model == x.model {
				x = known
			}
		}
		if x.calls == 0 {
			all = append(all, x)
		}
		u := guessUsage(p.Request, cfg.Models[p.Name], stats)
		x.calls++
		x.usage.Input += u.Input
		x.usage.Cached += u.Cached
		x.usage.Output += u.Output
		return nil
	})
	return all, err
}

// Tokens of a request about which nothing is known.
const (
	charsPerToken  = 4
	tokensPerImage = 1000
	tokensAnswered = 500
)

// guessUsage is the mean of what the model took for the task so far, or else a
// guess from the size of the request and the longest answer.
func guessUsage(r pipeline.Request, m server.Model, stats []ledger.Stat) pipeline.Usage {
	for _, s := range stats {
		if s.Task == r.Task && s.Model == r.Model && s.Host == r.Host && s.Outcome == "ok" && s.Calls > 0 {
			return pipeline.Usage{Input: s.Usage.Input / s.Calls, Cached: s.Usage.Cached / s.Calls, Output: s.Usage.Output / s.Calls}
		}
	}
	u := pipeline.Usage{Input: int64(len(r.Text)+len(r.Schema)) / charsPerToken}
	for _, msg := range r.Messages {
		u.Input += int64(len(msg.Text)/charsPerToken + tokensPerImage*len(msg.Images))
	}
	if r.Task != pipeline.EmbedTask {
		u.Output = tokensAnswered
		if m.Sampling.MaxTokens > 0 {
			u.Output = int64(m.Sampling.MaxTokens)
		}
	}
	return u
}
