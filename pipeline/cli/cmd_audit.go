package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/model/sharedlimit"
	"github.com/memforge/memforge/pipeline/release"
)

type auditCmd struct {
	releaseFlags `embed:""`
	rebuildFlags `embed:""`

	JSON         bool    `name:"json" help:"Print all findings as JSON."`
	Rebuild      bool    `help:"Afterwards build the release again from its recipe, as memforge rebuild does, and compare every byte."`
	Rerun        bool    `help:"Afterwards ask another panel the gates' questions again."`
	Panel        string  `placeholder:"NAME" completion:"panels" help:"The panel of --rerun: a panel or a model of the configuration, or built-in."`
	FullProtocol bool    `help:"With --rerun, ask all questions, even where they cannot change a verdict."`
	MaxCost      *amount `placeholder:"AMOUNT" help:"Stop before models cost more than this, in the currency of their prices; 0 spends nothing."`
	Offline      bool    `help:"Never use the network; replay recorded answers."`
	Pubkey       *string `placeholder:"FILE|KEY" help:"Check the release's signature with this public key of minisign, a file or the key itself."`
	Dir          string  `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
}

func (auditCmd) Help() string {
	return `Verifies every byte, as memforge verify does, then recomputes what follows from the
tables and files of the release: verdicts, gold, counts, texts and media. It reports what
differs, and counts what cannot be recomputed. It needs no configuration, no store and
no network. docs/forgeries.md lists which forgeries it finds; --pubkey checks that the
owner of a key signed the release.

With --rerun, and if nothing differs, it asks another panel the gates' questions and
reports how far its answers and verdicts agree with those of the release, which differ,
and the cost. Answers are recorded, so repeating a rerun is free.

With --rebuild, and if nothing differs, it builds the release again from its recipe and
compares every byte: the strongest check, which takes as long as the build did.

Examples:
  memforge audit out/releases/demo/1.0.0
  memforge audit --json "$(memforge release latest)"
  memforge audit --rebuild out/releases/demo/1.0.0
  memforge audit -f panels.yaml --rerun --panel others --max-cost 5 out/releases/demo/1.0.0`
}

func (c auditCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := checkReleaseDir("audit", c.Dir); err != nil {
		return err
	}
	if c.Rerun { // before an audit that takes minutes
		if _, err := e.loadPanelConfig(c.Panel); err != nil {
			return err
		}
	}
	contents, damaged, err := c.readRelease(e)
	if err != nil {
		return err
	}
	signature, err := checkSignature(c.Pubkey, []byte(contents.Sums), contents.Signature)
	if err != nil {
		return err
	}
	report, err := audit.Run(e, e.reg, contents)
	if err != nil {
		return err
	}
	if c.Rerun && report.State() == audit.Same && damaged == nil {
		return c.rerun(e, contents, report, signature)
	}
	verdict := auditResult(report)
	if damaged != nil {
		report.AddDamaged(damaged.Problems)
		verdict = errors.Join(damaged, verdict)
	}
	if c.Rebuild && report.State() != audit.Differs && damaged == nil {
		return c.auditAndRebuild(e, contents, report, signature, verdict)
	}
	if c.JSON {
		err = writeJSON(e.out, auditJSON{report, report.State(), signature, nil, nil})
	} else {
		err = printAudit(e.out, report, signature)
	}
	if err != nil {
		return err
	}
	if c.Rebuild {
		fmt.Fprintln(e.err, "the release is not rebuilt, because the audit found problems")
	}
	if c.Rerun {
		fmt.Fprintln(e.err, "no panel is asked, because the audit found problems")
	}
	return verdict
}

// auditAndRebuild prints the result of the audit, builds the release again and prints how
// it compares.
func (c auditCmd) auditAndRebuild(e *env, contents release.Contents, report audit.Report, signature string, verdict error) error {
	if !c.JSON {
		if err := printAudit(e.out, report, signature); err != nil {
			return err
		}
	}
	found, err := c.rebuild(e, release.Info{Dir: contents.Dir, Manifest: contents.Manifest}, contents.Sources, c.MaxCost)
	if err != nil {
		return errors.Join(err, verdict)
	}
	if c.JSON {
		err = writeJSON(e.out, auditJSON{report, report.State(), signature, nil, &found})
	} else {
		fmt.Fprintln(e.out)
		err = printRebuild(e.out, found)
	}
	return errors.Join(err, rebuildError(found), verdict)
}

// readRelease reads the release. damaged lists tables with other bytes than recorded,
// whose rows are nevertheless usable.
func (c auditCmd) readRelease(e *env) (contents release.Contents, damaged *release.DamagedError, err error) {
	contents, err = c.limits().ReadRows(e, c.Dir)
	if contents.Dir != "" && errors.As(err, &damaged) {
		return contents, damaged, nil
	}
	return contents, nil, err
}

func (c auditCmd) check() error {
	switch {
	case c.Rerun && c.Panel == "":
		return &usageError{errors.New("--rerun needs --panel: a panel or a model of the configuration, or built-in")}
	case c.Rerun && c.Rebuild:
		return &usageError{errors.New("--rerun and --rebuild exclude each other: run audit twice")}
	case !c.Rebuild && c.rebuildFlags != (rebuildFlags{}):
		return &usageError{errors.New("--inputs, --cache and --trust go with --rebuild")}
	case !c.Rerun && (c.Panel != "" || c.FullProtocol || c.MaxCost != nil && !c.Rebuild || c.Offline):
		return &usageError{errors.New("--panel, --full-protocol, --max-cost and --offline go with --rerun, --max-cost also with --rebuild")}
	}
	return nil
}

// auditJSON is the output of --json.
type auditJSON struct {
	audit.Report
	State audit.State `json:"state"`
	// Signature says what was checked of the release's signature.
	Signature string `json:"signature"`
	// Rerun is null without --rerun.
	Rerun *rerunJSON `json:"rerun"`
	// Rebuild is null without --rebuild.
	Rebuild *assemble.RebuildReport `json:"rebuild"`
}

// writeLines writes rows as JSON lines.
func writeLines[T any](w io.Writer, rows []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// auditError is an audit that did not come out clean.
type auditError struct {
	state audit.State
	text  string
}

func (e *auditError) Error() string { return e.text }

func auditResult(r audit.Report) error {
	var parts []string
	for _, g := range r.Gates {
		if g.State == r.State() {
			parts = append(parts, "gate "+safetext.Line(g.Name))
		}
	}
	for _, p := range r.Parts {
		if p.State == r.State() && !r.FollowsFromOthers(p) {
			parts = append(parts, safetext.Line(p.Name))
		}
	}
	switch r.State() {
	case audit.Differs:
		return &auditError{audit.Differs, fmt.Sprintf("the release does not follow from its own tables: %s; do not rely on it, and ask whoever published it", strings.Join(parts, ", "))}
	case audit.Errored:
		return &auditError{audit.Errored, fmt.Sprintf("this program cannot recompute all of the release: %s; audit it with the memforge that built it", strings.Join(parts, ", "))}
	case audit.Unjudged:
		return &auditError{audit.Unjudged, fmt.Sprintf("nothing differs, but gates did not judge all that is released: %s; what they did not judge is only as good as its author", strings.Join(parts, ", "))}
	}
	return nil
}

// shownDifferences bounds the printed differences of one part; --json has all.
const shownDifferences = 10

func printAudit(out io.Writer, r audit.Report, signature string) error {
	safetext.Fprintf(out, "%s\nsignature: %s\n\n", r.Release, signature)
	w := &columns{out: out}
	fmt.Fprintln(w, "GATE\tPLUGIN\tVERDICTS\tPROBES\tRECOMPUTED\tUNJUDGED")
	for _, g := range r.Gates {
		safetext.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", g.Name, g.Use, g.Verdicts, g.Probes, formatState(g.State, g.Why, g.Wrong), cmp.Or(g.Outcomes.Unjudged(), "-"))
	}
	parts := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(parts, "PART\tRECOMPUTED")
	for _, p := range r.Parts {
		text := formatPart(p)
		if r.FollowsFromOthers(p) {
			text = "differs, because its inputs differ; --json lists where"
		}
		safetext.Fprintf(parts, "%s\t%s\n", p.Name, text)
	}
	err := w.Flush()
	fmt.Fprintln(out)
	if err = errors.Join(err, parts.Flush()); err != nil {
		return err
	}
	for _, g := range r.Gates {
		printList(out, "gate "+g.Name+" differs", g.Differences)
	}
	for _, p := range r.Parts {
		if !r.FollowsFromOthers(p) {
			printList(out, p.Name+" differs", p.Differences)
		}
	}
	for _, g := range r.Gold {
		printUnchecked(out, g)
	}
	printAgreement(out, "gate %s: agreement of models on the same questions", "marks", r.Agreement)
	printAgreement(out, "sample %s: agreement of people on the same items", "decisions", r.Reviews)
	if err := printGains(out, r.Gains); err != nil {
		return err
	}
	return printTotal(out, r)
}

func printAgreement(out io.Writer, head, what string, all []audit.Agreement) {
	for _, a := range all {
		safetext.Fprintf(out, "\n"+head+"\n", a.Gate)
		if a.Partial {
			fmt.Fprintln(out, partialNote)
		}
		for _, o := range a.OneOpinion {
			safetext.Fprintf(out, "  (%s: their agreement is that of one model)\n", o)
		}
		for _, p := range a.Pairs {
			printPair(out, what, &p)
		}
		if a.Alpha != nil {
			safetext.Fprintf(out, "  %s of all: Krippendorff's alpha %.3f [%.3f, %.3f] over %d\n", what, a.Alpha.Value, a.Alpha.Low, a.Alpha.High, a.Alpha.Units)
		}
	}
}

// printUnchecked prints the columns of derived questions that cannot be recomputed.
func printUnchecked(out io.Writer, g audit.Gold) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(g.Unconstrained)) {
		lines = append(lines, fmt.Sprintf("%s: %d", name, g.Unconstrained[name]))
	}
	printList(out, g.Family+": columns that cannot be recomputed (rows)", lines)
}

// partialNote precedes figures over calls that depend on their answers.
const partialNote = "  (answers decide which calls follow: the shared calls are a selection, so they have no kappa)"

func formatState(s audit.State, why string, differences int) string {
	switch {
	case why != "":
		return fmt.Sprintf("%s: %s", s, why)
	case s == audit.Differs:
		return fmt.Sprintf("%s: %d", s, differences)
	}
	return string(s)
}

// formatPart counts what was checked of a part, and says why not all.
func formatPart(p audit.Part) string {
	if p.Checked+p.Unchecked == 0 {
		return formatState(p.State, p.Why, len(p.Differences))
	}
	text := fmt.Sprintf("%s, %d of %d checked", formatState(p.State, "", len(p.Differences)), p.Checked, p.Checked+p.Unchecked)
	if p.Why != "" {
		text += ": " + p.Why
	}
	return text
}

// printList prints the first of many lines, and nothing without lines.
func printList(out io.Writer, head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	safetext.Fprintf(out, "\n%s:\n", head)
	for i, l := range lines {
		if i == shownDifferences {
			safetext.Fprintf(out, "  and %d more; --json lists them\n", len(lines)-i)
			return
		}
		safetext.Fprintf(out, "  %s\n", l)
	}
}

// printPair prints the agreement of two raters, if any, with the confusion matrix: rows
// are A's.
func printPair(out io.Writer, what string, p *audit.PairAgreement) {
	if p == nil {
		return
	}
	kappa := "no kappa"
	if len(p.Labels) == 1 {
		kappa = "kappa undefined, because both used one label only"
	}
	if p.Kappa != nil {
		kappa = fmt.Sprintf("kappa %.3f [%.3f, %.3f]", p.Kappa.Value, p.Kappa.Low, p.Kappa.High)
	}
	safetext.Fprintf(out, "  %s of %s and %s, %d: %s, equal %.1f %% [%.1f, %.1f]\n",
		what, p.A, p.B, p.Calls, kappa, 100*p.Observed.Value, 100*p.Observed.Low, 100*p.Observed.High)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	safetext.Fprintf(w, "    %s \\ %s\t", p.A, p.B)
	for _, l := range p.Labels {
		safetext.Fprintf(w, "%s\t", l)
	}
	fmt.Fprintln(w)
	for i, row := range p.Confusion {
		fmt.Fprintf(w, "    %s\t%s\t\n", safetext.Line(p.Labels[i]), strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", "\t"), "[]"))
	}
	w.Flush()
}

func printTotal(out io.Writer, r audit.Report) error {
	same, all := 0, 0
	for _, g := range r.Gates {
		all += g.Verdicts
		if g.State == audit.Same || g.State == audit.Differs {
			same += g.Verdicts - g.Unshown - g.Wrong
		}
	}
	derived, questions := 0, 0
	for _, g := range r.Gold {
		questions, derived = questions+g.Questions, derived+g.Derived
	}
	state := map[audit.State]string{audit.Same: "clean", audit.Differs: "differs", audit.Errored: "errored", audit.Unjudged: "unjudged"}[r.State()]
	_, err := fmt.Fprintf(out, "\n%s: %d of %d verdicts and the gold of %d of %d questions recomputed, with the same result\n", state, same, all, derived, questions)
	return err
}

// rerunJSON is a rerun with its cost.
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

// loadPanelConfig returns the models and panels of the configuration, which must have the
// panel. The built-in model needs none, so that anybody can ask it from anywhere.
func (e *env) loadPanelConfig(panel string) (*config.Config, error) {
	cfg, err := e.loadWith(config.LoadModels)
	if errors.Is(err, fs.ErrNotExist) && panel == config.BuiltIn {
		return &config.Config{Run: config.DefaultRun()}, nil
	}
	if err != nil {
		return nil, err
	}
	if _, _, err := cfg.Panel(panel, nil); err != nil {
		return nil, &usageError{fmt.Errorf("--panel: %w", err)}
	}
	return cfg, nil
}

// rerun asks another panel and prints the result after that of the audit.
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
		err = writeJSON(e.out, auditJSON{report, report.State(), signature, &out, nil})
	} else {
		err = errors.Join(printAudit(e.out, report, signature), printRerun(e.out, found, c.Panel, total))
	}
	return errors.Join(err, rerunError(found))
}

// openPanel starts the client of a panel. finish returns its totals and closes it.
func openPanel(e *env, cfg *config.Config, models map[string]string, offline bool, most *amount, opt *rerun.Options) (asked func() (client.Total, error), err error) {
	if len(models) == 0 {
		return func() (client.Total, error) { return client.Total{}, nil }, nil
	}
	live, asked, err := openClient(e, cfg, opt.Roles, client.Options{Roles: models, Offline: offline, MaxCost: most.pointer()})
	if err == nil {
		opt.Models = live
	}
	return asked, err
}

// openClient starts a client of the configuration's models with its ledger and limits.
// asked returns its totals and closes it.
func openClient(e *env, cfg *config.Config, identities map[string]pipeline.ModelIdentity, o client.Options) (live *client.Client, asked func() (client.Total, error), err error) {
	book, err := ledgerurl.Open(context.WithoutCancel(e), cfg.LedgerDir())
	if err != nil {
		return nil, nil, err
	}
	board, unshare, err := sharedlimit.OpenFor(context.WithoutCancel(e), cfg.LedgerDir())
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	o.Models, o.Ledger, o.Getenv, o.Shared = cfg.Models, book, e.getenv, board
	o.Offline, o.MaxCost = o.Offline || cfg.Run.Offline, cmp.Or(o.MaxCost, cfg.Run.MaxCost)
	if live, err = client.New(o, identities); err != nil {
		return nil, nil, errors.Join(err, unshare(), book.Close())
	}
	return live, func() (client.Total, error) { return live.Total(), errors.Join(unshare(), book.Close()) }, nil
}

// rerunError returns an error if another panel judges differently, or cannot judge.
func rerunError(r rerun.Report) error {
	var unknown []string
	for _, g := range r.Gates {
		if g.Why != "" {
			unknown = append(unknown, "gate "+g.Name)
		}
	}
	switch {
	case len(r.Judged) > 0:
		return &auditError{audit.Differs, fmt.Sprintf("the panel judges %d items differently from the release", len(r.Judged))}
	case len(r.Skipped) > 0 || len(unknown) > 0:
		return &auditError{audit.Errored, fmt.Sprintf("%d items and %d gates could not be judged again", len(r.Skipped), len(unknown))}
	}
	return nil
}

func printRerun(out io.Writer, r rerun.Report, panel string, total client.Total) error {
	safetext.Fprintf(out, "\nrerun with panel %s\n", panel)
	for _, g := range r.Gates {
		if g.Why != "" {
			safetext.Fprintf(out, "\ngate %s (%s) was not rerun: %s\n", g.Name, g.Use, g.Why)
			continue
		}
		safetext.Fprintf(out, "\ngate %s (%s): %d items, %d calls, %d of which are in the release too\n", g.Name, g.Use, g.Items, g.Calls, g.Shared)
		if g.Partial {
			fmt.Fprintln(out, partialNote)
		}
		printPair(out, "answers", g.Answers)
		printPair(out, "verdicts", g.Verdicts)
	}
	if len(r.Gates) > 1 {
		fmt.Fprintln(out, "\nall gates")
		printPair(out, "answers", r.Answers)
		printPair(out, "verdicts", r.Verdicts)
	}
	printFlips(out, r)
	_, err := fmt.Fprintf(out, "\nmodels: %s\n", cmp.Or(formatSpending(total), "only the built-in one was asked"))
	return err
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

// printGains prints the gain by pictures, model by model, if gates show all evidence
// and less.
func printGains(out io.Writer, gains []audit.Gain) error {
	if len(gains) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nmulti-modal gain (S_v - S_wv) and leakage (S_wv - base, at least 0), in % with 95 % intervals")
	if slices.ContainsFunc(gains, func(g audit.Gain) bool { return g.FirstCalls }) {
		fmt.Fprintln(out, "  (scores of the first, randomly chosen call: answers decide which calls follow)")
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
