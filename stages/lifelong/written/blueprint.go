package written

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// Codes of lives whose plan cannot be made.
const (
	CodePlan = "unsound-plan"
)

// Brief is what a life begins from.
type Brief struct {
	ID       string `json:"id" doc:"name of the life, of letters, digits and dashes"`
	Domain   string `json:"domain" doc:"what it is about: one of the six verticals, or life"`
	Who      string `json:"who" doc:"who the person is and what the months are about, in a sentence or two"`
	Sessions int    `json:"sessions" doc:"how many sessions there are"`
	From     string `json:"from" doc:"date of the first session"`
	Until    string `json:"until" doc:"no session is later"`
}

// BriefsConfig lists lives to be written.
type BriefsConfig struct {
	Lives []Brief `json:"lives" doc:"one entry a life"`
}

type briefSource struct{ cfg BriefsConfig }

func newBriefs(c BriefsConfig) (pipeline.Source, error) {
	seen := map[string]bool{}
	for _, b := range c.Lives {
		if !lifeName.MatchString(b.ID) || seen[b.ID] {
			return nil, fmt.Errorf("a life is called %q; give each its own name, of letters, digits and dashes", b.ID)
		}
		seen[b.ID] = true
		if err := errors.Join(pipeline.CheckRange("sessions of "+b.ID, b.Sessions, 2, mostSessions), checkBrief(b)); err != nil {
			return nil, err
		}
	}
	return briefSource{c}, nil
}

func checkBrief(b Brief) error {
	if !slices.Contains(Domains(), b.Domain) {
		return fmt.Errorf("life %s is of the domain %q; there are %s", b.ID, b.Domain, strings.Join(Domains(), ", "))
	}
	if !dayForm.MatchString(b.From) || !dayForm.MatchString(b.Until) || b.From >= b.Until || b.Who == "" {
		return fmt.Errorf("life %s lasts from %q to %q; write two dates as 2026-02-03, and say who it is about", b.ID, b.From, b.Until)
	}
	return nil
}

// Spec declares what is given.
func (briefSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{NameBrief}, License: License}
}

// Needs returns nothing: briefs stand in the configuration.
func (briefSource) Needs() []pipeline.Need { return nil }

// Read emits the briefs.
func (s briefSource) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, b := range s.cfg.Lives {
		r, err := pipeline.NewRecord(NameBrief, b.ID, b)
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// Densities says how much a session holds.
type Densities struct {
	Facts        int `json:"facts" doc:"memory points of a session, without interference"`
	Updates      int `json:"updates" doc:"how many of them change what held"`
	Shown        int `json:"shown" doc:"how many of them are shown in pictures only"`
	Interference int `json:"interference" doc:"jokes, hearsay, slips and the like of a session"`
	Pictures     int `json:"pictures" doc:"pictures of a session"`
}

// BlueprintConfig says how plans are made.
type BlueprintConfig struct {
	Densities Densities `json:"densities" doc:"how much a session holds (WorldMemArena 4.3)"`
	Each      int       `json:"each" doc:"how many sessions are planned by one request"`
	Attempts  int       `json:"attempts" doc:"how often an answer is asked for that the checks refuse"`
}

// SetDefaults implements pipeline.Defaulter with the paper's densities.
func (c *BlueprintConfig) SetDefaults() {
	*c = BlueprintConfig{Densities: Densities{Facts: 10, Updates: 3, Shown: 4, Interference: 2, Pictures: 4}, Each: 3, Attempts: 3}
}

type blueprintStage struct {
	cfg      BlueprintConfig
	readBack func(Picture) error
	outline  *model.Job[outlineInput, outlineAnswer]
	facts    *model.Job[factsInput, factsAnswer]
}

func newBlueprint(c BlueprintConfig, readBack func(Picture) error) (pipeline.Stage, error) {
	s := &blueprintStage{cfg: c, readBack: readBack}
	var errs [2]error
	s.outline, errs[0] = model.NewJob[outlineInput, outlineAnswer]("lifelong.outline")
	s.facts, errs[1] = model.NewJob[factsInput, factsAnswer]("lifelong.facts")
	d := c.Densities
	return s, errors.Join(errs[0], errs[1], pipeline.CheckRange("each", c.Each, 1, 10), pipeline.CheckRange("attempts", c.Attempts, 1, 5),
		pipeline.CheckRange("facts", d.Facts, 2, 40), pipeline.CheckRange("updates", d.Updates, 0, d.Facts), pipeline.CheckRange("shown", d.Shown, 0, d.Facts),
		pipeline.CheckRange("interference", d.Interference, 0, 20), pipeline.CheckRange("pictures", d.Pictures, 0, 8))
}

// Spec declares that the author is asked.
func (s *blueprintStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{NameBrief}, Emits: []string{NamePlan}, Resource: pipeline.Model, Asks: []pipeline.Ask{s.outline.For(roleAuthor), s.facts.For(roleAuthor)}}
}

type outlineInput struct {
	Brief   Brief                                 `json:"brief"`
	Refused []model.RejectedAnswer[outlineAnswer] `json:"refused"`
}

type outlineAnswer struct {
	Persona     Persona       `json:"persona"`
	Assistant   string        `json:"assistant"`
	Cast        []CastMember  `json:"cast"`
	Goals       []string      `json:"goals"`
	Constraints []string      `json:"constraints"`
	Preferences []string      `json:"preferences"`
	Arcs        []Arc         `json:"arcs"`
	Sessions    []PlanSession `json:"sessions"`
	Absent      []Absent      `json:"absent"`
}

type factsInput struct {
	Outline  outlineAnswer                       `json:"outline"`
	Facts    []Fact                              `json:"facts"`
	Sessions plannedSessions                     `json:"sessions"`
	Refused  []model.RejectedAnswer[factsAnswer] `json:"refused"`
}

type plannedSessions struct {
	From      int       `json:"from"`
	Until     int       `json:"until"`
	Densities Densities `json:"each_holds"`
}

type factsAnswer struct {
	Facts       []Fact         `json:"facts"`
	Interfering []Interference `json:"interference"`
	Pictures    []Picture      `json:"pictures"`
	Outside     []Outside      `json:"outside"`
}

// Map plans a life: first who is there and what happens, then the facts of a few sessions
// at a time.
func (s *blueprintStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	b, err := pipeline.Decode[Brief](in)
	if err != nil {
		return nil, err
	}
	o, refused, err := s.outline.AskUntilUsable(ctx, scope, roleAuthor, s.cfg.Attempts,
		func(r []model.RejectedAnswer[outlineAnswer]) outlineInput { return outlineInput{b, r} },
		func(a model.Answer[outlineAnswer]) ([]string, error) {
			p := newPlan(b, a.Value)
			why := p.Check()
			if len(p.Sessions) != b.Sessions {
				why = append(why, fmt.Sprintf("there are %d sessions; plan %d", len(p.Sessions), b.Sessions))
			}
			if n := len(p.Sessions); n > 0 && (p.Sessions[0].Date < b.From || p.Sessions[n-1].Date > b.Until) {
				why = append(why, fmt.Sprintf("sessions lie between %s and %s", b.From, b.Until))
			}
			return why, nil
		})
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		return nil, pipeline.Reject(CodePlan, "the outline: %s", lastReasons(refused))
	}
	p := newPlan(b, o.Value)
	for from := 0; from < len(p.Sessions); from += s.cfg.Each {
		if p, err = s.planSessions(ctx, scope, p, o.Value, from); err != nil {
			return nil, err
		}
	}
	r, err := pipeline.NewRecord(NamePlan, b.ID, p)
	return []pipeline.Record{r}, err
}

func newPlan(b Brief, o outlineAnswer) Plan {
	return Plan{
		ID: b.ID, Domain: b.Domain, Persona: o.Persona, Assistant: o.Assistant, Cast: o.Cast, Goals: o.Goals, Constraints: o.Constraints, Preferences: o.Preferences,
		Arcs: o.Arcs, Sessions: o.Sessions, Absent: o.Absent,
	}
}

// planSessions returns the plan with the facts of the sessions from one on.
func (s *blueprintStage) planSessions(ctx context.Context, scope *pipeline.Scope, p Plan, o outlineAnswer, from int) (Plan, error) {
	last := min(from+s.cfg.Each, len(p.Sessions)) - 1
	in := factsInput{Outline: o, Facts: p.Facts, Sessions: plannedSessions{from, last, s.cfg.Densities}}
	got, refused, err := s.facts.AskUntilUsable(ctx, scope, roleAuthor, s.cfg.Attempts,
		func(r []model.RejectedAnswer[factsAnswer]) factsInput {
			in.Refused = r
			return in
		},
		func(a model.Answer[factsAnswer]) ([]string, error) {
			why := append(p.with(a.Value).CheckUntil(last), checkDensities(a.Value, from, last, s.cfg.Densities)...)
			return append(why, s.checkPictures(a.Value.Pictures)...), nil
		})
	if err != nil {
		return p, err
	}
	if len(refused) > 0 {
		return p, pipeline.Reject(CodePlan, "the facts of sessions %d to %d: %s", from, last, lastReasons(refused))
	}
	return p.with(got.Value), nil
}

// with returns the plan with further facts.
func (p Plan) with(a factsAnswer) Plan {
	p.Facts = slices.Concat(p.Facts, a.Facts)
	p.Interfering = slices.Concat(p.Interfering, a.Interfering)
	p.Pictures = slices.Concat(p.Pictures, a.Pictures)
	p.Outside = slices.Concat(p.Outside, a.Outside)
	return p
}

// checkPictures returns what the reader of pixels cannot read in pictures that are sound
// otherwise.
func (s *blueprintStage) checkPictures(pictures []Picture) (why []string) {
	for _, x := range pictures {
		c := planCheck{pictures: map[string]Picture{}}
		if c.checkPicture(x, x.Session); len(c.why) > 0 {
			continue
		}
		if err := s.readBack(x); err != nil {
			why = append(why, fmt.Sprintf("picture %s cannot be read back (%v); write that row in other words", x.ID, err))
		}
	}
	return why
}

// checkDensities returns which sessions hold too little. One fact, picture or interference
// less than asked for is taken, and any number more.
func checkDensities(a factsAnswer, from, last int, d Densities) (why []string) {
	for n := from; n <= last; n++ {
		var got Densities
		for _, f := range a.Facts {
			if f.Session != n {
				continue
			}
			got.Facts++
			if f.Mode == Shown {
				got.Shown++
			}
			if f.Op != Append {
				got.Updates++
			}
		}
		for _, i := range a.Interfering {
			if i.Session == n {
				got.Interference++
			}
		}
		for _, x := range a.Pictures {
			if x.Session == n {
				got.Pictures++
			}
		}
		short := got.Facts < d.Facts-1 || got.Shown < d.Shown-1 || got.Interference < d.Interference-1 || got.Pictures < d.Pictures-1
		if short || n > 0 && got.Updates < d.Updates-1 {
			why = append(why, fmt.Sprintf("session %d holds %+v; plan %+v", n, got, d))
		}
	}
	return why
}
