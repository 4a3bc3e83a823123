package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/inspect"
)

type showCmd struct {
	What    string `arg:"" name:"node|id" help:"Name of a node, or id of a record."`
	Most    int    `default:"3" placeholder:"N" help:"Show this many records and rejections, and what is asked for this many (${default}); 0 shows all."`
	Prompts bool   `help:"Show what is asked of models, as it would be put now. Nothing is sent and nothing is kept."`
	Save    string `placeholder:"DIR" help:"Write the pictures and other media of what is shown to this folder."`
	JSON    bool   `name:"json" help:"Print JSON lines: records, rejections and requests."`
}

// Help is shown below the flags.
func (showCmd) Help() string {
	return `Of a node: what it gave and lost in the newest build that made it. Of a record:
what it holds, and which nodes gave, read or lost it. With --prompts the node is
run once more over its input, to see what it asks: roles of the built-in model are
played, of other models only recorded answers are used. So a node can be looked at
that was never built, if what it reads was.

Before paying, for example:
  memforge build --only segment --limit 2
  memforge show describe --prompts --save /tmp/seen

Examples:
  memforge show pair
  memforge show q-0123456789abcdef --prompts
  memforge show blind --json --most 0`
}

// viewer is one run of the command.
type viewer struct {
	*showCmd
	e     *env
	cfg   *config.Config
	book  *inspect.Inspector
	store pipeline.Store
	print printer
}

// Run shows a node or a record.
func (c showCmd) Run(e *env) (err error) {
	if c.Most < 0 {
		return &usageError{fmt.Errorf("--most %d: want a number, or 0 for all", c.Most)}
	}
	cfg, err := e.load()
	if err != nil {
		return err
	}
	st, err := readStore(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	book, err := inspect.Open(e, st)
	if err != nil {
		return err
	}
	s := viewer{showCmd: &c, e: e, cfg: cfg, book: book, store: st, print: newPrinter(e.out, c.JSON, c.Save)}
	planned := slices.ContainsFunc(cfg.Plan.Steps, func(n engine.Step) bool { return n.Name == c.What })
	if made, ok := book.Step(c.What); ok {
		return s.showStep(made)
	}
	if planned && c.Prompts {
		return s.showPrompts(c.What, s.readInputs)
	}
	if planned {
		return &inputError{fmt.Errorf("no build has made node %s; `memforge build --only %s` does, and --prompts shows what it would ask", c.What, c.What)}
	}
	return s.showRecord()
}

// limitShown cuts a list to what is shown.
func limitShown[T any](c *showCmd, all []T) []T {
	if c.Most == 0 {
		return all
	}
	return all[:min(c.Most, len(all))]
}

func (s *viewer) showStep(n inspect.Step) error {
	given, err := s.book.Outputs(s.e, n.Name)
	if err != nil {
		return err
	}
	lost, err := s.book.Rejections(s.e, n.Name)
	if err != nil {
		return err
	}
	s.print.printStep(n, len(given), len(lost))
	recs, err := s.book.Records(s.e, limitShown(s.showCmd, given))
	if err != nil {
		return err
	}
	for _, r := range recs {
		if err := s.print.printRecord(s.e, s.store, r); err != nil {
			return err
		}
	}
	s.print.printMore(len(given)-len(recs), "records")
	shown := limitShown(s.showCmd, lost)
	for _, r := range shown {
		s.print.printRejection(n.Name, r)
	}
	s.print.printMore(len(lost)-len(shown), "rejections")
	if !s.Prompts {
		return s.print.err
	}
	return s.showPrompts(n.Name, s.readInputs)
}

func (s *viewer) showRecord() error {
	places, err := s.book.PlacesOf(s.e, s.What)
	if err != nil {
		return err
	}
	seen := map[pipeline.Digest]bool{}
	for _, p := range places {
		s.print.printPlace(p)
		if p.Given == nil || seen[p.Given.Digest] {
			continue
		}
		seen[p.Given.Digest] = true
		recs, err := s.book.Records(s.e, []pipeline.Ref{*p.Given})
		if err != nil {
			return err
		}
		if err := s.print.printRecord(s.e, s.store, recs[0]); err != nil {
			return err
		}
	}
	for _, p := range places {
		if !s.Prompts || len(p.Node.Identity.Prompts) == 0 {
			continue
		}
		inputs := s.readInputs
		if p.Unit.In.ID != "" {
			inputs = func(engine.Step) ([]pipeline.Ref, error) { return []pipeline.Ref{p.Unit.In}, nil }
		}
		if err := s.showPrompts(p.Node.Name, inputs); err != nil {
			return err
		}
	}
	return s.print.err
}

// readInputs are the records that a node reads, as far as they are shown.
func (s *viewer) readInputs(step engine.Step) ([]pipeline.Ref, error) {
	var in []pipeline.Ref
	for _, up := range step.From {
		if _, ok := s.book.Step(up); !ok {
			return nil, &inputError{fmt.Errorf("node %s reads %s, which no build has made; run `memforge build --only %s` first", step.Name, up, up)}
		}
		given, err := s.book.Outputs(s.e, up)
		if err != nil {
			return nil, err
		}
		for _, r := range given {
			if slices.Contains(step.Spec.Accepts, r.Schema) && !slices.Contains(in, r) {
				in = append(in, r)
			}
		}
	}
	if step.Each {
		in = limitShown(s.showCmd, in)
	}
	slices.SortFunc(in, func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) })
	return in, nil
}

// showPrompts shows what a node asks for inputs.
func (s *viewer) showPrompts(node string, inputs func(engine.Step) ([]pipeline.Ref, error)) (err error) {
	r, err := assemble.DryRun(s.e, s.e.reg, s.cfg, s.store, node, inputs, assemble.Options{Getenv: s.e.getenv})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for i, q := range r.Requests {
		if err := s.print.printRequest(s.e, r.Store, node, i, q); err != nil {
			return err
		}
	}
	s.print.printAsked(node, len(r.Requests), r.Waits)
	return s.print.err
}
