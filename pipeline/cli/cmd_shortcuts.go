package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

type shortcutsCmd struct {
	releaseFlags `embed:""`

	JSON bool   `name:"json" help:"Print all findings as JSON."`
	Dir  string `arg:"" placeholder:"DIR" completion:"releases" help:"Folder of a release."`
	Seed uint64 `default:"1" help:"Seed of the folds and intervals."`
}

func (shortcutsCmd) Help() string {
	return `Tries a list of rules on the questions of a release (longest option, odd one out, what
the question names, what other questions offer, ...) and trains small models. It shows how
often each is right for each form of question, with a 95 % interval, compared with chance.
Copies of one fact count once; a rule counts over the facts of which it says something.
"Off chance" means that luck does not explain the figure, in either direction: a rule that
is never right rules an option out (Holm over all rules and forms, 5 %). "no power" means
that there are too few independent clusters for any figure to be off chance. "In every
cluster" means that all clusters have the same figure. One model is fitted on half of the
facts and scored once on the others. With the other questions of the cluster in view, a
solver also reads the other questions about the same pair, sequence or task: these figures
are corrected by themselves; they show that each question must be asked alone. Rules that
read the history, captions, exhibits or events are baselines, which are not corrected; a
"!" marks those above 60 %. Then the command counts copies and lists near-duplicates among distinct facts, those in different
splits first. Where separability was measured, it shows by level of likeness how well
single frames distinguish the two videos of a pair. No language model is asked.

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
	// Company has the figures of a solver who also reads the other questions of a
	// cluster, Baselines those of rules that read what the question is about, which are
	// not corrected.
	Company   []figureJSON `json:"with_other_questions"`
	Baselines []figureJSON `json:"baselines"`
	RStd      *float64     `json:"rstd"`
	Position  *float64     `json:"position_p"`
	// Sure is the corrected p of a rule that is always right. Powerless says that even
	// this rule would not be beyond chance.
	Sure      *float64 `json:"sure_p_adjusted"`
	Powerless bool     `json:"no_power"`
}

type figureJSON struct {
	Name     string          `json:"name"`
	Sees     shortcuts.Sight `json:"sees"`
	Facts    int             `json:"facts"`
	Accuracy audit.Interval  `json:"accuracy"`
	Chance   float64         `json:"chance"`
	P        float64         `json:"p"`
	Adjusted float64         `json:"p_adjusted"`
	Beyond   bool            `json:"off_chance"`
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
	found, err := c.study(r, e.reg)
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

func (c shortcutsCmd) study(r release.Contents, reg *pipeline.Registry) (shortcutsJSON, error) {
	subject, err := subjectOf(r, reg)
	if err != nil {
		return shortcutsJSON{}, err
	}
	subject.Chance = func(string) *rand.Rand { return rand.New(rand.NewPCG(c.Seed, 0)) }
	studies, err := shortcuts.Studies(subject)
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

// beyondChance bounds the probability that luck puts any figure off chance.
const beyondChance = 0.05

// highBaseline is above which a rule that reads the history is marked.
const highBaseline = 0.6

// subjectOf is what of a release is studied. Sessions are read from the disk, task by task.
func subjectOf(r release.Contents, reg *pipeline.Registry) (shortcuts.Subject, error) {
	out := shortcuts.Subject{
		Questions: r.Questions, Forms: reg.Forms(), Added: shortcuts.AddedRules(reg), Exhibits: map[string]shortcuts.Exhibit{},
		Happenings: shortcuts.Happenings(r.Events, r.Labels),
	}
	checkpoints := map[string][]schemas.Checkpoint{}
	for _, schema := range reg.Schemas() {
		t, _ := reg.Table(schema)
		isExhibit := slices.ContainsFunc(t.Columns, func(c rowschema.Column) bool { return c.Name == "rows" })
		if schema != schemas.NameCheckpoint && !isExhibit {
			continue
		}
		for rec, err := range r.Records(t) {
			if err != nil {
				return out, err
			}
			if isExhibit {
				err = shortcuts.AddExhibit(out.Exhibits, rec)
			} else {
				var c schemas.Checkpoint
				c, err = pipeline.Decode[schemas.Checkpoint](rec)
				checkpoints[c.TaskID] = append(checkpoints[c.TaskID], c)
			}
			if err != nil {
				return out, err
			}
		}
	}
	sessions, _ := reg.Table(schemas.NameSession)
	out.Materials = func(yield func(shortcuts.Material, error) bool) {
		m := shortcuts.Material{}
		for rec, err := range r.Records(sessions) {
			s, wrong := schemas.Session{}, err
			if err == nil {
				s, wrong = pipeline.Decode[schemas.Session](rec)
			}
			if wrong != nil {
				yield(m, wrong)
				return
			}
			if s.TaskID != m.TaskID {
				if m.TaskID != "" && !yield(m, nil) {
					return
				}
				m = shortcuts.Material{TaskID: s.TaskID, Checkpoints: checkpoints[s.TaskID]}
			}
			m.Sessions = append(m.Sessions, s)
		}
		if m.TaskID != "" {
			yield(m, nil)
		}
	}
	return out, nil
}

func newFormJSON(s *shortcuts.Study) formJSON {
	out := formJSON{Form: s.Form, Questions: s.Questions, Facts: s.Facts, Clusters: s.Clusters, Figures: []figureJSON{}, Company: []figureJSON{}, Baselines: []figureJSON{}}
	if s.TooFew != nil {
		out.Why = s.TooFew.Error()
		return out
	}
	out.RStd, out.Position = &s.RStd, &s.Position
	out.Sure, out.Powerless = &s.LeastPValue, s.Powerless(beyondChance)
	convert := func(f shortcuts.Figure) figureJSON {
		return figureJSON{f.Name, f.Sees, f.Facts, audit.Interval(f.Accuracy), f.Chance, f.PValue, f.Adjusted, f.BeyondChance(beyondChance)}
	}
	for _, f := range s.Figures {
		out.Figures = append(out.Figures, convert(f))
	}
	for _, f := range s.Company {
		out.Company = append(out.Company, convert(f))
	}
	for _, f := range s.Baselines {
		out.Baselines = append(out.Baselines, convert(f))
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
		safetext.Fprintf(out, "  no power: in %d clusters a rule that is always right has p = %.2g after correction, so no figure below can be off chance\n", f.Clusters, *f.Sure)
	}
	for _, g := range f.Figures {
		printFigure(out, g, noteOf(g))
	}
	fmt.Fprintln(out, "  with the other questions of the cluster in view:")
	for _, g := range f.Company {
		printFigure(out, g, noteOf(g))
	}
	if len(f.Baselines) > 0 {
		fmt.Fprintln(out, "  baselines, which read what is asked about:")
	}
	for _, g := range f.Baselines {
		note := ""
		if g.Accuracy.Value > highBaseline {
			note = "!"
		}
		printFigure(out, g, note)
	}
	safetext.Fprintf(out, "  positions of the answer: RStd %.3f, p = %.3f\n\n", *f.RStd, *f.Position)
}

func noteOf(g figureJSON) string {
	if g.Beyond {
		return fmt.Sprintf("p = %.2g  off chance", g.P)
	}
	return fmt.Sprintf("p = %.2g", g.P)
}

func printFigure(out io.Writer, g figureJSON, note string) {
	safetext.Fprintf(out, "  %-60s %5.1f %% %-16s of %4d facts, chance %4.1f %%  %s\n", g.Name, 100*g.Accuracy.Value, agreement.Interval(g.Accuracy).Span(), g.Facts, 100*g.Chance, note)
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
