package cli

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/gates/shortcut"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

type shortcutsCmd struct {
	Dir  string `arg:"" placeholder:"DIR" help:"Folder of a release."`
	Seed uint64 `default:"1" help:"Seed of the folds and intervals."`
}

// Help is shown below the flags.
func (shortcutsCmd) Help() string {
	return `Trains small models on the release's own questions, without any
evidence, and tries simple rules (longest option, odd one out, ...): how often
each is right by form of question, with a 95 % interval, against chance. No
language model is asked.

Example:
  memforge shortcuts "$(memforge release latest)"`
}

// Run studies the questions of a release form by form.
func (c shortcutsCmd) Run(e *env) error {
	if err := releaseThere("study", c.Dir); err != nil {
		return err
	}
	r, err := release.Read(e, c.Dir)
	if err != nil {
		return err
	}
	forms := shortcut.Forms(r.Questions)
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		var qs []schemas.Question
		for _, i := range forms[form] {
			qs = append(qs, r.Questions[i])
		}
		s, err := shortcut.Run(qs, rand.New(rand.NewPCG(c.Seed, 0)))
		if errors.Is(err, shortcut.ErrTooFew) {
			fmt.Fprintf(e.out, "%s: %d questions; %v\n\n", form, len(qs), err)
			continue
		}
		if err != nil {
			return fmt.Errorf("study %s: %w", form, err)
		}
		printStudy(e, form, s)
	}
	return nil
}

func printStudy(e *env, form string, s shortcut.Study) {
	fmt.Fprintf(e.out, "%s: %d questions, chance %.1f %%\n", form, s.Items, 100*s.Figures[0].Chance)
	for _, f := range s.Figures {
		note := ""
		if f.Beyond() {
			note = "  beyond chance"
		}
		fmt.Fprintf(e.out, "  %-36s %5.1f %% [%.1f, %.1f]%s\n", f.Name, 100*f.Accuracy.Value, 100*f.Accuracy.Low, 100*f.Accuracy.High, note)
	}
	fmt.Fprintf(e.out, "  positions of the answer: RStd %.3f, p = %.3f; near-duplicates: %d\n\n", s.RStd, s.Position, len(s.Copies))
}
