package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/reviewing"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

type reviewCmd struct {
	releaseFlags `embed:""`
	listenFlags  `embed:""`

	Round     string   `name:"draw" default:"review" placeholder:"NAME" help:"Name of the sample, as review.settle has it (${default})."`
	Annotator []string `placeholder:"NAME" help:"A person who reviews. Repeatable."`
	Model     []string `placeholder:"NAME" help:"A model that reviews: all data call it a model reviewer. Repeatable."`
	Keeper    *string  `placeholder:"NAME" help:"Who settles disputes and sees the figures; none of the annotators (keeper)."`
	PerItem   *int     `placeholder:"N" help:"How many annotators decide about each item (all)."`
	By        []string `placeholder:"KEY" help:"Sample separately by this column or label (type). Repeatable."`
	Share     *float64 `placeholder:"SHARE" help:"Share of the questions of each kind, rounded up (0.1)."`
	Least     *int     `placeholder:"N" help:"Minimum number of each kind (1)."`
	Seed      *uint64  `placeholder:"SEED" help:"Seed of the sample and of all orders (1)."`
	Show      *string  `placeholder:"WHAT" help:"What annotators see before they answer: clues, which the answer rests on, or all (clues)."`
	Dir       string   `default:"reviews" placeholder:"DIR" help:"Folder of rounds, beside the configuration (${default})."`
	Export    bool     `help:"Write the files of the round from its journals, and end."`
	Of        string   `arg:"" name:"release" placeholder:"RELEASE|OUT" help:"Folder of a release, or output folder of builds: then its newest release."`
}

func (reviewCmd) Help() string {
	return `Serves a round of review and prints a link for each annotator and the keeper; the link
holds a token, which is the name. Annotators answer questions blind, then see the gold
and accept, revise or reject. Every decision is on the disk before the page goes on. The
round stands in DIR/NAME; its decisions are written to DIR/NAME.jsonl, where the source
reviews reads them, and proposed changes to DIR/NAME/proposals.jsonl, for the source
reviews.proposals and the stage review.revise. A round that was begun keeps its sample,
also if review.settle in the configuration has the same draw: then that is its sample.

Examples:
  memforge review --annotator ann --annotator ben --annotator cho out
  memforge review --share 0.05 --annotator ann --model qwen3-vl out/releases/demo/1.0.0
  memforge review --export out`
}

func (c reviewCmd) Run(e *env) (err error) {
	dir, err := releaseIn(c.Of)
	if err != nil {
		return err
	}
	config, err := c.config(e)
	if err != nil {
		return err
	}
	items, err := c.items(e, dir, config.ReviewSample)
	if err != nil {
		return err
	}
	round, err := rounds.Open(c.folder(e), config, items, time.Now)
	if err != nil {
		return &inputError{err}
	}
	defer func() { err = errors.Join(err, round.Export(), round.Close()) }()
	if c.Export {
		files := round.Files()
		return e.emit(e.out, "exported", map[string]any{"decisions": files.Decisions, "proposals": files.Proposals, "answers": files.Records},
			fmt.Sprintf("wrote %s, %s and %s\n", files.Decisions, files.Proposals, files.Records))
	}
	return c.serve(e, dir, round)
}

// folder is that of the round, beside the configuration.
func (c reviewCmd) folder(e *env) string {
	if filepath.IsAbs(c.Dir) {
		return filepath.Join(c.Dir, c.Round)
	}
	return filepath.Join(filepath.Dir(e.options.File), c.Dir, c.Round)
}

// config is that of the round on the disk, else of review.settle in the configuration, else
// the default, with the flags. Who reviews is added to; a sample that was begun stays.
func (c reviewCmd) config(e *env) (rounds.Config, error) {
	out, err := rounds.ReadConfig(c.folder(e))
	begun := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, &inputError{err}
	}
	if !begun {
		out = rounds.Config{Show: rounds.ShowClues, ReviewSample: pipeline.ReviewSample{Name: c.Round, Schema: schemas.NameQuestion, By: []string{"type"}, Share: 0.1, Least: 1, Seed: 1, Keeper: "keeper"}}
		if err := c.settled(e, &out.ReviewSample); err != nil {
			return out, err
		}
	}
	before, was := out, len(out.People)
	before.By = slices.Clone(out.By)
	for i, names := range [][]string{c.Annotator, c.Model} {
		for _, name := range names {
			if p := (rounds.Person{Name: name, Model: i == 1}); !slices.Contains(out.People, p) {
				out.People = append(out.People, p)
			}
		}
	}
	if len(c.By) > 0 {
		out.By = c.By
	}
	set(&out.Share, c.Share)
	set(&out.Least, c.Least)
	set(&out.Seed, c.Seed)
	set(&out.Show, c.Show)
	set(&out.Keeper, c.Keeper)
	if out.Annotators == 0 || !begun && c.PerItem == nil || begun && c.PerItem == nil && before.Annotators == was {
		out.Annotators = len(out.People)
	}
	set(&out.Annotators, c.PerItem)
	if begun && (!slices.Equal(out.By, before.By) || out.Share != before.Share || out.Least != before.Least || out.Seed != before.Seed || out.Show != before.Show || out.Keeper != before.Keeper) {
		return out, &usageError{fmt.Errorf("round %s was begun with --by %s --share %g --least %d --seed %d --show %s --keeper %s; leave these flags out, or begin another with --draw", c.Round, strings.Join(before.By, " --by "), before.Share, before.Least, before.Seed, before.Show, before.Keeper)}
	}
	if err := out.Check(); err != nil {
		return out, &usageError{err}
	}
	return out, nil
}

func set[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}

// settled takes the sample of a review.settle of the same draw, if there is a configuration.
func (c reviewCmd) settled(e *env, sample *pipeline.ReviewSample) error {
	if _, err := os.Stat(e.options.File); err != nil {
		return nil
	}
	loaded, err := e.load()
	if err != nil {
		return err
	}
	for _, step := range loaded.Plan.Steps {
		if step.Use != "review.settle" {
			continue
		}
		of := *sample
		if err := json.Unmarshal(step.Config, &of); err != nil {
			return &configError{fmt.Errorf("step %s: %w", step.Name, err)}
		}
		if of.Name != c.Round {
			continue
		}
		if of.Keeper == "" {
			of.Keeper = sample.Keeper
		}
		*sample = of
	}
	return nil
}

// items draws the sample: what gates flagged as well, as `memforge sample` lists it.
func (c reviewCmd) items(e *env, dir string, sample pipeline.ReviewSample) ([]rounds.Item, error) {
	contents, err := c.limits().Read(e, dir)
	if err != nil {
		return nil, err
	}
	drawn, err := audit.Sample(e.reg, contents, sample)
	if err != nil {
		return nil, &usageError{err}
	}
	clusters := audit.Clusters(contents)
	questions := map[string]schemas.Question{}
	for _, q := range contents.Questions {
		questions[q.QuestionID] = q
	}
	seconds := map[string]float64{}
	for _, m := range contents.Media {
		seconds[m.MediaID] = m.Duration
	}
	var out []rounds.Item
	for _, d := range drawn {
		it, err := rounds.NewItem(questions[d.Item], d.Stratum, d.Same, clusters[d.Item])
		if err != nil {
			return nil, fmt.Errorf("item %s: %w", d.Item, err)
		}
		it.Seconds = seconds
		out = append(out, it)
	}
	if len(out) == 0 {
		return nil, &inputError{fmt.Errorf("%s: %w", dir, release.ErrEmpty)}
	}
	return out, nil
}

func (c reviewCmd) serve(e *env, dir string, round *rounds.Round) (err error) {
	options, err := catalogOptions(e)
	if err != nil {
		return err
	}
	cat, err := catalog.Open(e, dir, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cat.Close()) }()
	defer checkMediaBeside(e, cat)()
	tokens, err := round.Tokens(web.NewToken)
	if err != nil {
		return err
	}
	pages, err := reviewing.New(round, cat, showBlind(e.reg, round.Show), e.reg.ReviewCriteria)
	if err != nil {
		return err
	}
	service := web.Service{Pages: pages.Handler(), Tokens: tokens, Post: true, Listen: c.Listen, Names: c.Host, Log: e.err}
	return service.Serve(e, func(url string) error {
		byName := map[string]string{}
		for token, name := range tokens {
			byName[name] = token
		}
		for _, name := range round.Persons() {
			if err := e.emit(e.out, "serving", map[string]any{"url": url, "token": byName[name], "name": name}, fmt.Sprintf("%s: %s/?token=%s\n", name, url, byName[name])); err != nil {
				return err
			}
		}
		return e.emit(e.err, "keeps", map[string]any{"folder": c.folder(e)}, fmt.Sprintf("decisions are kept in %s; Ctrl-C ends the server, the same command goes on\n", c.folder(e)))
	})
}

// showBlind shows annotators what models see that answer with all evidence in view.
func showBlind(reg *pipeline.Registry, show string) rounds.Shower {
	entire := reg.TypesWhere(func(t pipeline.QuestionType) bool { return t.ShowsAllMedia })
	return func(q *schemas.Question) (string, []rounds.Piece, error) {
		name := view.Oracle
		if show == rounds.ShowAll {
			name = view.Full
		}
		settings := view.Settings{Frames: 1, Whole: 1, Most: 1 << 20, Entire: slices.Contains(entire, q.Type)}
		shown, err := view.Show(q, name, settings)
		var lacks *view.MissingError
		if errors.As(err, &lacks) { // then the question alone is left
			shown, err = view.Show(q, view.None, settings)
		}
		if err != nil {
			return "", nil, err
		}
		var out []rounds.Piece
		for _, p := range shown.Passages {
			piece := rounds.Piece{Text: p.Text, Span: p.Span, Own: p.Own}
			if p.Picture != nil {
				piece.Media, piece.From, piece.To = p.Picture.Media, p.Picture.From, p.Picture.To
			}
			out = append(out, piece)
		}
		return shown.Setting, out, nil
	}
}
