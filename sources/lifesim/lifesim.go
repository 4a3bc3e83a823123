// Package lifesim is the source "lifesim": the simulated users of LifeSim, as profiles
// for casts, and what happens to each of them, as evidence of a preference that nobody
// states (SMMBench B.2).
package lifesim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
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

// emitItem emits the item of a user's life: one preference, picked at random, among
// statements that the profile contradicts.
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

// opposites returns statements that do not hold of the user: the other levels of the gold's
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

// persona are what could be held against a person, were the user one.
var (
	plain   = [...]string{"employment", "marital", "income", "area", "age", "gender"}
	persona = [...]string{"religious", "race", "ideology", "party", "user_at_name"}
)

// dashes writes dashes and spaces that look alike as one: upstream mixes them.
var dashes = strings.NewReplacer("\u2011", "-", "\u00a0", " ", "\u202f", " ")

func parseUser(o annotation.Object, whole bool) (schemas.Profile, *pipeline.Rejection) {
	p := schemas.Profile{Attributes: map[string]string{}}
	var err error
	if p.UpstreamID, err = o.Text("user_id"); err != nil || p.UpstreamID == "" {
		return p, pipeline.Reject(benchmark.CodeBadRow, "it has no user_id: %v", err)
	}
	keys := plain[:]
	if whole {
		keys = slices.Concat(plain[:], persona[:])
		p.Name, err = o.Text("screen_name")
	}
	for _, key := range keys {
		value, err1 := o.Text(key)
		err = errors.Join(err, err1)
		if value != "" {
			p.Attributes[key] = value
		}
	}
	big, err1 := o.Object("bigfive")
	for trait := range big {
		value, err2 := big.Text(trait)
		err1 = errors.Join(err1, err2)
		p.Attributes["bigfive "+strings.ToLower(trait)] = strings.ToLower(value)
	}
	traits, err2 := o.Texts("personality")
	for _, t := range traits {
		p.Traits = append(p.Traits, strings.TrimRight(dashes.Replace(t), ". "))
	}
	if err := errors.Join(err, err1, err2); err != nil {
		return p, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	return p, preferences(&p, o)
}

func unusedFields(o annotation.Object, whole bool) evidence.UnusedFields {
	kept := append(plain[:], "user_id", "bigfive", "personality", "preferences", "preferences_value", "speicial_preference") // which has a note
	if whole {
		kept = append(append(kept, persona[:]...), "screen_name")
	}
	out := evidence.UnusedFields{}
	out.Count("", o, kept...)
	return out
}

// preferences takes the statements, whose dimensions are the keys of another object in
// the same order.
func preferences(p *schemas.Profile, o annotation.Object) *pipeline.Rejection {
	texts, err := o.Texts("preferences")
	var values []annotation.Pair
	if raw := o["preferences_value"]; err == nil && len(raw) > 0 {
		values, err = annotation.ParsePairs(raw)
	}
	if err != nil {
		return pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if len(texts) != len(values) {
		return pipeline.Reject(benchmark.CodeBadRow, "%d preferences and %d values: nobody can tell which belongs to which", len(texts), len(values))
	}
	for i, v := range values {
		side, err := (annotation.Object{v.Key: v.Value}).Text(v.Key)
		if err != nil {
			return pipeline.Reject(benchmark.CodeBadRow, "preferences_value: %v", err)
		}
		p.Preferences = append(p.Preferences, schemas.Preference{Dimension: v.Key, Level: strings.ToLower(side), Text: dashes.Replace(texts[i])})
	}
	if _, special := o["speicial_preference"]; special { // sic
		p.Notes = append(p.Notes, schemas.Note{Code: evidence.NoteLeftOut, Text: "speicial_preference, whose form was never stated"})
	}
	return nil
}

// userLife is a line of events.jsonl: what happens to a user.
type userLife struct {
	id, user, theme string
	events          []event
	notes           []schemas.Note
	left            evidence.UnusedFields
}

type event struct {
	at     time.Time
	text   string
	labels map[string]string
}

func parseLife(o annotation.Object) (userLife, *pipeline.Rejection) {
	var l userLife
	err := o.Fill(annotation.Field{Key: "id", Into: &l.id}, annotation.Field{Key: "user_id", Into: &l.user}, annotation.Field{Key: "theme", Into: &l.theme})
	list, err1 := o.Objects("events")
	if err := errors.Join(err, err1); err != nil {
		return l, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	if l.id == "" || l.user == "" {
		return l, pipeline.Reject(benchmark.CodeBadRow, "it lacks id or user_id")
	}
	l.left = evidence.UnusedFields{}
	l.left.Count("", o, "id", "user_id", "theme", "events")
	for i, item := range list {
		l.left.Count("events", item, "event", "intent", "time", "timestamp", "keywords", "location", "weather", "life_event", "sub_intents")
		e, why := parseEvent(item)
		if why != nil {
			return l, pipeline.Reject(why.Code, "event %d: %s", i, why.Reason)
		}
		l.events = append(l.events, e)
	}
	byTime := func(a, b event) int { return a.at.Compare(b.at) }
	if !slices.IsSortedFunc(l.events, byTime) {
		l.notes = append(l.notes, schemas.Note{Code: evidence.NoteOrder, Text: "its events are not in the order of their times; they are put into it"})
		slices.SortStableFunc(l.events, byTime)
	}
	return l, nil
}

// maxZone is how far a local time may be from UTC.
const maxZone = 14 * time.Hour

func parseEvent(o annotation.Object) (event, *pipeline.Rejection) {
	e := event{labels: map[string]string{}}
	var what, intent, local, utc string
	err := o.Fill(annotation.Field{Key: "event", Into: &what}, annotation.Field{Key: "intent", Into: &intent}, annotation.Field{Key: "time", Into: &local}, annotation.Field{Key: "timestamp", Into: &utc})
	keywords, _, err1 := o.LooseList("keywords")
	err2 := e.label(o, "location", "weather", "life_event")
	subs, err3 := o.Objects("sub_intents")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return e, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	for _, sub := range subs {
		text, err1 := sub.Text("description")
		kind, err2 := sub.Text("type")
		if err := errors.Join(err1, err2); err != nil || kind != "explicit" && kind != "implicit" {
			return e, pipeline.Reject(benchmark.CodeBadRow, "a sub-intent of type %q: %v", annotation.Truncate(kind), err)
		}
		e.labels[kind] = strings.TrimPrefix(e.labels[kind]+"\n"+dashes.Replace(text), "\n")
	}
	if len(keywords) > 0 {
		e.labels["keywords"] = strings.Join(keywords, ", ")
	}
	if what == "" {
		return e, pipeline.Reject(benchmark.CodeBadRow, "it says of nothing that it happens")
	}
	e.text = dashes.Replace(strings.TrimSpace(what))
	if intent != "" {
		e.text += "\nAsks: " + dashes.Replace(intent)
	}
	return e, e.parseTime(local, utc)
}

func (e *event) label(o annotation.Object, keys ...string) error {
	for _, key := range keys {
		text, err := o.Text(key)
		if err != nil {
			return err
		}
		if text != "" {
			e.labels[key] = dashes.Replace(text)
		}
	}
	return nil
}

// parseTime takes the local time, with the weekday it names, and the same in UTC without a
// zone: the two tell the zone.
func (e *event) parseTime(local, utc string) *pipeline.Rejection {
	there, err1 := time.Parse("2006-01-02 15:04:05, Monday", local)
	here, err2 := time.Parse(time.DateTime, utc)
	if err := errors.Join(err1, err2); err != nil {
		return pipeline.Reject(evidence.CodeDate, "time %q and timestamp %q: %v", annotation.Truncate(local), annotation.Truncate(utc), cmp.Or(err1, err2))
	}
	if !strings.HasSuffix(local, there.Weekday().String()) {
		return pipeline.Reject(evidence.CodeDate, "%s was a %s", annotation.Truncate(local), there.Weekday())
	}
	zone := there.Sub(here)
	if zone.Abs() > maxZone || zone%(15*time.Minute) != 0 {
		return pipeline.Reject(evidence.CodeDate, "local time %q and UTC %q are %s apart, which no zone is", annotation.Truncate(local), annotation.Truncate(utc), zone)
	}
	e.at = here.In(time.FixedZone("", int(zone.Seconds())))
	return nil
}

func (l userLife) item() schemas.EvidenceItem {
	item := schemas.EvidenceItem{UpstreamID: l.id, Task: schemas.TaskPreference, Notes: l.notes, Question: schemas.Question{
		Question: "Going by what this person did and asked for, which of these is most likely true of them?", Type: "implicit_preference",
		Labels: map[string]string{"theme": l.theme, "user": l.user},
	}}
	for i, e := range l.events {
		item.Units = append(item.Units, schemas.EvidenceUnit{
			UpstreamID: fmt.Sprintf("%s#%d", l.id, i), Modality: schemas.ModalityText, Text: e.text, Role: schemas.RoleClue, Time: e.at.Format(time.RFC3339), Labels: e.labels,
		})
	}
	return item
}
