package simulate

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/stages/visual/scene"
)

func (k *archiveState) scene(backdrop, minimal string, things []scene.Thing) scene.Scene {
	return scene.Scene{Backdrop: backdrop, Look: maps.Clone(k.commonLook), Minimal: minimal, Things: things}
}

// piecesAt are the pieces that a picture of a kind shows at some places, and those
// that were seen there last and are there no more.
func (k *archiveState) piecesAt(at, kind int, setting string, boxes map[string][4]int) (here []scene.Thing, absent []string) {
	for i, name := range k.pieces {
		place := k.spots.at[name]
		box, ok := boxes[place]
		if last, known := k.lastKind[name]; !ok && known && last == kind {
			absent = append(absent, name)
			k.set(at, name, scene.Place, "")
		}
		if !ok {
			continue
		}
		k.lastKind[name] = kind
		piece := k.show(at, classed(k.thing("specimen", name, box), "piece", "at"), scene.Place, place)
		if i == 0 {
			piece = k.show(at, piece, scene.Setting, setting)
		}
		here = append(here, piece)
	}
	return here, absent
}

// hall has four cases, each with a cushion for a piece and a tag.
func (k *archiveState) hall(at, visit int) scene.Scene {
	var things, glass []scene.Thing
	boxes := map[string][4]int{}
	for i, place := range archivePlaces()[:4] {
		x := 32 + 246*i + k.rnd.IntN(10)
		letter := place[len(place)-1:]
		boxes[place] = [4]int{x + 34, 208, 146, 142}
		things = append(things,
			k.thing("display-case", "", [4]int{x, 150, 214, 500}, "letter", letter),
			k.showPlanned(at, visit, k.thing("velvet", archiveCushions()[i], [4]int{x + 26, 344, 162, 36}), scene.Colour),
			k.showPlanned(at, visit, k.thing("tag", archiveTagNames()[i], [4]int{x + 46, 390, 122, 34}), scene.Text))
		glass = append(glass, k.thing("case-glass", "", [4]int{x, 173, 214, 257}))
	}
	here, absent := k.piecesAt(at, archiveHall, "an exhibition hall", boxes)
	s := k.scene("gallery", "a photo of a museum room", slices.Concat(things, here, glass))
	s.Absent = absent
	return s
}

// mirror is a box seen from the other side, in museums that are.
func (k *archiveState) mirror(box [4]int) [4]int { return mirrored(box, k.vary%2 == 1) }

// lab has a bench with room for one piece, a tray of counted things, and a board.
func (k *archiveState) lab(at, visit int) scene.Scene {
	board := k.showPlanned(at, visit, classed(k.thing("blackboard", "the blackboard", k.mirror([4]int{110, 70, 330, 130})), "note", "on"), scene.Text)
	tray := k.showPlanned(at, visit, classed(k.thing("tray", "the white tray", k.mirror([4]int{712, 326, 256, 86})), "shark teeth", "on"), scene.Count)
	tag := k.showPlanned(at, visit, k.thing("tag", "the tag on the lab bench", k.mirror([4]int{566, 366, 124, 36})), scene.Text)
	here, absent := k.piecesAt(at, archiveLab, "a laboratory", map[string][4]int{"on the lab bench": k.mirror([4]int{396, 262, 154, 142})})
	s := k.scene("room", "a photo of a room of the museum", slices.Concat([]scene.Thing{
		k.thing("window", "", k.mirror([4]int{600, 50, 250, 220})), board, k.thing("lab-bench", "", k.mirror([4]int{30, 398, 964, 230})),
		k.thing("microscope", "", k.mirror([4]int{70, 232, 150, 172})), k.thing("flasks", "", k.mirror([4]int{236, 306, 136, 98})), tray, tag,
	}, here, []scene.Thing{k.thing("room-light", "", [4]int{0, 0, 1024, 768})}))
	s.Look["floor"], s.Absent = "tiles", absent
	return s
}

// vases is a room with four vases that differ in details.
func (k *archiveState) vases(at, visit int) scene.Scene {
	var things []scene.Thing
	for i, name := range archivePedestals() {
		box := [4]int{44 + 244*i + k.rnd.IntN(16), 176, 204, 460}
		things = append(things, k.showPlanned(at, visit, classed(k.thing("pedestal", name, box, "letter", digits(i+1)), "vase", "on"), scene.Which))
	}
	s := k.scene("gallery", "a photo of a museum room", things)
	s.Look["tone"] = digits(k.vary + 1)
	return s
}

// store has a rack with room for two pieces, crates and jars.
func (k *archiveState) store(at, visit int) scene.Scene {
	here, absent := k.piecesAt(at, archiveStore, "a store room", map[string][4]int{
		"on the top shelf of the rack": k.mirror([4]int{110, 76, 150, 136}), "on the bottom shelf of the rack": k.mirror([4]int{110, 424, 150, 134}),
	})
	small := k.showPlanned(at, visit, classed(k.thing("crate", "the small crate", k.mirror([4]int{96, 272, 216, 116})), "crate", "on"), scene.Text)
	big := k.showPlanned(at, visit, classed(k.thing("crate", "the big crate", k.mirror([4]int{734, 430, 254, 190})), "crate", "on"), scene.Text)
	shelf := k.showPlanned(at, visit, classed(k.thing("sill", "the middle shelf", k.mirror([4]int{340, 304, 330, 84})), "jars", "on"), scene.Count)
	s := k.scene("room", "a photo of a room of the museum", slices.Concat([]scene.Thing{
		k.thing("room-door", "", k.mirror([4]int{770, 110, 200, 402})), k.thing("rack", "", k.mirror([4]int{60, 40, 630, 540})),
		k.thing("archive-boxes", "", k.mirror([4]int{300, 90, 370, 122})), k.thing("archive-boxes", "", k.mirror([4]int{300, 440, 370, 120}), "vary", digits(k.vary+1)), small, big, shelf,
	}, here, []scene.Thing{k.thing("room-light", "", [4]int{0, 0, 1024, 768})}))
	s.Look["floor"], s.Absent = "concrete", absent
	return s
}

// drawer is an open drawer with four compartments of counted things.
func (k *archiveState) drawer(at, visit int) scene.Scene {
	var things []scene.Thing
	for i, name := range archiveCompartments() {
		box := [4]int{40 + i%2*478, 40 + i/2*350, 466, 338}
		things = append(things, k.showPlanned(at, visit, classed(k.thing("compartment", name, box, "letter", digits(i+1)), k.counted[i], "in"), scene.Count))
	}
	return k.scene("drawer", "a photo of a drawer", things)
}

// entrance is the entrance hall, where one thing and another goes on.
func (k *archiveState) entrance(at, visit int) scene.Scene {
	use := k.world.At(at, activityKey("the entrance hall"))
	if use == "" || k.rnd.IntN(4) > 0 {
		use = pick(k.rnd, archiveActivities())
	}
	occasion := k.show(at, classed(k.thing("occasion", "the entrance hall", [4]int{290, 470, 450, 270}), "room", "in"), scene.Activity, use)
	banner := k.showPlanned(at, visit, classed(k.thing("banner", "the banner", [4]int{184, 76, 244, 150}), "title", "on"), scene.Text)
	s := k.scene("gallery", "a photo of a museum room", []scene.Thing{
		k.thing("column", "", [4]int{40, 60, 120, 470}), k.thing("column", "", [4]int{864, 60, 120, 470}), k.thing("ticket-desk", "", [4]int{20, 560, 190, 170}), banner, occasion,
	})
	s.Look["tone"] = digits(k.vary + 2)
	return s
}
