package simulate

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/stages/visual/scene"
)

// cartoonScenario is the cartoon companion (MemEye table 4: character and narrative memory): a
// strip whose figures come again in ever new places, and what they wear, hold and have
// beside them changes while nobody says so.
func cartoonScenario() Scenario {
	return Scenario{
		Name: "cartoon_companion", Title: "Cartoon Companion", Domain: "leisure",
		Size: Size{Sessions: 86, Rounds: 299, Pictures: 87, Questions: 76},
		Plot: plotCartoon,
	}
}

// cartoonFigure is one of the cast.
type cartoonFigure struct {
	name, species, letter string
	holds, follows        bool // has something in the hand, something beside it
}

// cartoonPage is a page before it is composed.
type cartoonPage struct {
	panels []cartoonPanel
	absent []int // of the cast
}

// cartoonPanel is a picture in it. An empty activity or weather follows the course of
// the place.
type cartoonPanel struct {
	place             int // of the settings
	activity, weather string
	who               []int
}

// cartoonState is the state of the simulation.
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

func plotCartoon(rnd *rand.Rand, pictures int) (Plot, error) {
	s := &cartoonState{
		rnd: rnd, title: pick(rnd, cartoonTitles()), overhead: pick(rnd, cartoonOverhead()),
		settings: sample(rnd, cartoonSettings(), len(cartoonSettings())), places: sample(rnd, cartoonPlaces(), len(cartoonSettings())),
		course: newSightingState(rnd),
	}
	s.cast = cartoonCast(rnd, 8+min(1, pictures/20))
	s.lastPage = make([]int, len(s.cast))
	s.planPages(pictures)
	p := Plot{
		Profile: pickProfile(rnd, "comics editor", "school librarian", "illustrator", "collector of comic strips"), World: s.course.world, Pools: s.pools(),
	}
	for at := range s.pages {
		page := s.page(at)
		if err := s.course.record(at, page); err != nil {
			return Plot{}, err
		}
		p.Scenes = append(p.Scenes, page)
	}
	return p, nil
}

// cartoonCast has two or three robots, and of the other species one each.
func cartoonCast(rnd *rand.Rand, n int) []cartoonFigure {
	var out []cartoonFigure
	for i, species := range sample(rnd, cartoonSpecies(), n-2) {
		out = append(out, cartoonFigure{name: "the " + species, species: species, holds: i%2 == 0, follows: i%3 != 2})
	}
	for i, letter := range []string{"A", "B"} {
		out = append(out, cartoonFigure{name: "robot " + letter, species: "robot", letter: letter, holds: i == 0, follows: true})
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (s *cartoonState) pools() map[string][]string {
	var settings, spots []string
	for _, k := range cartoonSettings() {
		settings = append(settings, k.name)
		for _, l := range k.landmarks {
			if spot := "in front of the " + l; !slices.Contains(spots, spot) {
				spots = append(spots, spot)
			}
		}
	}
	common, rare := cartoonWeathers()
	return map[string][]string{
		scene.Setting: settings, scene.Place: spots, scene.Activity: cartoonActivities(), scene.Weather: append(common, rare...),
		scene.Which + ":hat": cartoonHats(), scene.Which + ":thing": cartoonThings(), scene.Beside: cartoonCompanions(),
		scene.Colour: cartoonColours(), scene.Pattern: cartoonPatterns(),
	}
}

// cartoonColours are those that no figure and no ground swallows.
func cartoonColours() []string {
	return []string{"red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "white"}
}

// planPages plans which page shows whom where: every other page has one picture, the rest two
// to four.
func (s *cartoonState) planPages(pictures int) {
	activities := sample(s.rnd, cartoonActivities(), len(cartoonActivities()))
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

// pairPages gives two pages of one picture something that no other page has, as often as
// there is something left: a kind of place, an activity or a weather.
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

// outdoors is a place, or another where it has no weather.
func (s *cartoonState) outdoors(place int) int {
	for s.settings[place].indoors {
		place = (place + 1) % (len(s.settings) - 3)
	}
	return place
}

// assignCast chooses who is on a page, those first who were not drawn for long.
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
