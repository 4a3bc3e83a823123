package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

// townMovables are small things on the square, with their painters.
func townMovables() map[string]string {
	return map[string]string{
		"the kiosk": "kiosk", "the flower cart": "flower-cart", "the ice cream cart": "ice-cart", "the postbox": "postbox", "the phone box": "phone-box", "the poster column": "poster-column",
	}
}

// Kinds of views, in the order of the route. Longer simulations go further.
const (
	townHigh = iota
	townSquare
	townBuses
	townBridge
	townMarket
	townSide
)

// townState is the state of the simulation of a walk.
type townState struct {
	*visitState
	vary     int
	mirrored bool
	order    []int // of the landmarks of the square
	movables []string
	square   spots
	kerbs    [2]spots
	streets  []string
}

// plotTown simulates MemEye's Outdoor Navigation (table 4: landmarks and ordered views):
// repeated walks along a shopping street, a square, a bus station, a bridge, a market
// place and a side street, with changes between walks.
func plotTown(rnd *rand.Rand, pictures int, list words) (Plot, error) {
	w := townState{
		visitState: newVisitState(rnd, list), vary: 1 + rnd.IntN(1000), mirrored: rnd.IntN(2) == 0, order: rnd.Perm(5), streets: sample(rnd, list[scene.Text+":street"], 2),
		movables: sample(rnd, []string{"the kiosk", "the flower cart", "the ice cream cart", "the postbox", "the phone box", "the poster column"}, 5),
	}
	w.commonLook = map[string]string{"vary": strconv.Itoa(w.vary)}
	w.square = newSpots(rnd, w.movables, w.words[scene.Place])
	w.kerbs = [2]spots{newSpots(rnd, townVehicles(), townKerb(11)), newSpots(rnd, []string{"the taxi"}, townKerb(2))}
	kinds := min(6, 3+pictures/10)
	total := make([]int, 6)
	for at := range pictures {
		total[at%kinds]++
	}
	w.planViews(total)
	return w.plot(pickProfile(rnd, "courier", "tour guide", "letter carrier", "exchange student", "taxi driver"), pictures, func(at int) scene.Scene {
		s := w.picture(at, at%kinds, at/kinds)
		s.Noun, s.Photo, s.Backdrop = "photo", true, "town"
		return s
	})
}

func (w *townState) planViews(total []int) {
	colours := w.words[scene.Colour]
	for i, first := range []int{11, 2} {
		visits := total[[]int{townHigh, townSide}[i]]
		w.planApart(townHouses("house %d", first), scene.Which, w.words[scene.Which+":shop"], visits)
		w.planApart(townHouses("the awning of house %d", first), scene.Colour, colours, visits)
		w.planApart(townHouses("the sign of house %d", first), scene.Text, w.words[scene.Text], visits)
	}
	w.planApart(w.movables, scene.Colour, scene.Colours()[:10], total[townSquare])
	w.plan("the town hall", scene.Count, numbers(1, 5), total[townSquare])
	w.planApart(marked("the foot of post ", "ABCD"), scene.Beside, w.words[scene.Beside], total[townBuses])
	w.planApart(marked("the bus in bay ", "ABCD"), scene.Text, w.words[scene.Text+":line"], total[townBuses])
	w.planApart(marked("the bus in bay ", "ABCD"), scene.Colour, colours, total[townBuses])
	w.planApart(marked("pillar ", "1234"), scene.Which, w.words[scene.Which+":statue"], total[townBridge])
	w.plan("the quay", scene.Count, numbers(1, 6), total[townBridge])
	w.planPairs(w.words["plot places"][townMarket], scene.Activity, w.words[scene.Activity], total[townMarket])
	w.planApart(w.words["plot signposts"], scene.Which, w.words[scene.Which+":waymark"], max(total[0], 1))
}

// townHouses returns names with the four house numbers of one side of a street.
func townHouses(format string, first int) []string {
	var out []string
	for i := range 4 {
		out = append(out, fmt.Sprintf(format, first+2*i))
	}
	return out
}

func townKerb(first int) []string { return townHouses("in front of house %d", first) }
func townVehicles() []string      { return []string{"the delivery van", "the motor scooter"} }

// picture is one view of the route: its things, the signpost of the trail, and the
// weather over all.
func (w *townState) picture(at, kind, visit int) scene.Scene {
	var s scene.Scene
	switch kind {
	case townHigh:
		s = w.street(at, visit, 0)
	case townSquare:
		s = w.squareView(at, visit)
	case townBuses:
		s = w.buses(at, visit)
	case townBridge:
		s = w.bridge(at, visit)
	case townMarket:
		s = w.market()
	default:
		s = w.street(at, visit, 1)
	}
	weather := pick(w.rnd, w.words[scene.Weather])
	s.Look = w.look("view", []string{"street", "square", "station", "river", "square", "street"}[kind], scene.Weather, weather)
	s.Minimal = "a photo taken outdoors"
	post := classed(w.thing("waymark", w.words["plot signposts"][kind], [4]int{w.strip() + 12, 520, 76, 210}), "waymark", "on")
	veil := w.show(at, w.thing("weather", w.words["plot places"][kind], [4]int{0, 0, 1024, 768}), scene.Weather, weather)
	veil.Passing = []string{scene.Weather}
	if kind == townMarket {
		// What goes on there is told by the same thing as the weather: one name, one thing.
		veil = w.showPlanned(at, visit, classed(veil, "event", "at"), scene.Activity)
		s.Look[scene.Activity] = veil.Look[scene.Activity]
	}
	s.Things = append(s.Things, w.showPlanned(at, visit, post, scene.Which), veil)
	return s
}

// strip is where the free strip of a view is, 100 pixels wide. The content beside it is
// 924 wide.
func (w *townState) strip() int {
	if w.mirrored {
		return 924
	}
	return 0
}

func (w *townState) contentLeft() int {
	if w.mirrored {
		return 8
	}
	return 104
}

// street is a row of four shops with vehicles before them.
func (w *townState) street(at, visit, which int) scene.Scene {
	first := []int{11, 2}[which]
	var things []scene.Thing
	for i, name := range townHouses("house %d", first) {
		x := w.contentLeft() + 228*i
		vary := strconv.Itoa(w.vary + 10*which + i)
		house := classed(w.thing("shop-house", name, [4]int{x, 104, 224, 420}, "vary", vary, "number", strconv.Itoa(first+2*i)), "shop", "in")
		awning := w.thing("awning", townHouses("the awning of house %d", first)[i], [4]int{x + 8, 342, 208, 48})
		sign := classed(w.thing("shop-sign", townHouses("the sign of house %d", first)[i], [4]int{x + 10, 296, 204, 42}, "vary", vary), "shop sign", "on")
		things = append(things, w.showPlanned(at, visit, house, scene.Which), w.showPlanned(at, visit, sign, scene.Text), w.showPlanned(at, visit, awning, scene.Colour))
	}
	plate := classed(w.thing("street-sign", fmt.Sprintf("the street sign in %s", w.words["plot places"][which*townSide]), [4]int{w.strip() + 2, 330, 98, 190}), "street", "on")
	things = append(things, w.show(at, plate, scene.Text, w.streets[which]))
	vehicles, absent := w.vehicles(at, visit, which)
	return scene.Scene{Things: append(things, vehicles...), Absent: absent}
}

func (w *townState) vehicles(at, visit, which int) (here []scene.Thing, absent []string) {
	kerb, first := w.kerbs[which], []int{11, 2}[which]
	if visit > 0 && w.rnd.IntN(3) > 0 {
		kerb.move(w.rnd)
	}
	kinds := map[string]string{"the delivery van": "van", "the motor scooter": "scooter", "the taxi": "taxi"}
	for _, name := range kerb.names {
		place := kerb.at[name]
		if place == "" {
			absent = append(absent, name)
			w.set(at, name, scene.Place, "")
			continue
		}
		mid := w.contentLeft() + 112 + 228*slices.Index(townKerb(first), place) + w.rnd.IntN(17) - 8
		t := w.show(at, classed(w.thing(kinds[name], name, [4]int{mid - 104, 588, 208, 130}), kinds[name], "at"), scene.Place, place)
		if name == "the delivery van" {
			t = w.letteredVan(at, t)
		}
		here = append(here, t)
	}
	return here, absent
}

// letteredVan is the van, whose firm changes now and then.
func (w *townState) letteredVan(at int, t scene.Thing) scene.Thing {
	firm := w.world.At(at, newKey(t.Name, scene.Text))
	if firm == "" || w.rnd.IntN(3) == 0 {
		firm = pick(w.rnd, w.words[scene.Text+":van"])
	}
	return w.show(at, t, scene.Text, firm)
}

// squareView has five landmarks and small movable things before them.
func (w *townState) squareView(at, visit int) scene.Scene {
	if visit > 0 && w.rnd.IntN(4) > 0 {
		w.square.move(w.rnd)
	}
	kinds, widths := []string{"clock-tower", "church", "town-hall", "fountain", "theatre"}, []int{136, 204, 236, 150, 180}
	heights := []int{440, 420, 330, 190, 290}
	x, middle := w.contentLeft(), make([]int, 5)
	var things []scene.Thing
	for _, k := range w.order {
		t := w.thing(kinds[k], "", [4]int{x, 560 - heights[k], widths[k], heights[k]})
		if kinds[k] == "town-hall" {
			t.Name = "the town hall"
			t = w.showPlanned(at, visit, classed(t, "flags", "on"), scene.Count)
		}
		things = append(things, t)
		middle[k] = x + widths[k]/2
		x += widths[k] + 2
	}
	var absent []string
	for _, name := range w.movables {
		place := w.square.at[name]
		if place == "" {
			absent = append(absent, name)
			w.set(at, name, scene.Place, "")
			continue
		}
		mid := middle[slices.Index(w.words[scene.Place], place)] + w.rnd.IntN(21) - 10
		t := classed(w.thing(townMovables()[name], name, [4]int{mid - 62, 578, 124, 142 + w.rnd.IntN(14)}), "movable", "at")
		things = append(things, w.showPlanned(at, visit, w.show(at, t, scene.Place, place), scene.Colour))
	}
	return scene.Scene{Things: things, Absent: absent}
}

func (w *townState) buses(at, visit int) scene.Scene {
	things := []scene.Thing{w.thing("canopy", "", [4]int{w.contentLeft() - 4, 96, 920, 420})}
	for i, name := range marked("the foot of post ", "ABCD") {
		x := w.contentLeft() + 228*i
		bay := classed(w.thing("bay", name, [4]int{x, 150, 226, 540}, "letter", name[len(name)-1:]), "post", "at")
		bus := classed(w.thing("bus", marked("the bus in bay ", "ABCD")[i], [4]int{x + 6, 250 + w.rnd.IntN(16), 150, 330}), "line", "on")
		things = append(things, w.showPlanned(at, visit, bay, scene.Beside), w.showPlanned(at, visit, bus, scene.Text, scene.Colour))
	}
	return scene.Scene{Things: things}
}

// bridge has four statues on its pillars, and boats at the quay before it.
func (w *townState) bridge(at, visit int) scene.Scene {
	things := []scene.Thing{w.thing("bridge", "", [4]int{0, 330, 1024, 230})}
	for i, name := range marked("pillar ", "1234") {
		p := classed(w.thing("pillar", name, [4]int{w.contentLeft() + 40 + 222*i, 178, 150, 392}, "letter", strconv.Itoa(i+1)), "statue", "on")
		things = append(things, w.showPlanned(at, visit, p, scene.Which))
	}
	quay := w.showPlanned(at, visit, classed(w.thing("quay", "the quay", [4]int{w.contentLeft(), 600, 912, 128}), "boats", "at"), scene.Count)
	return scene.Scene{Things: append(things, quay)}
}

// market is the market place with changing activities.
func (w *townState) market() scene.Scene {
	return scene.Scene{Things: []scene.Thing{
		w.thing("terrace", "", [4]int{w.contentLeft() - 4, 220, 920, 340}), w.thing("event", "", [4]int{w.contentLeft() + 30, 330, 860, 390}),
	}}
}
