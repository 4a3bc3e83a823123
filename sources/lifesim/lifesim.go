// Package lifesim is the source "lifesim": the simulated users of LifeSim, as profiles
// for casts, and what happens to each of them, as evidence of a preference that nobody
// states (SMMBench B.2).
package lifesim

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Dataset begins the ids of its items and profiles. Its repository states no licence.
const Dataset = "lifesim"

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Part    string `json:"part" doc:"single_session (120 users) or long_horizon (1,309)"`
	Persona bool   `json:"persona" doc:"keep names, religion, race and politics of the simulated users"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes, c.Part = "dfy37/lifesim", "main", annotation.MaxBytes, "single_session"
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "2", "LifeSim: profiles, and preferences that events show", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.GitHub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if c.Part != "single_session" && c.Part != "long_horizon" {
		return nil, fmt.Errorf("part: %q: want single_session or long_horizon", c.Part)
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameProfile, schemas.NameEvidenceItem}}
}

// Needs in their order: two, for users come before events.
const (
	needUsers = iota
	needEvents
)

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	users := pipeline.Need{From: fetch.GitHub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: s.cfg.MaxBytes}
	events := users
	users.Include = []string{"data/" + s.cfg.Part + "/users.jsonl"}
	events.Include = []string{"data/" + s.cfg.Part + "/events.jsonl"}
	return []pipeline.Need{users, events}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, "", assets)
	users, err := s.users(ctx, scope, assets, g)
	if err != nil {
		return err
	}
	var all []userLife
	err = evidence.Lines(ctx, scope, assets, needEvents, func(l evidence.Line) error {
		one, why := parseLife(l.Object)
		switch of, known := users[one.user]; {
		case why != nil:
			scope.Reject(l.Where, why)
		case !known:
			scope.Reject(l.Where, pipeline.Reject(schemas.CodeDanglingUnit, "it is about user %s, of whom there is no profile", annotation.Truncate(one.user)))
		case len(of.Preferences) == 0:
			g.Reject(one.id, schemas.CodeNoGold, "user %s has no preference that the events could show", one.user)
		default:
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	said, seen := statementsByLevel(users), map[string]bool{}
	for _, one := range evidence.Pick(scope, all, func(l userLife) string { return l.id }, s.cfg.MaxItems) {
		if !seen[one.id] && len(one.events) > 0 {
			g.RejectFields(one.id, one.left)
		}
		seen[one.id] = true
		if err := emitItem(scope, g, one, users[one.user], said); err != nil {
			return err
		}
	}
	return nil
}

// users gives the profiles and returns those that were given.
func (s *source) users(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, g *evidence.Emitter) (map[string]schemas.Profile, error) {
	out := map[string]schemas.Profile{}
	err := evidence.Lines(ctx, scope, assets, needUsers, func(l evidence.Line) error {
		p, why := parseUser(l.Object, s.cfg.Persona)
		if why != nil {
			scope.Reject(l.Where, why)
			return nil
		}
		given, err := g.EmitProfile(p)
		if given {
			out[p.UpstreamID] = p
			g.RejectFields(p.UpstreamID, unusedFields(l.Object, s.cfg.Persona))
		}
		return err
	})
	return out, err
}

// emitItem makes the item of a life: one of the user's preferences, drawn, among statements
// that the profile says the opposite of.
func emitItem(scope *pipeline.Scope, g *evidence.Emitter, one userLife, p schemas.Profile, said map[string]map[string]string) error {
	item := one.item()
	item.Profiles = []string{g.ID(p.UpstreamID)}
	gold := p.Preferences[scope.Rand("preference", one.id).IntN(len(p.Preferences))]
	wrong := opposites(gold, p, said)
	if len(wrong) > 3 {
		wrong = wrong[:3]
	}
	item.Question.Labels["dimension"], item.Question.Labels["level"] = gold.Dimension, gold.Level
	if len(wrong) == 0 {
		item.Question.AnswerText = gold.Text
		item.Notes = append(item.Notes, schemas.Note{Code: evidence.NoteOptions, Text: "nobody in the data takes the other side of one of the user's preferences"})
	} else {
		g.AddOptions(&item.Question, one.id, gold.Text, wrong...)
	}
	return g.EmitItem(item)
}

// statementsByLevel are how each level of a dimension is put, by dimension and level.
func statementsByLevel(users map[string]schemas.Profile) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(users)) {
		for _, p := range users[id].Preferences {
			if out[p.Dimension] == nil {
				out[p.Dimension] = map[string]string{}
			}
			out[p.Dimension][p.Level] = p.Text
		}
	}
	return out
}

// opposites are statements that do not hold of the user: the other levels of the gold's
// dimension, then those of the user's other dimensions.
func opposites(gold schemas.Preference, p schemas.Profile, said map[string]map[string]string) (out []string) {
	others := func(of schemas.Preference) {
		for _, level := range slices.Sorted(maps.Keys(said[of.Dimension])) {
			if level != of.Level {
				out = append(out, said[of.Dimension][level])
			}
		}
	}
	others(gold)
	for _, of := range p.Preferences {
		if of.Dimension != gold.Dimension {
			others(of)
		}
	}
	return out
}

// Users of each part, and what one takes with its events, in seconds.
const (
	shortUsers = 120
	longUsers  = 1309
	readCPU    = 0.005
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	users := shortUsers
	if s.cfg.Part == "long_horizon" {
		users = longUsers
	}
	out := evidence.Forecast(s.cfg.MaxItems, users, readCPU)
	out.Out[schemas.NameProfile] = pipeline.Amount{Records: float64(users)}
	return out
}
