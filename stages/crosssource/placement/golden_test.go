package placement_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// batch returns the people and items of a simulated world.
func batch(t *testing.T) placement.Batch {
	t.Helper()
	var c crosssource.WorldsConfig
	c.SetDefaults()
	c.Count = 1
	c.Size.Items = map[string]int{
		schemas.TaskSingleHop: 3, schemas.TaskMultiHop: 4, schemas.TaskConflict: 3, schemas.TaskPreference: 3, schemas.TaskFunctionCall: 2,
	}
	worlds, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Seed: 5, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	drawn, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.draw", Seed: 5, Inputs: worlds}.Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("%v, lost %v", err, lost)
	}
	return placement.Batch{
		Name: "b", Items: testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, drawn),
		Profiles: testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, drawn),
	}
}

// TestGoldenPlans shows where the pieces of a batch are placed, and pins plans of other
// configurations by their digests.
func TestGoldenPlans(t *testing.T) {
	var out strings.Builder
	b := batch(t)
	for _, c := range []struct {
		name   string
		change func(c *placement.Config)
	}{
		{"defaults", func(*placement.Config) {}},
		{"without twins", func(c *placement.Config) { c.Twins = false }},
		{"chats of different lengths", func(c *placement.Config) {
			c.Lengths = []weights.Range{{From: 20, To: 60, Weight: 2}, {From: 100, To: 140, Weight: 1}}
		}},
		{"a wide gap", func(c *placement.Config) { c.Gap = 30 }},
		{"two sources", func(c *placement.Config) {
			c.Groups, c.Privates, c.Documents, c.Sources = 2, 0, 0, []weights.Range{{From: 2, Weight: 1}}
		}},
		{"short chats", func(c *placement.Config) { c.Turns, c.Days = 12, 1 }},
		{"a gap that nothing keeps", func(c *placement.Config) { c.Gap, c.Turns = 900, 20 }},
	} {
		var cfg placement.Config
		cfg.SetDefaults()
		c.change(&cfg)
		for seed := range uint64(1) {
			b := b
			if cfg.Gap > 100 {
				b.Items = b.Items[:2] // each is tried hundreds of times
			}
			plan, err := placement.PlanBatch(rand.New(rand.NewPCG(seed, 53)), cfg, b, [2]string{"crosssource/b", "crosssource/b-concentrated"})
			fmt.Fprintf(&out, "# %s, seed %d: %d and %d sources, %s %v\n", c.name, seed, len(plan.Channels[0]), len(plan.Channels[1]), golden.Digest(t, plan), err)
			for _, l := range plan.Lost {
				fmt.Fprintf(&out, "%s is lost, %s: %s\n", l.Item, l.Code, l.Why)
			}
			if seed == 0 && c.name == "defaults" {
				for arrangement, list := range plan.Channels {
					fmt.Fprintf(&out, "arrangement %d\n", arrangement)
					writeChannels(&out, list)
				}
			}
		}
	}
	golden.Check(t, "plans", out.String())
}

func writeChannels(out *strings.Builder, list []placement.Channel) {
	for _, c := range list {
		if len(c.Slots) == 0 && c.Kind == schemas.KindProfile {
			continue
		}
		var cast []string
		for _, p := range c.Cast {
			cast = append(cast, p.Name)
		}
		first, last := "", ""
		if len(c.Times) > 0 {
			first, last = time.Unix(c.Times[0], 0).UTC().Format(time.DateTime), time.Unix(c.Times[len(c.Times)-1], 0).UTC().Format(time.DateTime)
		}
		fmt.Fprintf(out, "%s %s %s: %d of %d turns, from %s to %s, %q mentions %d names and %d topics\n", c.SessionID, c.Kind, c.Title, c.Base, c.Turns(), first, last, cast, len(c.Mentions), len(c.Topics))
		for _, s := range c.Slots {
			fmt.Fprintf(out, " after %d: %s, rule %q, %d before, %d behind, %d turns\n", s.After, s.Name, s.Rule, s.Before, s.Trail, s.Turns)
			if s.Piece != nil && len(s.Piece.Parts) > 1 {
				fmt.Fprintf(out, "  %s %s by %q: %d parts, the second %q\n", s.Piece.Handle, s.Piece.Kind, s.Piece.Speaker, len(s.Piece.Parts), s.Piece.Parts[1].Text)
			}
		}
	}
}

// TestGoldenLosses shows why items have no place.
func TestGoldenLosses(t *testing.T) {
	var out strings.Builder
	people := []schemas.Profile{{Name: "Ana Dorn"}, {Name: "Ben Holm"}, {Name: "Cem Ulm", Attributes: map[string]string{"work": "baker", "lives in": "Graz"}}}
	item := func(id string, units ...schemas.EvidenceUnit) schemas.EvidenceItem {
		for i := range units {
			units[i].UnitID = fmt.Sprintf("%s/E%d", id, i)
		}
		return schemas.EvidenceItem{ItemID: id, Units: units}
	}
	for _, c := range []struct {
		name  string
		items []schemas.EvidenceItem
	}{
		{"two texts", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One."}, schemas.EvidenceUnit{Text: "Two."})}},
		{"one text", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One."})}},
		{"one text and one that misleads", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One."}, schemas.EvidenceUnit{Text: "Two.", Role: schemas.RoleDistractor})}},
		{"a circle", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One.", Revises: []string{"a/E1"}}, schemas.EvidenceUnit{Text: "Two.", Revises: []string{"a/E0"}})}},
		{"a revision first", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One.", Revises: []string{"a/E1"}}, schemas.EvidenceUnit{Text: "Two."})}},
		{"a speaker", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One.", Labels: map[string]string{placement.LabelSpeaker: "Ben Holm"}}, schemas.EvidenceUnit{Text: "Two."})}},
		{"a table and a document", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Modality: schemas.ModalityTable, Rows: [][]string{{"a", "b"}, {"1", "2"}}}, schemas.EvidenceUnit{Text: "Two.", Modality: schemas.ModalityDocument})}},
		{"a profile and a text", []schemas.EvidenceItem{item("a", schemas.EvidenceUnit{Text: "One.", Labels: map[string]string{placement.LabelSpeaker: "Ana Dorn", placement.LabelHome: placement.HomeProfile}}, schemas.EvidenceUnit{Text: "Two."})}},
	} {
		var cfg placement.Config
		cfg.SetDefaults()
		cfg.Groups, cfg.Privates, cfg.Documents, cfg.Turns = 2, 1, 1, 12
		plan, err := placement.PlanBatch(rand.New(rand.NewPCG(1, 1)), cfg, placement.Batch{Name: "b", Items: c.items, Profiles: people}, [2]string{"crosssource/b", "crosssource/b-twin"})
		fmt.Fprintf(&out, "# %s: %v %v\n", c.name, plan.Lost, err)
		if len(plan.Lost) == 0 {
			for _, ch := range slices.Concat(plan.Channels[0], plan.Channels[1]) {
				for _, s := range ch.Slots {
					if s.Piece != nil {
						fmt.Fprintf(&out, "%s after %d of %d: %s\n", ch.SessionID, s.After, ch.Base, golden.JSON(t, s.Piece))
					}
				}
			}
		}
	}
	golden.Check(t, "losses", out.String())
}

// TestBounds holds that the bounds of configurations are those that Check states.
func TestBounds(t *testing.T) {
	least := placement.Config{Groups: 2, Turns: 12, Paragraphs: 1, Days: 1, Gap: 1, Sources: []weights.Range{{From: 2, Weight: 1}}}
	most := placement.Config{Groups: 60, Privates: 60, Documents: 60, Turns: 5000, Paragraphs: 200, Days: 400, Gap: 1000, Sources: []weights.Range{{From: 60, Weight: 1}}}
	for _, good := range []placement.Config{least, most} {
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
	for i, field := range []func(*placement.Config) *int{
		func(c *placement.Config) *int { return &c.Groups }, func(c *placement.Config) *int { return &c.Privates }, func(c *placement.Config) *int { return &c.Documents },
		func(c *placement.Config) *int { return &c.Turns }, func(c *placement.Config) *int { return &c.Paragraphs }, func(c *placement.Config) *int { return &c.Days }, func(c *placement.Config) *int { return &c.Gap },
	} {
		low, high := least, most
		*field(&low)--
		*field(&high)++
		if low.Check() == nil || high.Check() == nil {
			t.Errorf("field %d of %+v or %+v is accepted", i, low, high)
		}
	}
	for _, r := range []weights.Range{{From: 1, Weight: 1}, {From: 61, Weight: 1}, {From: 3, To: 61, Weight: 1}} {
		if c := least; true {
			c.Sources = []weights.Range{r}
			if c.Check() == nil {
				t.Errorf("%+v is accepted", r)
			}
		}
	}
	for _, r := range []weights.Range{{From: 11, Weight: 1}, {From: 5001, Weight: 1}} {
		if c := least; true {
			c.Lengths = []weights.Range{r}
			if c.Check() == nil {
				t.Errorf("lengths %+v are accepted", r)
			}
		}
	}
}

// TestHandles: pictures and tables are called by a handle that follows from their id.
func TestHandles(t *testing.T) {
	for _, c := range []struct {
		unit   schemas.EvidenceUnit
		handle string
		shown  bool
	}{
		{schemas.EvidenceUnit{UnitID: "a", Media: string(pipeline.DigestOf(nil))}, "Fig. ", true},
		{schemas.EvidenceUnit{UnitID: "a", Modality: schemas.ModalityTable}, "Table. ", true},
		{schemas.EvidenceUnit{UnitID: "a", Text: "One."}, "Fig. ", false},
	} {
		if h := placement.Handle(c.unit); !strings.HasPrefix(h, c.handle) || len(h) != len(c.handle)+8 || placement.IsShown(c.unit) != c.shown {
			t.Errorf("%+v is called %q, shown %t", c.unit, h, placement.IsShown(c.unit))
		}
	}
	if placement.Handle(schemas.EvidenceUnit{UnitID: "a"}) == placement.Handle(schemas.EvidenceUnit{UnitID: "b"}) {
		t.Error("two units have one handle")
	}
}
