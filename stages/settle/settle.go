// Package settle is the stage review.settle, by which what people decided takes
// effect: questions that they reject are dropped, and labels that they give are set.
package settle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/review"
	"github.com/memforge/memforge/schemas"
)

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "review.settle", "1", "drop and relabel questions as people decided, and refuse what they left open", newSettle)
}

// What happens to a drawn question that is not decided.
const (
	refuse = "refuse"
	keep   = "keep"
)

// Config configures the stage. Its draw is that of `memforge draw` with the same
// name, by, share, least and seed.
type Config struct {
	Draw       string   `json:"draw" doc:"name of the draw, as decisions give it"`
	By         []string `json:"by" doc:"what is drawn from apart: type, family, split or a label"`
	Share      float64  `json:"share" doc:"share of the questions of each kind that is to be decided about, rounded up; 1: all"`
	Least      int      `json:"least" doc:"at least so many of each kind"`
	Seed       uint64   `json:"seed" doc:"decides which"`
	Annotators int      `json:"annotators" doc:"how many must decide about a drawn question; what more than half of those who did say holds"`
	Undecided  string   `json:"undecided" doc:"what happens while a drawn question is undecided: refuse ends the build, keep goes on with it as it is"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{Draw: "review", By: []string{"type"}, Share: 0.1, Least: 1, Seed: 1, Annotators: 2, Undecided: refuse}
}

func (c Config) sampling() review.Sampling {
	return review.Sampling{By: c.By, Share: c.Share, Least: c.Least, Seed: c.Seed}
}

type settle struct{ cfg Config }

func newSettle(c Config) (pipeline.Stage, error) {
	switch err := c.sampling().Check(); {
	case err != nil:
		return nil, err
	case c.Draw == "" || strings.TrimSpace(c.Draw) != c.Draw:
		return nil, fmt.Errorf("draw is %q; want the name that decisions give", c.Draw)
	case slices.Contains(c.By, "source"):
		return nil, fmt.Errorf("by holds source, which stands in tasks; draw by a label")
	case c.Annotators < 1:
		return nil, fmt.Errorf("annotators is %d; want at least 1", c.Annotators)
	case c.Undecided != refuse && c.Undecided != keep:
		return nil, fmt.Errorf("undecided is %q; want %s or %s", c.Undecided, refuse, keep)
	}
	return &settle{c}, nil
}

// Spec implements pipeline.Stage.
func (s *settle) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameQuestion, schemas.NameReview}, Emits: []string{schemas.NameQuestion, schemas.NameReview},
		Reviewed: s.cfg.Undecided == refuse,
	}
}

// Forecast implements pipeline.Forecaster: what is rejected is for people to say.
func (s *settle) Forecast(in pipeline.Volume) pipeline.Forecast {
	q, r := in[schemas.NameQuestion], in[schemas.NameReview]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: q, schemas.NameReview: r}, CPU: readCPU * (q.Records + r.Records)}
}

// readCPU is processor seconds a question or decision: it is decoded twice and written.
const readCPU = 1e-4

// UndecidedError says that people have not decided about all that was drawn.
type UndecidedError struct {
	Draw string
	// Missing have too few decisions, Disputed as many as asked for and no majority.
	Missing, Disputed []string
	Drawn             int
}

func (e *UndecidedError) Error() string {
	open := slices.Concat(e.Missing, e.Disputed)
	return fmt.Sprintf("draw %q: of %d questions %d lack decisions and %d are disputed (%s); list them with `memforge draw --open`, add decisions to the files of the source reviews, or set undecided: keep",
		e.Draw, e.Drawn, len(e.Missing), len(e.Disputed), strings.Join(open[:min(3, len(open))], ", "))
}

// Fold implements pipeline.Fold.
func (s *settle) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	units, said, err := s.read(ctx, in)
	if err != nil {
		return err
	}
	settled, err := s.settle(units, said)
	if err != nil {
		return err
	}
	for rec, err := range in.All {
		if err != nil {
			return err
		}
		if rec.Schema == schemas.NameQuestion {
			if rec, err = apply(scope, rec, settled); err != nil {
				return err
			}
		}
		if rec.Schema == schemas.NameQuestion || rec.Schema == schemas.NameReview {
			if err := emit(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// unit is a question of a draw, or several that ask the same.
type unit struct {
	stratum string
	first   string // id of the one that a draw names
	ids     []string
}

// read finds the units by name, and the decisions of the draw by item.
func (s *settle) read(ctx context.Context, in pipeline.Collection) (map[string]*unit, map[string][]schemas.Review, error) {
	units, said := map[string]*unit{}, map[string][]schemas.Review{}
	for rec, err := range in.All {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		switch rec.Schema {
		case schemas.NameQuestion:
			q, err := pipeline.Decode[schemas.Question](rec)
			if err != nil {
				return nil, nil, err
			}
			name := review.Unit(q)
			if units[name] == nil {
				units[name] = &unit{stratum: strings.Join(s.cfg.sampling().Stratum(q, nil), "\x00"), first: q.QuestionID}
			}
			units[name].ids = append(units[name].ids, q.QuestionID)
		case schemas.NameReview:
			r, err := pipeline.Decode[schemas.Review](rec)
			if err != nil {
				return nil, nil, err
			}
			if r.Draw == s.cfg.Draw {
				said[r.Item] = append(said[r.Item], r)
			}
		}
	}
	return units, said, nil
}

// settle gives what is settled by question. It is an *UndecidedError where the
// stage refuses what is open.
func (s *settle) settle(units map[string]*unit, said map[string][]schemas.Review) (map[string]verdict, error) {
	strata := map[string][]string{}
	for name, u := range units {
		strata[u.stratum] = append(strata[u.stratum], name)
	}
	drawn := map[string]bool{}
	for _, names := range strata {
		for _, name := range s.cfg.sampling().Draw(names) {
			drawn[name] = true
		}
	}
	open := UndecidedError{Draw: s.cfg.Draw, Drawn: len(drawn)}
	out := map[string]verdict{}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		u := units[name]
		var decisions []schemas.Review
		for _, id := range u.ids {
			for _, r := range said[id] {
				if !slices.ContainsFunc(decisions, func(o schemas.Review) bool { return o.Annotator == r.Annotator }) {
					decisions = append(decisions, r) // who sees two copies counts once
				}
			}
		}
		found := review.Settle(decisions, s.cfg.Annotators)
		switch {
		case found.Decision != "":
			for _, id := range u.ids {
				out[id] = verdict{found, decisions[0].Item}
			}
		case drawn[name] && found.Of < s.cfg.Annotators:
			open.Missing = append(open.Missing, u.first)
		case drawn[name]:
			open.Disputed = append(open.Disputed, u.first)
		}
	}
	if s.cfg.Undecided == refuse && len(open.Missing)+len(open.Disputed) > 0 {
		return nil, &open
	}
	return out, nil
}

// verdict is what is settled about a question, and which one was looked at.
type verdict struct {
	review.Settlement
	seen string
}

// apply does to a question what is settled. A rejected one has no schema left.
func apply(scope *pipeline.Scope, rec pipeline.Record, settled map[string]verdict) (pipeline.Record, error) {
	v := settled[rec.ID]
	why := v.Reason()
	if v.seen != rec.ID {
		why = "with its copy " + v.seen + ": " + why
	}
	switch v.Decision {
	case schemas.DecisionReject:
		lost := pipeline.Reject("reviewed-out", "%s", why)
		lost.Flagged = true
		scope.Reject(rec.ID, lost)
		return pipeline.Record{}, nil
	case schemas.DecisionRelabel:
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			return rec, err
		}
		if q.Labels = maps.Clone(q.Labels); q.Labels == nil {
			q.Labels = map[string]string{}
		}
		q.Labels[v.Label[0]] = v.Label[1]
		return pipeline.NewRecord(rec.Schema, rec.ID, q, rec.Blobs...)
	}
	return rec, nil
}
