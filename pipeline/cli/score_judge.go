package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
)

// addLabels adds a judge's labels to answers: those of a file, or what a model says, which is
// written to that file. It waits where the requests went into a batch.
func (c scoreCmd) addLabels(e *env, asked score.QuestionSet, answers map[string]string) (waits bool, err error) {
	if c.Judge == "" && c.Labels == "" {
		return false, nil
	}
	judged, can := asked.(score.Judged)
	if !can {
		return false, &usageError{fmt.Errorf("the rules of %s have nothing for a judge: they compare keys, calls or places", c.Format)}
	}
	if c.Judge != "" {
		cases, err := judged.Cases(answers)
		if err != nil {
			return false, &inputError{fmt.Errorf("score: %w", err)}
		}
		if ready, err := c.askJudge(e, cases, answers); err != nil || !ready {
			return true, err
		}
	}
	labels, err := score.ReadFile(c.labelsFile(), score.ReadLabels)
	if err == nil {
		err = score.AddLabels(labels, judged, answers)
	}
	if err != nil {
		return false, &inputError{fmt.Errorf("score: %s: %w", c.labelsFile(), err)}
	}
	judges, unjudged := score.DescribeLabels(labels)
	for _, who := range judges {
		safetext.Fprintf(e.err, "note: %s\n", who)
	}
	for _, n := range unjudged {
		safetext.Fprintf(e.err, "warning: %s\n", n)
	}
	return false, nil
}

func (c scoreCmd) labelsFile() string { return cmp.Or(c.Labels, score.LabelsFile(c.Answers)) }

// askJudge has a model label what has no label among the answers, and writes the labels. They
// are ready unless their requests went into a batch.
func (c scoreCmd) askJudge(e *env, cases []score.Case, answers map[string]string) (ready bool, err error) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(one score.Case) bool {
		return !slices.ContainsFunc(one.IDs, func(id string) bool { _, given := answers[id+score.JudgeSuffix]; return !given })
	})
	cfg, err := e.loadPanelConfig(c.Judge)
	if err != nil {
		return false, err
	}
	names, identities, err := cfg.Panel(c.Judge, []string{runner.RoleJudges})
	if err != nil {
		return false, &usageError{fmt.Errorf("--judge: %w", err)}
	}
	if len(names) == 0 {
		return false, &usageError{errors.New("--judge: the built-in model has no rule to judge by; name a model of the configuration, or score without --judge: figures of rules have names of their own")}
	}
	use := asking(runner.Asking{Registry: e.reg}, names, identities, runner.RoleJudges)
	c.printJudgeForecast(e.err, cfg, names[runner.RoleJudges], use.Name, cases)
	live, finish, err := openClient(e, cfg, identities, client.Options{
		Roles: names, Offline: c.Offline, MaxCost: c.MaxCost.pointer(), Collect: c.Batch != "", Drain: e.stop.Drain(), Grace: cfg.Run.Grace,
	})
	if err != nil {
		return false, err
	}
	use.Models = live
	labels, open, err := runner.Judge(e, use, cases, cmp.Or(cfg.Run.Limits.Model, 8))
	total, closeErr := finish()
	if spent := formatSpending(total); spent != "" {
		safetext.Fprintf(e.err, "models: %s\n", spent)
	}
	switch err = errors.Join(err, closeErr); {
	case err != nil:
		return false, err
	case open > 0 && c.Batch != "":
		return false, writeBatch(e, cfg, c.Batch, open)
	case open > 0:
		return false, &openQuestionsError{open}
	}
	err = atomicfile.Write(c.labelsFile(), 0o644, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, l := range labels {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("score: write labels: %w", err)
	}
	safetext.Fprintf(e.err, "labels: %s\n", shortPath(c.labelsFile()))
	return true, nil
}

// judgeTokens is about what a judge says of one subject, judgePrompt what a prompt takes
// beside its texts.
const judgeTokens, judgePrompt = 40, 500

func (c scoreCmd) printJudgeForecast(out io.Writer, cfg *config.Config, name, who string, cases []score.Case) {
	requests, subjects, chars := 0, 0, 0
	for _, one := range cases {
		if len(one.Known) > 0 {
			continue
		}
		requests, subjects, chars = requests+1, subjects+len(one.Subjects), chars+len(one.Question)
		for _, text := range slices.Concat(one.Subjects, one.Against) {
			chars += len(text)
		}
	}
	tokens := int64(model.TextTokens(float64(chars))) + int64(requests)*judgePrompt
	safetext.Fprintf(out, "%s is asked %d times for %d labels, about %d tokens in", who, requests, subjects, tokens)
	if price := cfg.Models[name].Price; price != nil {
		safetext.Fprintf(out, ", %.2f %s", client.Cost(price, pipeline.Usage{Input: tokens, Output: int64(subjects) * judgeTokens}), price.Currency)
	}
	fmt.Fprintln(out, "; recorded answers cost nothing")
}
