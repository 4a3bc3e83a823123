package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/gates/shortcut"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

type shortcutsCmd struct {
	JSON bool   `name:"json" help:"Print everything that was found as JSON."`
	Dir  string `arg:"" placeholder:"DIR" help:"Folder of a release."`
	Seed uint64 `default:"1" help:"Seed of the folds and intervals."`
}

// Help is shown below the flags.
func (shortcutsCmd) Help() string {
	return `Trains small models on the release's own questions, without any
evidence, and tries simple rules (longest option, odd one out, ...): how often
each is right by form of question, with a 95 % interval, against chance. Then it
lists near-duplicate questions, those in different splits first. No language
model is asked.

Examples:
  memforge shortcuts "$(memforge release latest)"
  memforge shortcuts --json out/releases/demo/1.0.0`
}

// shortcutsJSON is what --json prints.
type shortcutsJSON struct {
	Release string     `json:"release"`
	Forms   []formJSON `json:"forms"`
	Copies  []copyJSON `json:"copies"`
}

// formJSON is one form of question. Where Why says that nothing could be
// learnt, figures are empty and the rest is null.
type formJSON struct {
	Form      string       `json:"form"`
	Questions int          `json:"questions"`
	Why       string       `json:"why"`
	Figures   []figureJSON `json:"figures"`
	RStd      *float64     `json:"rstd"`
	Position  *float64     `json:"position_p"`
}

type figureJSON struct {
	Name     string         `json:"name"`
	Accuracy audit.Interval `json:"accuracy"`
	Chance   float64        `json:"chance"`
	Beyond   bool           `json:"beyond_chance"`
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

// Run studies the questions of a release form by form, and their copies.
func (c shortcutsCmd) Run(e *env) error {
	if err := releaseThere("study", c.Dir); err != nil {
		return err
	}
	r, err := release.Read(e, c.Dir)
	if err != nil {
		return err
	}
	found, err := c.study(r)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, found)
	}
	for _, f := range found.Forms {
		sayForm(e.out, f)
	}
	sayCopies(e.out, found.Copies)
	return nil
}

func (c shortcutsCmd) study(r release.Contents) (shortcutsJSON, error) {
	out := shortcutsJSON{Release: r.Manifest.ID, Forms: []formJSON{}, Copies: []copyJSON{}}
	forms := shortcut.Forms(r.Questions)
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		var qs []schemas.Question
		for _, i := range forms[form] {
			qs = append(qs, r.Questions[i])
		}
		s, err := shortcut.Run(qs, rand.New(rand.NewPCG(c.Seed, 0)))
		switch {
		case errors.Is(err, shortcut.ErrTooFew):
			out.Forms = append(out.Forms, formJSON{Form: form, Questions: len(qs), Why: err.Error(), Figures: []figureJSON{}})
		case err != nil:
			return out, fmt.Errorf("study %s: %w", form, err)
		default:
			out.Forms = append(out.Forms, formOf(form, s))
		}
	}
	for _, p := range shortcut.Copies(r.Questions) {
		out.Copies = append(out.Copies, copyJSON{p.A, p.B, p.Similarity, p.SplitA, p.SplitB, p.Leak()})
	}
	return out, nil
}

func formOf(form string, s shortcut.Study) formJSON {
	out := formJSON{Form: form, Questions: s.Items, RStd: &s.RStd, Position: &s.Position}
	for _, f := range s.Figures {
		out.Figures = append(out.Figures, figureJSON{f.Name, audit.Interval(f.Accuracy), f.Chance, f.Beyond()})
	}
	return out
}

func sayForm(out io.Writer, f formJSON) {
	if f.Why != "" {
		fmt.Fprintf(out, "%s: %d questions; %s\n\n", f.Form, f.Questions, f.Why)
		return
	}
	fmt.Fprintf(out, "%s: %d questions, chance %.1f %%\n", f.Form, f.Questions, 100*f.Figures[0].Chance)
	for _, g := range f.Figures {
		note := ""
		if g.Beyond {
			note = "  beyond chance"
		}
		fmt.Fprintf(out, "  %-36s %5.1f %% [%.1f, %.1f]%s\n", g.Name, 100*g.Accuracy.Value, 100*g.Accuracy.Low, 100*g.Accuracy.High, note)
	}
	fmt.Fprintf(out, "  positions of the answer: RStd %.3f, p = %.3f\n\n", *f.RStd, *f.Position)
}

// shownCopies bounds what is printed of near-duplicates; --json has all.
const shownCopies = 20

func sayCopies(out io.Writer, copies []copyJSON) {
	across := 0
	for _, c := range copies {
		if c.Across {
			across++
		}
	}
	if len(copies) == 0 {
		fmt.Fprintln(out, "near-duplicate questions: none")
		return
	}
	fmt.Fprintf(out, "near-duplicate questions: %d pairs, %d of them across splits\n", len(copies), across)
	for _, c := range copies[:min(len(copies), shownCopies)] {
		where := "both in " + c.SplitA
		if c.Across {
			where = "in " + c.SplitA + " and " + c.SplitB
		}
		fmt.Fprintf(out, "  %s and %s: similarity %.2f, %s\n", c.A, c.B, c.Similarity, where)
	}
	if more := len(copies) - shownCopies; more > 0 {
		fmt.Fprintf(out, "  and %d more; --json lists them\n", more)
	}
}
