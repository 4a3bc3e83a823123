// Package scene describes pictures before they are drawn: things of a kind at a
// place, with looks, some of which can be asked about.
package scene

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Scene is one picture. What is drawn follows from it alone.
type Scene struct {
	// Backdrop is the kind of what everything stands in front of, Look how it looks.
	Backdrop string            `json:"backdrop"`
	Look     map[string]string `json:"look,omitempty"`
	// Width and Height in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Noun is what questions call such a picture ("photo"), Minimal what a caption
	// says that tells no more than that ("a photo of a living room").
	Noun    string `json:"noun"`
	Minimal string `json:"minimal"`
	// Photo is true of what a camera took: it is kept as JPEG, screens as PNG.
	Photo bool `json:"photo,omitempty"`
	// Seed varies decoration that nobody is asked about.
	Seed uint32 `json:"seed"`
	// Things are in the order of painting, so a later one may lie over an earlier.
	Things []Thing `json:"things"`
	// Absent names things that the viewer would expect here and that are not here.
	Absent []string `json:"absent,omitempty"`
}

// Thing is something to be seen, with its parts.
type Thing struct {
	// Kind chooses how it is drawn.
	Kind string `json:"kind"`
	// Name is the phrase by which questions know it ("the sofa"): one thing of the
	// world has one name in all pictures. Empty for decoration.
	Name string `json:"name,omitempty"`
	// Box is where it is drawn, in pixels: left, top, width, height.
	Box [4]int `json:"box"`
	// Look has aspects that can be asked about, and how it is drawn besides.
	Look map[string]string `json:"look,omitempty"`
	// Tells lists the aspects that questions may ask about.
	Tells []string `json:"tells,omitempty"`
	// Passing are those among them that are true of this picture alone, such as
	// where on a poster a logo stands: nobody asks how they are now.
	Passing []string `json:"passing,omitempty"`
	// Class is what Count counts ("apples") or what Which tells apart ("mug"), Prep
	// how that stands to the thing: on, in, at, with.
	Class string `json:"class,omitempty"`
	Prep  string `json:"prep,omitempty"`
	// Plural: the name takes "are".
	Plural bool    `json:"plural,omitempty"`
	Parts  []Thing `json:"parts,omitempty"`
}

// Aspects that can be asked about, as keys of Thing.Look.
const (
	Activity = "activity" // what goes on at the thing
	Setting  = "setting"  // in what kind of place the thing is
	Weather  = "weather"  // what the weather is like there
	Place    = "place"    // where in the picture's room the thing is: "left of the door"
	Beside   = "beside"   // what is right beside the thing
	Which    = "which"    // which of several alike is there
	Colour   = "colour"
	Pattern  = "pattern"
	Text     = "text"
	Count    = "count"
)

// Granularity is how fine the evidence is that decides an aspect, by the rule that the
// finest counts (MemEye 3.1, A.3): X1 to X4.
func Granularity(aspect string) string {
	switch aspect {
	case Activity, Setting, Weather:
		return schemas.GrainScene
	case Place, Beside:
		return schemas.GrainRegion
	case Which:
		return schemas.GrainInstance
	case Colour, Pattern, Text, Count:
		return schemas.GrainPixel
	}
	return ""
}

// Aspects lists those there are, from coarse to fine.
func Aspects() []string {
	return []string{Activity, Setting, Weather, Place, Beside, Which, Colour, Pattern, Text, Count}
}

// NamedThings are the things that questions may ask about, parts included, in the order
// of painting.
func (s Scene) NamedThings() []Thing {
	var out []Thing
	visitNamed(s.Things, func(t *Thing) bool {
		out = append(out, *t)
		return true
	})
	return out
}

// visitNamed goes through things that have a name and tell something, those before their
// parts, until each says no.
func visitNamed(things []Thing, each func(*Thing) bool) bool {
	for i := range things {
		t := &things[i]
		if t.Name != "" && len(t.Tells) > 0 && !each(t) || !visitNamed(t.Parts, each) {
			return false
		}
	}
	return true
}

// Find is the thing of a name.
func (s Scene) Find(name string) (found Thing, ok bool) {
	visitNamed(s.Things, func(t *Thing) bool {
		if ok = t.Name == name; ok {
			found = *t
		}
		return !ok
	})
	return found, ok
}

// Check says what is wrong with a scene: names twice, aspects that are told and
// have no value, boxes outside.
func (s Scene) Check() error {
	if s.Width < 64 || s.Height < 64 || s.Width > 2048 || s.Height > 2048 {
		return fmt.Errorf("scene of %d x %d pixels: want 64 to 2048", s.Width, s.Height)
	}
	if s.Noun == "" || s.Minimal == "" {
		return fmt.Errorf("scene before a %s has no noun or no minimal caption", s.Backdrop)
	}
	seen := map[string]bool{}
	for _, t := range s.NamedThings() {
		if seen[t.Name] {
			return fmt.Errorf("scene: %q is there twice", t.Name)
		}
		seen[t.Name] = true
		if err := t.check(s); err != nil {
			return fmt.Errorf("scene: %q: %w", t.Name, err)
		}
	}
	for _, name := range s.Absent {
		if seen[name] {
			return fmt.Errorf("scene: %q is both there and absent", name)
		}
	}
	return nil
}

func (t Thing) check(s Scene) error {
	b := t.Box
	if b[0] < 0 || b[1] < 0 || b[2] < 1 || b[3] < 1 || b[0]+b[2] > s.Width || b[1]+b[3] > s.Height {
		return fmt.Errorf("its box %v is not within %d x %d", b, s.Width, s.Height)
	}
	for _, a := range t.Tells {
		if Granularity(a) == "" {
			return fmt.Errorf("it tells %q, which is no aspect", a)
		}
		if t.Look[a] == "" {
			return fmt.Errorf("it tells its %s and has none", a)
		}
		if (a == Which || a == Count) && (t.Class == "" || t.Prep == "") {
			return fmt.Errorf("it tells its %s and has no class or preposition", a)
		}
	}
	return nil
}

// AspectText is what a thing tells, as text: the aspects with their values, sorted.
func (t Thing) AspectText() string {
	var parts []string
	for _, a := range slices.Sorted(maps.Keys(t.Look)) {
		if slices.Contains(t.Tells, a) {
			parts = append(parts, a+"="+t.Look[a])
		}
	}
	return strings.Join(parts, "; ")
}
