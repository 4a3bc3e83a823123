package cli

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
)

type runCmd struct {
	releaseFlags `embed:""`

	scorers []score.Scorer

	Reference string        `placeholder:"NAME" completion:"systems" help:"Run a reference system instead of your own: ${references}."`
	URL       string        `name:"url" placeholder:"URL" help:"Run a server, which gets each message by HTTP POST."`
	For       string        `placeholder:"NAME" completion:"scorers" help:"Ask each question in the forms that these rules score: ${scorers}. Without it, ask it once as it is."`
	TopK      int           `name:"top-k" default:"10" help:"How many retrieved memories count for a question (${default})."`
	Captions  string        `enum:"dense,minimal,task_aware,none," default:"" placeholder:"LEVEL" help:"Captions that accompany pictures: dense, minimal, task_aware or none. By default dense for a system that takes no pictures, and minimal for one that does."`
	Timeout   time.Duration `default:"5m" help:"Time limit of each reply (${default})."`
	Restarts  int           `default:"2" help:"How often a system that exits or hangs is restarted for one task (${default})."`
	Release   string        `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	Folder    string        `arg:"" placeholder:"FOLDER" help:"Output folder. An interrupted run continues there."`
	Command   []string      `arg:"" optional:"" passthrough:"" placeholder:"COMMAND" help:"The system as a program with its arguments, after --."`
}

func (runCmd) Help() string {
	return `Runs a memory system on the tasks of a release: it receives the sessions turn by
turn, and the questions as soon as the sessions of their checkpoint are over. The
system implements the seven methods of WorldMemArena as JSON lines; docs/run.md
describes them, with an example in 40 lines of Python. FOLDER gets answers.jsonl for
memforge score, retrieved.jsonl, memories.jsonl, tasks.jsonl and latency.json.

Examples:
  memforge run --reference bm25 "$(memforge release latest)" out/run-bm25
  memforge run --for memeye "$(memforge release latest)" out/run-mine -- python3 mine.py
  memforge run --url http://127.0.0.1:8080/ out/releases/demo/1.0.0 out/run-server`
}

func (c runCmd) Run(e *env) error {
	if err := checkReleaseDir("run", c.Release); err != nil {
		return err
	}
	opts, err := c.runOptions(e)
	if err != nil {
		return &usageError{err}
	}
	if err := c.checkFlags(); err != nil {
		return &usageError{err}
	}
	contents, err := c.limits().Read(e, c.Release)
	if err != nil {
		return err
	}
	system, err := c.openSystem(contents)
	if err != nil {
		return &usageError{err}
	}
	sum, err := runner.Run(e, e.reg, contents, system, c.Folder, opts)
	if err = errors.Join(err, system.Close()); err != nil {
		return err
	}
	c.printTotals(e, sum)
	if sum.Failed > 0 {
		return &systemFailedError{sum.Failed, sum.Tasks}
	}
	return nil
}

func (c runCmd) checkFlags() error {
	named := 0
	for _, is := range []bool{c.Reference != "", c.URL != "", len(c.Command) > 0} {
		if is {
			named++
		}
	}
	switch {
	case named != 1:
		return errors.New("name one system: a program after --, --url, or --reference")
	case c.TopK < 1 || c.Restarts < 0 || c.Timeout <= 0:
		return errors.New("--top-k must be 1 or more, --restarts 0 or more, --timeout more than nothing")
	case c.URL != "":
		if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("--url %q is no http or https address", c.URL)
		}
	}
	return nil
}

func (c runCmd) openSystem(of release.Contents) (runner.System, error) {
	switch {
	case c.Reference != "":
		return runner.Reference(c.Reference, runner.GoldTurns(of))
	case c.URL != "":
		return runner.Server(c.URL, c.Timeout), nil
	}
	return runner.Command(slices.DeleteFunc(slices.Clone(c.Command), func(s string) bool { return s == "--" }), c.Timeout), nil
}

func (c runCmd) runOptions(e *env) (runner.Options, error) {
	o := runner.Options{TopK: c.TopK, Captions: c.Captions, Restarts: c.Restarts, Done: func(t runner.Outcome) {
		switch {
		case t.Err != nil:
			safetext.Fprintf(e.err, "task %s: %v\n", t.Task, t.Err)
		case t.Restarts > 0:
			safetext.Fprintf(e.err, "task %s: completed at attempt %d\n", t.Task, t.Restarts+1)
		}
	}}
	if c.For == "" {
		return o, nil
	}
	rules, err := selectNamed("--for", c.For, c.scorers, scorerName)
	o.Forms = rules.Forms
	return o, err
}

func (c runCmd) printTotals(e *env, sum runner.Totals) {
	fmt.Fprintf(e.out, "%d tasks, %d questions, %d answered\n", sum.Tasks, sum.Questions, sum.Answered)
	var times []string
	for _, method := range slices.Sorted(maps.Keys(sum.Latency)) {
		t := sum.Latency[method]
		times = append(times, fmt.Sprintf("%s %d calls %.1f s", method, t.Calls, t.Seconds))
	}
	safetext.Fprintf(e.err, "%s\n", strings.Join(times, ", "))
	fmt.Fprintln(e.out, shortPath(c.Folder))
}

// systemFailedError is a memory system that did not finish all tasks.
type systemFailedError struct{ failed, tasks int }

func (e *systemFailedError) Error() string {
	return fmt.Sprintf("the memory system failed in %d of %d tasks, listed above and in %s; fix it and run the same command again: completed tasks are kept", e.failed, e.tasks, runner.FileTasks)
}
