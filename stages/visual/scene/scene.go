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

// Scene describes one picture completely: its pixels follow from it alone.
type Scene struct {
	// Backdrop is the kind of background, Look its appearance.
	Backdrop string            `json:"backdrop"`
	Look     map[string]string `json:"look,omitempty"`
	// Width and Height in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Noun is the word of questions for such a picture ("photo"). Minimal is a caption
	// that says no more than the kind of picture ("a photo of a living room").
	Noun    string `json:"noun"`
	Minimal string `json:"minimal"`
	// Photo marks photographs: they are kept as JPEG, screens as PNG.
	Photo bool `json:"photo,omitempty"`
	// Seed varies decoration that no question is about.
	Seed uint32 `json:"seed"`
	// Things are in the order of painting: later ones cover earlier ones.
	Things []Thing `json:"things"`
	// Absent names expected things that the picture does not show.
	Absent []string `json:"absent,omitempty"`
}

// Thing is a visible thing with its parts.
type Thing struct {
	// Kind selects the painter.
	Kind string `json:"kind"`
	// Name is the phrase of questions for the thing ("the sofa"). A thing has one name
	// in all pictures. Decoration has none.
	Name string `json:"name,omitempty"`
	// Box is left, top, width and height in pixels.
	Box [4]int `json:"box"`
	// Look has the aspects that questions may ask about, and further appearance.
	Look map[string]string `json:"look,omitempty"`
	// Tells lists the aspects that questions may ask about.
	Tells []string `json:"tells,omitempty"`
	// Passing lists those of Tells that hold for this picture only, such as the place
	// of a logo on a poster: no question asks for their current value.
	Passing []string `json:"passing,omitempty"`
	// Class is what Count counts ("apples") or Which tells apart ("mug"). Prep relates
	// that to the thing: on, in, at, with.
	Class string `json:"class,omitempty"`
	Prep  string `json:"prep,omitempty"`
	// Plural says that the name takes "are".
	Plural bool    `json:"plural,omitempty"`
	Parts  []Thing `json:"parts,omitempty"`
}

// Aspects that questions may ask about, as keys of Thing.Look.
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

// Granularity returns how fine the evidence of an aspect is, X1 to X4, by the rule that
// the finest counts (MemEye 3.1, A.3).
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

// Aspects lists all aspects, from coarse to fine.
func Aspects() []string {
	return []string{Activity, Setting, Weather, Place, Beside, Which, Colour, Pattern, Text, Count}
}

// NamedThings returns the things that questions may ask about, parts included, in the
// order of painting.
func (s Scene) NamedThings() []Thing {
	var out []Thing
	visitNamed(s.Things, func(t *Thing) bool {
		out = append(out, *t)
		return true
	})
	return out
}

// visitNamed calls visit for things with a name and aspects, each before its parts,
// until visit returns false.
func visitNamed(things []Thing, each func(*Thing) bool) bool {
	for i := range things {
		t := &things[i]
		if t.Name != "" && len(t.Tells) > 0 && !each(t) || !visitNamed(t.Parts, each) {
			return false
		}
	}
	return true
}

// Find returns the thing with a name.
func (s Scene) Find(name string) (found Thing, ok bool) {
	visitNamed(s.Things, func(t *Thing) bool {
		if ok = t.Name == name; ok {
			found = *t
		}
		return !ok
	})
	return found, ok
}

// Check reports names used twice, aspects without a value, and boxes outside the
// picture.
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

// AspectText returns the aspects of Tells with their values, sorted, as text.
func (t Thing) AspectText() string {
	var parts []string
	for _, a := range slices.Sorted(maps.Keys(t.Look)) {
		if slices.Contains(t.Tells, a) {
			parts = append(parts, a+"="+t.Look[a])
		}
	}
	return strings.Join(parts, "; ")
}
