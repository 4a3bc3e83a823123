package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// brandState is the state of the simulation of brands.
type brandState struct {
	*visitState
	names []string
	best  string // whose card on the board has the rosette
}

// plotBrands simulates MemEye's Brand Memory (table 4: logo and visual identity recall):
// posters of firms whose logos differ in details and are redesigned over time.
func plotBrands(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	c := &brandState{visitState: newVisitState(rnd, w), names: sample(rnd, w["plot names"], min(6, 4+pictures/10))}
	for _, n := range c.names {
		for _, key := range brandKeys(n) {
			c.set(0, key.Entity, key.Aspect, pick(rnd, c.words[key.Aspect]))
		}
	}
	c.best = pick(rnd, c.names)
	for _, n := range c.names {
		c.words[scene.Beside] = append(c.words[scene.Beside], cardOf(n))
	}
	return c.plot(pickProfile(rnd, "brand manager", "graphic designer", "market researcher"), pictures, c.picture)
}

func markOf(brand string) string { return "the " + brand + " logo" }
func cardOf(brand string) string { return "the " + brand + " card" }

// brandKeys are what a redesign can change about a brand.
func brandKeys(brand string) []simulation.Key {
	mark := markOf(brand)
	return []simulation.Key{newKey(mark, scene.Colour), newKey(mark, scene.Text), newKey(mark, scene.Which), newKey(mark, scene.Pattern), newKey(cardOf(brand), scene.Count)}
}

// picture is a poster of one brand, or every fifth time a board with all of them.
func (c *brandState) picture(at int) scene.Scene {
	name := c.names[at%len(c.names)]
	if at >= len(c.names) && c.rnd.IntN(2) == 0 {
		for _, key := range sample(c.rnd, brandKeys(name), 2) {
			c.set(at, key.Entity, key.Aspect, pickOther(c.rnd, c.words[key.Aspect], c.world.At(at, key)))
		}
	}
	if at%5 == 4 {
		return c.board(at)
	}
	return c.poster(at, name)
}

// poster shows a product of a brand in some setting, and its card in a corner.
func (c *brandState) poster(at int, name string) scene.Scene {
	corner := c.rnd.IntN(4)
	place := c.words[scene.Place][corner/2*3+corner%2*2]
	side := []string{"right", "left"}[corner%2]
	product := c.thing("setting", "the "+name+" product", [4]int{0, 0, 1024, 768}, "side", side, "vary", strconv.Itoa(slices.Index(c.names, name)))
	product = c.show(at, product, scene.Setting, pick(c.rnd, c.words[scene.Setting]))
	product.Passing = []string{scene.Setting}
	things := append([]scene.Thing{product}, c.mark(at, name, place, [4]int{36 + corner%2*568, 32 + corner/2*408, 384, 296})...)
	return scene.Scene{Backdrop: "poster", Noun: "poster", Minimal: "a poster", Things: things}
}

// mark is a brand's card: its logo over a row of stars.
func (c *brandState) mark(at int, name, place string, box [4]int) []scene.Thing {
	logo := classed(c.thing("logo", markOf(name), box, "word", name), "emblem", "on")
	stars := classed(c.thing("rating", cardOf(name), [4]int{box[0] + 40, box[1] + box[3]*84/100, box[2] - 80, box[3] * 12 / 100}), "stars", "on")
	for _, key := range brandKeys(name)[:4] {
		logo = c.show(at, logo, key.Aspect, c.world.At(at, key))
	}
	logo = c.show(at, logo, scene.Place, place)
	logo.Passing = []string{scene.Place}
	return []scene.Thing{logo, c.show(at, stars, scene.Count, c.world.At(at, newKey(cardOf(name), scene.Count)))}
}

// board shows all brands side by side. One has the rosette, which moves now and then.
func (c *brandState) board(at int) scene.Scene {
	s := scene.Scene{Backdrop: "board", Noun: "overview", Minimal: "a board with logos"}
	if c.rnd.IntN(3) > 0 {
		c.best = pick(c.rnd, c.names)
	}
	var prize scene.Thing
	slots := sample(c.rnd, []int{0, 1, 2, 3, 4, 5}, len(c.names))
	for i, name := range c.names {
		n := slots[i]
		box := [4]int{28 + n%3*328 + c.rnd.IntN(9), 34 + n/3*358 + c.rnd.IntN(11), 304, 326}
		s.Things = append(s.Things, c.mark(at, name, c.words[scene.Place][n], box)...)
		if name == c.best {
			prize = c.show(at, c.thing("rosette", "the rosette", [4]int{box[0] + 236, box[1] + 6, 62, 96}), scene.Beside, cardOf(name))
		}
	}
	s.Things = append(s.Things, prize)
	return s
}
