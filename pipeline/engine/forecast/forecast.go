// Package forecast says what a build will take before anything runs: it asks
// every plugin of a plan what comes of its inputs and follows the amounts
// through the plan. What a plugin cannot say stays unknown, and so does all
// that rests on it, but for gates: whatever one takes, it gives what it read.
// Unknown is never shown as nothing.
package forecast

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Measure tells how much lies at a local need; ok is false where it cannot tell.
type Measure func(ctx context.Context, need pipeline.Need) (amount pipeline.Amount, ok bool, err error)

// Build is the forecast of a whole build.
type Build struct {
	Steps []Step `json:"nodes"`
	// Release is what writing the release takes.
	Release pipeline.Forecast `json:"release"`
	// Models is what each language model is asked. The built-in one is not among
	// them: it takes no calls.
	Models []ModelCalls `json:"models"`
	// Total adds what is known, Unknown names the steps that are not.
	Total   pipeline.Forecast `json:"total"`
	Unknown []string          `json:"unknown"`
	// Short says which steps cannot give what their configuration asks for, and why.
	Short []string `json:"short,omitempty"`
	// Given is the videos of all sources whose amount is known, Questions how
	// many the release takes of the steps it is made from.
	Given     pipeline.Amount `json:"given"`
	Questions float64         `json:"questions"`
	// Media is how many the steps before the release make.
	Media float64 `json:"-"`
	// FlaggedShare is the share of questions that a gate which has them rewritten
	// is taken to flag in every round; 0 where no gate does. Other gates are taken
	// to flag nothing.
	FlaggedShare float64 `json:"flagged_share"`
	// Workers is how many tasks run at once, and WallMinutes the time the CPU
	// seconds take with so many. Waiting for models and networks is not in it.
	Workers     int     `json:"workers"`
	WallMinutes float64 `json:"wall_minutes"`
}

// Step is the forecast of one step; nil is unknown, and Why says why.
type Step struct {
	Name     string             `json:"name"`
	Forecast *pipeline.Forecast `json:"forecast"`
	Why      string             `json:"why,omitempty"`
	// Unpriced says that what it gives is known and what it takes is not.
	Unpriced bool `json:"unpriced,omitempty"`
	// In is how many records it reads.
	In float64 `json:"-"`
}

// What writing a release takes: measured on the default build (94.9 MB, 4.5 s
// of CPU, contact sheets included) and on docs/real-videos.yaml (18.0 MB,
// 4.3 s). Media are copied, so they take their bytes again.
const (
	releaseCPU     = 4.2     // seconds
	releaseByteCPU = 3.2e-9  // seconds a byte
	releaseBytes   = 400_000 // tables, card, report
)

// Estimate forecasts a plan at the given number of workers. look may be nil.
func Estimate(ctx context.Context, plan engine.Plan, reg *pipeline.Registry, workers int, look Measure) (Build, error) {
	f := &forecaster{reg: reg, look: look, models: plan.Models, nodes: map[string]Step{}, asked: map[string]ModelCalls{}}
	b := Build{Workers: workers, Unknown: []string{}, Steps: []Step{}}
	var media pipeline.Amount
	for _, n := range plan.Steps {
		node, err := f.node(ctx, n)
		if err != nil {
			return Build{}, fmt.Errorf("forecast: step %s: %w", n.Name, err)
		}
		f.nodes[n.Name] = node
		b.Steps = append(b.Steps, node)
		if n.OnFail == pipeline.OnFailRevise {
			b.FlaggedShare = flaggedShare
		}
		if node.Forecast == nil || node.Unpriced {
			b.Unknown = append(b.Unknown, n.Name)
		}
		if node.Forecast == nil {
			continue
		}
		b.add(n.Name, *node.Forecast)
		if n.Kind == pipeline.KindSource {
			b.Given = b.Given.Plus(node.Forecast.Out[schemas.NameVideo])
		}
		if slices.Contains(plan.Release.From, n.Name) {
			b.Questions += node.Forecast.Out[schemas.NameQuestion].Records
		}
		if n.Kind != pipeline.KindGate { // which gives what others made
			b.Media += node.Forecast.Out[mediaSchema].Records
		}
		if n.Kind == pipeline.KindStage {
			media = media.Plus(node.Forecast.Out[mediaSchema])
		}
	}
	b.Release = pipeline.Forecast{CPU: releaseCPU + media.Bytes*releaseByteCPU, Bytes: releaseBytes + media.Bytes}
	b.Total = plus(b.Total, b.Release)
	b.Models = f.ask()
	b.WallMinutes = b.Total.CPU / float64(max(workers, 1)) / 60
	return b, nil
}

// add books what a step takes, and what it lacks.
func (b *Build) add(name string, f pipeline.Forecast) {
	if f.Short != "" {
		b.Short = append(b.Short, name+": "+f.Short)
	}
	b.Total = plus(b.Total, f)
}

// plus adds what two forecasts take. A total gives nothing of its own.
func plus(a, b pipeline.Forecast) pipeline.Forecast {
	return pipeline.Forecast{
		CPU: a.CPU + b.CPU, Bytes: a.Bytes + b.Bytes,
		Calls: a.Calls + b.Calls, CallsFull: fullCalls(a) + fullCalls(b), Images: a.Images + b.Images, TokensIn: a.TokensIn + b.TokensIn, TokensOut: a.TokensOut + b.TokensOut,
	}
}

func fullCalls(f pipeline.Forecast) float64 {
	if f.CallsFull > 0 {
		return f.CallsFull
	}
	return f.Calls
}

type forecaster struct {
	reg    *pipeline.Registry
	look   Measure
	models map[string]pipeline.ModelIdentity // by role
	nodes  map[string]Step                   // those before, by name
	asked  map[string]ModelCalls             // by model
}

func (f *forecaster) node(ctx context.Context, n engine.Step) (Step, error) {
	plugin, ok := f.reg.Plugin(n.Kind, n.Use)
	if !ok {
		return Step{}, fmt.Errorf("no %s is called %q", n.Kind, n.Use)
	}
	built, err := plugin.BuildRaw(n.Config)
	if err != nil {
		return Step{}, err
	}
	unknown := Step{Name: n.Name}
	in := pipeline.Volume{}
	for _, from := range n.From {
		before := f.nodes[from]
		if before.Forecast == nil {
			unknown.Why = fmt.Sprintf("it rests on %s", from)
			return unknown, nil
		}
		in = in.Plus(before.Forecast.Out)
	}
	does, ok := built.(pipeline.Forecaster)
	if !ok {
		return unknownForecast(n, built, in), nil
	}
	if src, ok := built.(pipeline.Source); ok && n.Kind == pipeline.KindSource {
		if in, unknown.Why = f.measureNeeds(ctx, src.Needs()); unknown.Why != "" {
			return unknown, ctx.Err()
		}
	}
	out := does.Forecast(in)
	if unknown.Why = cmp.Or(out.Unknown, unknownReason(n.Kind, built, in, out)); unknown.Why != "" {
		return unknown, nil
	}
	if n.OnFail == pipeline.OnFailRevise {
		out.Out = passedOn(out.Out)
	}
	f.addAnswerers(built, &out)
	return Step{Name: n.Name, Forecast: &out, In: reads(built, in)}, nil
}

// unknownForecast returns the forecast of a plugin that makes none. All that a gate judges
// passes, so that what comes after it is known; of others nothing is.
func unknownForecast(n engine.Step, built any, in pipeline.Volume) Step {
	g, isGate := built.(pipeline.Gate)
	if !isGate {
		return Step{Name: n.Name, Why: fmt.Sprintf("%s %s makes no forecast", n.Kind, n.Use)}
	}
	out := pipeline.Volume{}
	judged := 0.0
	for _, schema := range g.Spec().Accepts {
		if a, ok := in[schema]; ok {
			out[schema] = a
			judged += a.Records
		}
	}
	out[schemas.NameVerdict] = pipeline.Amount{Records: judged}
	if n.OnFail == pipeline.OnFailRevise {
		out = passedOn(out)
	}
	return Step{Name: n.Name, Forecast: &pipeline.Forecast{Out: out}, In: judged, Unpriced: true, Why: fmt.Sprintf("gate %s does not say what it takes", n.Use)}
}

// unknownReason says that a step asks models about records of which its inputs do not say
// how many they give: no call would be as wrong as any number.
func unknownReason(kind pipeline.Kind, built any, in pipeline.Volume, out pipeline.Forecast) string {
	p, ok := built.(interface{ Spec() pipeline.Spec })
	if !ok || out.Calls > 0 || kind == pipeline.KindSource || len(p.Spec().Asks) == 0 {
		return ""
	}
	accepts := p.Spec().Accepts
	if slices.ContainsFunc(accepts, func(schema string) bool { _, told := in[schema]; return told }) {
		return ""
	}
	return fmt.Sprintf("its inputs do not say how much %s they give", strings.Join(accepts, ", "))
}

func reads(built any, in pipeline.Volume) (n float64) {
	if p, ok := built.(interface{ Spec() pipeline.Spec }); ok {
		for _, schema := range p.Spec().Accepts {
			n += in[schema].Records
		}
	}
	return n
}

// flaggedShare is the share of questions that a gate is taken to flag in each
// round, where what it flags is rewritten. Nobody knows it before a gate has
// run. It is a guess for questions that were written to pass: where raw ones of
// other benchmarks were put through gates, 45 % fell to the first and 80 % of
// the rest to the second (SMMBench, table 4).
const flaggedShare = 0.2

// passedOn moves what a gate is taken to flag from its questions to what is
// rewritten. A gate that drops is taken to pass everything, so that amounts are
// never too low.
func passedOn(out pipeline.Volume) pipeline.Volume {
	q := out[schemas.NameQuestion]
	out = out.Plus(pipeline.Volume{schemas.NameFlagged: {Records: flaggedShare * q.Records}})
	out[schemas.NameQuestion] = q.Times(1 - flaggedShare)
	return out
}

// measureNeeds adds up what lies at the local needs of a source, or says why it is not
// known: a folder that is not there yet is no reason to refuse a forecast.
func (f *forecaster) measureNeeds(ctx context.Context, needs []pipeline.Need) (pipeline.Volume, string) {
	out := pipeline.Volume{}
	for i, need := range needs {
		if need.From != fromLocal {
			continue
		}
		if f.look == nil {
			return out, "nobody looked into " + need.Root
		}
		amount, ok, err := f.look(ctx, need)
		if err != nil {
			return out, fmt.Sprintf("look into %s: %v", need.Root, err)
		}
		if !ok {
			return out, fmt.Sprintf("%s does not tell how much it holds", need.Root)
		}
		out[pipeline.VolumeFile] = out[pipeline.VolumeFile].Plus(amount)
		out[pipeline.VolumeFileOf(i)] = amount
	}
	return out, ""
}

const (
	fromLocal   = "local"
	mediaSchema = "media"
)

// ModelCalls is what a language model is asked in a build, and what that costs.
type ModelCalls struct {
	// Model is its name in the configuration.
	Model string  `json:"model"`
	Calls float64 `json:"model_calls"`
	// CallsFull is how many there would be if every gate asked its full protocol.
	CallsFull float64 `json:"model_calls_full"`
	Images    float64 `json:"images"`
	TokensIn  float64 `json:"tokens_in"`
	TokensOut float64 `json:"tokens_out"`
	// Cost in Currency; nil without a price.
	Cost     *float64 `json:"cost"`
	Currency string   `json:"currency,omitempty"`
}

// Price of a million tokens.
type Price struct {
	Input, Output float64
	Currency      string
}

// Charge sets what the models cost, by name. Nothing is taken to be cached.
func (b *Build) Charge(prices map[string]Price) {
	for i := range b.Models {
		a := &b.Models[i]
		p, ok := prices[a.Model]
		if !ok {
			continue
		}
		cost := (a.TokensIn*p.Input + a.TokensOut*p.Output) / 1e6
		a.Cost, a.Currency = &cost, p.Currency
	}
}

// addAnswerers notes what a step asks of the models behind its roles, which share its
// calls equally. What the built-in model is asked takes neither calls nor tokens.
func (f *forecaster) addAnswerers(plugin any, out *pipeline.Forecast) {
	live, roles := f.answerers(plugin)
	whole := *out
	scale := func(share float64) pipeline.Forecast {
		return pipeline.Forecast{
			Calls: share * whole.Calls, CallsFull: share * whole.CallsFull, Images: share * whole.Images,
			TokensIn: share * whole.TokensIn, TokensOut: share * whole.TokensOut,
		}
	}
	for _, name := range live {
		a, part := f.asked[name], scale(1/float64(roles))
		a.Model = name
		a.Calls, a.CallsFull, a.Images = a.Calls+part.Calls, a.CallsFull+fullCalls(part), a.Images+part.Images
		a.TokensIn, a.TokensOut = a.TokensIn+part.TokensIn, a.TokensOut+part.TokensOut
		f.asked[name] = a
	}
	part := scale(float64(len(live)) / float64(max(roles, 1)))
	out.Calls, out.CallsFull, out.Images, out.TokensIn, out.TokensOut = part.Calls, part.CallsFull, part.Images, part.TokensIn, part.TokensOut
}

// answerers names the language model behind each of a plugin's roles that has
// one, and counts the roles.
func (f *forecaster) answerers(plugin any) (live []string, roles int) {
	does, ok := plugin.(interface{ Spec() pipeline.Spec })
	if !ok {
		return nil, 0
	}
	seen := map[string]bool{}
	for _, a := range does.Spec().Asks {
		if seen[a.Role] {
			continue
		}
		seen[a.Role] = true
		if m, ok := f.models[a.Role]; ok {
			live = append(live, m.Name)
		}
	}
	return live, len(seen)
}

func (f *forecaster) ask() []ModelCalls {
	out := []ModelCalls{}
	for _, name := range slices.Sorted(maps.Keys(f.asked)) {
		if a := f.asked[name]; a.Calls > 0 {
			out = append(out, a)
		}
	}
	return out
}

// sampled is how many files of a folder are looked into; the others are taken
// to be like these, byte for byte.
const sampled = 32

// MeasureFiles looks into folders: all files a need wants are counted, and the headers
// of a few, evenly spread, are read. base is the folder that relative roots
// start at.
func MeasureFiles(base string, tools *media.Tools) Measure {
	return func(ctx context.Context, need pipeline.Need) (pipeline.Amount, bool, error) {
		files, total, err := matchingFiles(ctx, joinRoot(base, need.Root), need)
		if err != nil || len(files) == 0 {
			return pipeline.Amount{}, err == nil, err
		}
		if !slices.ContainsFunc(files, isMedia) {
			return pipeline.Amount{Records: float64(len(files)), Bytes: total}, true, nil
		}
		seen, err := probeFiles(ctx, tools, files)
		if err != nil || seen.Bytes == 0 {
			return pipeline.Amount{}, false, err
		}
		amount := seen.Times(total / seen.Bytes)
		amount.Records = float64(len(files))
		return amount, true, nil
	}
}

// CountFiles only counts the files that a need wants: enough to tell whether there
// are too few, and cheap.
func CountFiles(base string) Measure {
	return func(ctx context.Context, need pipeline.Need) (pipeline.Amount, bool, error) {
		files, total, err := matchingFiles(ctx, joinRoot(base, need.Root), need)
		return pipeline.Amount{Records: float64(len(files)), Bytes: total}, err == nil, err
	}
}

func joinRoot(base, root string) string {
	if root = filepath.FromSlash(root); filepath.IsAbs(root) {
		return root
	}
	return filepath.Join(base, root)
}

// isMedia reports a file that may be a video: only these are looked into. Pictures and
// texts are as many as there are of them.
func isMedia(file string) bool {
	return !slices.Contains([]string{".json", ".png", ".jpg", ".jpeg", ".webp"}, strings.ToLower(filepath.Ext(file)))
}

// tables returns the extensions of files that say something about videos and are
// none.
func tables() []string { return []string{".csv", ".jsonl"} }

// matchingFiles lists the videos of a need in order, and the sum of their sizes.
func matchingFiles(ctx context.Context, root string, need pipeline.Need) (files []string, total float64, err error) {
	set, err := glob.Compile(need.Include, need.Exclude)
	if err != nil {
		return nil, 0, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, 0, fmt.Errorf("%w; the path is relative to pipeline.yaml", err)
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err() // what cannot be read is for the build to report
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !d.Type().IsRegular() || !set.Match(filepath.ToSlash(rel)) || slices.Contains(tables(), strings.ToLower(filepath.Ext(p))) {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > need.MaxBytes && need.MaxBytes > 0 {
			return nil
		}
		files, total = append(files, p), total+float64(info.Size())
		return nil
	})
	slices.Sort(files)
	return files, total, err
}

// probeFiles adds up what some of the files say of themselves.
func probeFiles(ctx context.Context, tools *media.Tools, files []string) (pipeline.Amount, error) {
	var sum pipeline.Amount
	step := max(1, len(files)/sampled)
	for i := 0; i < len(files); i += step {
		a, ok, err := tools.EstimateAmount(ctx, files[i], media.DefaultLimits())
		if err != nil {
			return sum, err
		}
		if ok {
			sum = sum.Plus(a)
		}
	}
	return sum, nil
}
