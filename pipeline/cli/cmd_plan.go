package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/release"
)

type planCmd struct {
	Calls        bool `help:"Run the steps that need no language model, then count the possible model calls and estimate their tokens and cost. Calls that depend on answers are not counted."`
	JSON         bool `name:"json" help:"Print plan and forecast as JSON."`
	FullProtocol bool `help:"Plan for gates that ask all questions of their protocol, see build."`
	NoForecast   bool `help:"Print no forecast, and read no folders of videos."`
	NoCache      bool `help:"Do not look up what the build cache has."`
}

func (planCmd) Help() string {
	return `Shows what a build would do and what it would take from the start: processor time of
all programs, disk, and calls of models. For this it reads the headers of some local
videos; unless --calls is given, it decodes and writes nothing. What a plugin cannot
forecast is listed as unknown and is in no total. A gate makes only the calls that its
verdict needs: "900 of 5440" are the expected calls and those of its full protocol. If
the configuration names a reference, the forecast is compared with its figures. Where
something is built, the last table says what a build would find in the build cache and
what it would make, with the calls of models and the cause.

Examples:
  memforge plan
  memforge plan -f smoke.yaml --set sources.films.with.count=4
  memforge plan --calls
  memforge plan --json`
}

func (c planCmd) Run(e *env) error {
	cfg, err := e.loadForBuild(c.FullProtocol)
	if err != nil {
		return err
	}
	warnFittedPictures(e, cfg.Fits)
	if err := e.foresee(cfg, assemble.Options{}); err != nil {
		return err
	}
	var build *forecast.Build
	if !c.NoForecast {
		workers := cmp.Or(cfg.Run.Workers, runtime.NumCPU())
		b, err := forecast.Estimate(e, cfg.Plan, e.reg, workers, forecast.MeasureFiles(cfg.Dir, media.Lazy()))
		if err != nil {
			return err
		}
		b.Charge(prices(cfg.Models))
		build = &b
	}
	if c.JSON {
		return printPlanJSON(e, cfg, build, c.NoCache)
	}
	if err := printSteps(e, cfg.Plan); err != nil {
		return err
	}
	if build != nil {
		if err := printForecast(e, *build); err != nil {
			return err
		}
		printReference(e, cfg.Reference, *build)
	}
	if !c.NoCache {
		if err := printCache(e, cfg, build); err != nil {
			return err
		}
	}
	e.warn(cfg)
	if !c.Calls {
		return nil
	}
	return printCalls(e, cfg)
}

// foresee adds to the warnings of a configuration what a build would come upon after work.
func (e *env) foresee(cfg *config.Config, opt assemble.Options) error {
	opt.Getenv = e.getenv
	problems, err := assemble.Foresee(e, e.reg, cfg, opt)
	cfg.Warnings = append(cfg.Warnings, problems...)
	return err
}

// warn prints the warnings of a configuration.
func (e *env) warn(cfg *config.Config) {
	for _, w := range cfg.Warnings {
		_ = e.emit(e.err, "warning", map[string]any{"warning": w}, "warning: "+w+"\n")
	}
}

func printPlanJSON(e *env, cfg *config.Config, build *forecast.Build, noCache bool) error {
	out := struct {
		Plan         engine.Plan       `json:"plan"`
		Warnings     []string          `json:"warnings,omitempty"`
		Forecast     *forecast.Build   `json:"forecast,omitempty"`
		Reference    *config.Reference `json:"reference,omitempty"`
		Cache        *cacheView        `json:"cache,omitempty"`
		CacheProblem string            `json:"cache_problem,omitempty"`
	}{Plan: cfg.Plan, Warnings: cfg.Warnings, Forecast: build, Reference: cfg.Reference}
	if !noCache {
		var err error
		if out.Cache, err = cacheOf(e, cfg, build); err != nil {
			out.Cache, out.CacheProblem = nil, err.Error()
		}
	}
	return writeJSON(e.out, out)
}

func printSteps(e *env, plan engine.Plan) error {
	canonical, err := pipeline.Canonical(plan)
	if err != nil {
		return fmt.Errorf("digest of the plan: %w", err)
	}
	r := plan.Release
	fmt.Fprintf(e.out, "release %s %s from %s\nplan    %s\nseed    %d\n\n",
		r.Name, r.Version, strings.Join(r.From, ", "), pipeline.DigestOf(canonical), plan.Seed)
	w := &columns{out: e.out}
	fmt.Fprintln(w, "STEP\tKIND\tUSE\tVERSION\tFROM\tON FAIL\tMAX LOSS")
	for _, n := range plan.Steps {
		from := strings.Join(n.From, ", ")
		if from == "" {
			from = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%g %%\n", n.Name, n.Kind, n.Use, n.Version, from, cmp.Or(n.OnFail, "-"), 100*n.MaxLoss)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printBounds(e, plan)
	for i, l := range plan.Loops() {
		if i == 0 {
			fmt.Fprintln(e.out)
		}
		fmt.Fprintf(e.out, "loop: %s\n", l)
	}
	return printAsks(e, plan)
}

// printBounds prints what share of items a gate with a bound may leave without a
// judgement; others must judge at least one item.
func printBounds(e *env, plan engine.Plan) {
	for _, n := range plan.Steps {
		if _, round := pipeline.SplitRound(n.Name); n.MaxInsufficient != nil && round == 0 {
			fmt.Fprintf(e.out, "max_insufficient of %s: %g %%\n", n.Name, 100**n.MaxInsufficient)
		}
	}
}

// printAsks prints which step asks which model for what.
func printAsks(e *env, plan engine.Plan) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	asked := false
	for _, n := range plan.Steps {
		_, spec, err := buildPlugin(e.reg, n)
		if err != nil {
			return err
		}
		for _, a := range spec.Asks {
			if !asked {
				fmt.Fprintln(w, "\nSTEP\tROLE\tTASK\tMODEL")
				asked = true
			}
			model := pipeline.BuiltInModel
			if !e.reg.HasRule(a.Task) {
				model = "none: give the role to a model"
			}
			if m, ok := plan.Models[a.Role]; ok {
				model = fmt.Sprintf("%s (%s at %s)", m.Name, m.Model, m.Host)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, a.Role, a.Task, model)
		}
	}
	return w.Flush()
}

// buildPlugin builds the plugin of a step, or returns nil if it is not registered.
func buildPlugin(reg *pipeline.Registry, n engine.Step) (any, pipeline.Spec, error) {
	p, ok := reg.Plugin(n.Kind, n.Use)
	if !ok {
		return nil, pipeline.Spec{}, nil
	}
	built, err := p.BuildRaw(n.Config)
	if err != nil {
		return nil, pipeline.Spec{}, fmt.Errorf("step %s: %w", n.Name, err)
	}
	return built, built.(interface{ Spec() pipeline.Spec }).Spec(), nil
}

// estimate is what the calls of one step to one model will take.
type estimate struct {
	step, task, model string
	calls             int
	usage             pipeline.Usage
}

// printCalls runs what needs no language model and prints calls, tokens and cost of the
// rest. Calls that follow from an answer are not included.
func printCalls(e *env, cfg *config.Config) error {
	err := assemble.CollectRequests(e, e.reg, cfg, assemble.Options{Getenv: e.getenv, Drain: e.stop.Drain()})
	if errors.Is(err, assemble.ErrNoModels) {
		_, err := fmt.Fprintf(e.out, "\n%v\n", err)
		return err
	}
	var lost *engine.LostError
	if err != nil && !errors.As(err, &lost) {
		return err
	}
	if lost != nil {
		fmt.Fprintf(e.err, "warning: %v\n", lost)
	}
	return withLedger(e, true, func(l *ledger.Ledger) error {
		all, err := estimates(e, l, cfg)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nSTEP\tTASK\tMODEL\tCALLS\tINPUT\tOUTPUT\tCOST")
		for _, x := range all {
			price := "no price"
			if p := cfg.Models[x.model].Price; p != nil {
				price = fmt.Sprintf("%.4f %s", client.Cost(p, x.usage), p.Currency)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", x.step, x.task, x.model, x.calls, x.usage.Input, x.usage.Output, price)
		}
		if len(all) == 0 {
			fmt.Fprintln(w, "no call is left")
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if _, err := printWaiting(e, l); err != nil {
			return err
		}
		return printProtocols(e, cfg.Plan, cfg.Models, all)
	})
}

// printProtocols prints for every gate that asks one call after another how many its
// verdicts will take: each item waits with its next call.
func printProtocols(e *env, plan engine.Plan, models map[string]server.Model, all []*estimate) error {
	waiting := map[string]*bill{}
	for _, x := range all {
		if waiting[x.step] == nil {
			waiting[x.step] = &bill{cost: map[string]float64{}}
		}
		waiting[x.step].add(x, models[x.model].Price)
	}
	for _, n := range plan.Steps {
		if waiting[n.Name] == nil {
			continue
		}
		one, err := forecastOneItem(e.reg, n)
		if err != nil {
			return err
		}
		if one.CallsFull <= one.Calls {
			continue
		}
		b := waiting[n.Name]
		fmt.Fprintf(e.out, "%s makes one call after another: about %s until all %.0f verdicts are decided; %s for the full protocol\n",
			n.Name, b.describe(one.Calls), b.calls, b.describe(one.CallsFull))
	}
	return nil
}

// bill adds up the calls for which the items of a gate wait.
type bill struct {
	calls, input, output float64
	// cost by currency, of calls to models with a price; priceless says that there are
	// others.
	cost      map[string]float64
	priceless bool
}

func (b *bill) add(x *estimate, p *server.Price) {
	b.calls += float64(x.calls)
	b.input += float64(x.usage.Input)
	b.output += float64(x.usage.Output)
	if p == nil {
		b.priceless = true
		return
	}
	b.cost[p.Currency] += client.Cost(p, x.usage)
}

// describe returns the cost of each calls per item, if all are like those that wait.
func (b *bill) describe(each float64) string {
	text := fmt.Sprintf("%.0f calls (%.0f tokens in, %.0f out", b.calls*each, b.input*each, b.output*each)
	for _, currency := range slices.Sorted(maps.Keys(b.cost)) {
		text += fmt.Sprintf(", %.4f %s", b.cost[currency]*each, currency)
	}
	if b.priceless {
		text += ", no price"
	}
	return text + ")"
}

// estimates adds up the waiting requests, in the order of steps.
func estimates(e *env, l *ledger.Ledger, cfg *config.Config) ([]*estimate, error) {
	stats, err := l.Stats(e)
	if err != nil {
		return nil, err
	}
	var all []*estimate
	err = l.EachPending(e, func(p ledger.Pending) error {
		x := &estimate{step: p.Step, task: p.Request.Task, model: p.Name}
		for _, known := range all {
			if known.step == x.step && known.task == x.task && known.model == x.model {
				x = known
			}
		}
		if x.calls == 0 {
			all = append(all, x)
		}
		u := guessUsage(p.Request, cfg.Models[p.Name], stats)
		x.calls++
		x.usage.Input += u.Input
		x.usage.Cached += u.Cached
		x.usage.Output += u.Output
		return nil
	})
	return all, err
}

// Tokens of a request about which nothing is known.
const (
	charsPerToken  = 4
	tokensPerImage = 1000
	tokensAnswered = 500
)

// guessUsage returns the mean usage of the model for the task so far, or else a guess
// from the size of the request and the longest answer.
func guessUsage(r pipeline.Request, m server.Model, stats []ledger.Stat) pipeline.Usage {
	for _, s := range stats {
		if s.Task == r.Task && s.Model == r.Model && s.Host == r.Host && s.Outcome == "ok" && s.Calls > 0 {
			return pipeline.Usage{Input: s.Usage.Input / s.Calls, Cached: s.Usage.Cached / s.Calls, Output: s.Usage.Output / s.Calls}
		}
	}
	u := pipeline.Usage{Input: int64(len(r.Text)+len(r.Schema)) / charsPerToken}
	for _, msg := range r.Messages {
		u.Input += int64(len(msg.Text)/charsPerToken + tokensPerImage*len(msg.Images))
	}
	if r.Task != pipeline.EmbedTask {
		u.Output = tokensAnswered
		if m.Sampling.MaxTokens > 0 {
			u.Output = int64(m.Sampling.MaxTokens)
		}
	}
	return u
}

// printForecast prints what each step gives and takes.
func printForecast(e *env, b forecast.Build) error {
	fmt.Fprintln(e.out)
	w := &columns{out: e.out}
	fmt.Fprintln(w, "FORECAST\tOUTPUT\tMEDIA\tCPU\tDISK\tMODEL CALLS\tIMAGES\tTOKENS IN, OUT")
	for _, n := range b.Steps {
		if n.Forecast == nil {
			fmt.Fprintf(w, "%s\tunknown\t?\t?\t?\t?\t?\t?\n", n.Name)
			continue
		}
		takes := formatForecast(*n.Forecast)
		if n.Unpriced {
			takes = "?\t?\t?\t?\t?"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, formatVolume(n.Forecast.Out), formatPlayTime(n.Forecast.Out), takes)
	}
	fmt.Fprintf(w, "release\t\t\t%s\n", formatForecast(b.Release))
	total := "total"
	if len(b.Unknown) > 0 {
		total = "at least"
	}
	fmt.Fprintf(w, "%s\t\t\t%s\n", total, formatForecast(b.Total))
	if err := w.Flush(); err != nil {
		return err
	}
	if err := errors.Join(printModelCosts(e, b.Models), printPerQuestion(e, b)); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "\n%s %s with %d workers, without waiting for models and networks\n", total, formatDuration(60*b.WallMinutes), b.Workers)
	if b.FlaggedShare > 0 {
		fmt.Fprintf(e.out, "assumed: a gate with on_fail revise flags %.0f %% of its questions in every round; no other gate flags any\n", 100*b.FlaggedShare)
	}
	printMissing(e, b)
	return nil
}

// printMissing prints what cannot be built, and what cannot be forecast.
func printMissing(e *env, b forecast.Build) {
	for _, s := range b.Short {
		fmt.Fprintf(e.out, "too little: %s\n", s)
	}
	if why := release.TooManyMedia(b.Media); why != "" {
		fmt.Fprintf(e.out, "too much: %s\n", why)
	}
	for _, n := range b.Steps {
		if n.Forecast == nil || n.Unpriced {
			fmt.Fprintf(e.out, "unknown: %s, because %s\n", n.Name, n.Why)
		}
	}
}

// formatVolume lists the main records of a volume.
func formatVolume(v pipeline.Volume) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(v)) {
		if s != "task" && s != "verdict" && !strings.Contains(s, ".") {
			parts = append(parts, fmt.Sprintf("%.0f %s", v[s].Records, s))
		}
	}
	return strings.Join(parts, ", ")
}

// formatPlayTime returns how long the media of a volume play.
func formatPlayTime(v pipeline.Volume) string {
	longest := 0.0
	for _, a := range v {
		longest = max(longest, a.Seconds)
	}
	return formatDuration(longest)
}

func formatForecast(f pipeline.Forecast) string {
	asked, images, tokens := "-", "-", "-"
	if f.Calls > 0 {
		asked, tokens = formatCalls(f.Calls, f.CallsFull), formatTokens(f.TokensIn)+", "+formatTokens(f.TokensOut)
	}
	if f.Images > 0 {
		images = fmt.Sprintf("%.0f", f.Images)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", formatDuration(f.CPU), formatBytes(f.Bytes), asked, images, tokens)
}

// formatDuration formats seconds with two or three digits.
func formatDuration(s float64) string {
	switch {
	case s < 0.5:
		return "-"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 36000:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.0f h", s/3600)
}

func formatBytes(b float64) string {
	switch {
	case b < 5e4:
		return "-"
	case b < 1e9:
		return fmt.Sprintf("%.1f MB", b/1e6)
	case b < 1e10:
		return fmt.Sprintf("%.1f GB", b/1e9)
	}
	return fmt.Sprintf("%.0f GB", b/1e9)
}

// prices returns those of the models that have one.
func prices(models map[string]server.Model) map[string]forecast.Price {
	out := map[string]forecast.Price{}
	for name, m := range models {
		if p := m.Price; p != nil {
			out[name] = forecast.Price{Input: p.Input, Output: p.Output, Currency: p.Currency}
		}
	}
	return out
}

// printModelCosts prints the calls of each language model and their cost.
func printModelCosts(e *env, asked []forecast.ModelCalls) error {
	if len(asked) == 0 {
		return nil
	}
	fmt.Fprintln(e.out)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tCALLS\tIMAGES\tTOKENS IN, OUT\tCOST")
	sums := map[string]float64{}
	for _, a := range asked {
		cost := "unknown, because it has no price"
		if a.Cost != nil {
			cost = fmt.Sprintf("%.2f %s", *a.Cost, a.Currency)
			sums[a.Currency] += *a.Cost
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%s, %s\t%s\n", a.Model, formatCalls(a.Calls, a.CallsFull), a.Images, formatTokens(a.TokensIn), formatTokens(a.TokensOut), cost)
	}
	if len(asked) > 1 {
		for _, currency := range slices.Sorted(maps.Keys(sums)) {
			fmt.Fprintf(w, "all with a price\t\t\t\t%.2f %s\n", sums[currency], currency)
		}
	}
	return w.Flush()
}

// printPerQuestion prints what each released question takes of language models, by step.
func printPerQuestion(e *env, b forecast.Build) error {
	if b.Questions == 0 || b.Total.Calls == 0 {
		return nil
	}
	fmt.Fprintln(e.out)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EACH RELEASED QUESTION\tCALLS\tTOKENS IN, OUT\tCOST")
	row := func(name string, f pipeline.Forecast, cost string) {
		fmt.Fprintf(w, "%s\t%.1f\t%.0f, %.0f\t%s\n", name, f.Calls/b.Questions, f.TokensIn/b.Questions, f.TokensOut/b.Questions, cost)
	}
	for _, s := range b.Steps {
		if s.Forecast != nil && s.Forecast.Calls > 0 {
			row(s.Name, *s.Forecast, "")
		}
	}
	sums := map[string]float64{}
	for _, m := range b.Models {
		if m.Cost != nil {
			sums[m.Currency] += *m.Cost
		}
	}
	var costs []string
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		costs = append(costs, fmt.Sprintf("%.4f %s", sums[currency]/b.Questions, currency))
	}
	row("all", b.Total, strings.Join(costs, ", "))
	return w.Flush()
}

// formatCalls formats expected calls and, if gates may ask fewer, those of the full
// protocols.
func formatCalls(expected, full float64) string {
	if full > expected {
		return fmt.Sprintf("%.0f of %.0f", expected, full)
	}
	return fmt.Sprintf("%.0f", expected)
}

func formatTokens(n float64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1f M", n/1e6)
}

// warnFittedPictures warns of steps that show more pictures than a model takes.
func warnFittedPictures(e *env, fits []config.Fit) {
	for _, f := range fits {
		what := fmt.Sprintf("warning: %s %s needs up to %d pictures a request, model %s (role %s) takes %d", f.Kind, f.Node, f.Pictures, f.Model, f.Role, f.Takes)
		switch {
		case f.Fitted:
			what += fmt.Sprintf(": larger views are reduced evenly to %d, as the probes state", f.Takes)
		case f.Takes == 0:
			what += ": give the role to a model that takes pictures"
		default:
			what += ": larger requests are lost (model-too-large); show fewer, or raise media.max_images if the model takes more"
		}
		fmt.Fprintln(e.err, what)
	}
}

// warnPanelPictures warns if a panel takes fewer pictures than the release's views
// show.
func warnPanelPictures(e *env, shows []rerun.PictureUse, players map[string]string, models map[string]server.Model) {
	for _, s := range shows {
		name := players[s.Role]
		if takes := models[name].Media.MaxImages; name != "" && takes > 0 && takes < s.Pictures {
			fmt.Fprintf(e.err, "warning: gate %s shows up to %d pictures a request, model %s (role %s) takes %d: views are those of the release, and larger requests fail\n",
				s.Gate, s.Pictures, name, s.Role, takes)
		}
	}
}

// printReference prints the forecast beside the figures of a publication, and what of
// the configuration is inferred.
func printReference(e *env, r *config.Reference, b forecast.Build) {
	if r == nil {
		return
	}
	fmt.Fprintf(e.out, "\ncompared with %s:\n", r.Name)
	least := ""
	if len(b.Unknown) > 0 {
		least = "at least "
	}
	fmt.Fprintf(e.out, "  hours of source video  %s%.0f here, %.0f there\n", least, b.Given.Seconds/3600, r.Hours)
	fmt.Fprintf(e.out, "  source videos          %s%.0f here, %d there\n", least, b.Given.Records, r.Videos)
	fmt.Fprintf(e.out, "  questions              %s%.0f here, %d there\n", least, b.Questions, r.Questions)
	for _, said := range r.Inferred {
		fmt.Fprintf(e.out, "  inferred: %s\n", said)
	}
}
