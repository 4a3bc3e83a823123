package simulate

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

type cartoonFigure struct {
	name, species, letter string
	holds, follows        bool // has something in the hand, something beside it
}

// cartoonPage is a page before it is composed.
type cartoonPage struct {
	panels []cartoonPanel
	absent []int // of the cast
}

// cartoonPanel is a picture of a page. An empty activity or weather follows the plan of
// the place.
type cartoonPanel struct {
	place             int // of the settings
	activity, weather string
	who               []int
}

// cartoonState is the state of the simulation of a comic strip.
type cartoonState struct {
	rnd      *rand.Rand
	title    string
	overhead string
	cast     []cartoonFigure
	settings []cartoonSetting
	places   []string // names, by setting
	pages    []cartoonPage
	course   sightingState
	common   []string // activities of ordinary pages
	weathers []string
	lastPage []int // when each of the cast was last drawn
}

// expectedCast is how many of the cast are expected on a page of one picture.
const expectedCast = 5

// plotCartoon simulates MemEye's Cartoon Companion (table 4: character and narrative
// memory): a strip whose figures return in new places, while what they wear, hold and
// have beside them changes without a word about it.
func plotCartoon(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	s := &cartoonState{
		rnd: rnd, title: pick(rnd, w["plot titles"]), overhead: pick(rnd, []string{"birds", "balloons", "butterflies", "bees"}),
		settings: sample(rnd, cartoonSettings(), len(cartoonSettings())), places: sample(rnd, w["plot places"], len(cartoonSettings())),
		course: newSightingState(rnd, w),
	}
	s.cast = cartoonCast(rnd, w["plot species"], 8+min(1, pictures/20))
	s.lastPage = make([]int, len(s.cast))
	s.planPages(pictures)
	return s.course.plot(pickProfile(rnd, "comics editor", "school librarian", "illustrator", "collector of comic strips"), pictures, s.page)
}

// cartoonCast returns two robots, told apart by a letter, and one figure of each of n-2
// other species. The painter knows all of these.
func cartoonCast(rnd *rand.Rand, species []string, n int) []cartoonFigure {
	var out []cartoonFigure
	for i, s := range sample(rnd, species, n-2) {
		out = append(out, cartoonFigure{name: "the " + s, species: s, holds: i%2 == 0, follows: i%3 != 2})
	}
	for i, letter := range []string{"A", "B"} {
		out = append(out, cartoonFigure{name: "robot " + letter, species: "robot", letter: letter, holds: i == 0, follows: true})
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// planPages plans which page shows whom where: every other page has one picture, the
// rest two to four.
func (s *cartoonState) planPages(pictures int) {
	activities := sample(s.rnd, s.course.words[scene.Activity], len(s.course.words[scene.Activity]))
	rare := pictures / 6
	s.common = activities[min(rare, 10):]
	common, weathers := cartoonWeathers()
	s.weathers = common
	kept := min(3, pictures/8) // settings of rare pages
	ordinary := len(s.settings) - kept
	var single []int
	for at := range pictures {
		n := 1
		if at%2 == 1 {
			n = 2 + s.rnd.IntN(3)
		} else {
			single = append(single, at)
		}
		page := cartoonPage{}
		for _, place := range s.rnd.Perm(ordinary)[:n] {
			page.panels = append(page.panels, cartoonPanel{place: place})
		}
		s.pages = append(s.pages, page)
	}
	s.pairPages(single, activities[:min(rare, 10)], weathers, ordinary)
	for at := range s.pages {
		s.assignCast(at)
	}
}

// pairPages gives two pages of one picture something that no other page has, as long as
// there is any: a kind of place, an activity or a weather.
func (s *cartoonState) pairPages(single []int, activities, weathers []string, ordinary int) {
	s.rnd.Shuffle(len(single), func(i, j int) { single[i], single[j] = single[j], single[i] })
	for turn := 0; len(single) > 1; turn++ {
		a, b := &s.pages[single[0]].panels[0], &s.pages[single[1]].panels[0]
		single = single[2:]
		switch {
		case turn%3 == 0 && ordinary < len(s.settings):
			a.place, b.place = ordinary, ordinary
			ordinary++
		case turn%3 == 1 && len(weathers) > 0:
			a.weather, b.weather = weathers[0], weathers[0]
			a.place, b.place = s.outdoors(a.place), s.outdoors(b.place)
			weathers = weathers[1:]
		case len(activities) > 0:
			a.activity, b.activity = activities[0], activities[0]
			activities = activities[1:]
		}
	}
}

// outdoors returns a place, or the next one with weather.
func (s *cartoonState) outdoors(place int) int {
	for s.settings[place].indoors {
		place = (place + 1) % (len(s.settings) - 3)
	}
	return place
}

// assignCast chooses the figures of a page: those first whose last page is longest ago.
func (s *cartoonState) assignCast(at int) {
	page := &s.pages[at]
	order := s.rnd.Perm(len(s.cast))
	slices.SortStableFunc(order, func(a, b int) int { return s.lastPage[a] - s.lastPage[b] })
	if len(page.panels) == 1 && at%4 == 0 {
		missing := s.rnd.IntN(expectedCast)
		order = slices.DeleteFunc(order, func(i int) bool { return i == missing || i >= expectedCast })
		page.absent = []int{missing}
	}
	for i := range page.panels {
		n := min(4, len(order))
		if len(page.panels) > 1 {
			n = 2
		}
		n = min(n, len(order))
		panel := &page.panels[i]
		panel.who, order = order[:n], order[n:]
		for _, who := range panel.who {
			s.lastPage[who] = at + 1
			s.course.plannedSightings[s.cast[who].name]++
		}
		s.course.plannedSightings[s.places[panel.place]]++
	}
}

// panelBoxes returns the panels of a page. Two and three panels come in two layouts.
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

// panel is a place with its activity and the figures in it.
func (s *cartoonState) panel(p cartoonPanel, box [4]int) scene.Thing {
	setting, name := s.settings[p.place], s.places[p.place]
	t := scene.Thing{Kind: "panel", Name: name, Prep: "at", Box: box, Tells: []string{scene.Activity}, Look: map[string]string{"setting": setting.name, "horizon": "50"}}
	planned := s.course.nextValue(name, scene.Activity, s.common)
	t.Look[scene.Activity] = cmp.Or(p.activity, planned)
	if !setting.indoors {
		planned = s.course.nextValue(name, scene.Weather, s.weathers)
		t.Look[scene.Weather] = cmp.Or(p.weather, planned)
		t.Tells = append(t.Tells, scene.Weather)
	}
	stage := newPanelLayout(box, len(p.who))
	spots := setting.pickLandmarks(s.rnd, stage.slots)
	for i, l := range spots {
		t.Parts = append(t.Parts, scene.Thing{Kind: "landmark", Box: stage.landmark(i), Look: map[string]string{"what": l, "flip": s.pickFlip()}})
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
		scene.Thing{Kind: "bubble", Box: stage.bubble(stage.figureSlot(talks)), Look: map[string]string{"words": pick(s.rnd, s.course.words["plot lines"]), "lean": strconv.Itoa(s.rnd.IntN(30) - 15)}},
		scene.Thing{Kind: "frame", Box: box, Look: map[string]string{"caption": name + ", " + pick(s.rnd, s.course.words["plot captions"])}})
	return t
}

// sky has things to count over a place.
func (s *cartoonState) sky(place string, at panelLayout) scene.Thing {
	box, cell := at.overhead()
	most := box[2] / cell * (box[3] / (cell * 62 / 100))
	n := strconv.Itoa(1 + s.rnd.IntN(min(9, most-3)))
	return scene.Thing{Kind: "overhead", Name: "the sky of " + place, Class: s.overhead, Prep: "in", Box: box, Look: map[string]string{scene.Count: n, "cell": strconv.Itoa(cell)}, Tells: []string{scene.Count}}
}

func (s *cartoonState) pickFlip() string { return pick(s.rnd, []string{"yes", ""}) }

// figure is one of the cast at a slot, with what is beside it.
func (s *cartoonState) figure(who int, at panelLayout, slot int, spot, setting string) []scene.Thing {
	f := s.cast[who]
	next := func(entity, aspect string, from []string) string {
		s.course.plannedSightings[entity] = s.course.plannedSightings[f.name]
		return s.course.nextValue(entity, aspect, from)
	}
	box, flip := at.figure(slot), s.pickFlip()
	box[0], box[1] = box[0]+s.rnd.IntN(13)-6, box[1]+s.rnd.IntN(15)
	look := map[string]string{
		"species": f.species, "letter": f.letter, "flip": flip, "legs": pick(s.rnd, []string{"stand", "stand", "run", "hop"}), "arms": pick(s.rnd, []string{"down", "up", "wide", "hip"}),
		"mood": pick(s.rnd, []string{"bright", "merry", "wide", "sly"}), "of": f.name,
		scene.Which: next(f.name, scene.Which, s.course.words[scene.Which+":hat"]), scene.Place: spot, scene.Setting: setting,
	}
	t := scene.Thing{Kind: "figure", Name: f.name, Box: box, Class: "hat", Prep: "on", Look: look, Tells: []string{scene.Setting, scene.Place, scene.Which}}
	cloth := map[string]string{"species": f.species, "arms": look["arms"], "flip": flip}
	wears := f.name + "'s " + garmentOf(f.species)
	cloth[scene.Colour] = next(wears, scene.Colour, s.course.words[scene.Colour])
	cloth[scene.Pattern] = next(wears, scene.Pattern, s.course.words[scene.Pattern])
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
			Look: map[string]string{"species": f.species, "flip": flip, scene.Which: next(hand, scene.Which, s.course.words[scene.Which+":thing"])},
		})
	}
	if !f.follows {
		return []scene.Thing{t}
	}
	t.Look[scene.Beside] = next(f.name, scene.Beside, s.course.words[scene.Beside])
	t.Tells = append(t.Tells, scene.Beside)
	return []scene.Thing{t, {Kind: "beside", Box: at.beside(box, slot), Look: map[string]string{"of": f.name, "aspect": scene.Beside}}}
}

// panelLayout places things in a panel: landmarks in a row with a figure before some,
// and the activity in front in the middle.
type panelLayout struct {
	box   [4]int
	slots int
	who   int
	tall  int // of a figure
	back  int // ground of landmarks
	floor int // ground of figures
}

// newPanelLayout has two slots in a narrow panel and four in a wide one.
func newPanelLayout(box [4]int, who int) panelLayout {
	s := panelLayout{box: box, slots: 4, who: who, tall: 186, back: box[1] + box[3]*70/100, floor: box[1] + box[3]*88/100}
	if box[2] < 600 {
		s.slots = 2
	}
	if box[3] > 500 {
		s.tall, s.back, s.floor = 222+12*s.slots, box[1]+box[3]*62/100, box[1]+box[3]*74/100
	}
	return s
}

// figureSlot is the slot of the i-th figure: those at the sides first if not all are
// taken.
func (s panelLayout) figureSlot(i int) int {
	if s.who <= 2 && s.slots == 4 {
		return []int{0, 3}[i%2]
	}
	return i
}

// slotCentre is the middle of a slot, and the direction inwards.
func (s panelLayout) slotCentre(slot int) (x, inwards int) {
	w := s.box[2] / s.slots
	inwards = 1
	if slot >= s.slots/2 {
		inwards = -1
	}
	return s.box[0] + w*slot + w/2, inwards
}

func (s panelLayout) landmark(slot int) [4]int {
	x, in := s.slotCentre(slot)
	w := s.tall * 76 / 100
	return [4]int{x + in*s.tall/6 - w/2, s.back - w*11/10, w, w * 11 / 10}
}

func (s panelLayout) figure(slot int) [4]int {
	x, in := s.slotCentre(slot)
	w := s.tall * 2 / 3
	return [4]int{x - in*s.tall/6 - w/2, s.floor - s.tall, w, s.tall}
}

// hand is where a figure holds something: above its raised fist.
func (s panelLayout) hand(figure [4]int, flip bool) [4]int {
	w, h := figure[2]*43/100, figure[2]*72/100
	x := figure[0] + figure[2]*90/100 - w/2
	if flip {
		x = figure[0] + figure[2]*10/100 - w/2
	}
	x = min(max(x, s.box[0]+4), s.box[0]+s.box[2]-w-4)
	return [4]int{x, figure[1] + figure[2]*915/1000 - h*85/100, w, h}
}

// beside is on the ground at the side away from the middle.
func (s panelLayout) beside(figure [4]int, slot int) [4]int {
	_, in := s.slotCentre(slot)
	w := figure[2] * 46 / 100
	x := figure[0] + figure[2]/2 - in*figure[2]*45/100 - w/2
	x = min(max(x, s.box[0]+6), s.box[0]+s.box[2]-w-6)
	return [4]int{x, figure[1] + figure[3]*21/20 - w, w, w}
}

func (s panelLayout) prop() [4]int {
	w := min(s.box[2]*40/100, s.tall*14/10)
	return [4]int{s.box[0] + (s.box[2]-w)/2, s.box[1] + s.box[3] - 8 - w/2, w, w / 2}
}

// bubble is the room for what a figure says.
func (s panelLayout) bubble(slot int) [4]int {
	f := s.figure(slot)
	w, low := 200, f[1]+6
	x := min(max(f[0]+f[2]/2-w/2, s.box[0]+8), s.box[0]+s.box[2]-w-8)
	return [4]int{x, low - 110, w, 110}
}

// isLow reports whether a panel has little sky.
func (s panelLayout) isLow() bool { return s.box[3] < 500 }

// overhead is the sky that neither the caption nor a bubble covers, and the width of
// each thing in it.
func (s panelLayout) overhead() (box [4]int, cell int) {
	x, y, w := s.box[0], s.box[1], s.box[2]
	if s.isLow() {
		left := 250 + (s.slots-2)*30
		return [4]int{x + left, y + 6, w - left - 4, 90}, 68
	}
	return [4]int{x + 30, y + 40, w - 150, 130}, 100
}

func garmentOf(species string) string {
	switch species {
	case "robot":
		return "apron"
	case "knight":
		return "tabard"
	case "girl", "boy":
		return "shirt"
	case "wizard":
		return "robe"
	case "pirate":
		return "coat"
	}
	return "jumper"
}

type cartoonSetting struct {
	name      string
	indoors   bool
	landmarks []string // the first is what the place is known by
}

// pickLandmarks picks n landmarks, among them the one that the place is known by.
func (k cartoonSetting) pickLandmarks(rnd *rand.Rand, n int) []string {
	out := append(sample(rnd, k.landmarks[1:], n-1), k.landmarks[0])
	rnd.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func cartoonSettings() []cartoonSetting {
	return []cartoonSetting{
		{"a beach", false, []string{"palm tree", "rowing boat", "sandcastle", "beach umbrella", "rock"}},
		{"a harbour", false, []string{"lighthouse", "anchor", "crate", "barrel", "rowing boat"}},
		{"a forest", false, []string{"mushroom", "stump", "tent", "oak", "signpost"}},
		{"a farm", false, []string{"hay bale", "scarecrow", "windmill", "gate", "well"}},
		{"a market", false, []string{"fruit stall", "fountain", "flower cart", "barrel", "lamp post"}},
		{"a city street", false, []string{"bus stop", "hydrant", "mailbox", "lamp post", "bench"}},
		{"a desert", false, []string{"cactus", "wagon", "tent", "rock", "signpost"}},
		{"a castle", false, []string{"cannon", "statue", "flag tower", "well", "barrel"}},
		{"a playground", false, []string{"slide", "swing", "seesaw", "bench", "oak"}},
		{"a mountain top", false, []string{"cabin", "pine", "signpost", "rock", "snowman"}},
		{"a space ship", true, []string{"control desk", "hatch", "plant tube", "crate", "armchair"}},
		{"a kitchen", true, []string{"stove", "fridge", "dresser", "sink", "tall clock"}},
		{"a library", true, []string{"globe", "armchair", "ladder", "tall clock", "statue"}},
	}
}

// cartoonWeathers returns the weathers of ordinary and of rare pages.
func cartoonWeathers() (common, rare []string) {
	return []string{"sunny", "cloudy", "rainy", "stormy"}, []string{"snowy", "foggy", "windy"}
}
