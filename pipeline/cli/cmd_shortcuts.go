package cli

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
)

type shortcutsCmd struct {
	releaseFlags `embed:""`

	JSON bool   `name:"json" help:"Print all findings as JSON."`
	Dir  string `arg:"" placeholder:"DIR" completion:"releases" help:"Folder of a release."`
	Seed uint64 `default:"1" help:"Seed of the folds and intervals."`
}

func (shortcutsCmd) Help() string {
	return `Trains small models on the questions of a release, without any evidence, and tries
simple rules (longest option, odd one out, ...). It shows how often each is right for
each form of question, with a 95 % interval, compared with chance. Copies of one fact
count once. "beyond chance" means that luck does not explain the figure, considering how
many were tried (Holm, 1 %); "no power" means that there are too few independent clusters
for any figure to be beyond chance. "In every cluster" means that all clusters have the
same figure, so that resampling gives no interval. With the other questions of the
cluster in view, a solver also reads the other questions about the same pair, sequence
or task: these figures are not corrected and flag nothing; they show that each question
must be asked alone. Then the command counts copies and lists near-duplicates among
distinct facts, those in different splits first. Where separability was measured, it
shows by level of likeness how well single frames distinguish the two videos of a pair.
No language model is asked.

Examples:
  memforge shortcuts "$(memforge release latest)"
  memforge shortcuts --json out/releases/demo/1.0.0`
}

// shortcutsJSON is the output of --json.
type shortcutsJSON struct {
	Release string     `json:"release"`
	Forms   []formJSON `json:"forms"`
	// Questions counts rows, Facts distinct facts, FactsAcross those in several splits.
	Questions   int        `json:"questions"`
	Facts       int        `json:"facts"`
	FactsAcross int        `json:"facts_across_splits"`
	Copies      []copyJSON `json:"near_duplicates"`
	// Separability is that of the pairs of videos, by level of likeness.
	Separability []audit.SeparabilityLevel `json:"separability"`
}

// formJSON is one form of question. If Why says that nothing could be learnt, figures
// are empty and the rest is null.
type formJSON struct {
	Form      string       `json:"form"`
	Questions int          `json:"questions"`
	Facts     int          `json:"facts"`
	Clusters  int          `json:"clusters"`
	Why       string       `json:"why"`
	Figures   []figureJSON `json:"figures"`
	// Beside has the figures of a solver who also reads the other questions of a
	// cluster: they flag nothing and are not corrected.
	Beside   []besideJSON `json:"with_other_questions"`
	RStd     *float64     `json:"rstd"`
	Position *float64     `json:"position_p"`
	// Sure is the corrected p of a rule that is always right. Powerless says that even
	// this rule would not be beyond chance.
	Sure      *float64 `json:"sure_p_adjusted"`
	Powerless bool     `json:"no_power"`
}

type figureJSON struct {
	Name     string         `json:"name"`
	Accuracy audit.Interval `json:"accuracy"`
	Chance   float64        `json:"chance"`
	P        float64        `json:"p"`
	Adjusted float64        `json:"p_adjusted"`
	Beyond   bool           `json:"beyond_chance"`
}

type besideJSON struct {
	Name     string         `json:"name"`
	Accuracy audit.Interval `json:"accuracy"`
	Chance   float64        `json:"chance"`
	P        float64        `json:"p"`
}

// copyJSON is a pair of near-duplicates.
type copyJSON struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Similarity float64 `json:"similarity"`
	SplitA     string  `json:"split_a"`
	SplitB     string  `json:"split_b"`
	Across     bool    `json:"across_splits"`
}

func (c shortcutsCmd) Run(e *env) error {
	if err := checkReleaseDir("shortcuts", c.Dir); err != nil {
		return err
	}
	r, err := c.limits().Read(e, c.Dir)
	if err != nil {
		return err
	}
	found, err := c.study(r, e.reg.Forms())
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, found)
	}
	for _, f := range found.Forms {
		printForm(e.out, f)
	}
	safetext.Fprintf(e.out, "%d questions ask for %d distinct facts; facts in several splits: %d\n", found.Questions, found.Facts, found.FactsAcross)
	printSeparability(e.out, found.Separability)
	printCopies(e.out, found.Copies)
	return nil
}

func (c shortcutsCmd) study(r release.Contents, forms shortcuts.Forms) (shortcutsJSON, error) {
	studies, err := shortcuts.Studies(r.Questions, forms, func(string) *rand.Rand { return rand.New(rand.NewPCG(c.Seed, 0)) })
	if err != nil {
		return shortcutsJSON{}, err
	}
	census := audit.TakeCensus(r.Questions)
	out := shortcutsJSON{
		Release: r.Manifest.ID, Questions: census.Questions, Facts: census.Facts, FactsAcross: census.Across,
		Forms: []formJSON{}, Copies: []copyJSON{}, Separability: []audit.SeparabilityLevel{},
	}
	for _, s := range studies {
		out.Forms = append(out.Forms, newFormJSON(s))
	}
	levels, err := audit.Separability(r.Questions, rand.New(rand.NewPCG(c.Seed, 1)))
	if err != nil {
		return out, err
	}
	out.Separability = append(out.Separability, levels...)
	for _, p := range census.Near {
		out.Copies = append(out.Copies, copyJSON{p.A, p.B, p.Similarity, p.SplitA, p.SplitB, p.CrossesSplits()})
	}
	return out, nil
}

// beyondChance bounds the probability that luck puts any figure beyond chance, as by
// default in the gate.
const beyondChance = 0.01

func newFormJSON(s shortcuts.Study) formJSON {
	out := formJSON{Form: s.Form, Questions: s.Questions, Facts: s.Facts, Clusters: s.Clusters, Figures: []figureJSON{}, Beside: []besideJSON{}}
	if s.TooFew != nil {
		out.Why = s.TooFew.Error()
		return out
	}
	out.RStd, out.Position = &s.RStd, &s.Position
	out.Sure, out.Powerless = &s.LeastPValue, s.Powerless(beyondChance)
	for _, f := range s.Figures {
		out.Figures = append(out.Figures, figureJSON{f.Name, audit.Interval(f.Accuracy), f.Chance, f.PValue, f.Adjusted, f.BeyondChance(beyondChance)})
	}
	for _, f := range s.WithOthers {
		out.Beside = append(out.Beside, besideJSON{f.Name, audit.Interval(f.Accuracy), f.Chance, f.PValue})
	}
	return out
}

func printForm(out io.Writer, f formJSON) {
	if f.Why != "" {
		safetext.Fprintf(out, "%s: %d questions, %d facts; %s\n\n", f.Form, f.Questions, f.Facts, f.Why)
		return
	}
	safetext.Fprintf(out, "%s: %d questions, %d facts in %d clusters, chance %.1f %%\n", f.Form, f.Questions, f.Facts, f.Clusters, 100*f.Figures[0].Chance)
	if f.Powerless {
		safetext.Fprintf(out, "  no power: in %d clusters a rule that is always right has p = %.2g after correction, so no figure below can be beyond chance\n", f.Clusters, *f.Sure)
	}
	for _, g := range f.Figures {
		note := ""
		if g.Beyond {
			note = "  beyond chance"
		}
		safetext.Fprintf(out, "  %-36s %5.1f %% %s  p = %.2g%s\n", g.Name, 100*g.Accuracy.Value, agreement.Interval(g.Accuracy).Span(), g.P, note)
	}
	fmt.Fprintln(out, "  with the other questions of the cluster in view:")
	for _, g := range f.Beside {
		safetext.Fprintf(out, "    %-48s %5.1f %% %s  p = %.2g\n", g.Name, 100*g.Accuracy.Value, agreement.Interval(g.Accuracy).Span(), g.P)
	}
	safetext.Fprintf(out, "  positions of the answer: RStd %.3f, p = %.3f\n\n", *f.RStd, *f.Position)
}

// shownCopies bounds the printed near-duplicates; --json has all.
const shownCopies = 20

func printCopies(out io.Writer, copies []copyJSON) {
	across := 0
	for _, c := range copies {
		if c.Across {
			across++
		}
	}
	if len(copies) == 0 {
		fmt.Fprintln(out, "near-duplicates among the facts: none")
		return
	}
	safetext.Fprintf(out, "near-duplicates among the facts: %d pairs, %d of them across splits\n", len(copies), across)
	for _, c := range copies[:min(len(copies), shownCopies)] {
		where := "both in " + c.SplitA
		if c.Across {
			where = "in " + c.SplitA + " and " + c.SplitB
		}
		safetext.Fprintf(out, "  %s and %s: similarity %.2f, %s\n", c.A, c.B, c.Similarity, where)
	}
	if more := len(copies) - shownCopies; more > 0 {
		safetext.Fprintf(out, "  and %d more; --json lists them\n", more)
	}
}

// printSeparability prints how well single frames tell the videos of a pair apart, by
// level of likeness.
func printSeparability(out io.Writer, levels []audit.SeparabilityLevel) {
	if len(levels) == 0 {
		return
	}
	fmt.Fprintln(out, "single frames distinguish the two videos of a pair (separability; 50 % is chance):")
	for _, l := range levels {
		of := "all pairs"
		if l.Likeness != "" {
			of = "likeness " + l.Likeness
		}
		safetext.Fprintf(out, "  %-36s %5.1f %% [%.1f, %.1f]  %d pairs, %.0f to %.0f %%\n", of,
			100*l.Separability.Value, 100*l.Separability.Low, 100*l.Separability.High, l.Pairs, 100*l.Least, 100*l.Most)
	}
	fmt.Fprintln(out)
}
