package life

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/stages/visual/scene"
)

// brands is brand memory (MemEye table 4: logo and visual identity recall): posters
// of firms whose marks differ in details and are redesigned over time.
func brands() Scenario {
	return Scenario{
		Name: "brand_memory", Title: "Brand Memory", Domain: "professional",
		Size: Size{Sessions: 42, Rounds: 72, Pictures: 30, Questions: 29},
		Plot: plotBrands,
	}
}

// brandEmblems are icons that the painter has, with how a question calls them.
func brandEmblems() []string {
	return []string{"bird", "fish", "cat", "dog", "leaf", "flame", "mountain", "star", "feather", "sailboat", "apple", "snowflake"}
}

func brandNames() []string {
	return []string{
		"Alvero", "Brixa", "Corvane", "Delmo", "Estrel", "Fenwick", "Gallo", "Hesper", "Ixora", "Jurano", "Kestra", "Lumo", "Mirava", "Nordal",
		"Opello", "Pravia", "Quinto", "Rovento", "Solcar", "Tamber", "Ulvik", "Vantis", "Welmar", "Yorva", "Zephira",
	}
}

func brandSlogans() []string {
	return []string{
		"made for morning", "the quiet way", "taste the north", "go a bit further", "built to be mended", "small is plenty", "home before dark", "light as a letter",
		"ask for the real one", "every day a harvest", "stay for tea", "two hands, one craft", "open all winter", "from shore to shelf", "the long way round", "fresh by seven",
		"a little more blue", "made twice, sold once", "slow down a street", "wear it for years",
	}
}

func brandSettings() []string {
	return []string{"a beach", "a kitchen", "a city street at night", "a mountain meadow", "a train platform", "a forest path", "a library", "a market"}
}

func brandPlaces() []string {
	return []string{"in the upper left corner", "in the upper right corner", "in the lower left corner", "in the lower right corner"}
}

// campaign is the state of the simulation.
type campaign struct {
	rnd   *rand.Rand
	world *world.World
	names []string
}

func plotBrands(rnd *rand.Rand, pictures int) (Plot, error) {
	c := campaign{rnd: rnd, world: new(world.World), names: sample(rnd, brandNames(), min(6, 4+pictures/10))}
	for _, n := range c.names {
		for _, aspect := range []string{scene.Colour, scene.Text, scene.Which} {
			if err := c.world.Set(0, world.Key{Entity: markOf(n), Aspect: aspect}, pick(rnd, brandPools()[aspect])); err != nil {
				return Plot{}, err
			}
		}
	}
	p := Plot{Profile: person(rnd, "brand manager", "graphic designer", "market researcher"), World: c.world, Pools: brandPools()}
	for at := range pictures {
		s, err := c.picture(at)
		if err != nil {
			return Plot{}, err
		}
		p.Scenes = append(p.Scenes, s)
	}
	return p, nil
}

func brandPools() map[string][]string {
	return map[string][]string{scene.Colour: scene.Colours()[:8], scene.Text: brandSlogans(), scene.Which: brandEmblems(), scene.Setting: brandSettings(), scene.Place: brandPlaces()}
}

func markOf(brand string) string { return "the " + brand + " logo" }

// picture is a poster of one brand, or now and then a board with all of them.
func (c campaign) picture(at int) (scene.Scene, error) {
	if at%5 == 4 {
		return c.board(at)
	}
	name := c.names[at%len(c.names)]
	if at >= len(c.names) && c.rnd.IntN(2) == 0 {
		if err := c.redesign(at, name); err != nil {
			return scene.Scene{}, err
		}
	}
	return c.poster(at, name)
}

// redesign changes one thing about a mark; nobody says so.
func (c campaign) redesign(at int, name string) error {
	aspect := pick(c.rnd, []string{scene.Colour, scene.Text, scene.Which})
	key := world.Key{Entity: markOf(name), Aspect: aspect}
	return c.world.Set(at, key, other(c.rnd, brandPools()[aspect], c.world.At(at, key)))
}

func (c campaign) poster(at int, name string) (scene.Scene, error) {
	corner := c.rnd.IntN(4)
	mark := c.mark(at, name, [4]int{40 + corner%2*560, 40 + corner/2*400, 384, 288}, scene.Place, scene.Setting)
	mark.Look[scene.Place], mark.Look[scene.Setting] = brandPlaces()[corner], pick(c.rnd, brandSettings())
	for _, aspect := range []string{scene.Place, scene.Setting} {
		if err := c.world.Set(at, world.Key{Entity: mark.Name, Aspect: aspect}, mark.Look[aspect]); err != nil {
			return scene.Scene{}, err
		}
	}
	return scene.Scene{
		Backdrop: "poster", Look: map[string]string{scene.Setting: mark.Look[scene.Setting]}, Width: 1024, Height: 768,
		Noun: "poster", Minimal: "a poster", Seed: c.rnd.Uint32(), Things: []scene.Thing{mark},
	}, nil
}

// mark is a brand's logo as it is at a moment.
func (c campaign) mark(at int, name string, box [4]int, more ...string) scene.Thing {
	t := scene.Thing{
		Kind: "logo", Name: markOf(name), Box: box, Look: map[string]string{"word": name}, Class: "emblem", Prep: "on",
		Tells: append([]string{scene.Colour, scene.Text, scene.Which}, more...), Passing: more,
	}
	for _, a := range []string{scene.Colour, scene.Text, scene.Which} {
		t.Look[a] = c.world.At(at, world.Key{Entity: t.Name, Aspect: a})
	}
	return t
}

// board shows all brands beside each other.
func (c campaign) board(at int) (scene.Scene, error) {
	s := scene.Scene{Backdrop: "board", Width: 1024, Height: 768, Noun: "board", Minimal: "a board with logos", Seed: c.rnd.Uint32()}
	for i, j := range c.rnd.Perm(len(c.names)) {
		s.Things = append(s.Things, c.mark(at, c.names[j], [4]int{24 + i%3*328, 40 + i/3*360, 312, 320}))
	}
	if len(s.Things) == 0 {
		return s, fmt.Errorf("board %d is empty", at)
	}
	return s, nil
}
