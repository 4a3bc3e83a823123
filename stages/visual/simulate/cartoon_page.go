package simulate

import (
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

// panelBoxes are those of a page, by how many panels it has; two and three come in two
// layouts.
func panelBoxes(n, layout int) [][4]int {
	const x, y, w, h, gap = 24, 48, 976, 696, 16
	half, low := (w-gap)/2, (h-gap)/2
	left, right, below := x, x+half+gap, y+low+gap
	switch {
	case n == 1:
		return [][4]int{{x, y, w, h}}
	case n == 2 && layout == 0:
		return [][4]int{{left, y, half, h}, {right, y, half, h}}
	case n == 2:
		return [][4]int{{x, y, w, low}, {x, below, w, low}}
	case n == 3 && layout == 0:
		return [][4]int{{x, y, w, low}, {left, below, half, low}, {right, below, half, low}}
	case n == 3:
		return [][4]int{{left, y, half, low}, {right, y, half, low}, {x, below, w, low}}
	}
	return [][4]int{{left, y, half, low}, {right, y, half, low}, {left, below, half, low}, {right, below, half, low}}
}

// page composes a page as a scene.
func (s *cartoonState) page(at int) scene.Scene {
	page := s.pages[at]
	out := scene.Scene{
		Backdrop: "comic", Look: map[string]string{"title": s.title, "page": strconv.Itoa(at + 1)}, Width: 1024, Height: 768,
		Noun: "comic page", Minimal: "a page of a comic strip", Seed: s.rnd.Uint32(),
	}
	boxes := panelBoxes(len(page.panels), s.rnd.IntN(2))
	for i, p := range page.panels {
		out.Things = append(out.Things, s.panel(p, boxes[i]))
	}
	for _, i := range page.absent {
		out.Absent = append(out.Absent, s.cast[i].name)
	}
	return out
}

// panel is a place with what goes on there, and the figures in it.
func (s *cartoonState) panel(p cartoonPanel, box [4]int) scene.Thing {
	setting, name := s.settings[p.place], s.places[p.place]
	t := scene.Thing{Kind: "panel", Name: name, Prep: "at", Box: box, Tells: []string{scene.Activity}, Look: map[string]string{"setting": setting.name, "horizon": "50"}}
	planned := s.course.nextValue(name, scene.Activity, s.common)
	t.Look[scene.Activity] = either(p.activity, planned)
	if !setting.indoors {
		planned = s.course.nextValue(name, scene.Weather, s.weathers)
		t.Look[scene.Weather] = either(p.weather, planned)
		t.Tells = append(t.Tells, scene.Weather)
	}
	stage := newPanelLayout(box, len(p.who))
	spots := setting.pickLandmarks(s.rnd, stage.slots)
	for i, l := range spots {
		t.Parts = append(t.Parts, scene.Thing{Kind: "landmark", Box: stage.landmark(i), Look: map[string]string{"what": l, "flip": s.pickFlip("")}})
	}
	if !setting.indoors {
		t.Parts = append(t.Parts, s.sky(name, stage)) // over what is tall, so that all can be counted
	}
	for i, who := range p.who {
		slot := stage.figureSlot(i)
		t.Parts = append(t.Parts, s.figure(who, stage, slot, "in front of the "+spots[slot], setting.name)...)
	}
	t.Parts = append(t.Parts, scene.Thing{Kind: "prop", Box: stage.prop(), Look: map[string]string{"of": name, "aspect": scene.Activity}})
	talks := s.rnd.IntN(len(p.who))
	if stage.isLow() {
		talks = 0 // what is overhead is at the right
	}
	t.Parts = append(t.Parts,
		scene.Thing{Kind: "bubble", Box: stage.bubble(stage.figureSlot(talks)), Look: map[string]string{"words": pick(s.rnd, cartoonLines()), "lean": strconv.Itoa(s.rnd.IntN(30) - 15)}},
		scene.Thing{Kind: "frame", Box: box, Look: map[string]string{"caption": name + ", " + pick(s.rnd, cartoonCaptions())}})
	return t
}

// sky has things to count over a place.
func (s *cartoonState) sky(place string, at panelLayout) scene.Thing {
	box, cell := at.overhead()
	most := box[2] / cell * (box[3] / (cell * 62 / 100))
	n := strconv.Itoa(1 + s.rnd.IntN(min(9, most-3)))
	return scene.Thing{Kind: "overhead", Name: "the sky of " + place, Class: s.overhead, Prep: "in", Box: box, Look: map[string]string{scene.Count: n, "cell": strconv.Itoa(cell)}, Tells: []string{scene.Count}}
}

func either(first, otherwise string) string {
	if first != "" {
		return first
	}
	return otherwise
}

func (s *cartoonState) pickFlip(no string) string {
	if s.rnd.IntN(2) == 0 {
		return "yes"
	}
	return no
}

// figure is one of the cast at a slot, with what is beside it.
func (s *cartoonState) figure(who int, at panelLayout, slot int, spot, setting string) []scene.Thing {
	f := s.cast[who]
	next := func(entity, aspect string, from []string) string {
		s.course.plannedSightings[entity] = s.course.plannedSightings[f.name]
		return s.course.nextValue(entity, aspect, from)
	}
	box, flip := at.figure(slot), s.pickFlip("")
	box[0], box[1] = box[0]+s.rnd.IntN(13)-6, box[1]+s.rnd.IntN(15)
	look := map[string]string{
		"species": f.species, "letter": f.letter, "flip": flip, "legs": pick(s.rnd, []string{"stand", "stand", "run", "hop"}), "arms": pick(s.rnd, []string{"down", "up", "wide", "hip"}),
		"mood": pick(s.rnd, []string{"bright", "merry", "wide", "sly"}), "of": f.name,
		scene.Which: next(f.name, scene.Which, cartoonHats()), scene.Place: spot, scene.Setting: setting,
	}
	t := scene.Thing{Kind: "figure", Name: f.name, Box: box, Class: "hat", Prep: "on", Look: look, Tells: []string{scene.Setting, scene.Place, scene.Which}}
	cloth := map[string]string{"species": f.species, "arms": look["arms"], "flip": flip}
	wears := f.name + "'s " + garmentOf(f.species)
	cloth[scene.Colour] = next(wears, scene.Colour, cartoonColours())
	cloth[scene.Pattern] = next(wears, scene.Pattern, cartoonPatterns())
	if f.holds {
		cloth["holds"] = "yes"
	}
	t.Parts = []scene.Thing{
		{Kind: "garment", Name: wears, Box: box, Class: "garment", Prep: "on", Look: cloth, Tells: []string{scene.Colour, scene.Pattern}},
		{Kind: "head", Box: box, Look: look},
	}
	if f.holds {
		hand := f.name + "'s hand"
		t.Parts = append(t.Parts, scene.Thing{
			Kind: "held", Name: hand, Box: at.hand(box, flip != ""), Class: "thing", Prep: "in", Tells: []string{scene.Which},
			Look: map[string]string{"species": f.species, "flip": flip, scene.Which: next(hand, scene.Which, cartoonThings())},
		})
	}
	if !f.follows {
		return []scene.Thing{t}
	}
	t.Look[scene.Beside] = next(f.name, scene.Beside, cartoonCompanions())
	t.Tells = append(t.Tells, scene.Beside)
	return []scene.Thing{t, {Kind: "beside", Box: at.beside(box, slot), Look: map[string]string{"of": f.name, "aspect": scene.Beside}}}
}
