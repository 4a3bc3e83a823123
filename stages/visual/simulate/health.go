package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

// Kinds of pictures of a patient. Longer simulations use more of them, in this order.
const (
	healthWatch = iota
	healthPills
	healthOverview
	healthHall
	healthPlan
	healthMonitor
	healthWaiting
	healthVisits
	healthWeek
	healthReport
	healthKinds
)

// healthState is the state of the simulation of a patient.
type healthState struct {
	*visitState
	// tiles, medicines, visits and values are those of this simulation.
	tiles, medicines, visits, values []string
	spots                            spots
	// side says that the portal lists its sections at the left, not on top.
	side bool
	hall int // which side the rooms are seen from
	// floors are those of the sports hall and the waiting room.
	floors []string
}

// plotHealth simulates MemEye's Health Care (table 4: dashboard and portal updates):
// screens of a patient's portal, and photos of what belongs to it.
func plotHealth(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	p := healthState{
		visitState: newVisitState(rnd, w), side: rnd.IntN(2) == 0, hall: rnd.IntN(2),
		tiles: sample(rnd, w["plot tiles"], 5), medicines: sample(rnd, w["plot medicines"], 4),
		floors: sample(rnd, []string{"planks", "tiles", "chequered", "carpet", "concrete"}, 2), visits: sample(rnd, w["plot visits"], 4), values: sample(rnd, w["plot values"], 4),
	}
	p.commonLook = map[string]string{
		"wood": pick(rnd, []string{"oak", "walnut", "birch", "teak"}), "tone": strconv.Itoa(rnd.IntN(8)), "vary": strconv.Itoa(1 + rnd.IntN(1000)),
		"accent": strconv.Itoa(rnd.IntN(6)), "dark": strconv.Itoa(rnd.IntN(4) / 3), "skin": strconv.Itoa(rnd.IntN(4)), "bar": "top",
		"product": pick(rnd, []string{"Carewell", "Brightpath", "Oakline Care", "MyClinic", "Vitalis", "Larkside", "Harbour Health"}),
	}
	if p.side {
		p.commonLook["bar"] = "side"
	}
	kind, visit, total := assignVisits(rnd, pictures, min(healthKinds, 3+pictures/5))
	p.spots = newSpots(rnd, p.tiles, p.words[scene.Place])
	total = append(total, make([]int, healthKinds)...)
	p.planScreens(total)
	p.planPhotos(total)
	return p.plot(pickProfile(rnd, "teacher", "bus driver", "florist", "accountant", "cook", "librarian"), pictures, func(at int) scene.Scene {
		return p.picture(at, kind[at], visit[at], visit[at] == total[kind[at]]-1)
	})
}

func (p *healthState) planScreens(total []int) {
	for _, name := range p.tiles {
		p.plan("the "+name+" field", scene.Text, p.words[scene.Text+":"+name], total[healthOverview])
	}
	p.planApart(named("the ", p.medicines, " dose entry"), scene.Text, p.words[scene.Text+":dose"], total[healthPlan])
	p.planApart(named("the ", p.medicines, " box"), scene.Colour, p.words[scene.Colour], total[healthPlan])
	for _, name := range named("the ", p.medicines, " row") {
		p.plan(name, scene.Count, numbers(1, 6), total[healthPlan])
	}
	p.planApart(named("the map pin of the ", p.visits, " visit"), scene.Beside, p.words[scene.Beside+":pin"], total[healthVisits])
	p.planApart(named("the name tag of the ", p.visits, " visit"), scene.Text, p.words[scene.Text+":name"], total[healthVisits])
	p.planApart(named("the date tag of the ", p.visits, " visit"), scene.Text, p.words[scene.Text+":date"], total[healthVisits])
	p.planApart(named("the ", p.words["plot days"], " bar"), scene.Text, p.words[scene.Text+":steps"], total[healthWeek])
	p.planApart(named("the ", p.words["plot days"], " bar"), scene.Which, p.words[scene.Which+":symbol"], total[healthWeek])
	for _, name := range p.values {
		p.plan("the "+name+" line", scene.Text, p.words[scene.Text+":"+name], total[healthReport])
	}
	p.plan("the stamp", scene.Text, p.words[scene.Text+":stamp"], total[healthReport])
	p.plan("the clip", scene.Colour, p.words[scene.Colour], total[healthReport])
}

func (p *healthState) planPhotos(total []int) {
	p.planPairs("the wrist watch", scene.Setting, p.words[scene.Setting][:6], total[healthWatch])
	p.planPairs("the blood pressure monitor", scene.Setting, p.words[scene.Setting][6:], total[healthMonitor])
	p.plan("the watch face", scene.Text, p.words[scene.Text+":steps"], total[healthWatch])
	p.plan("the watch strap", scene.Colour, p.words[scene.Colour], total[healthWatch])
	p.planApart(p.words["plot slots"], scene.Which, p.words[scene.Which+":pill"], total[healthPills])
	p.plan("the pill organiser", scene.Beside, p.words[scene.Beside], total[healthPills])
	p.plan("the blister pack", scene.Count, numbers(2, 9), total[healthPills])
	p.plan("the cap of the pill bottle", scene.Colour, p.words[scene.Colour], total[healthPills])
	p.plan("the monitor display", scene.Text, p.words[scene.Text+":pressure"], total[healthMonitor])
	p.plan("the cuff", scene.Colour, p.words[scene.Colour], total[healthMonitor])
	p.plan("the blood pressure monitor", scene.Beside, p.words[scene.Beside+":device"], total[healthMonitor])
	weathers := sample(p.rnd, p.words[scene.Weather], len(p.words[scene.Weather]))
	p.planPairs("the sports hall", scene.Activity, p.words[scene.Activity], total[healthHall])
	p.planPairs("the sports hall window", scene.Weather, weathers[:4], total[healthHall])
	p.plan("the ball shelf", scene.Count, numbers(1, 5), total[healthHall])
	p.plan("the locker", scene.Colour, p.words[scene.Colour], total[healthHall])
	p.planPairs("the waiting room window", scene.Weather, weathers[4:], total[healthWaiting])
	p.plan("the aquarium", scene.Count, numbers(2, 8), total[healthWaiting])
	p.plan("the call screen", scene.Text, p.words[scene.Text+":number"], total[healthWaiting])
	p.plan("the bench", scene.Colour, p.words[scene.Colour], total[healthWaiting])
}

func (p *healthState) picture(at, kind, visit int, last bool) scene.Scene {
	switch kind {
	case healthWatch:
		return p.watch(at, visit)
	case healthPills:
		return p.pills(at, visit)
	case healthOverview:
		return p.overview(at, visit, last)
	case healthHall:
		return p.sports(at, visit)
	case healthPlan:
		return p.medication(at, visit)
	case healthMonitor:
		return p.monitor(at, visit)
	case healthWaiting:
		return p.waiting(at, visit)
	case healthVisits:
		return p.appointments(at, visit)
	case healthWeek:
		return p.week(at, visit)
	}
	return p.report(at, visit)
}

func (p *healthState) photo(backdrop, minimal string, things []scene.Thing, more ...string) scene.Scene {
	return scene.Scene{Backdrop: backdrop, Look: p.look(more...), Noun: "photo", Photo: true, Minimal: minimal, Things: things}
}

func (p *healthState) mirror(box [4]int) [4]int { return mirrored(box, p.hall == 1) }

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
	for i, name := range p.words["plot slots"] {
		slot := classed(p.thing("slot", name, [4]int{62 + dx + 174*i, 124 + low + dy, 164, 184}, "letter", strconv.Itoa(i)), "pill", "in")
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
	device.Look["mirrored"] = strconv.Itoa(p.hall)
	device = p.showPlanned(at, visit, device, scene.Setting, scene.Beside)
	box := device.Box
	display := classed(p.thing("display", "the monitor display", [4]int{box[0] + 40, box[1] + 36, 250, 150}), "pressure", "on")
	cuff := p.thing("cuff", "the cuff", p.mirror([4]int{50 + dx/2, 540, 250, 150}), "mirrored", strconv.Itoa(p.hall))
	return p.photo("surroundings", "a photo of a device", []scene.Thing{
		p.thing("table-edge", "", [4]int{0, 500, 1024, 268}), device, p.showPlanned(at, visit, display, scene.Text), p.showPlanned(at, visit, cuff, scene.Colour),
	}, scene.Setting, device.Look[scene.Setting])
}

// sports is a hall with changing activities.
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

func (p *healthState) screen(section string, things []scene.Thing) scene.Scene {
	return scene.Scene{Backdrop: "portal", Look: p.look("section", section), Noun: "screenshot", Minimal: "a screenshot of a portal", Things: things}
}

// body is the content area of the portal's screens.
func (p *healthState) body() (x, y, w, h int) {
	if p.side {
		return 232, 104, 768, 640
	}
	return 40, 148, 944, 596
}

// overview has five tiles on six places, of which one may be away.
func (p *healthState) overview(at, visit int, last bool) scene.Scene {
	away := slices.ContainsFunc(p.tiles, func(n string) bool { return p.spots.at[n] == "" })
	if visit > 0 && (last && away || !last && p.rnd.IntN(3) > 0) {
		p.spots.move(p.rnd)
	}
	x, y, w, h := p.body()
	var things []scene.Thing
	var absent []string
	for i, name := range p.tiles {
		tile, place := "the "+name+" tile", p.spots.at[name]
		if place == "" {
			absent = append(absent, tile)
			p.set(at, tile, scene.Place, "")
			continue
		}
		spot := slices.Index(p.words[scene.Place], place)
		box := [4]int{x + spot%3*(w/3+4), y + spot/3*(h/2+6), w/3 - 12, h/2 - 14}
		t := p.show(at, classed(p.thing("vital-tile", tile, box, "title", name, "series", strconv.Itoa(i)), "tile", "at"), scene.Place, place)
		field := p.thing("vital-field", "the "+name+" field", [4]int{box[0] + 16, box[1] + 62, box[2] - 32, 52})
		things = append(things, t, p.showPlanned(at, visit, classed(field, name, "on"), scene.Text))
	}
	s := p.screen("Overview", things)
	s.Absent = absent
	return s
}

// medication is a table of four medicines: dose, colour of the box, tablets.
func (p *healthState) medication(at, visit int) scene.Scene {
	x, y, w, h := p.body()
	things := []scene.Thing{p.thing("plan-head", "", [4]int{x, y, w, 56})}
	for i, name := range p.medicines {
		top, tall := y+60+i*(h-64)/4, (h-64)/4-8
		things = append(things,
			p.thing("plan-row", "", [4]int{x, top, w, tall}, "title", name),
			p.showPlanned(at, visit, classed(p.thing("dose", "the "+name+" dose entry", [4]int{x + w*27/100, top + tall/2 - 24, 120, 48}), "dose", "on"), scene.Text),
			p.showPlanned(at, visit, p.thing("box-cell", "the "+name+" box", [4]int{x + w*47/100, top + tall/2 - 30, 92, 60}), scene.Colour),
			p.showPlanned(at, visit, classed(p.thing("tablet-row", "the "+name+" row", [4]int{x + w*63/100, top + tall/2 - 26, w * 35 / 100, 52}), "tablets", "in"), scene.Count))
	}
	return p.screen("Medication", things)
}

// appointments are four cards, each with a small map.
func (p *healthState) appointments(at, visit int) scene.Scene {
	x, y, w, h := p.body()
	var things []scene.Thing
	for i, name := range p.visits {
		box := [4]int{x + i%2*(w/2+6), y + i/2*(h/2+6), w/2 - 6, h/2 - 8}
		of := " of the " + name + " visit"
		pin := classed(p.thing("map-pin", "the map pin"+of, [4]int{box[0] + box[2]*48/100, box[1] + 60, box[2]*52/100 - 16, box[3] - 76}, "map", strconv.Itoa(i)), "pin", "at")
		doctor := classed(p.thing("small-tag", "the name tag"+of, [4]int{box[0] + 16, box[1] + box[3] - 56, box[2]*44/100 - 14, 34}), "name", "on")
		date := classed(p.thing("date-tag", "the date tag"+of, [4]int{box[0] + 16, box[1] + 76, box[2]*44/100 - 14, 44}), "date", "on")
		things = append(things, p.thing("visit-card", "", box, "title", name),
			p.showPlanned(at, visit, pin, scene.Beside), p.showPlanned(at, visit, doctor, scene.Text), p.showPlanned(at, visit, date, scene.Text))
	}
	return p.screen("Visits", things)
}

// week is a chart of seven bars with a symbol under each.
func (p *healthState) week(at, visit int) scene.Scene {
	x, y, w, h := p.body()
	things := []scene.Thing{p.thing("week-panel", "", [4]int{x, y, w, h})}
	for i, day := range p.words["plot days"] {
		bar := p.thing("week-bar", "the "+day+" bar", [4]int{x + 20 + i*(w-40)/7, y + 66, (w-40)/7 - 4, h - 82}, "title", day[:3])
		things = append(things, p.showPlanned(at, visit, classed(bar, "symbol", "under"), scene.Text, scene.Which))
	}
	return p.screen("Week", things)
}

// report is a laboratory's letter of one page.
func (p *healthState) report(at, visit int) scene.Scene {
	var things []scene.Thing
	for i, name := range p.values {
		line := p.thing("report-line", "the "+name+" line", [4]int{232, 286 + 54*i, 560, 46}, "title", name)
		things = append(things, p.showPlanned(at, visit, classed(line, name, "on"), scene.Text))
	}
	stamp := classed(p.thing("stamp", "the stamp", [4]int{566 + p.rnd.IntN(30), 574 + p.rnd.IntN(24), 210, 74}), "stamp", "on")
	clip := p.thing("clip", "the clip", [4]int{420 + p.rnd.IntN(140), 26, 120, 62})
	things = append(things, p.showPlanned(at, visit, stamp, scene.Text), p.showPlanned(at, visit, clip, scene.Colour))
	return scene.Scene{Backdrop: "letter", Look: p.look(), Noun: "scan", Minimal: "a scan of a letter", Things: things}
}
