package simulate

import (
	"math/rand/v2"

	"github.com/memforge/memforge/stages/visual/scene"
)

// homeScenario is the renovation of a flat (MemEye table 4: room-state and design updates):
// photos of its rooms and of samples laid out, between which things are recoloured,
// moved and exchanged.
func homeScenario() Scenario {
	return Scenario{
		Name: "home_renovation", Title: "Home Renovation", Domain: "domestic",
		Size: Size{Sessions: 13, Rounds: 120, Pictures: 89, Questions: 52},
		Plot: plotHome,
	}
}

func homePools() map[string][]string {
	return map[string][]string{
		scene.Colour: scene.Colours()[:10], scene.Pattern: homePatterns(), scene.Activity: homeActivities(), scene.Text: homeTags(),
		scene.Which + ":tile": homeTiles(), scene.Which + ":painting": homePaintings(), scene.Which + ":cabinet front": homeFronts(),
		scene.Beside: homeTools(), scene.Setting: {"a living room", "a bedroom", "a kitchen", "a bathroom", "a garage", "a hallway"},
		scene.Text + ":note": homeNotes(), scene.Place: homePlaces(),
	}
}

func homePatterns() []string {
	return []string{"stripes", "checks", "zigzags", "waves", "dots", "diamonds", "stars", "crosses", "rings", "leaves", "flowers", "triangles"}
}

func homeActivities() []string {
	return []string{
		"painting the walls", "moving in", "a tea party", "a birthday party", "sewing", "band practice", "office work", "a film night", "ironing", "drawing at an easel",
	}
}

func homeTiles() []string {
	return []string{
		"the star tile", "the diamond tile", "the cross tile", "the ring tile", "the clover tile", "the flower tile", "the pinwheel tile", "the triangle tile", "the hexagon tile",
		"the dotted tile",
	}
}

func homeFronts() []string {
	return []string{
		"the framed front", "the louvred front", "the grooved front", "the arched front", "the glazed front", "the two-panel front", "the diagonal front", "the plain front",
	}
}

// homePaintings are called by their subjects, which are icons.
func homePaintings() []string {
	return []string{
		"the sailboat", "the mountain", "the bird", "the fish", "the flower", "the house", "the moon", "the cat", "the guitar", "the bike", "the feather", "the apple", "the umbrella",
		"the plane",
	}
}

func homeTools() []string {
	return []string{"a tape measure", "a pencil", "a brass handle", "a paint brush", "a pair of scissors", "a key", "a magnifying glass", "a screwdriver"}
}

func homeTags() []string {
	var out []string
	for _, name := range []string{"Linden", "Harbour", "Saffron", "Cinder", "Meadow"} {
		for _, n := range []string{"104", "140", "204", "214", "410"} {
			out = append(out, name+" "+n)
		}
	}
	return out
}

func homeNotes() []string {
	return []string{
		"call the plumber", "order the grout", "measure twice", "paint on Monday", "return the lamp", "keys at No. 14", "tiles on Friday", "sand the doors", "buy more primer", "ask about the sink",
	}
}

func homePlaces() []string {
	return []string{"in front of the window", "in front of the sofa", "in front of the fireplace", "in front of the bookcase"}
}

// movables are small things of a living room, by kind of painter.
func homeMovables() map[string]string {
	return map[string]string{
		"the pouf": "pouf", "the toy box": "toy-box", "the stool": "stool", "the basket": "basket", "the suitcase": "suitcase", "the watering can": "watering-can",
	}
}

// homeState is the state of the simulation.
type homeState struct {
	*visitState
	order    []int // of the stations along the wall of the living room
	mirrored bool
	vary     int
	floors   []string // of the spare room and the kitchen
	cupboard string   // of the bedroom
	spots    spots
	movables []string
}

// Kinds of pictures of a renovation, in the order in which longer lives take them up.
const (
	homeLiving = iota
	homeMats
	homeSpare
	homeBedroom
	homeKitchen
	homeStands
)

func plotHome(rnd *rand.Rand, pictures int) (Plot, error) {
	f := homeState{
		visitState: newVisitState(rnd), order: rnd.Perm(4), mirrored: rnd.IntN(2) == 0, vary: 1 + rnd.IntN(1000),
		movables: sample(rnd, []string{"the pouf", "the toy box", "the stool", "the basket", "the suitcase", "the watering can"}, 4),
	}
	f.floors = []string{pick(rnd, []string{"carpet", "planks", "terracotta"}), pick(rnd, []string{"chequered", "tiles", "terracotta"})}
	f.cupboard = pick(rnd, []string{"bookcase", "wardrobe"})
	f.commonLook = map[string]string{"wood": pick(rnd, []string{"oak", "walnut", "birch", "teak"}), "tone": digits(rnd.IntN(8)), "vary": digits(f.vary)}
	kind, visit, total := assignVisits(rnd, pictures, min(6, 3+pictures/12))
	f.spots = newSpots(rnd, f.movables, homePlaces())
	f.planRooms(append(total, 0, 0, 0))
	p := Plot{Profile: pickProfile(rnd, "teacher", "nurse", "bookkeeper", "translator", "baker"), World: f.world, Pools: homePools()}
	for at := range pictures {
		s := f.picture(at, kind[at], visit[at])
		s.Width, s.Height, s.Noun, s.Photo, s.Seed = 1024, 768, "photo", true, rnd.Uint32()
		p.Scenes = append(p.Scenes, s)
	}
	return p, f.err
}

// planRooms draws how everything that is told goes over the visits.
func (f *homeState) planRooms(total []int) {
	pools := homePools()
	living, mats, spare, bedroom := total[homeLiving], total[homeMats], total[homeSpare], total[homeBedroom]
	f.plan("the sofa", scene.Colour, pools[scene.Colour], living)
	f.plan("the fireplace", scene.Which, homePaintings(), living)
	f.plan("the mantelpiece", scene.Count, numbers(1, 6), living)
	f.planApart(f.movables, scene.Colour, pools[scene.Colour][:8], living)
	f.planApart(homeMatNames(), scene.Which, homeTiles(), mats)
	f.planApart(homeMatNames(), scene.Beside, homeTools(), mats)
	f.planApart(homeTagNames(), scene.Text, homeTags(), mats)
	f.plan("the spare room blind", scene.Colour, pools[scene.Colour], spare)
	f.plan("the spare room shelf", scene.Count, numbers(1, 6), spare)
	f.plan("the bedspread", scene.Colour, pools[scene.Colour], bedroom)
	f.plan("the bedroom blind", scene.Colour, pools[scene.Colour], bedroom)
	f.plan("the bed", scene.Which, homePaintings(), bedroom)
	f.plan("the bedroom wall", scene.Pattern, homePatterns(), bedroom)
	f.plan("the rug", scene.Pattern, homePatterns(), bedroom)
	f.plan("the bedroom window sill", scene.Count, numbers(1, 5), bedroom)
	kitchen, stands := total[homeKitchen], total[homeStands]
	f.plan("the kitchen cabinets", scene.Colour, pools[scene.Colour], kitchen)
	f.plan("the kitchen tiling", scene.Pattern, homePatterns(), kitchen)
	f.plan("the kitchen shelf", scene.Count, numbers(1, 6), kitchen)
	f.plan("the blackboard", scene.Text, homeNotes(), kitchen)
	f.plan("the kitchen counter", scene.Which, homeTiles(), kitchen)
	f.planApart(homeStandNames(), scene.Which, homeFronts(), stands)
	f.planApart(homeCardNames(), scene.Colour, pools[scene.Colour][:8], stands)
}

func homeMatNames() []string { return []string{"mat A", "mat B", "mat C", "mat D"} }
func homeTagNames() []string {
	return []string{"the tag on mat A", "the tag on mat B", "the tag on mat C", "the tag on mat D"}
}
func homeStandNames() []string { return []string{"stand 1", "stand 2", "stand 3", "stand 4"} }
func homeCardNames() []string {
	return []string{"paint card K", "paint card L", "paint card M", "paint card N"}
}

func (f *homeState) picture(at, kind, visit int) scene.Scene {
	switch kind {
	case homeLiving:
		return f.living(at, visit)
	case homeMats:
		return f.mats(at, visit)
	case homeSpare:
		return f.spare(at, visit)
	case homeBedroom:
		return f.bedroom(at, visit)
	case homeKitchen:
		return f.kitchen(at, visit)
	}
	return f.stands(at, visit)
}
