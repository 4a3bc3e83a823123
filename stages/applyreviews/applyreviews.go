// Package applyreviews holds review.revise, which changes questions as annotators propose,
// and review.settle, which applies what people
// decided: records that they reject are dropped, and labels that they give are
// set. It records what the sample was taken from, so that a release can be
// compared with it.
package applyreviews

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Register adds the stages.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "review.revise", "2", "change questions as annotators propose, before gates judge them", newRevise)
	pipeline.AddStage(r, "review.settle", "3", "drop and relabel records as people decided, and refuse what they left open", newApplyReviews)
}

// What happens to a sampled record that is not decided.
const (
	refuse = "refuse"
	keep   = "keep"
)

// Config configures the stage. Its sample is that of `memforge draw` with the same
// name, by, share, least and seed.
type Config struct {
	Sample     string   `json:"draw" doc:"name of the draw, as decisions give it"`
	Of         string   `json:"of" doc:"schema of the records that are drawn from, such as question, session or that of a plugin"`
	Key        string   `json:"key" doc:"column that names a record in its table and in decisions, where that is not the record's id; empty: the id"`
	By         []string `json:"by" doc:"what is drawn from apart: columns of the records, such as type, or labels"`
	Share      float64  `json:"share" doc:"share of the records of each kind that is to be decided about, rounded up; 1: all"`
	Least      int      `json:"least" doc:"at least so many of each kind"`
	Seed       uint64   `json:"seed" doc:"decides which"`
	Annotators int      `json:"annotators" doc:"how many must decide about a drawn record; what more than half of those who did say holds"`
	Keeper     string   `json:"keeper,omitempty" doc:"annotator who settles disputes: this decision stands alone, and agreement leaves it out"`
	Undecided  string   `json:"undecided" doc:"what happens while a drawn record is undecided: refuse ends the build, keep goes on with it as it is"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{Sample: "review", Of: schemas.NameQuestion, By: []string{"type"}, Share: 0.1, Least: 1, Seed: 1, Annotators: 2, Undecided: refuse}
}

func (c Config) sample() pipeline.ReviewSample {
	return pipeline.ReviewSample{Name: c.Sample, Schema: c.Of, By: c.By, Share: c.Share, Least: c.Least, Seed: c.Seed, Annotators: c.Annotators, Keeper: c.Keeper}
}

type applyStage struct{ cfg Config }

// population is what the sample is taken from, with the decisions about it by item. Who
// proposed a change has no say in whether it is right.
type population struct {
	*review.Population
	decisions map[string][]schemas.Review
	proposers map[string][]string // by item that was changed
}

// isOwn reports a decision about what the annotator proposed.
func (p population) isOwn(r schemas.Review) bool {
	return slices.Contains(p.proposers[r.Item], r.Annotator)
}

func newApplyReviews(c Config) (pipeline.Stage, error) {
	switch err := review.CheckSample(c.sample()); {
	case err != nil:
		return nil, err
	case c.Sample == "" || strings.TrimSpace(c.Sample) != c.Sample:
		return nil, fmt.Errorf("draw is %q; want the name that decisions give", c.Sample)
	case c.Of == "" || c.Of == schemas.NameReview || c.Of == schemas.NameSampled:
		return nil, fmt.Errorf("of is %q; want the schema of what people decide about", c.Of)
	case slices.Contains(c.By, "source"):
		return nil, fmt.Errorf("by holds source, which stands in tasks; draw by a label")
	case c.Annotators < 1:
		return nil, fmt.Errorf("annotators is %d; want at least 1", c.Annotators)
	case c.Undecided != refuse && c.Undecided != keep:
		return nil, fmt.Errorf("undecided is %q; want %s or %s", c.Undecided, refuse, keep)
	}
	return &applyStage{c}, nil
}

// Spec implements pipeline.Stage.
func (s *applyStage) Spec() pipeline.Spec {
	spec := pipeline.Spec{
		Accepts: []string{s.cfg.Of, schemas.NameReview}, Emits: []string{s.cfg.Of, schemas.NameReview, schemas.NameSampled},
	}
	if d := s.cfg.sample(); s.cfg.Undecided == refuse {
		spec.ReviewSample = &d
	}
	return spec
}

// Forecast implements pipeline.Forecaster: what is rejected is for people to say.
func (s *applyStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	of, r := in[s.cfg.Of], in[schemas.NameReview]
	out := pipeline.Volume{s.cfg.Of: of, schemas.NameReview: r, schemas.NameSampled: {Records: of.Records, Rough: of.Rough}}
	return pipeline.Forecast{Out: out, CPU: readCPU * (of.Records + r.Records)}
}

// readCPU is processor seconds a record or decision: it is decoded twice and written.
const readCPU = 1e-4

// Fold implements pipeline.Fold.
func (s *applyStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	from, err := s.readReviews(ctx, in)
	if err != nil {
		return err
	}
	decided, err := s.outcomesByItem(from)
	if err != nil {
		return err
	}
	sampled := from.Drawn()
	for rec, err := range in.All {
		if err != nil {
			return err
		}
		switch rec.Schema {
		case s.cfg.Of:
			err = s.applyDecision(scope, rec, sampled, decided, emit)
		case schemas.NameReview:
			err = emitReview(scope, rec, from, emit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emitReview emits a decision, unless it is about the annotator's own proposal.
func emitReview(scope *pipeline.Scope, rec pipeline.Record, from population, emit func(pipeline.Record) error) error {
	r, err := pipeline.Decode[schemas.Review](rec)
	if err == nil && from.isOwn(r) {
		lost := pipeline.Reject(CodeOwnProposal, "%s proposed what %s says; somebody else decides about it", r.Annotator, r.Item)
		lost.Flagged = true
		scope.Reject(rec.ID, lost)
		return nil
	}
	return errors.Join(err, emit(rec))
}

// CodeOwnProposal is that of a decision about what the annotator proposed.
const CodeOwnProposal = "own-proposal"

// readReviews finds what is sampled from, and the decisions about the sample.
func (s *applyStage) readReviews(ctx context.Context, in pipeline.Collection) (population, error) {
	out := population{review.NewPopulation(s.cfg.sample()), map[string][]schemas.Review{}, map[string][]string{}}
	for rec, err := range in.All {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return out, err
		}
		switch rec.Schema {
		case s.cfg.Of:
			e, err := s.entry(rec)
			if err != nil {
				return out, err
			}
			out.Add(e.DrawnRow(s.cfg.sample()))
			if by := e.Values[schemas.LabelProposedBy]; by != "" {
				out.proposers[e.ID] = strings.Split(by, ", ")
			}
		case schemas.NameReview:
			r, err := pipeline.Decode[schemas.Review](rec)
			if err != nil {
				return out, err
			}
			if r.Sample == s.cfg.Sample {
				out.decisions[r.Item] = append(out.decisions[r.Item], r)
			}
		}
	}
	for item := range out.proposers {
		out.decisions[item] = slices.DeleteFunc(out.decisions[item], out.isOwn)
	}
	return out, nil
}

func (s *applyStage) entry(rec pipeline.Record) (review.Entry, error) {
	e, err := review.EntryOf(rec)
	if err == nil && s.cfg.Key != "" {
		e.ID = e.Values[s.cfg.Key]
	}
	if err == nil && e.ID == "" {
		return e, fmt.Errorf("key is %q, and the %s %s has no such text", s.cfg.Key, rec.Schema, rec.ID)
	}
	return e, err
}

// outcomesByItem returns the decided outcomes by item. It is an *UndecidedError
// where the stage refuses undecided items.
func (s *applyStage) outcomesByItem(from population) (map[string]review.Outcome, error) {
	open := review.UndecidedError{Draw: s.cfg.Sample}
	out := map[string]review.Outcome{}
	for _, o := range from.Outcomes(from.decisions) {
		o.Drawn = o.Drawn || slices.ContainsFunc(o.Items, func(id string) bool { return from.proposers[id] != nil })
		if o.Drawn {
			open.Drawn++
		}
		switch {
		case o.Missing(s.cfg.Annotators):
			open.Missing = append(open.Missing, o.Items[0])
		case o.Disputed(s.cfg.Annotators):
			open.Disputed = append(open.Disputed, o.Items[0])
		}
		for _, id := range o.Items {
			out[id] = o
		}
	}
	if s.cfg.Undecided == refuse && len(open.Missing)+len(open.Disputed) > 0 {
		return nil, &open
	}
	return out, nil
}

// applyDecision emits a record as people decided, if they did not reject it,
// and notes that it was sampled.
func (s *applyStage) applyDecision(scope *pipeline.Scope, rec pipeline.Record, sampled map[string]bool, decided map[string]review.Outcome, emit func(pipeline.Record) error) error {
	e, err := s.entry(rec)
	if err != nil {
		return err
	}
	row := e.DrawnRow(s.cfg.sample())
	row.Selected = sampled[row.Unit]
	id := "drawn-" + string(pipeline.DigestOf(fmt.Appendf(nil, "%q %q", row.Item, row.Sample)))[:24]
	stated, err := pipeline.NewRecord(schemas.NameSampled, id, row)
	if err != nil {
		return err
	}
	if err := emit(stated); err != nil {
		return err
	}
	switch o := decided[e.ID]; o.Decision {
	case schemas.DecisionReject:
		lost := pipeline.Reject(review.CodeReviewedOut, "%s", o.DropReason(e.ID))
		lost.Flagged = true
		scope.Reject(rec.ID, lost)
		return nil
	case schemas.DecisionRelabel:
		if rec, err = review.Relabel(rec, o.Label); err != nil {
			return err
		}
	}
	return emit(rec)
}
