package simulate

import (
	"maps"

	"github.com/memforge/memforge/stages/visual/scene"
)

// photo is a picture that was taken before a backdrop.
func (p *healthState) photo(backdrop, minimal string, things []scene.Thing, more ...string) scene.Scene {
	look := maps.Clone(p.commonLook)
	for i := 0; i+1 < len(more); i += 2 {
		look[more[i]] = more[i+1]
	}
	return scene.Scene{Backdrop: backdrop, Look: look, Noun: "photo", Photo: true, Minimal: minimal, Things: things}
}

// mirror is a box in rooms that are seen from the other side.
func (p *healthState) mirror(box [4]int) [4]int { return mirrored(box, p.hall == 1) }

// watch is a wrist in one place and another.
func (p *healthState) watch(at, visit int) scene.Scene {
	x, y := 420+p.rnd.IntN(80), 392+p.rnd.IntN(40)
	arm := p.showPlanned(at, visit, p.thing("wrist", "the wrist watch", [4]int{0, y - 60, 1024, 300}), scene.Setting)
	strap := p.showPlanned(at, visit, p.thing("watch-strap", "the watch strap", [4]int{x + 44, y + 196, 132, 60}), scene.Colour)
	face := p.showPlanned(at, visit, classed(p.thing("watch-face", "the watch face", [4]int{x, y - 20, 220, 220}), "symbol", "on"), scene.Text)
	return p.photo("surroundings", "a photo of a watch", []scene.Thing{arm, strap, face}, scene.Setting, arm.Look[scene.Setting])
}

// pills is a table with an organiser, a blister pack and a bottle, seen from above.
func (p *healthState) pills(at, visit int) scene.Scene {
	dx, dy, low := p.rnd.IntN(24), p.rnd.IntN(20), 0
	if p.hall == 1 {
		low = 380 // the organiser lies below the rest
	}
	organiser := p.showPlanned(at, visit, classed(p.thing("organiser", "the pill organiser", [4]int{40 + dx, 60 + low + dy, 730, 270}), "slot", "in"), scene.Beside)
	things := []scene.Thing{organiser, p.thing(toolKind(organiser.Look[scene.Beside]), "", [4]int{840 + dx/2, 76 + low + dy, 120, 240})}
	for i, name := range healthSlots() {
		slot := classed(p.thing("slot", name, [4]int{62 + dx + 174*i, 124 + low + dy, 164, 184}, "letter", digits(i)), "pill", "in")
		things = append(things, p.showPlanned(at, visit, slot, scene.Which))
	}
	blister := classed(p.thing("blister", "the blister pack", [4]int{90 + dx*2, 420 - low + dy, 470, 260}), "tablets", "in")
	bottle := p.thing("bottle-cap", "the cap of the pill bottle", [4]int{680 + dx*2, 440 - low + dy, 220, 220})
	things = append(things, p.showPlanned(at, visit, blister, scene.Count), p.showPlanned(at, visit, bottle, scene.Colour))
	return p.photo("table-top", "a photo of a table", things)
}

// monitor is a blood pressure monitor on a table.
func (p *healthState) monitor(at, visit int) scene.Scene {
	dx := p.rnd.IntN(40)
	device := classed(p.thing("monitor", "the blood pressure monitor", p.mirror([4]int{330 + dx, 330, 400, 300})), "device", "at")
	device.Look["mirrored"] = digits(p.hall)
	device = p.showPlanned(at, visit, device, scene.Setting, scene.Beside)
	box := device.Box
	display := classed(p.thing("display", "the monitor display", [4]int{box[0] + 40, box[1] + 36, 250, 150}), "pressure", "on")
	cuff := p.thing("cuff", "the cuff", p.mirror([4]int{50 + dx/2, 540, 250, 150}), "mirrored", digits(p.hall))
	return p.photo("surroundings", "a photo of a device", []scene.Thing{
		p.thing("table-edge", "", [4]int{0, 500, 1024, 268}), device, p.showPlanned(at, visit, display, scene.Text), p.showPlanned(at, visit, cuff, scene.Colour),
	}, scene.Setting, device.Look[scene.Setting])
}

// sports is a hall where one thing and another goes on.
func (p *healthState) sports(at, visit int) scene.Scene {
	pane := classed(p.thing("weather-window", "the sports hall window", p.mirror([4]int{40, 54, 280, 260})), "window", "at")
	rack := classed(p.thing("ball-shelf", "the ball shelf", [4]int{346, 130, 232, 74}), "balls", "on")
	locker := p.thing("locker", "the locker", p.mirror([4]int{850, 160, 130, 360}))
	use := classed(p.thing("exercise", "the sports hall", [4]int{270, 480, 500, 260}), "hall", "in")
	return p.photo("room", "a photo of a room", []scene.Thing{
		p.showPlanned(at, visit, pane, scene.Weather), p.showPlanned(at, visit, rack, scene.Count), p.showPlanned(at, visit, locker, scene.Colour),
		p.thing("wall-bars", "", [4]int{352, 262, 220, 238}), p.showPlanned(at, visit, use, scene.Activity), p.thing("room-light", "", [4]int{0, 0, 1024, 768}),
	}, "floor", p.floors[0])
}

// waiting is a waiting room.
func (p *healthState) waiting(at, visit int) scene.Scene {
	pane := classed(p.thing("weather-window", "the waiting room window", p.mirror([4]int{60, 60, 300, 280})), "window", "at")
	tank := classed(p.thing("aquarium", "the aquarium", p.mirror([4]int{640, 300, 330, 300})), "fish", "in")
	call := classed(p.thing("call-screen", "the call screen", p.mirror([4]int{640, 60, 260, 150})), "number", "on")
	bench := p.thing("waiting-bench", "the bench", p.mirror([4]int{60, 430, 440, 220}))
	return p.photo("room", "a photo of a room", []scene.Thing{
		p.showPlanned(at, visit, pane, scene.Weather), p.showPlanned(at, visit, call, scene.Text), p.showPlanned(at, visit, tank, scene.Count),
		p.thing("house-plant", "", p.mirror([4]int{500, 330, 150, 240})), p.showPlanned(at, visit, bench, scene.Colour),
		p.thing("magazines", "", p.mirror([4]int{420, 630, 260, 120})), p.thing("room-light", "", [4]int{0, 0, 1024, 768}),
	}, "floor", p.floors[1])
}
