package lifelong

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// LivesConfig says what is simulated around real users.
type LivesConfig struct {
	Size simulate.Size `json:"size" doc:"how much each session holds beside what the user brings; sessions counts for users of whom nothing happened is known"`
}

// SetDefaults makes lives as small as those of the default build.
func (c *LivesConfig) SetDefaults() {
	c.Size = simulate.Size{Sessions: 8, Facts: 5, Pictures: 2, Interference: 1, Chatter: 2}
}

// Codes of what users lose on the way to a life.
const (
	// CodeLeft names the fields of a user that its life has not, and how often they are there.
	CodeLeft = "fields-left-out"
	// CodeShort is a user to whom things happened on too few days.
	CodeShort = "too-few-days"
)

type livesStage struct {
	cfg    LivesConfig
	speech speech.Writer
}

func newLives(c LivesConfig) (pipeline.Stage, error) {
	w, err := speech.New()
	if err != nil {
		return nil, err
	}
	return livesStage{c, w}, c.Size.Check()
}

// Spec declares what is made.
func (livesStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameProfile, schemas.NameEvidenceItem}, Emits: []string{nameSimulation}}
}

// Fold implements pipeline.Fold. Items name the profiles of the people they are about,
// so all users are held: some kilobytes each.
func (l livesStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	users, happened := map[string]schemas.Profile{}, map[string][]schemas.EvidenceItem{}
	err := eachRecord(ctx, in, schemas.NameProfile,
		func(p schemas.Profile) { users[p.ProfileID] = p },
		func(item schemas.EvidenceItem) {
			for _, p := range item.Profiles {
				happened[p] = append(happened[p], item)
			}
		})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(users)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.emitSimulation(scope, users[id], happened[id], emit); err != nil {
			return fmt.Errorf("life of %s: %w", id, err)
		}
	}
	return nil
}

// eachRecord hands records of a schema to one, and those of the other that a fold accepts to
// another.
func eachRecord[A, B any](ctx context.Context, in pipeline.Collection, schema string, one func(A), other func(B)) error {
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec.Schema != schema {
			b, err := pipeline.Decode[B](rec)
			if err != nil {
				return err
			}
			other(b)
			continue
		}
		a, err := pipeline.Decode[A](rec)
		if err != nil {
			return err
		}
		one(a)
	}
	return nil
}

// emitSimulation gives the life of a user, and names the fields that it has not.
func (l livesStage) emitSimulation(scope *pipeline.Scope, p schemas.Profile, items []schemas.EvidenceItem, emit func(pipeline.Record) error) error {
	s := newProfileSeed(p, items)
	if days := s.visitDays(); len(days) > 0 && (len(days) < 4 || len(days) > 99) {
		scope.Reject(p.ProfileID, pipeline.Reject(CodeShort, "things happened to the user on %d days; a life takes 4 to 99", len(days)))
		return nil
	}
	id := simulate.DomainLife + "-" + unnamed.ReplaceAllString(p.ProfileID, "_")
	rnd := scope.Rand(id)
	w, err := simulate.SimulateLife(rnd, l.cfg.Size, s.Seed)
	if err != nil {
		return err
	}
	said, err := l.speech.Sessions(rnd, w)
	if err != nil {
		return err
	}
	if len(s.lost) > 0 {
		scope.Reject(p.ProfileID, pipeline.Reject(CodeLeft, "%s", s.formatLost()))
	}
	r, err := pipeline.NewRecord(nameSimulation, id, Simulation{ID: id, World: w, Rounds: said})
	if err != nil {
		return err
	}
	return emit(r)
}

// unnamed is what ids of lives have not: what stands before their last dash is their domain.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// formatLost lists lost fields with how often they are there.
func (s *profileSeed) formatLost() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.lost)) {
		out = append(out, fmt.Sprintf("%s %d", name, s.lost[name]))
	}
	return strings.Join(out, ", ")
}
