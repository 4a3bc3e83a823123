package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
)

type auditCmd struct {
	JSON         bool    `name:"json" help:"Print everything that was found as JSON."`
	Rerun        bool    `help:"Then ask the gates' models again, through another panel."`
	Panel        string  `placeholder:"NAME" help:"Who is asked with --rerun: a panel or a model of the configuration, or built-in."`
	FullProtocol bool    `help:"With --rerun, ask everything, also what cannot change a verdict."`
	MaxCost      float64 `placeholder:"AMOUNT" help:"Stop before models cost more than this, in the currency of their prices."`
	Offline      bool    `help:"Never use the network; replay recorded answers."`
	Dir          string  `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
}

// Help is shown below the flags.
func (auditCmd) Help() string {
	return `Verifies every byte, as memforge verify does, then works every verdict, count and
text of the release out again from its own tables and says which are others. It
needs no configuration, no store and no network.

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
	if err := releaseThere("audit", c.Dir); err != nil {
		return err
	}
	contents, err := release.Read(e, c.Dir)
	if err != nil {
		return err
	}
	report, err := audit.Run(e, e.reg, contents)
	if err != nil {
		return err
	}
	if c.Rerun && report.State() == audit.Same {
		return c.again(e, contents, report)
	}
	if c.JSON {
		err = writeJSON(e.out, auditJSON{report, report.State(), nil})
	} else {
		err = sayAudit(e.out, report)
	}
	if err != nil {
		return err
	}
	if c.Rerun {
		fmt.Fprintln(e.err, "nobody is asked again about a release that does not come out clean")
	}
	return auditVerdict(report)
}

func (c auditCmd) check() error {
	switch {
	case c.Rerun && c.Panel == "":
		return &usageError{errors.New("--rerun needs --panel: a panel or a model of the configuration, or built-in")}
	case !c.Rerun && (c.Panel != "" || c.FullProtocol || c.MaxCost != 0 || c.Offline):
		return &usageError{errors.New("--panel, --full-protocol, --max-cost and --offline go with --rerun")}
	case c.MaxCost < 0:
		return &usageError{fmt.Errorf("--max-cost %g: want more than 0", c.MaxCost)}
	}
	return nil
}

// auditJSON is what --json prints.
type auditJSON struct {
	audit.Report
	State audit.State `json:"state"`
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

func auditVerdict(r audit.Report) error {
	var parts []string
	for _, g := range r.Gates {
		if g.State == r.State() {
			parts = append(parts, "gate "+g.Name)
		}
	}
	for _, p := range r.Parts {
		if p.State == r.State() {
			parts = append(parts, p.Name)
		}
	}
	switch r.State() {
	case audit.Differs:
		return &auditError{audit.Differs, fmt.Sprintf("the release does not follow from its own tables: %s; do not rely on it, and ask whoever published it", strings.Join(parts, ", "))}
	case audit.Errored:
		return &auditError{audit.Errored, fmt.Sprintf("not all of the release can be worked out again by this program: %s; audit it with the memforge that built it", strings.Join(parts, ", "))}
	}
	return nil
}

// shownDifferences bounds what is printed of one part; --json has all.
const shownDifferences = 10

func sayAudit(out io.Writer, r audit.Report) error {
	fmt.Fprintf(out, "%s\n\n", r.Release)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GATE\tPLUGIN\tVERDICTS\tPROBES\tWORKED OUT AGAIN")
	for _, g := range r.Gates {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", g.Name, g.Use, g.Verdicts, g.Probes, stateText(g.State, g.Why, g.Wrong))
	}
	parts := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(parts, "STATED IN\tWORKED OUT AGAIN")
	for _, p := range r.Parts {
		fmt.Fprintf(parts, "%s\t%s\n", p.Name, stateText(p.State, p.Why, len(p.Differences)))
	}
	err := w.Flush()
	fmt.Fprintln(out)
	if err = errors.Join(err, parts.Flush()); err != nil {
		return err
	}
	for _, g := range r.Gates {
		sayList(out, "gate "+g.Name+" differs", g.Differences)
	}
	for _, p := range r.Parts {
		sayList(out, p.Name+" differs", p.Differences)
	}
	for _, a := range r.Agreement {
		fmt.Fprintf(out, "\ngate %s, who was asked the same\n", a.Gate)
		if a.Partial {
			fmt.Fprintln(out, partialNote)
		}
		for _, p := range a.Pairs {
			sayPair(out, "marks", p)
		}
		if a.Alpha != nil {
			fmt.Fprintf(out, "  marks of all: Krippendorff's alpha %.3f [%.3f, %.3f] over %d calls\n", a.Alpha.Value, a.Alpha.Low, a.Alpha.High, a.Alpha.Units)
		}
	}
	if err := sayGains(out, r.Gains); err != nil {
		return err
	}
	return sayTotal(out, r)
}

// partialNote goes before figures over calls that their answers selected.
const partialNote = "  (who answers decides what is asked next: the calls in common are a selection, and figures over them no estimate)"

func stateText(s audit.State, why string, differences int) string {
	switch {
	case why != "":
		return fmt.Sprintf("%s: %s", s, why)
	case s == audit.Differs:
		return fmt.Sprintf("%s: %d", s, differences)
	}
	return string(s)
}

// sayList prints the first of many; it prints nothing when there is none.
func sayList(out io.Writer, head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", head)
	for i, l := range lines {
		if i == shownDifferences {
			fmt.Fprintf(out, "  and %d more; --json lists them\n", len(lines)-i)
			return
		}
		fmt.Fprintf(out, "  %s\n", l)
	}
}

// sayPair prints how far two agree, with the confusion matrix: rows are A's.
func sayPair(out io.Writer, what string, p audit.PairAgreement) {
	kappa := "kappa undefined, both gave one label throughout"
	if p.Kappa != nil {
		kappa = fmt.Sprintf("kappa %.3f [%.3f, %.3f]", p.Kappa.Value, p.Kappa.Low, p.Kappa.High)
	}
	fmt.Fprintf(out, "  %s of %s and %s, %d: %s, equal %.1f %% [%.1f, %.1f]\n",
		what, p.A, p.B, p.Calls, kappa, 100*p.Observed.Value, 100*p.Observed.Low, 100*p.Observed.High)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "    %s \\ %s\t%s\t\n", p.A, p.B, strings.Join(p.Labels, "\t"))
	for i, row := range p.Confusion {
		fmt.Fprintf(w, "    %s\t%s\t\n", p.Labels[i], strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", "\t"), "[]"))
	}
	w.Flush()
}

func sayTotal(out io.Writer, r audit.Report) error {
	same, all := 0, 0
	for _, g := range r.Gates {
		all += g.Verdicts
		if g.State == audit.Same || g.State == audit.Differs {
			same += g.Verdicts - g.Unshown - g.Wrong
		}
	}
	state := map[audit.State]string{audit.Same: "clean", audit.Differs: "differs", audit.Errored: "errored"}[r.State()]
	_, err := fmt.Fprintf(out, "\n%s: %d of %d verdicts worked out again and the same\n", state, same, all)
	return err
}
