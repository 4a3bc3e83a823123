package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/model/sharedlimit"
	"github.com/memforge/memforge/pipeline/release"
)

// rerunJSON is a rerun with what it took.
type rerunJSON struct {
	rerun.Report
	Panel    string             `json:"panel"`
	Calls    int                `json:"model_calls"`
	Replayed int                `json:"model_calls_replayed"`
	Input    int64              `json:"input_tokens"`
	Output   int64              `json:"output_tokens"`
	Cost     map[string]float64 `json:"cost"`
	Unpriced int                `json:"model_calls_without_price"`
}

// loadPanelConfig is a configuration that has a panel: its models and panels. The built-in
// model needs none, so that anybody can ask it from anywhere.
func (e *env) loadPanelConfig(panel string) (*config.Config, error) {
	cfg, err := e.loadWith(config.LoadModels)
	if errors.Is(err, fs.ErrNotExist) && panel == config.BuiltIn {
		return &config.Config{Run: config.DefaultRun()}, nil
	}
	return cfg, err
}

// rerun asks another panel and prints what it said after the audit itself.
func (c auditCmd) rerun(e *env, contents release.Contents, report audit.Report, signature string) (err error) {
	cfg, err := e.loadPanelConfig(c.Panel)
	if err != nil {
		return err
	}
	models, identities, err := cfg.Panel(c.Panel, rerun.Roles(e.reg, contents))
	if err != nil {
		return &usageError{fmt.Errorf("--panel: %w", err)}
	}
	warnPanelPictures(e, rerun.PictureUses(e.reg, contents), models, cfg.Models)
	temp, err := os.MkdirTemp("", "memforge-audit-")
	if err != nil {
		return fmt.Errorf("folder for pictures: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	opt := rerun.Options{Roles: identities, Full: c.FullProtocol, Workers: cmp.Or(cfg.Run.Limits.Model, 8), Temp: temp}
	asked, err := openPanel(e, cfg, models, c.Offline, c.MaxCost, &opt)
	if err != nil {
		return err
	}
	found, err := rerun.Run(e, e.reg, contents, opt)
	total, closeErr := asked()
	if err = errors.Join(err, closeErr); err != nil {
		safetext.Fprintf(e.err, "models: %s\n", cmp.Or(formatSpending(total), "nothing was asked"))
		return err
	}
	out := rerunJSON{found, c.Panel, total.Calls, total.Replayed, total.Usage.Input, total.Usage.Output, total.Cost, total.Unpriced}
	if c.JSON {
		err = writeJSON(e.out, auditJSON{report, report.State(), signature, &out})
	} else {
		err = errors.Join(printAudit(e.out, report, signature), printRerun(e.out, found, c.Panel, total))
	}
	return errors.Join(err, rerunError(found))
}

// openPanel starts the client of a panel; asked says what it did and closes it.
func openPanel(e *env, cfg *config.Config, models map[string]string, offline bool, most *amount, opt *rerun.Options) (asked func() (client.Total, error), err error) {
	if len(models) == 0 {
		return func() (client.Total, error) { return client.Total{}, nil }, nil
	}
	book, err := ledgerurl.Open(context.WithoutCancel(e), cfg.LedgerDir())
	if err != nil {
		return nil, err
	}
	board, unshare, err := sharedlimit.OpenFor(context.WithoutCancel(e), cfg.LedgerDir())
	if err != nil {
		return nil, errors.Join(err, book.Close())
	}
	live, err := client.New(client.Options{
		Models: cfg.Models, Roles: models, Ledger: book, Getenv: e.getenv, Shared: board,
		Offline: offline || cfg.Run.Offline, MaxCost: cmp.Or(most.pointer(), cfg.Run.MaxCost),
	}, opt.Roles)
	if err != nil {
		return nil, errors.Join(err, unshare(), book.Close())
	}
	opt.Models = live
	return func() (client.Total, error) { return live.Total(), errors.Join(unshare(), book.Close()) }, nil
}

// rerunError is an error where another panel judges otherwise, or cannot.
func rerunError(r rerun.Report) error {
	var unknown []string
	for _, g := range r.Gates {
		if g.Why != "" {
			unknown = append(unknown, "gate "+g.Name)
		}
	}
	switch {
	case len(r.Judged) > 0:
		return &auditError{audit.Differs, fmt.Sprintf("the panel judges %d items otherwise than the release", len(r.Judged))}
	case len(r.Skipped) > 0 || len(unknown) > 0:
		return &auditError{audit.Errored, fmt.Sprintf("%d items and %d gates could not be judged again", len(r.Skipped), len(unknown))}
	}
	return nil
}

func printRerun(out io.Writer, r rerun.Report, panel string, total client.Total) error {
	safetext.Fprintf(out, "\nasked again: panel %s\n", panel)
	for _, g := range r.Gates {
		if g.Why != "" {
			safetext.Fprintf(out, "\ngate %s (%s) was not asked: %s\n", g.Name, g.Use, g.Why)
			continue
		}
		safetext.Fprintf(out, "\ngate %s (%s): %d items, %d calls, %d of them in the release as well\n", g.Name, g.Use, g.Items, g.Calls, g.Shared)
		if g.Partial {
			fmt.Fprintln(out, partialNote)
		}
		printComparison(out, "answers", g.Answers)
		printComparison(out, "verdicts", g.Verdicts)
	}
	if len(r.Gates) > 1 {
		fmt.Fprintln(out, "\nall gates")
		printComparison(out, "answers", r.Answers)
		printComparison(out, "verdicts", r.Verdicts)
	}
	printFlips(out, r)
	_, err := fmt.Fprintf(out, "\nmodels: %s\n", cmp.Or(formatSpending(total), "only the built-in one was asked"))
	return err
}

func printComparison(out io.Writer, what string, p *audit.PairAgreement) {
	if p != nil {
		printPair(out, what, *p)
	}
}

func printFlips(out io.Writer, r rerun.Report) {
	var judged, answered, skipped []string
	for _, f := range r.Judged {
		judged = append(judged, fmt.Sprintf("%s, gate %s: %s, now %s", f.Item, f.Gate, f.Release, strings.TrimSuffix(f.Rerun+" ("+f.RerunReason+")", " ()")))
	}
	for _, f := range r.Answered {
		answered = append(answered, fmt.Sprintf("%s, gate %s, view %s, %s, rotation %d, run %d: %q, now %q", f.Item, f.Gate, f.View, f.Role, f.Rotation, f.Run, f.Release, f.Rerun))
	}
	for _, s := range r.Skipped {
		skipped = append(skipped, fmt.Sprintf("%s, gate %s: %s", s.Item, s.Gate, s.Why))
	}
	printList(out, fmt.Sprintf("%d verdicts flipped", len(judged)), judged)
	printList(out, fmt.Sprintf("%d answers flipped", len(answered)), answered)
	printList(out, fmt.Sprintf("%d items could not be judged again", len(skipped)), skipped)
}
