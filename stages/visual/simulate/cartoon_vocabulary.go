package simulate

import "math/rand/v2"

// cartoonSpecies are kinds of figures that the painter has; of each a strip has one,
// but of robots several alike, told apart by a letter.
func cartoonSpecies() []string {
	return []string{
		"fox", "bear", "panda", "cat", "rabbit", "frog", "penguin", "owl", "pig", "dragon", "mouse", "lion", "knight", "girl", "boy", "wizard", "pirate", "alien",
	}
}

// garmentOf is what a figure wears on its trunk.
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

func cartoonHats() []string {
	return []string{
		"the straw hat", "the crown", "the top hat", "the party hat", "the cap", "the cowboy hat", "the wizard hat", "the chef hat", "the beanie", "the viking hat",
		"the flower wreath", "the sailor hat",
	}
}

func cartoonThings() []string {
	return []string{
		"a balloon", "an umbrella", "a lantern", "a flower", "a kite", "a fishing rod", "a book", "an ice cream", "a magnifier", "a trumpet", "a flag", "a telescope", "a teapot",
	}
}

func cartoonCompanions() []string {
	return []string{
		"a duckling", "a snail", "a puppy", "a hedgehog", "a suitcase", "a drum", "a watering can", "a bucket", "a skateboard", "a toy train", "a pumpkin", "a crab", "a piece of cheese",
	}
}

func cartoonPatterns() []string {
	return []string{"stripes", "dots", "checks", "a star", "a heart", "zigzags", "buttons"}
}

func cartoonActivities() []string {
	return []string{
		"a picnic", "a race", "a concert", "a birthday party", "a football match", "a treasure hunt", "a campfire evening", "a chess game", "a magic show",
		"a puppet show", "a painting class", "a tea party", "a medal ceremony", "a film shoot", "an experiment", "a snowball fight", "a letter delivery",
	}
}

// cartoonSetting is a kind of place with its landmarks.
type cartoonSetting struct {
	name      string
	indoors   bool
	landmarks []string // the first is what the place is known by
}

// pickLandmarks are landmarks of it, that by which it is known among them.
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

// cartoonWeathers are those of ordinary pages; the rest is rare.
func cartoonWeathers() (common, rare []string) {
	return []string{"sunny", "cloudy", "rainy", "stormy"}, []string{"snowy", "foggy", "windy"}
}

func cartoonOverhead() []string { return []string{"birds", "balloons", "butterflies", "bees"} }

// cartoonPlaces are names that do not say what kind of place it is.
func cartoonPlaces() []string {
	return []string{
		"Pondermere", "Quillby", "Old Tumble", "Wexel", "Marrowby", "Little Ostrey", "Fennimore", "Tansy Row", "Upper Blim", "Corrigan", "Dapple End", "Sorrel", "Nether Wick", "Bramley Cross",
		"Hobbin", "Larkspur", "Oddington", "Pim Hollow", "Rundle", "Thistledown", "Velm", "Yarrow", "Zimmer Lane", "Greater Hum", "Muddlecombe",
	}
}

func cartoonTitles() []string {
	return []string{
		"The Saturday Lot", "Nobody Tells the Captain", "Tales from Puddle Lane", "The Crooked Compass", "Seven and a Half Friends", "A Long Way to Tea", "The Button Club",
		"Whose Turn Is It?", "Left at the Lantern", "The Unlikely Society",
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

// cartoonCaptions follow the name of a place.
func cartoonCaptions() []string {
	return []string{"that afternoon", "a little later", "the next day", "meanwhile", "at half past three", "before lunch", "at last", "once again", "the same day", "much too early"}
}
