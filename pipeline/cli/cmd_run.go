package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/release"
)

type runCmd struct {
	releaseFlags `embed:""`

	scorers []score.Scorer

	Reference string        `placeholder:"NAME" completion:"systems" help:"Run a reference system instead of your own: ${references}."`
	Model     string        `placeholder:"NAME" completion:"panels" help:"With --reference, the model that answers from what was retrieved: a model of the configuration, or built-in. Without it only the system nothing answers, by lot."`
	Embedder  string        `placeholder:"NAME" completion:"panels" help:"With --reference dense, the model that embeds turns and questions: a model of the configuration, or built-in."`
	Context   int           `default:"120000" placeholder:"TOKENS" help:"With --reference whole-history or recency, how many tokens are shown; earlier turns are left out (${default})."`
	Recency   float64       `placeholder:"SHARE" help:"With --reference dense, rank twice --top-k candidates by similarity and, to this share from 0 to 1, recency (MemEye D.4)."`
	Pictures  int           `default:"-1" placeholder:"N" help:"With --model, the most pictures of a request; by default what the model takes."`
	MaxCost   *amount       `placeholder:"AMOUNT" help:"Stop before models cost more than this, in the currency of their prices; 0 spends nothing."`
	Offline   bool          `help:"Never use the network; replay recorded answers."`
	Batch     string        `placeholder:"DIR" help:"Ask nothing: write the requests of --model as OpenAI Batch files to DIR; see memforge batch."`
	URL       string        `name:"url" placeholder:"URL" help:"Run a server, which gets each message by HTTP POST."`
	For       string        `placeholder:"NAME" completion:"scorers" help:"Ask the questions that these rules score, in their forms: ${scorers}. Without it, ask all questions once as they are."`
	Family    []string      `placeholder:"FAMILY" help:"Ask the questions of this family alone; may be repeated."`
	Merge     int           `placeholder:"N" help:"Put the histories of so many tasks into one store, in the groups that the rules of --for merge (memeye: 2 or 4, MemEye D.6); the other tasks are left out."`
	View      string        `default:"all" placeholder:"NAME" completion:"views" help:"What the system is shown: ${views} (${default})."`
	Isolation string        `enum:"state,process,none," default:"" placeholder:"KIND" help:"How each question starts from the state after the history: state (save_state and load_state of the system), process (started anew and told the history again) or none (it may remember earlier questions; tables say so). By default state where the system offers it, else process."`
	Parallel  int           `default:"0" placeholder:"N" help:"How many questions are asked at once: with a process for each (1), or of a reference system (8)."`
	TopK      int           `name:"top-k" default:"10" help:"How many retrieved memories count for a question (${default})."`
	Timeout   time.Duration `default:"5m" help:"Time limit of each reply (${default})."`
	Restarts  int           `default:"2" help:"How often a system that exits or hangs is restarted for one task (${default})."`
	Release   string        `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
	Folder    string        `arg:"" placeholder:"FOLDER" help:"Output folder. An interrupted run continues there."`
	Command   []string      `arg:"" optional:"" passthrough:"" placeholder:"COMMAND" help:"The system as a program with its arguments, after --."`
}

func (runCmd) Help() string {
	return `Runs a memory system on the tasks of a release: it receives the sessions turn by
turn, and the questions as soon as the sessions of their checkpoint are over. Each
question starts from the state after the history (--isolation). The system implements
the seven methods of WorldMemArena as JSON lines; docs/run.md describes them, with an
example in 40 lines of Python. FOLDER gets answers.jsonl for memforge score,
retrieved.jsonl, memories.jsonl, tasks.jsonl, usage.jsonl and latency.json.

Examples:
  memforge run --reference bm25 "$(memforge release latest)" out/run-bm25
  memforge run --reference whole-history --model hosted --max-cost 5 RELEASE out/run-whole
  memforge run --reference nothing --model hosted --view none RELEASE out/run-blind
  memforge run --for memeye "$(memforge release latest)" out/run-mine -- python3 mine.py
  memforge run --url http://127.0.0.1:8080/ out/releases/demo/1.0.0 out/run-server`
}

func (c runCmd) Run(e *env) (err error) {
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
	if err == nil {
		contents, err = c.selectQuestions(e, contents, &opts)
	}
	if err != nil {
		return err
	}
	opts.Pictures = runner.NewPictures(contents, "")
	defer func() { err = errors.Join(err, opts.Pictures.Close()) }()
	if c.Reference != "" {
		return c.runReference(e, contents, opts)
	}
	system := c.openSystem()
	sum, err := runner.Run(e, e.reg, contents, system, c.Folder, opts)
	if err = errors.Join(err, system.Close()); err != nil {
		return err
	}
	return c.printTotals(e, sum)
}

func (c runCmd) checkFlags() error {
	named := 0
	for _, is := range []bool{c.Reference != "", c.URL != "", len(c.Command) > 0} {
		if is {
			named++
		}
	}
	_, unknown := runner.ViewNamed(c.View)
	switch {
	case named != 1:
		return errors.New("name one system: a program after --, --url, or --reference")
	case c.Reference != "" && !slices.Contains(runner.References(), c.Reference):
		return fmt.Errorf("--reference: there is no reference system %q; there are %s", c.Reference, strings.Join(runner.References(), ", "))
	case unknown != nil:
		return fmt.Errorf("--view: %w", unknown)
	case c.TopK < 1 || c.Restarts < 0 || c.Timeout <= 0 || c.Context < 1 || c.Parallel < 0:
		return errors.New("--top-k and --context must be 1 or more, --restarts and --parallel 0 or more, --timeout more than nothing")
	case c.Reference == "" && c.Model+c.Embedder != "":
		return errors.New("--model and --embedder go with --reference; a system of your own asks its models itself")
	case (c.Reference == runner.ReferenceDense) != (c.Embedder != ""):
		return errors.New("--reference dense and --embedder go together: the model that embeds, or built-in")
	case c.Recency < 0 || c.Recency > 1 || c.Recency > 0 && c.Reference != runner.ReferenceDense:
		return errors.New("--recency is a share from 0 to 1 and goes with --reference dense")
	case c.Merge != 0 && c.View != "all" && !strings.HasPrefix(c.View, "captions") && c.View != "text":
		return fmt.Errorf("--merge puts histories together, and --view %s shows none", c.View)
	case c.Model+c.Embedder == "" && (c.MaxCost != nil || c.Offline || c.Batch != ""):
		return errors.New("--max-cost, --offline and --batch go with --model or --embedder")
	case c.URL != "":
		if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("--url %q is no http or https address", c.URL)
		}
	}
	return nil
}

func (c runCmd) openSystem() runner.System {
	if c.URL != "" {
		return runner.Server(c.URL, c.Timeout)
	}
	return runner.Command(slices.DeleteFunc(slices.Clone(c.Command), func(s string) bool { return s == "--" }), c.Timeout)
}

func (c runCmd) runOptions(e *env) (runner.Options, error) {
	o := runner.Options{TopK: c.TopK, View: c.View, Isolation: c.Isolation, Parallel: c.Parallel, Restarts: c.Restarts, Done: func(t runner.Outcome) {
		switch {
		case t.Open > 0 && c.Batch != "":
		case t.Err != nil:
			safetext.Fprintf(e.err, "task %s: %v\n", t.Task, t.Err)
		case t.Restarts > 0:
			safetext.Fprintf(e.err, "task %s: completed at attempt %d\n", t.Task, t.Restarts+1)
		}
	}}
	o.Started = func(f runner.Forecast) { printRunForecast(e, f, nil) }
	if c.For == "" {
		return o, nil
	}
	rules, err := selectNamed("--for", c.For, c.scorers, scorerName)
	o.Forms = rules.Forms
	return o, err
}

// selectQuestions keeps the questions that the rules of --for score and --family names, says
// what it leaves out, and finds the tasks that --merge puts together.
func (c runCmd) selectQuestions(e *env, contents release.Contents, opts *runner.Options) (release.Contents, error) {
	rules := score.Scorer{Name: "the run"}
	if c.For != "" {
		var err error
		if rules, err = selectNamed("--for", c.For, c.scorers, scorerName); err != nil {
			return contents, err
		}
	}
	if c.Merge != 0 && (rules.Merged == nil || c.Merge < 2) {
		return contents, &usageError{errors.New("--merge is 2 or more, and goes with --for and rules that merge histories, such as memeye")}
	}
	contents, selected, err := rules.Takes.Select(rules.Name, contents, benchformat.Choice{Families: c.Family, Claims: export.Claims(export.Formats(e.reg))})
	if err != nil {
		return contents, &inputError{fmt.Errorf("run: %w", err)}
	}
	if note := selected.Note(rules.Name); note != "" {
		safetext.Fprintf(e.err, "note: %s\n", note)
		opts.Chosen = strings.Join(append([]string{c.For}, slices.Sorted(slices.Values(c.Family))...), " ")
	}
	if c.Merge == 0 {
		return contents, nil
	}
	if opts.Merged = rules.Merged(contents, c.Merge); opts.Merged == nil {
		return contents, &inputError{fmt.Errorf("run: of the tasks of this release the rules %s merge no %d into one history", c.For, c.Merge)}
	}
	return contents, nil
}

// runReference runs a reference system, with the models that it asks.
func (c runCmd) runReference(e *env, contents release.Contents, opts runner.Options) error {
	cfg, names, identities, err := c.models(e)
	if err != nil {
		return err
	}
	ask := client.Options{Roles: names, Offline: c.Offline, MaxCost: c.MaxCost.pointer(), Collect: c.Batch != ""}
	asked := func() (client.Total, error) { return client.Total{}, nil }
	use := runner.Asking{Registry: e.reg, Pictures: opts.Pictures}
	if len(names) > 0 {
		ask.Drain, ask.Grace = e.stop.Drain(), cfg.Run.Grace
		live, finish, err := openClient(e, cfg, identities, ask)
		if err != nil {
			return err
		}
		use.Models, asked = live, finish
	}
	refer := runner.ReferenceOptions{Gold: runner.GoldTurns(contents), Context: c.Context, Recency: c.Recency}
	if c.Embedder != "" {
		refer.Embedder = &runner.Embedder{Asking: asking(use, names, identities, runner.RoleEmbeds)}
	}
	if c.Model != "" {
		refer.Answerer = &runner.Answerer{Asking: asking(use, names, identities, runner.RoleAnswers)}
		refer.Answerer.Images, refer.Answerer.Price = c.mostPictures(cfg.Models[c.Model]), cfg.Models[c.Model].Price
	}
	opts.Parallel = cmp.Or(c.Parallel, cfg.Run.Limits.Model, 8)
	opts.Started = func(f runner.Forecast) { printRunForecast(e, f, refer.Answerer) }
	system, err := runner.Reference(c.Reference, refer)
	var sum runner.Totals
	if err == nil {
		sum, err = runner.Run(e, e.reg, contents, system, c.Folder, opts)
	}
	total, closeErr := asked()
	if spent := formatSpending(total); spent != "" {
		safetext.Fprintf(e.err, "models: %s\n", spent)
	}
	if err = errors.Join(err, closeErr); err != nil {
		return err
	}
	if c.Batch != "" {
		return writeBatch(e, cfg, c.Batch, sum.Open)
	}
	return c.printTotals(e, sum)
}

// models returns the configuration with the models that play the roles of the run; the
// built-in model is none.
func (c runCmd) models(e *env) (cfg *config.Config, names map[string]string, identities map[string]pipeline.ModelIdentity, err error) {
	cfg = &config.Config{Run: config.DefaultRun()}
	names, identities = map[string]string{}, map[string]pipeline.ModelIdentity{}
	for _, part := range []struct{ flag, role, model string }{{"--model", runner.RoleAnswers, c.Model}, {"--embedder", runner.RoleEmbeds, c.Embedder}} {
		if part.model == "" {
			continue
		}
		if len(cfg.Models) == 0 {
			if cfg, err = e.loadPanelConfig(part.model); err != nil {
				return nil, nil, nil, err
			}
		}
		name, identity, err := cfg.Panel(part.model, []string{part.role})
		if err != nil {
			return nil, nil, nil, &usageError{fmt.Errorf("%s: %w", part.flag, err)}
		}
		maps.Copy(names, name)
		maps.Copy(identities, identity)
	}
	return cfg, names, identities, nil
}

// asking says who plays a role: a model of the configuration, or the built-in one.
func asking(use runner.Asking, names map[string]string, identities map[string]pipeline.ModelIdentity, role string) runner.Asking {
	use.Name = pipeline.BuiltInModel
	if id, ok := identities[role]; ok {
		use.Identity, use.Name = &id, id.Model+" at "+id.Host
	}
	return use
}

// mostPictures is the most pictures of one request: what the model takes, and none for the
// built-in one, unless another number is asked for.
func (c runCmd) mostPictures(m server.Model) int {
	most := cmp.Or(m.Media.MaxImages, maxPictures)
	switch {
	case m.Model == "":
		return max(0, c.Pictures)
	case !m.Capabilities.Images:
		return 0
	case c.Pictures >= 0:
		return min(most, c.Pictures)
	}
	return most
}

// maxPictures is the most pictures of one request to a model without a bound of its own.
const maxPictures = 64

// printRunForecast says what a run takes, where that is more than telling each task once.
func printRunForecast(e *env, f runner.Forecast, a *runner.Answerer) {
	if f.Isolation == runner.IsolationProcess {
		fmt.Fprintf(e.err, "each of %d questions starts a process and is told its history again: %d turns instead of %d; a system with save_state and load_state is told them once\n", f.Forms, f.Told, f.Turns)
	}
	if a == nil {
		return
	}
	if a.Identity == nil {
		safetext.Fprintf(e.err, "%s is asked %d times, which costs nothing\n", a.Name, f.Forms)
		return
	}
	safetext.Fprintf(e.err, "%s is asked %d times, about %d tokens in and %d pictures at most", a.Name, f.Forms, f.Tokens, f.Pictures)
	if a.Price != nil {
		safetext.Fprintf(e.err, ", %.2f %s", client.Cost(a.Price, pipeline.Usage{Input: int64(f.Tokens), Output: int64(f.Forms) * runner.AnswerTokens}), a.Price.Currency)
	}
	fmt.Fprintln(e.err, "; recorded answers cost nothing")
}

// writeBatch writes the requests that wait to a folder.
func writeBatch(e *env, cfg *config.Config, dir string, waiting int) (err error) {
	book, err := ledgerurl.Open(e, cfg.LedgerDir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	done, err := batch.Export(e, book, dir, batch.DefaultLimits)
	if err != nil {
		return err
	}
	for _, f := range done.Files {
		fmt.Fprintf(e.out, "%s: %d requests for %s\n", f.Path, f.Requests, f.Name)
	}
	if n := len(done.TooLarge); n > 0 {
		return &inputError{fmt.Errorf("%d requests are too large for a batch file; send fewer pictures with --pictures, or ask without --batch", n)}
	}
	fmt.Fprintf(e.out, "%d questions wait; send the files with `memforge batch submit`, poll, and run without --batch\n", waiting)
	return nil
}

func (c runCmd) printTotals(e *env, sum runner.Totals) error {
	fmt.Fprintf(e.out, "%d tasks, %d questions, %d answered\n", sum.Tasks, sum.Questions, sum.Answered)
	for _, code := range slices.Sorted(maps.Keys(sum.LeftOut)) {
		under := "--view " + c.View
		if c.Merge > 0 {
			under += fmt.Sprintf(" --merge %d", c.Merge)
		}
		safetext.Fprintf(e.out, "left out under %s: %d questions, %s (see %s)\n", under, sum.LeftOut[code], code, runner.FileLeftOut)
	}
	if u := sum.Usage; u.TurnsLeftOut+u.PicturesLeftOut > 0 {
		fmt.Fprintf(e.out, "without room in requests: %d turns and %d pictures (see %s)\n", u.TurnsLeftOut, u.PicturesLeftOut, runner.FileUsage)
	}
	if c.Reference != "" && c.Reference != runner.ReferenceNothing && c.Model == "" {
		fmt.Fprintf(e.err, "the reference system %s only retrieves; it answers with --model NAME, or --model built-in\n", c.Reference)
	}
	var times []string
	for _, method := range slices.Sorted(maps.Keys(sum.Latency)) {
		t := sum.Latency[method]
		times = append(times, fmt.Sprintf("%s %d calls %.1f s", method, t.Calls, t.Seconds))
	}
	safetext.Fprintf(e.err, "%s\n", strings.Join(times, ", "))
	fmt.Fprintln(e.out, shortPath(c.Folder))
	switch {
	case sum.Failed > 0:
		return &systemFailedError{sum.Failed, sum.Tasks}
	case sum.Open > 0:
		return &openQuestionsError{sum.Open}
	}
	return nil
}

// systemFailedError is a memory system that did not finish all tasks.
type systemFailedError struct{ failed, tasks int }

func (e *systemFailedError) Error() string {
	return fmt.Sprintf("the memory system failed in %d of %d tasks, listed above and in %s; fix it and run the same command again: completed tasks are kept", e.failed, e.tasks, runner.FileTasks)
}

// openQuestionsError says that questions have no answer yet.
type openQuestionsError struct{ open int }

func (e *openQuestionsError) Error() string {
	return fmt.Sprintf("%d questions have no answer yet, for the reasons above; run the same command again: answers that are there are kept", e.open)
}
