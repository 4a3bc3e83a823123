package simulate

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/stages/visual/scene"
)

// screen is one of the portal's screens.
func (p *healthState) screen(section string, things []scene.Thing) scene.Scene {
	look := maps.Clone(p.commonLook)
	look["section"] = section
	return scene.Scene{Backdrop: "portal", Look: look, Noun: "screenshot", Minimal: "a screenshot of a portal", Things: things}
}

// body is where the portal's screens have their content.
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
		spot := slices.Index(healthPlaces(), place)
		box := [4]int{x + spot%3*(w/3+4), y + spot/3*(h/2+6), w/3 - 12, h/2 - 14}
		t := p.show(at, classed(p.thing("vital-tile", tile, box, "title", name, "series", digits(i)), "tile", "at"), scene.Place, place)
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
			p.showPlanned(at, visit, classed(p.thing("dose", "the "+name+" label", [4]int{x + w*27/100, top + tall/2 - 24, 120, 48}), "dose", "on"), scene.Text),
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
		pin := classed(p.thing("map-pin", "the map pin"+of, [4]int{box[0] + box[2]*48/100, box[1] + 60, box[2]*52/100 - 16, box[3] - 76}, "map", digits(i)), "pin", "at")
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
	for i, day := range healthDays() {
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
	return scene.Scene{Backdrop: "letter", Look: maps.Clone(p.commonLook), Noun: "scan", Minimal: "a scan of a letter", Things: things}
}
