package simulate

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/stages/visual/scene"
)

func garmentOf(species string) string {
	switch species {
	case "robot":
		return "apron"
	case "knight":
		return "tabard"
	case "girl", "boy":
		return "shirt"
	case "wizard":
		return "robe"
	case "pirate":
		return "coat"
	}
	return "jumper"
}

type cartoonSetting struct {
	name      string
	indoors   bool
	landmarks []string // the first is what the place is known by
}

// pickLandmarks picks n landmarks, among them the one that the place is known by.
func (k cartoonSetting) pickLandmarks(rnd *rand.Rand, n int) []string {
	out := append(sample(rnd, k.landmarks[1:], n-1), k.landmarks[0])
	rnd.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func cartoonSettings() []cartoonSetting {
	return []cartoonSetting{
		{"a beach", false, []string{"palm tree", "rowing boat", "sandcastle", "beach umbrella", "rock"}},
		{"a harbour", false, []string{"lighthouse", "anchor", "crate", "barrel", "rowing boat"}},
		{"a forest", false, []string{"mushroom", "stump", "tent", "oak", "signpost"}},
		{"a farm", false, []string{"hay bale", "scarecrow", "windmill", "gate", "well"}},
		{"a market", false, []string{"fruit stall", "fountain", "flower cart", "barrel", "lamp post"}},
		{"a city street", false, []string{"bus stop", "hydrant", "mailbox", "lamp post", "bench"}},
		{"a desert", false, []string{"cactus", "wagon", "tent", "rock", "signpost"}},
		{"a castle", false, []string{"cannon", "statue", "flag tower", "well", "barrel"}},
		{"a playground", false, []string{"slide", "swing", "seesaw", "bench", "oak"}},
		{"a mountain top", false, []string{"cabin", "pine", "signpost", "rock", "snowman"}},
		{"a space ship", true, []string{"control desk", "hatch", "plant tube", "crate", "armchair"}},
		{"a kitchen", true, []string{"stove", "fridge", "dresser", "sink", "tall clock"}},
		{"a library", true, []string{"globe", "armchair", "ladder", "tall clock", "statue"}},
	}
}

// cartoonWeathers returns the weathers of ordinary and of rare pages.
func cartoonWeathers() (common, rare []string) {
	return []string{"sunny", "cloudy", "rainy", "stormy"}, []string{"snowy", "foggy", "windy"}
}

// cartoonPlaces are names that do not reveal the kind of place.
func cartoonPlaces() []string {
	return []string{
		"Pondermere", "Quillby", "Old Tumble", "Wexel", "Marrowby", "Little Ostrey", "Fennimore", "Tansy Row", "Upper Blim", "Corrigan", "Dapple End", "Sorrel", "Nether Wick", "Bramley Cross",
		"Hobbin", "Larkspur", "Oddington", "Pim Hollow", "Rundle", "Thistledown", "Velm", "Yarrow", "Zimmer Lane", "Greater Hum", "Muddlecombe",
	}
}

// cartoonLines are what figures say. None says what is to be seen.
func cartoonLines() []string {
	return []string{
		"Are we late again?", "I had a plan. Once.", "Who brought the map?", "This is fine.", "Not my fault!", "One more time!", "Shh, listen...", "I knew it!", "After you.", "Is it always like this?",
		"Ready when you are.", "Did you hear that?", "My turn!", "Wait for me!", "Trust me.", "That was close.", "Ta-daa!", "Nobody panic.", "Well, well.", "I can explain.", "Is that allowed?",
		"Let's stay a bit.", "What a day!", "Told you so.", "Hmm, let me think.", "Again? Really?", "You first.", "I counted twice!", "No, the other one.", "It was like this before!",
		"Best day ever!", "Could be worse.", "Don't look at me.", "Where were we?", "Hold this, please.",
	}
}

func cartoonPools() map[string][]string {
	var settings, spots []string
	for _, k := range cartoonSettings() {
		settings = append(settings, k.name)
		for _, l := range k.landmarks {
			if spot := "in front of the " + l; !slices.Contains(spots, spot) {
				spots = append(spots, spot)
			}
		}
	}
	common, rare := cartoonWeathers()
	return map[string][]string{
		scene.Setting: settings, scene.Place: spots, scene.Weather: append(common, rare...),
		scene.Activity: {
			"a picnic", "a race", "a concert", "a birthday party", "a football match", "a treasure hunt", "a campfire evening", "a chess game", "a magic show",
			"a puppet show", "a painting class", "a tea party", "a medal ceremony", "a film shoot", "an experiment", "a snowball fight", "a letter delivery",
		},
		scene.Which + ":hat": {
			"the straw hat", "the crown", "the top hat", "the party hat", "the cap", "the cowboy hat", "the wizard hat", "the chef hat", "the beanie", "the viking hat",
			"the flower wreath", "the sailor hat",
		},
		scene.Which + ":thing": {
			"a balloon", "an umbrella", "a lantern", "a flower", "a kite", "a fishing rod", "a book", "an ice cream", "a magnifier", "a trumpet", "a flag", "a telescope", "a teapot",
		},
		scene.Beside: {
			"a duckling", "a snail", "a puppy", "a hedgehog", "a suitcase", "a drum", "a watering can", "a bucket", "a skateboard", "a toy train", "a pumpkin", "a crab", "a piece of cheese",
		},
		// visible on every figure and ground
		scene.Colour:  {"red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "white"},
		scene.Pattern: {"stripes", "dots", "checks", "a star", "a heart", "zigzags", "buttons"},
	}
}
