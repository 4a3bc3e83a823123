package simulate

import (
	"math/rand/v2"

	"github.com/memforge/memforge/stages/visual/scene"
)

// healthScenario is the keeping of one's health (MemEye table 4: dashboard and portal
// updates): screens of a patient's portal, and photos of what belongs to it.
func healthScenario() Scenario {
	return Scenario{
		Name: "health_dashboard", Title: "Health Care", Domain: "personal",
		Size: Size{Sessions: 12, Rounds: 97, Pictures: 62, Questions: 51},
		Plot: plotHealth,
	}
}

// Kinds of pictures of a patient's life, in the order in which longer lives take
// them up.
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

// healthState is the state of the simulation.
type healthState struct {
	*visitState
	// tiles, medicines, visits and values are those of this life, of more there are.
	tiles, medicines, visits, values []string
	spots                            spots
	// side: the portal's sections are listed at the left, not on top.
	side bool
	hall int // which side the rooms are seen from
	// floors are those of the sports hall and the waiting room.
	floors []string
}

func plotHealth(rnd *rand.Rand, pictures int) (Plot, error) {
	p := healthState{
		visitState: newVisitState(rnd), side: rnd.IntN(2) == 0, hall: rnd.IntN(2),
		tiles: sample(rnd, healthTiles(), 5), medicines: sample(rnd, healthMedicines(), 4),
		floors: sample(rnd, []string{"planks", "tiles", "chequered", "carpet", "concrete"}, 2), visits: sample(rnd, healthDoctors(), 4), values: sample(rnd, healthValues(), 4),
	}
	p.commonLook = map[string]string{
		"wood": pick(rnd, []string{"oak", "walnut", "birch", "teak"}), "tone": digits(rnd.IntN(8)), "vary": digits(1 + rnd.IntN(1000)),
		"accent": digits(rnd.IntN(6)), "dark": digits(rnd.IntN(4) / 3), "skin": digits(rnd.IntN(4)), "bar": "top",
		"product": pick(rnd, []string{"Carewell", "Brightpath", "Oakline Care", "MyClinic", "Vitalis", "Larkside", "Harbour Health"}),
	}
	if p.side {
		p.commonLook["bar"] = "side"
	}
	kind, visit, total := assignVisits(rnd, pictures, min(healthKinds, 3+pictures/5))
	p.spots = newSpots(rnd, p.tiles, healthPlaces())
	total = append(total, make([]int, healthKinds)...)
	p.planScreens(total)
	p.planPhotos(total)
	out := Plot{Profile: pickProfile(rnd, "teacher", "bus driver", "florist", "accountant", "cook", "librarian"), World: p.world, Pools: healthPools()}
	for at := range pictures {
		s := p.picture(at, kind[at], visit[at], visit[at] == total[kind[at]]-1)
		s.Width, s.Height, s.Seed = 1024, 768, rnd.Uint32()
		out.Scenes = append(out.Scenes, s)
	}
	return out, p.err
}

// planScreens draws how everything goes that the portal's screens tell.
func (p *healthState) planScreens(total []int) {
	for _, name := range p.tiles {
		p.plan("the "+name+" field", scene.Text, healthReadings(name), total[healthOverview])
	}
	p.planApart(named("the ", p.medicines, " label"), scene.Text, healthDoses(), total[healthPlan])
	p.planApart(named("the ", p.medicines, " box"), scene.Colour, healthInks(), total[healthPlan])
	for _, name := range named("the ", p.medicines, " row") {
		p.plan(name, scene.Count, numbers(1, 6), total[healthPlan])
	}
	p.planApart(named("the map pin of the ", p.visits, " visit"), scene.Beside, healthLandmarks(), total[healthVisits])
	p.planApart(named("the name tag of the ", p.visits, " visit"), scene.Text, healthNames(), total[healthVisits])
	p.planApart(named("the date tag of the ", p.visits, " visit"), scene.Text, healthTimes(), total[healthVisits])
	p.planApart(named("the ", healthDays(), " bar"), scene.Text, healthReadings("steps"), total[healthWeek])
	p.planApart(named("the ", healthDays(), " bar"), scene.Which, healthSymbols(), total[healthWeek])
	for _, name := range p.values {
		p.plan("the "+name+" line", scene.Text, healthReadings(name), total[healthReport])
	}
	p.plan("the stamp", scene.Text, healthStamps(), total[healthReport])
	p.plan("the clip", scene.Colour, healthInks(), total[healthReport])
}

// planPhotos draws how everything goes that photos tell.
func (p *healthState) planPhotos(total []int) {
	p.planPairs("the wrist watch", scene.Setting, healthSettings()[:6], total[healthWatch])
	p.planPairs("the blood pressure monitor", scene.Setting, healthSettings()[6:], total[healthMonitor])
	p.plan("the watch face", scene.Text, healthReadings("steps"), total[healthWatch])
	p.plan("the watch strap", scene.Colour, healthInks(), total[healthWatch])
	p.planApart(healthSlots(), scene.Which, healthPillForms(), total[healthPills])
	p.plan("the pill organiser", scene.Beside, healthTableThings(), total[healthPills])
	p.plan("the blister pack", scene.Count, numbers(2, 9), total[healthPills])
	p.plan("the cap of the pill bottle", scene.Colour, healthInks(), total[healthPills])
	p.plan("the monitor display", scene.Text, healthPressures(), total[healthMonitor])
	p.plan("the cuff", scene.Colour, healthInks(), total[healthMonitor])
	p.plan("the blood pressure monitor", scene.Beside, healthShelfThings(), total[healthMonitor])
	weathers := sample(p.rnd, healthWeathers(), len(healthWeathers()))
	p.planPairs("the sports hall", scene.Activity, healthExercises(), total[healthHall])
	p.planPairs("the sports hall window", scene.Weather, weathers[:4], total[healthHall])
	p.plan("the ball shelf", scene.Count, numbers(1, 5), total[healthHall])
	p.plan("the locker", scene.Colour, healthInks(), total[healthHall])
	p.planPairs("the waiting room window", scene.Weather, weathers[4:], total[healthWaiting])
	p.plan("the aquarium", scene.Count, numbers(2, 8), total[healthWaiting])
	p.plan("the call screen", scene.Text, healthCalls(), total[healthWaiting])
	p.plan("the bench", scene.Colour, healthInks(), total[healthWaiting])
}

// named are names with what goes before and after them.
func named(before string, names []string, after string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = before + n + after
	}
	return out
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
