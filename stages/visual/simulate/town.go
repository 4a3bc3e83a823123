package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/stages/visual/scene"
)

// townScenario is a route that is walked again and again (MemEye table 4: landmarks and
// ordered views): a shopping street, a square, a bus station, a bridge, a market
// place and a side street, with what changes there between walks.
func townScenario() Scenario {
	return Scenario{
		Name: "outdoor_navigation", Title: "Outdoor Navigation", Domain: "leisure",
		Size: Size{Sessions: 10, Rounds: 60, Pictures: 40, Questions: 28},
		Plot: plotTown,
	}
}

func townPools() map[string][]string {
	return map[string][]string{
		scene.Colour: scene.Colours()[:8], scene.Weather: townWeathers(), scene.Activity: townActivities(), scene.Place: townSpots(), scene.Beside: townFurniture(),
		scene.Text: townShopNames(), scene.Text + ":line": townLines(), scene.Text + ":street": townStreets(),
		scene.Which + ":shop": townShops(), scene.Which + ":statue": townStatues(), scene.Which + ":waymark": townWaymarks(),
		scene.Place + ":van": townKerb(11), scene.Place + ":scooter": townKerb(11), scene.Place + ":taxi": townKerb(2), scene.Text + ":van": townFirms(),
	}
}

func townWeathers() []string {
	return []string{"bright sunshine", "heavy rain", "snowfall", "thick fog", "a thunderstorm", "a clear night", "a red sunset", "a rainbow"}
}

func townActivities() []string {
	return []string{"a street market", "roadworks", "a concert", "a funfair", "a Christmas fair", "an open-air cinema", "a chess tournament", "a flea market for books"}
}

func townSpots() []string {
	return []string{"in front of the clock tower", "in front of the church", "in front of the town hall", "in front of the fountain", "in front of the theatre"}
}

func townFurniture() []string {
	return []string{"a litter bin", "a bicycle", "a ticket machine", "a bench", "a fire hydrant", "a suitcase", "a flower tub", "a pushchair"}
}

func townShopNames() []string {
	return []string{
		"Adler & Son", "Bellamy", "Corvo", "Delia's", "Eckart", "Fontana", "Grünwald", "Hollis", "Iskra", "Juniper", "Kappel", "Lorenz", "Marlow", "Nova", "Old No. 7", "Pardo",
		"Quirin", "Rosalie", "Samson", "Tilda", "Ulmer", "Verdi", "Wendel", "Zorn",
	}
}

// townLines are lines and ends that are easily taken for each other.
func townLines() []string {
	var out []string
	for _, end := range []string{"Harbour", "Castle", "Airport", "Old Mill"} {
		for _, n := range []int{14, 41, 17, 71, 114} {
			out = append(out, fmt.Sprintf("%d %s", n, end))
		}
	}
	return out
}

func townStreets() []string {
	return []string{"Mill Street", "Hill Street", "Mall Street", "Bell Lane", "Well Lane", "Abbey Road", "Abbot Road", "North Row", "South Row", "Fish Lane", "Finch Lane", "Tanner Row"}
}

func townFirms() []string {
	return []string{"Rapid Post", "Rapid Pots", "Fine Floors", "Fine Flours", "Clear Glass", "Clean Glass", "Warm Homes", "Pane & Co", "Paint & Co"}
}

func townShops() []string {
	return []string{
		"the bakery", "the bookshop", "the florist", "the toy shop", "the tailor", "the bicycle shop", "the music shop", "the pharmacy", "the optician", "the hairdresser", "the fishmonger",
		"the wine shop", "the locksmith", "the watchmaker", "the umbrella shop", "the pet shop",
	}
}

func townStatues() []string {
	return []string{"the owl", "the swan", "the dolphin", "the eagle", "the obelisk", "the globe", "the angel", "the bear", "the urn", "the rabbit"}
}

func townWaymarks() []string {
	return []string{"the fish", "the bird", "the leaf", "the star", "the moon", "the sun", "the key", "the bell", "the feather", "the umbrella", "the mountain", "the flame"}
}

// townMovables are what stands about on the square, by kind of painter.
func townMovables() map[string]string {
	return map[string]string{
		"the kiosk": "kiosk", "the flower cart": "flower-cart", "the ice cream cart": "ice-cart", "the postbox": "postbox", "the phone box": "phone-box", "the poster column": "poster-column",
	}
}

// Kinds of views, in the order of the route; longer lives go further.
const (
	townHigh = iota
	townSquare
	townBuses
	townBridge
	townMarket
	townSide
)

// townPlaces are what questions call the views.
func townPlaces() []string {
	return []string{"the shopping street", "the square", "the bus station", "the bridge", "the market place", "the side street"}
}

// townState is the state of the simulation.
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

func plotTown(rnd *rand.Rand, pictures int) (Plot, error) {
	w := townState{
		visitState: newVisitState(rnd), vary: 1 + rnd.IntN(1000), mirrored: rnd.IntN(2) == 0, order: rnd.Perm(5), streets: sample(rnd, townStreets(), 2),
		movables: sample(rnd, []string{"the kiosk", "the flower cart", "the ice cream cart", "the postbox", "the phone box", "the poster column"}, 5),
	}
	w.commonLook = map[string]string{"vary": digits(w.vary)}
	w.square = newSpots(rnd, w.movables, townSpots())
	w.kerbs = [2]spots{newSpots(rnd, townVehicles(), townKerb(11)), newSpots(rnd, []string{"the taxi"}, townKerb(2))}
	kinds := min(6, 3+pictures/10)
	total := make([]int, 6)
	for at := range pictures {
		total[at%kinds]++
	}
	w.planViews(total)
	p := Plot{Profile: pickProfile(rnd, "courier", "tour guide", "letter carrier", "exchange student", "taxi driver"), World: w.world, Pools: townPools()}
	for at := range pictures {
		s := w.picture(at, at%kinds, at/kinds)
		s.Width, s.Height, s.Noun, s.Photo, s.Seed, s.Backdrop = 1024, 768, "photo", true, rnd.Uint32(), "town"
		p.Scenes = append(p.Scenes, s)
	}
	return p, w.err
}

// planViews draws how everything that is told goes over the walks.
func (w *townState) planViews(total []int) {
	colours := townPools()[scene.Colour]
	for i, first := range []int{11, 2} {
		visits := total[[]int{townHigh, townSide}[i]]
		w.planApart(townHouses("house %d", first), scene.Which, townShops(), visits)
		w.planApart(townHouses("the awning of house %d", first), scene.Colour, colours, visits)
		w.planApart(townHouses("the sign of house %d", first), scene.Text, townShopNames(), visits)
	}
	w.planApart(w.movables, scene.Colour, scene.Colours()[:10], total[townSquare])
	w.plan("the town hall", scene.Count, numbers(1, 5), total[townSquare])
	w.planApart(townBays(), scene.Beside, townFurniture(), total[townBuses])
	w.planApart(townBayBuses(), scene.Text, townLines(), total[townBuses])
	w.planApart(townBayBuses(), scene.Colour, colours, total[townBuses])
	w.planApart(townPillars(), scene.Which, townStatues(), total[townBridge])
	w.plan("the quay", scene.Count, numbers(1, 6), total[townBridge])
	w.planPairs(townPlaces()[townMarket], scene.Activity, townActivities(), total[townMarket])
	w.planApart(townSignposts(), scene.Which, townWaymarks(), max(total[0], 1))
}

// townHouses are names with the four house numbers of one side of a street.
func townHouses(format string, first int) []string {
	var out []string
	for i := range 4 {
		out = append(out, fmt.Sprintf(format, first+2*i))
	}
	return out
}

func townKerb(first int) []string { return townHouses("in front of house %d", first) }
func townVehicles() []string      { return []string{"the delivery van", "the motor scooter"} }
func townBays() []string          { return []string{"bay A", "bay B", "bay C", "bay D"} }
func townBayBuses() []string {
	return []string{"the bus in bay A", "the bus in bay B", "the bus in bay C", "the bus in bay D"}
}
func townPillars() []string { return []string{"pillar 1", "pillar 2", "pillar 3", "pillar 4"} }

// townSignposts are those of the town trail, one in each view.
func townSignposts() []string {
	return []string{
		"the signpost in the shopping street", "the signpost on the square", "the signpost at the bus station", "the signpost by the bridge", "the signpost on the market place", "the signpost in the side street",
	}
}
