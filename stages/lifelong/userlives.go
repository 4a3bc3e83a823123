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
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// LivesConfig says what is simulated around real users.
type LivesConfig struct {
	Size simulate.Size `json:"size" doc:"how much each session holds beside what the user brings; sessions counts for users of whom nothing happened is known"`
}

// SetDefaults makes simulations as small as those of the default build.
func (c *LivesConfig) SetDefaults() {
	c.Size = simulate.Size{Sessions: 8, Facts: 5, Pictures: 2, Interference: 1, Chatter: 2}
}

// Codes of what users lose on the way to a simulation.
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

// eachRecord calls one with records of a schema and other with the other records that the
// stage accepts.
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

// emitSimulation emits the simulation of a user and reports the unused fields.
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

// unnamed are characters that ids of simulations must not have: what stands before their
// last dash is the domain.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9._]+`)

func (s *profileSeed) formatLost() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.lost)) {
		out = append(out, fmt.Sprintf("%s %d", name, s.lost[name]))
	}
	return strings.Join(out, ", ")
}

// profileSeed is the seed that a user's profile gives, and the fields it cannot use,
// counted by name.
type profileSeed struct {
	simulate.Seed
	lost map[string]int
}

// Forms that texts of strangers must have to be said: a value ends no sentence, and what
// an aspect is called has letters alone.
var (
	fullName  = regexp.MustCompile(`^[A-Z][a-z]+ [A-Z][a-z]+$`)
	sayable   = regexp.MustCompile(`^[^.!?;\n"]{1,80}$`)
	themeForm = regexp.MustCompile(`^[a-z]{3,}( [a-z]+)*$`)
	levelForm = regexp.MustCompile(`^[a-z][a-z -]{2,60}$`)
)

// newProfileSeed takes name, facts and preferences from a profile, and theme and visits
// from the first item; further items are lost.
func newProfileSeed(p schemas.Profile, items []schemas.EvidenceItem) *profileSeed {
	s := &profileSeed{lost: map[string]int{}}
	if fullName.MatchString(p.Name) {
		s.Person = p.Name
	} else {
		s.lost["name"]++
	}
	s.addAttributes(p)
	s.addPreferences(p)
	if len(items) == 0 {
		s.lost["events"]++
		return s
	}
	s.addEvents(items[0])
	for _, more := range items[1:] {
		s.lost["events of another theme"] += len(more.Units)
	}
	return s
}

func (s *profileSeed) addAttributes(p schemas.Profile) {
	aspects := map[string]string{"employment": simulate.Work, "marital": simulate.Marital, "income": simulate.Income, "area": simulate.Area, "age": simulate.Age}
	for _, key := range slices.Sorted(maps.Keys(p.Attributes)) {
		name, _, _ := strings.Cut(key, " ") // of the five traits as one
		if aspects[key] == "" || !s.addFact(aspects[key], p.Attributes[key]) {
			s.lost[name]++
		}
	}
	for i, t := range p.Traits {
		aspect := ""
		if i < 2 {
			aspect = []string{simulate.MainTrait, simulate.NextTrait}[i]
		}
		if aspect == "" || !s.addFact(aspect, strings.ToLower(t)) {
			s.lost["personality"]++
		}
	}
}

// addFact adds a fact of the person if it can be said and is the first of its aspect.
func (s *profileSeed) addFact(aspect, value string) bool {
	twice := slices.ContainsFunc(s.About, func(k simulate.Known) bool { return k.Aspect == aspect })
	if twice || !sayable.MatchString(value) {
		return false
	}
	s.About = append(s.About, simulate.Known{Aspect: aspect, Value: value})
	return true
}

// addPreferences adds how strong each trait is. The sentence that states it in full is
// not used.
func (s *profileSeed) addPreferences(p schemas.Profile) {
	for _, one := range p.Preferences {
		of, _, _ := strings.Cut(strings.ToLower(one.Dimension), " (")
		of, _, _ = strings.Cut(of, ":")
		of = strings.TrimPrefix(of, "degree of ")
		if !levelForm.MatchString(of) || one.Level == "" || !s.addFact(simulate.LevelAspect(of), one.Level) {
			s.lost["preferences_value"]++
		}
		s.lost["preferences"]++
	}
}

// addEvents takes the theme, and day, place and words of each event.
func (s *profileSeed) addEvents(item schemas.EvidenceItem) {
	theme := strings.ReplaceAll(item.Question.Labels["theme"], "_", " ")
	if themeForm.MatchString(theme) {
		s.Theme = theme
	} else {
		s.lost["theme"]++
	}
	last := ""
	for _, u := range item.Units {
		for name := range u.Labels {
			if name != "location" {
				s.lost["events."+name]++
			}
		}
		day, _, timed := strings.Cut(u.Time, "T")
		place := strings.Join(strings.Fields(u.Labels["location"]), " ")
		words := strings.Replace(u.Text, "\nAsks: ", " ", 1)
		switch {
		case !timed, len(s.Visits) > 0 && day < s.Visits[len(s.Visits)-1].Date:
			s.lost["events without a day"]++
		case !sayable.MatchString(place):
			s.lost["events without a place"]++
		case len(s.Visits) > 0 && day == s.Visits[len(s.Visits)-1].Date && !s.soundsLikeFact(words):
			// a fact changes once a session: of a day the first place is told, and all words
			s.Visits[len(s.Visits)-1].Words += " " + words
			s.lost["events.hour"]++
			s.lost["events.location"]++
		case place == last:
			s.lost["events at the same place again"]++
		case s.soundsLikeFact(words):
			s.lost["events whose words tell another fact"]++
		default:
			s.lost["events.hour"]++
			s.Visits, last = append(s.Visits, simulate.Visit{Date: day, Place: place, Words: words}), place
		}
	}
}

// soundsLikeFact reports whether words would be read as telling a fact. The person stands
// for any speaker: "my" home is the speaker's.
func (s *profileSeed) soundsLikeFact(words string) bool {
	profile := schemas.Session{Kind: schemas.KindProfile, Participants: []string{"Some Body"}}
	for _, k := range s.About {
		profile.Turns = append(profile.Turns, schemas.Turn{Role: schemas.TurnUser, Text: fmt.Sprintf("My %s is %s.", k.Aspect, k.Value)})
	}
	said := schemas.Session{Order: 1, Turns: []schemas.Turn{{Role: schemas.TurnUser, Text: words}}}
	all := []schemas.Session{profile, said}
	for i := range all {
		for n := range all[i].Turns {
			all[i].Turns[n].TurnID = schemas.TurnIDOf(fmt.Sprint(i), n+1)
		}
	}
	return len(oracle.New(all, nil).Points()[1]) > 0
}

func (s *profileSeed) visitDays() []string {
	var out []string
	for _, v := range s.Visits {
		out = append(out, v.Date)
	}
	return slices.Compact(out)
}
