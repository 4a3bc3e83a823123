package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/stages/visual/scene"
)

// archiveScenario is the keeping of a collection (MemEye table 4: object-state updates
// across scenes): pieces move between cases, bench and store, vanish and return, and
// get other tags.
func archiveScenario() Scenario {
	return Scenario{
		Name: "cross_scene_archive", Title: "CrossScene Memory", Domain: "professional",
		Size: Size{Sessions: 15, Rounds: 117, Pictures: 57, Questions: 50},
		Plot: plotArchive,
	}
}

func archivePools() map[string][]string {
	return map[string][]string{
		scene.Colour: scene.Colours()[:9], scene.Text: archiveTags(), scene.Place: archivePlaces(), scene.Activity: archiveActivities(),
		scene.Which + ":vase": archiveVases(), scene.Setting: {"an exhibition hall", "a laboratory", "a store room", "a lecture hall", "a workshop", "a library"},
		scene.Text + ":note": archiveNotes(), scene.Text + ":title": archiveTitles(), scene.Text + ":crate": archiveStencils(),
	}
}

// archivePieces are the pieces of the collection, by the names the painter knows.
func archivePieces() []string {
	return []string{
		"the ammonite", "the trilobite", "the fish fossil", "the fern fossil", "the skull", "the geode", "the piece of amber", "the nest of eggs", "the claw", "the footprint",
	}
}

func archivePlaces() []string {
	return []string{"in case A", "in case B", "in case C", "in case D", "on the lab bench", "on the top shelf of the rack", "on the bottom shelf of the rack"}
}

// archiveTags are numbers that are easily taken for each other.
func archiveTags() []string {
	var out []string
	for _, letter := range []string{"F", "M", "K"} {
		for _, n := range []int{1047, 1074, 1407, 1470, 2047, 2074, 4017, 4071} {
			out = append(out, fmt.Sprintf("%s-%d", letter, n))
		}
	}
	return out
}

func archiveActivities() []string {
	return []string{
		"a guided tour", "cleaning", "a photo shoot", "packing for transport", "a concert", "an opening with drinks", "painting the walls", "drawing at an easel", "a film night",
	}
}

func archiveVases() []string {
	return []string{
		"the wave vase", "the zigzag vase", "the dotted vase", "the star vase", "the diamond vase", "the leaf vase", "the ring vase", "the cross vase", "the two-handled vase",
		"the one-handled vase",
	}
}

func archiveNotes() []string {
	return []string{
		"lamp 2 is broken", "weigh before lunch", "no flash please", "loan ends in May", "check humidity", "new gloves: box 7", "scan tray first", "call the curator", "X-ray at 14:30",
	}
}

func archiveTitles() []string {
	return []string{"Deep Time", "Stone & Bone", "First Shores", "Lost Seas", "Old Giants", "Slow Earth", "Hidden Shells", "Night of Ice"}
}

func archiveStencils() []string {
	return []string{"LOT 17", "LOT 71", "LOT 117", "LOT 171", "BAY 3", "BAY 8", "BAY 13", "BAY 18", "NO. 46", "NO. 64"}
}

// Kinds of pictures of an archive, in the order in which longer lives take them up.
const (
	archiveHall = iota
	archiveLab
	archiveVaseRoom
	archiveStore
	archiveDrawer
	archiveEntrance
)

// archiveState is the state of the simulation.
type archiveState struct {
	*visitState
	vary int
	// pieces are those of this collection; the first is the one whose room is told.
	pieces []string
	spots  spots
	// lastKind is the kind of picture that showed a piece last.
	lastKind map[string]int
	counted  []string // what the compartments of the drawer hold
}

func plotArchive(rnd *rand.Rand, pictures int) (Plot, error) {
	k := archiveState{
		visitState: newVisitState(rnd), vary: 1 + rnd.IntN(1000), pieces: sample(rnd, archivePieces(), 6), lastKind: map[string]int{},
		counted: sample(rnd, []string{"shells", "eggs", "crystals", "beetles", "shark teeth"}, 4),
	}
	k.commonLook = map[string]string{"wood": pick(rnd, []string{"oak", "walnut", "teak"}), "tone": digits(rnd.IntN(5)), "vary": digits(k.vary), "floor": pick(rnd, []string{"planks", "tiles", "chequered"})}
	kind, visit, total := assignVisits(rnd, pictures, min(6, 3+pictures/12))
	k.spots = newSpots(rnd, k.pieces, archivePlaces())
	k.planRooms(append(total, 0, 0, 0))
	p := Plot{Profile: pickProfile(rnd, "archivist", "curator", "conservator", "museum guard"), World: k.world, Pools: archivePools()}
	for at := range pictures {
		if at > 0 && rnd.IntN(2) == 0 {
			k.spots.shift(rnd)
		}
		s := k.picture(at, kind[at], visit[at])
		s.Width, s.Height, s.Noun, s.Photo, s.Seed = 1024, 768, "photo", true, rnd.Uint32()
		p.Scenes = append(p.Scenes, s)
	}
	return p, k.err
}

// planRooms draws how everything that is told goes over the visits.
func (k *archiveState) planRooms(total []int) {
	pools := archivePools()
	k.planApart(archiveTagNames(), scene.Text, archiveTags(), total[archiveHall])
	k.planApart(archiveCushions(), scene.Colour, pools[scene.Colour][:8], total[archiveHall])
	k.plan("the tag on the lab bench", scene.Text, archiveTags(), total[archiveLab])
	k.plan("the white tray", scene.Count, numbers(2, 6), total[archiveLab])
	k.plan("the blackboard", scene.Text, archiveNotes(), total[archiveLab])
	k.planApart(archivePedestals(), scene.Which, archiveVases(), total[archiveVaseRoom])
	k.plan("the small crate", scene.Text, archiveStencils()[:5], total[archiveStore])
	k.plan("the big crate", scene.Text, archiveStencils()[5:], total[archiveStore])
	k.plan("the middle shelf", scene.Count, numbers(2, 6), total[archiveStore])
	for _, name := range archiveCompartments() {
		k.plan(name, scene.Count, numbers(3, 12), total[archiveDrawer])
	}
	k.plan("the banner", scene.Text, archiveTitles(), total[archiveEntrance])
}

func archiveTagNames() []string {
	return []string{"the tag in case A", "the tag in case B", "the tag in case C", "the tag in case D"}
}
func archiveCushions() []string {
	return []string{"the cushion in case A", "the cushion in case B", "the cushion in case C", "the cushion in case D"}
}
func archivePedestals() []string {
	return []string{"pedestal 1", "pedestal 2", "pedestal 3", "pedestal 4"}
}
func archiveCompartments() []string {
	return []string{"compartment 1", "compartment 2", "compartment 3", "compartment 4"}
}

func (k *archiveState) picture(at, kind, visit int) scene.Scene {
	switch kind {
	case archiveHall:
		return k.hall(at, visit)
	case archiveLab:
		return k.lab(at, visit)
	case archiveVaseRoom:
		return k.vases(at, visit)
	case archiveStore:
		return k.store(at, visit)
	case archiveDrawer:
		return k.drawer(at, visit)
	}
	return k.entrance(at, visit)
}
