package author

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// typeEvent is what the planted sets call what happens in one section.
const typeEvent = "event"

// planted is a draft of the sets in testdata/planted. In what it asks, {T} and
// {O} stand for the names of the target and the other video.
type planted struct {
	Name, Class   string
	Stranger      bool
	World, Layout string
	Type          string
	Section       int
	Ask           string
	Options       []string
	// Cites lists sections, such as "t1 o3"; Cut are those shown in part only.
	Cites, Cut string
	Why        string
}

func read[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "planted", name))
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// cited reads a list of sections.
func cited(t *testing.T, list string) []Evidence {
	t.Helper()
	var out []Evidence
	for _, s := range strings.Fields(list) {
		n, err := strconv.Atoi(s[1:])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Evidence{Video: map[byte]string{'t': RoleTarget, 'o': RoleOther}[s[0]], Section: n})
	}
	return out
}

// input is what the author of the draft was told.
func (p planted) input(t *testing.T, worlds map[string]Input) Input {
	t.Helper()
	in, ok := worlds[p.World]
	if !ok {
		t.Fatalf("%s: there is no world %q", p.Name, p.World)
	}
	in.Shown = LayoutSentence(p.Layout)
	in.Target.Sections, in.Other.Sections = slices.Clone(in.Target.Sections), slices.Clone(in.Other.Sections)
	for _, e := range cited(t, p.Cut) {
		in.story(e.Video).Sections[e.Section-1].Cut = true
	}
	return in
}

// reasons are what the checks have against the draft.
func (p planted) reasons(t *testing.T, worlds map[string]Input) []string {
	t.Helper()
	in := p.input(t, worlds)
	ask := strings.NewReplacer("{T}", in.Target.Name, "{O}", in.Other.Name).Replace(p.Ask)
	if p.Type == typeEvent {
		return CheckEvent(EventInput{Target: in.Target, Other: in.Other, Section: p.Section}, Event{Event: ask, Explanation: "So it is told."})
	}
	roles := []string{schemas.RoleCorrect, schemas.RoleDistractor, schemas.RoleDistractor, schemas.RoleDistractor}
	if p.Type == schemas.TypeInterference {
		roles = []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	}
	d := Draft{Question: ask, Evidence: cited(t, p.Cites), Explanation: "So it is told."}
	for i, o := range p.Options {
		d.Options = append(d.Options, Option{o, roles[i]})
	}
	return CheckDraft(p.Type, in, AddFixedOptions(p.Type, in, d))
}

// score counts what was caught.
type score struct{ caught, of int }

func (s *score) add(caught bool) {
	s.of++
	if caught {
		s.caught++
	}
}

func (s score) share() float64 { return float64(s.caught) / float64(s.of) }

func (s score) String() string { return fmt.Sprintf("%d of %d", s.caught, s.of) }

// TestPlantedDrafts measures the checks on drafts with one fault each and on
// sound ones. The strangers were written before the checks that are to find
// them.
func TestPlantedDrafts(t *testing.T) {
	worlds := read[map[string]Input](t, "worlds.json")
	all, strangers, classes := score{}, score{}, map[string]*score{}
	for _, p := range read[[]planted](t, "drafts.json") {
		caught := len(p.reasons(t, worlds)) > 0
		all.add(caught)
		if p.Stranger {
			strangers.add(caught)
		}
		if classes[p.Class] == nil {
			classes[p.Class] = &score{}
		}
		classes[p.Class].add(caught)
		if !caught {
			t.Logf("missed %s (%s): %s %q", p.Name, p.Class, p.Ask, p.Options)
		}
	}
	alarms := score{}
	for _, p := range read[[]planted](t, "sound.json") {
		why := p.reasons(t, worlds)
		alarms.add(len(why) > 0)
		if len(why) > 0 {
			t.Logf("false alarm %s: %q", p.Name, why)
		}
	}
	t.Logf("faults caught: %v, of strangers %v; false alarms: %v", all, strangers, alarms)
	for _, c := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%s: %v", c, classes[c])
	}
	if all.of < 60 || strangers.of < 20 || alarms.of < 60 {
		t.Errorf("the sets hold %d faults, %d strangers, %d sound ones; want 60, 20, 60", all.of, strangers.of, alarms.of)
	}
	if all.share() < 0.9 || strangers.share() < 0.9 || alarms.share() > 0.05 {
		t.Error("want 0.9 of the faults caught, of the strangers too, and at most 0.05 false alarms")
	}
}
