package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
)

type auditCmd struct {
	releaseFlags `embed:""`

	JSON         bool    `name:"json" help:"Print everything that was found as JSON."`
	Rerun        bool    `help:"Then ask the gates' models again, through another panel."`
	Panel        string  `placeholder:"NAME" help:"Who is asked with --rerun: a panel or a model of the configuration, or built-in."`
	FullProtocol bool    `help:"With --rerun, ask everything, also what cannot change a verdict."`
	MaxCost      *amount `placeholder:"AMOUNT" help:"Stop before models cost more than this, in the currency of their prices; 0 spends nothing."`
	Offline      bool    `help:"Never use the network; replay recorded answers."`
	Pubkey       *string `placeholder:"FILE|KEY" help:"Check the release's signature with this public key of minisign, a file or the key itself."`
	Dir          string  `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
}

// Help is shown below the flags.
func (auditCmd) Help() string {
	return `Verifies every byte, as memforge verify does, then works out again what of verdicts,
gold, counts, texts and media follows from tables and files of the release, says what
is another, and counts what follows from nothing. It needs no configuration, no
store and no network. docs/forgeries.md lists which forgeries it finds; --pubkey
checks that the owner of a key signed the release.

With --rerun it goes on, if nothing differs, and puts the gates' questions to
another panel: how far its answers and verdicts are those of the release, which
are not, and what it cost. Answers are recorded, so a rerun of a rerun is free.

Examples:
  memforge audit out/releases/demo/1.0.0
  memforge audit --json "$(memforge release latest)"
  memforge audit -f panels.yaml --rerun --panel others --max-cost 5 out/releases/demo/1.0.0`
}

// Run audits and prints what was found; docs/exit-codes.md lists its codes.
func (c auditCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := checkReleaseDir("audit", c.Dir); err != nil {
		return err
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
	if c.JSON {
		err = writeJSON(e.out, auditJSON{report, report.State(), signature, nil})
	} else {
		err = printAudit(e.out, report, signature)
	}
	if err != nil {
		return err
	}
	if c.Rerun {
		fmt.Fprintln(e.err, "nobody is asked again about a release that does not come out clean")
	}
	return verdict
}

// readRelease reads the release; damaged are tables of other bytes, whose rows hold.
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
	case !c.Rerun && (c.Panel != "" || c.FullProtocol || c.MaxCost != nil || c.Offline):
		return &usageError{errors.New("--panel, --full-protocol, --max-cost and --offline go with --rerun")}
	}
	return nil
}

// auditJSON is what --json prints.
type auditJSON struct {
	audit.Report
	State audit.State `json:"state"`
	// Signature says in words what was checked of the release's signature.
	Signature string `json:"signature"`
	// Rerun is null unless asked for.
	Rerun *rerunJSON `json:"rerun"`
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
		return &auditError{audit.Errored, fmt.Sprintf("not all of the release can be worked out again by this program: %s; audit it with the memforge that built it", strings.Join(parts, ", "))}
	case audit.Unjudged:
		return &auditError{audit.Unjudged, fmt.Sprintf("nothing differs, and gates do not stand behind all that is released: %s; what they did not decide about is as good as its author", strings.Join(parts, ", "))}
	}
	return nil
}

// shownDifferences bounds what is printed of one part; --json has all.
const shownDifferences = 10

func printAudit(out io.Writer, r audit.Report, signature string) error {
	safetext.Fprintf(out, "%s\nsignature: %s\n\n", r.Release, signature)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GATE\tPLUGIN\tVERDICTS\tPROBES\tWORKED OUT AGAIN\tWITHOUT A JUDGEMENT")
	for _, g := range r.Gates {
		safetext.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", g.Name, g.Use, g.Verdicts, g.Probes, formatState(g.State, g.Why, g.Wrong), cmp.Or(g.Outcomes.Unjudged(), "-"))
	}
	parts := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(parts, "STATED IN\tWORKED OUT AGAIN")
	for _, p := range r.Parts {
		text := formatPart(p)
		if r.FollowsFromOthers(p) {
			text = "differs, as what it is made of does; --json lists where"
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
	printAgreement(out, "gate %s, who was asked the same", "marks", r.Agreement)
	printAgreement(out, "draw %s, who decided about the same", "decisions", r.Reviews)
	if err := printGains(out, r.Gains); err != nil {
		return err
	}
	return printTotal(out, r)
}

// printAgreement prints how far those who were asked the same agree.
func printAgreement(out io.Writer, head, what string, all []audit.Agreement) {
	for _, a := range all {
		safetext.Fprintf(out, "\n"+head+"\n", a.Gate)
		if a.Partial {
			fmt.Fprintln(out, partialNote)
		}
		for _, o := range a.OneOpinion {
			safetext.Fprintf(out, "  (%s: that they agree is one opinion)\n", o)
		}
		for _, p := range a.Pairs {
			printPair(out, what, p)
		}
		if a.Alpha != nil {
			safetext.Fprintf(out, "  %s of all: Krippendorff's alpha %.3f [%.3f, %.3f] over %d\n", what, a.Alpha.Value, a.Alpha.Low, a.Alpha.High, a.Alpha.Units)
		}
	}
}

// printUnchecked prints what of derived questions follows from nothing.
func printUnchecked(out io.Writer, g audit.Gold) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(g.Unconstrained)) {
		lines = append(lines, fmt.Sprintf("%s: %d", name, g.Unconstrained[name]))
	}
	printList(out, fmt.Sprintf("of %s: follows from nothing, in so many rows", g.Family), lines)
}

// partialNote goes before figures over calls that their answers selected.
const partialNote = "  (who answers decides what is asked next: the calls in common are a selection, and figures over them no estimate)"

func formatState(s audit.State, why string, differences int) string {
	switch {
	case why != "":
		return fmt.Sprintf("%s: %s", s, why)
	case s == audit.Differs:
		return fmt.Sprintf("%s: %d", s, differences)
	}
	return string(s)
}

// formatPart counts what was held of a part that counts, and says why not all.
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

// printList prints the first of many; it prints nothing when there is none.
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

// printPair prints how far two agree, with the confusion matrix: rows are A's.
func printPair(out io.Writer, what string, p audit.PairAgreement) {
	kappa := "kappa undefined, both gave one label throughout"
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
	_, err := fmt.Fprintf(out, "\n%s: %d of %d verdicts and the gold of %d of %d questions worked out again and the same\n", state, same, all, derived, questions)
	return err
}
