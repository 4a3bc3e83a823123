package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
)

// homeState is the state of the simulation of a flat.
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

// Kinds of pictures of a renovation. Longer simulations use more of them, in this
// order.
const (
	homeLiving = iota
	homeMats
	homeSpare
	homeBedroom
	homeKitchen
	homeStands
)

// plotHome simulates MemEye's Home Renovation (table 4: room-state and design updates):
// photos of rooms and of samples laid out, between which things are recoloured, moved
// and exchanged.
func plotHome(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	f := homeState{
		visitState: newVisitState(rnd, w), order: rnd.Perm(4), mirrored: rnd.IntN(2) == 0, vary: 1 + rnd.IntN(1000),
		movables: sample(rnd, []string{"the pouf", "the toy box", "the stool", "the basket", "the suitcase", "the watering can"}, 4),
	}
	f.floors = []string{pick(rnd, []string{"carpet", "planks", "terracotta"}), pick(rnd, []string{"chequered", "tiles", "terracotta"})}
	f.cupboard = pick(rnd, []string{"bookcase", "wardrobe"})
	f.commonLook = map[string]string{"wood": pick(rnd, []string{"oak", "walnut", "birch", "teak"}), "tone": strconv.Itoa(rnd.IntN(8)), "vary": strconv.Itoa(f.vary)}
	kind, visit, total := assignVisits(rnd, pictures, min(6, 3+pictures/12))
	f.spots = newSpots(rnd, f.movables, f.words[scene.Place])
	f.planRooms(append(total, 0, 0, 0))
	return f.plot(pickProfile(rnd, "teacher", "nurse", "bookkeeper", "translator", "baker"), pictures, func(at int) scene.Scene {
		s := f.picture(at, kind[at], visit[at])
		s.Noun, s.Photo = "photo", true
		return s
	})
}

func (f *homeState) planRooms(total []int) {
	living, mats, spare, bedroom := total[homeLiving], total[homeMats], total[homeSpare], total[homeBedroom]
	f.plan("the sofa", scene.Colour, f.words[scene.Colour], living)
	f.plan("the fireplace", scene.Which, f.words[scene.Which+":painting"], living)
	f.plan("the mantelpiece", scene.Count, numbers(1, 6), living)
	f.planApart(f.movables, scene.Colour, f.words[scene.Colour][:8], living)
	f.planApart(marked("mat ", "ABCD"), scene.Which, f.words[scene.Which+":tile"], mats)
	f.planApart(marked("mat ", "ABCD"), scene.Beside, f.words[scene.Beside], mats)
	f.planApart(marked("the tag on mat ", "ABCD"), scene.Text, f.words[scene.Text], mats)
	f.plan("the spare room blind", scene.Colour, f.words[scene.Colour], spare)
	f.plan("the spare room shelf", scene.Count, numbers(1, 6), spare)
	f.plan("the bedspread", scene.Colour, f.words[scene.Colour], bedroom)
	f.plan("the bedroom blind", scene.Colour, f.words[scene.Colour], bedroom)
	f.plan("the bed", scene.Which, f.words[scene.Which+":painting"], bedroom)
	f.plan("the bedroom wall", scene.Pattern, f.words[scene.Pattern], bedroom)
	f.plan("the rug", scene.Pattern, f.words[scene.Pattern], bedroom)
	f.plan("the bedroom window sill", scene.Count, numbers(1, 5), bedroom)
	kitchen, stands := total[homeKitchen], total[homeStands]
	f.plan("the kitchen cabinets", scene.Colour, f.words[scene.Colour], kitchen)
	f.plan("the kitchen tiling", scene.Pattern, f.words[scene.Pattern], kitchen)
	f.plan("the kitchen shelf", scene.Count, numbers(1, 6), kitchen)
	f.plan("the blackboard", scene.Text, f.words[scene.Text+":note"], kitchen)
	f.plan("the kitchen counter", scene.Which, f.words[scene.Which+":tile"], kitchen)
	f.planApart(marked("stand ", "1234"), scene.Which, f.words[scene.Which+":cabinet front"], stands)
	f.planApart(marked("paint card ", "KLMN"), scene.Colour, f.words[scene.Colour][:8], stands)
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

func classed(t scene.Thing, class, prep string) scene.Thing {
	t.Class, t.Prep = class, prep
	return t
}

func (f *homeState) room(floor string, tone int, things ...scene.Thing) scene.Scene {
	look := f.look("floor", floor, "tone", strconv.Itoa(f.vary+tone), "panel", []string{"plain", "wainscot", "rail", "boards"}[(f.vary+tone)%4])
	return scene.Scene{Backdrop: "room", Look: look, Minimal: "a photo of a room", Things: append(things, f.thing("room-light", "", [4]int{0, 0, 1024, 768}))}
}

func (f *homeState) mirror(box [4]int) [4]int { return mirrored(box, f.mirrored) }

// mirrored returns a box in a room, or its reflection.
func mirrored(box [4]int, reflect bool) [4]int {
	if reflect {
		box[0] = 1024 - box[0] - box[2]
	}
	return box
}

// living is the living room: four stations along its wall, and small movable things
// before them.
func (f *homeState) living(at, visit int) scene.Scene {
	if visit > 0 && f.rnd.IntN(3) > 0 {
		f.spots.move(f.rnd)
	}
	widths := []int{230, 340, 226, 186}
	x, middle := 10, make([]int, 4)
	var things []scene.Thing
	for _, station := range f.order {
		things = append(things, f.station(at, visit, station, x)...)
		middle[station] = x + widths[station]/2
		x += widths[station] + 8
	}
	var absent []string
	for _, name := range f.movables {
		place := f.spots.at[name]
		if place == "" {
			absent = append(absent, name)
			f.set(at, name, scene.Place, "")
			continue
		}
		mid := middle[slices.Index(f.words[scene.Place], place)] + f.rnd.IntN(41) - 20
		t := classed(f.thing(toolKind(name), name, [4]int{mid - 66, 632 - f.rnd.IntN(8), 132, 104 + f.rnd.IntN(14)}), "movable", "at")
		things = append(things, f.showPlanned(at, visit, f.show(at, t, scene.Place, place), scene.Colour))
	}
	if free := f.spots.free(); len(free) > 0 && f.rnd.IntN(2) == 0 {
		things = append(things, f.dog(at, [4]int{middle[slices.Index(f.words[scene.Place], free[0])] - 76, 640, 152, 96}, "a living room"))
	}
	s := f.room("planks", 0, things...)
	s.Absent = absent
	return s
}

func (f *homeState) dog(at int, box [4]int, setting string) scene.Thing {
	return f.show(at, f.thing("dog", "the dog", box), scene.Setting, setting)
}

// station is what stands at one of four places of the living room's wall.
func (f *homeState) station(at, visit, which, x int) []scene.Thing {
	switch which {
	case 0:
		return []scene.Thing{f.thing("window", "", [4]int{x + 22, 66, 186, 280}), f.thing("curtains", "", [4]int{x + 6, 40, 218, 330})}
	case 1:
		return []scene.Thing{f.showPlanned(at, visit, f.thing("sofa", "the sofa", [4]int{x, 380, 340, 220}), scene.Colour)}
	case 2:
		hearth := f.showPlanned(at, visit, classed(f.thing("fireplace", "the fireplace", [4]int{x, 280, 226, 256}), "painting", "above"), scene.Which)
		mantel := f.showPlanned(at, visit, classed(f.thing("mantel", "the mantelpiece", [4]int{x + 6, 206, 214, 80}), "candles", "on"), scene.Count)
		return []scene.Thing{hearth, mantel}
	}
	return []scene.Thing{f.thing("bookcase", "", [4]int{x, 90, 186, 432})}
}

// mats is a table with four tiles on lettered mats, each with a tool beside it.
func (f *homeState) mats(at, visit int) scene.Scene {
	var things []scene.Thing
	for i, name := range marked("mat ", "ABCD") {
		x, y := 44+i%2*512+f.rnd.IntN(24), 24+i/2*372+f.rnd.IntN(12)
		m := f.showPlanned(at, visit, classed(f.thing("mat", name, [4]int{x, y, 290, 340}, "letter", name[len(name)-1:]), "tile", "on"), scene.Which, scene.Beside)
		things = append(things, m, f.thing(toolKind(m.Look[scene.Beside]), "", [4]int{x + 300, y + 60 + f.rnd.IntN(60), 96, 190}))
		tag := f.thing("tag", marked("the tag on mat ", "ABCD")[i], [4]int{x + 60, y + 294, 170, 36})
		things = append(things, f.showPlanned(at, visit, tag, scene.Text))
	}
	return scene.Scene{Backdrop: "table-top", Look: f.look(), Minimal: "a photo of samples on a table", Things: things}
}

// toolKind returns the painter of a small thing, by its name.
func toolKind(name string) string {
	_, rest, _ := strings.Cut(name, " ")
	return strings.ReplaceAll(rest, " ", "-")
}

// spare is the spare room with changing activities.
func (f *homeState) spare(at, visit int) scene.Scene {
	use := f.world.At(at, newKey("the spare room", scene.Activity))
	if use == "" || f.rnd.IntN(4) > 0 {
		use = pick(f.rnd, f.words[scene.Activity])
	}
	occasion := f.show(at, classed(f.thing("occasion", "the spare room", [4]int{300, 470, 470, 270}), "room", "in"), scene.Activity, use)
	window := f.mirror([4]int{40, 70, 220, 300})
	blind := f.showPlanned(at, visit, f.thing("blind", "the spare room blind", [4]int{window[0] - 8, 62, 236, 150}), scene.Colour)
	shelf := f.showPlanned(at, visit, classed(f.thing("shelf-board", "the spare room shelf", f.mirror([4]int{780, 170, 230, 70})), "mugs", "on"), scene.Count)
	plant := f.thing("house-plant", "", f.mirror([4]int{840, 300, 170, 240}))
	return f.room(f.floors[0], 1, f.thing("window", "", window), blind, shelf, plant, occasion)
}

// bedroom has a patterned wall, a bed with a painting above it, and a rug.
func (f *homeState) bedroom(at, visit int) scene.Scene {
	wall := f.showPlanned(at, visit, f.thing("wallpaper", "the bedroom wall", [4]int{0, 0, 1024, 490}, "tone", strconv.Itoa(f.vary+2)), scene.Pattern)
	window := f.mirror([4]int{40, 60, 260, 290})
	blind := f.showPlanned(at, visit, f.thing("blind", "the bedroom blind", [4]int{window[0] - 8, 52, 276, 150}), scene.Colour)
	sill := f.showPlanned(at, visit, classed(f.thing("sill", "the bedroom window sill", [4]int{window[0] + 6, 274, 248, 74}), "flowerpots", "on"), scene.Count)
	bed := f.showPlanned(at, visit, classed(f.thing("bed", "the bed", f.mirror([4]int{360, 300, 360, 300})), "painting", "above"), scene.Which)
	spread := f.showPlanned(at, visit, f.thing("bedspread", "the bedspread", f.mirror([4]int{366, 430, 348, 150})), scene.Colour)
	rug := f.showPlanned(at, visit, f.thing("rug", "the rug", f.mirror([4]int{250, 622, 560, 124})), scene.Pattern)
	things := []scene.Thing{wall, f.thing("window", "", window), blind, sill, f.thing("floor-lamp", "", f.mirror([4]int{302, 270, 72, 270})), bed, spread, f.thing(f.cupboard, "", f.mirror([4]int{780, 130, 204, 392})), rug}
	if f.rnd.IntN(2) == 0 {
		things = append(things, f.dog(at, f.mirror([4]int{846, 640, 156, 100}), "a bedroom"))
	}
	return f.room("planks", 2, things...)
}

// kitchen has cabinets over a tiled wall and a counter, a shelf and a blackboard.
func (f *homeState) kitchen(at, visit int) scene.Scene {
	cabinets := f.showPlanned(at, visit, f.thing("cabinets", "the kitchen cabinets", f.mirror([4]int{30, 36, 620, 150})), scene.Colour)
	cabinets.Plural = true
	tiling := f.showPlanned(at, visit, f.thing("splashback", "the kitchen tiling", f.mirror([4]int{30, 196, 620, 192})), scene.Pattern)
	top := classed(f.thing("counter", "the kitchen counter", f.mirror([4]int{14, 384, 660, 206})), "tile", "on")
	top = f.showPlanned(at, visit, top, scene.Which)
	shelf := f.showPlanned(at, visit, classed(f.thing("shelf-board", "the kitchen shelf", f.mirror([4]int{700, 70, 300, 74})), "jars", "on"), scene.Count)
	board := f.showPlanned(at, visit, classed(f.thing("blackboard", "the blackboard", f.mirror([4]int{704, 220, 290, 130})), "note", "on"), scene.Text)
	things := []scene.Thing{cabinets, tiling, top, shelf, board, f.thing("kettle", "", [4]int{top.Box[0] + 86, 300, 110, 92}), f.thing("fruit-table", "", f.mirror([4]int{700, 430, 190, 170}))}
	if f.rnd.IntN(2) == 0 {
		things = append(things, f.dog(at, f.mirror([4]int{800 + f.rnd.IntN(50), 630, 160, 104}), "a kitchen"))
	}
	return f.room(f.floors[1], 3, things...)
}

// stands is a row of cabinet fronts under paint cards.
func (f *homeState) stands(at, visit int) scene.Scene {
	var things []scene.Thing
	for i, name := range marked("paint card ", "KLMN") {
		card := classed(f.thing("paint-card", name, [4]int{96 + 220*i + f.rnd.IntN(20), 50 + f.rnd.IntN(20), 140, 170}, "letter", name[len(name)-1:]), "paint card", "on")
		things = append(things, f.showPlanned(at, visit, card, scene.Colour))
	}
	for i, name := range marked("stand ", "1234") {
		stand := classed(f.thing("front-stand", name, [4]int{50 + 240*i + f.rnd.IntN(16), 300 + f.rnd.IntN(10), 196, 320}, "letter", name[len(name)-1:]), "cabinet front", "on")
		things = append(things, f.showPlanned(at, visit, stand, scene.Which))
	}
	return f.room("concrete", 4, things...)
}
