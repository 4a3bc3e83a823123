package video

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/question"
)

// planted is a rewrite of the sets that the package author keeps, or the sound
// draft that it is one of.
type planted struct {
	Name, Class, Of, As, World, Layout, Type, Ask, Cites, Why string
	Stranger, Whole                                           bool
	Section                                                   int
	Options                                                   []string
}

func readPlanted[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("author", "testdata", "planted", name))
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// plantedRoles are those of the options of a type, in the order of the sets.
func plantedRoles(typ string) []string {
	if typ == schemas.TypeInterference {
		return []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	}
	return []string{schemas.RoleCorrect, schemas.RoleDistractor, schemas.RoleDistractor, schemas.RoleDistractor}
}

// asked is a sound draft as a question, with what it was written from.
func (p planted) asked(t *testing.T, in author.Input, as string) (schemas.Question, *schemas.Basis) {
	t.Helper()
	cited := []author.Evidence{}
	for _, c := range strings.Fields(p.Cites) {
		n, err := strconv.Atoi(c[1:])
		if err != nil {
			t.Fatal(err)
		}
		cited = append(cited, author.Evidence{Video: map[byte]string{'t': author.RoleTarget, 'o': author.RoleOther}[c[0]], Section: n})
	}
	layout, words := p.Layout, fill(p.Ask, in)
	q := schemas.Question{Family: family, Type: p.Type, Explanation: "So it is told."}
	if as != "" {
		q.Type, cited = as, []author.Evidence{{Video: author.RoleTarget, Section: p.Section}}
		g, _ := question.GroundingFor(as)
		layout, words = map[string]string{schemas.TypeSpatialGrounding: schemas.LayoutSplit, schemas.TypeTemporalGrounding: schemas.LayoutInterleaved}[as], g.Question(words)
	}
	opening := author.LayoutSentence(layout)
	q.Question = opening + " " + words
	d := author.Draft{}
	for i, o := range p.Options {
		d.Options = append(d.Options, author.Option{Text: o, Role: plantedRoles(q.Type)[i]})
	}
	for i, o := range author.AddFixedOptions(q.Type, in, d).Options {
		q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + i)), Text: o.Text, Role: o.Role})
	}
	b, err := newBasis(opening, in.Target, in.Other, cited)
	if err != nil {
		t.Fatal(err)
	}
	return q, &b
}

func fill(text string, in author.Input) string {
	return strings.NewReplacer("{T}", in.Target.Name, "{O}", in.Other.Name).Replace(text)
}

// reasons are what the checks have against the rewrite of a sound draft.
func (p planted) reasons(t *testing.T, sound map[string]planted, worlds map[string]author.Input) []string {
	t.Helper()
	of, ok := sound[p.Of]
	if !ok {
		t.Fatalf("%s is a rewrite of %q, which there is not", p.Name, p.Of)
	}
	in := worlds[of.World]
	old, basis := of.asked(t, in, p.As)
	if why := checkRewrite(old, old, basis); len(why) > 0 && p.Class == "" {
		t.Logf("%s does not pass as it was: %q", p.Of, why)
	}
	next := old
	if p.Ask != "" {
		next.Question = basis.Opening + " " + fill(p.Ask, in)
	}
	if p.Whole {
		next.Question = fill(p.Ask, in)
	}
	if p.Why != "" {
		next.Explanation = p.Why
	}
	next.Options = slices.Clone(old.Options)
	for i, o := range p.Options {
		next.Options[i].Text = o
	}
	return checkRewrite(old, next, basis)
}

// TestPlantedRewrites measures the checks on rewrites with one fault each and on
// sound ones.
func TestPlantedRewrites(t *testing.T) {
	worlds, sound := readPlanted[map[string]author.Input](t, "worlds.json"), map[string]planted{}
	for _, p := range readPlanted[[]planted](t, "sound.json") {
		sound[p.Name] = p
	}
	type score struct{ caught, of int }
	classes := map[string]score{}
	var all, strangers, alarms score
	add := func(s *score, caught bool) {
		s.of++
		if caught {
			s.caught++
		}
	}
	for _, p := range readPlanted[[]planted](t, "rewrites.json") {
		caught := len(p.reasons(t, sound, worlds)) > 0
		add(&all, caught)
		if p.Stranger {
			add(&strangers, caught)
		}
		c := classes[p.Class]
		add(&c, caught)
		classes[p.Class] = c
		if !caught {
			t.Logf("missed %s (%s of %s): %s %q", p.Name, p.Class, p.Of, p.Ask, p.Options)
		}
	}
	for _, p := range readPlanted[[]planted](t, "sound_rewrites.json") {
		why := p.reasons(t, sound, worlds)
		add(&alarms, len(why) > 0)
		if len(why) > 0 {
			t.Logf("false alarm %s: %q", p.Name, why)
		}
	}
	t.Logf("faults caught: %d of %d, of strangers %d of %d; false alarms: %d of %d", all.caught, all.of, strangers.caught, strangers.of, alarms.caught, alarms.of)
	for _, c := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%s: %d of %d", c, classes[c].caught, classes[c].of)
	}
	if all.of < 60 || strangers.of < 20 || alarms.of < 30 {
		t.Errorf("the sets hold %d faults, %d strangers, %d sound ones; want 60, 20, 30", all.of, strangers.of, alarms.of)
	}
	if 10*all.caught < 9*all.of || 10*strangers.caught < 9*strangers.of || 20*alarms.caught > alarms.of {
		t.Error("want 0.9 of the faults caught, of the strangers too, and at most 0.05 false alarms")
	}
}
