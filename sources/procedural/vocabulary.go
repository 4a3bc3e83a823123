package procedural

import (
	_ "embed"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// colour is a word for the viewer and the paint that goes with it.
type colour struct{ name, hex string }

// paints are far enough apart to be told by name in a half-size picture.
var paints = []colour{
	{"red", "#d23b34"}, {"blue", "#2f6fc9"}, {"yellow", "#f2c230"}, {"green", "#3c9a4b"}, {"orange", "#ee7f2b"},
	{"purple", "#8450b4"}, {"pink", "#ef86ae"}, {"white", "#f4f1ea"}, {"turquoise", "#2fb5b0"},
}

//go:embed nouns.txt
var nounLines string

// nouns of the things that can be carried, a line each; the film stage has a drawing
// of each.
var nouns = strings.Split(strings.TrimSpace(nounLines), "\n")

// place is where a script can be set. Lists begin with what suits it best.
type place struct {
	name     string
	roles    []string
	suited   []string // nouns
	surfaces []string
	openings []string
	board    string // kind of sign
}

var places = []place{
	{"kitchen", []string{"baker", "cook", "waiter", "grandmother", "fishmonger"},
		[]string{"kettle", "teapot", "mug", "bottle", "jar", "bowl", "cake", "frying pan", "basket", "candle", "radio", "bucket"},
		[]string{"counter", "table"}, []string{"fridge", "oven", "cupboard", "drawer", "window", "door"}, "chalkboard"},
	{"park", []string{"gardener", "jogger", "painter", "child", "musician"},
		[]string{"ball", "kite", "watering can", "umbrella", "backpack", "flower pot", "boot", "basket", "guitar", "toy boat", "balloon", "bucket"},
		[]string{"stone ledge", "picnic table"}, []string{"chest", "box", "mailbox", "parasol"}, "post"},
	{"workshop", []string{"carpenter", "mechanic", "painter", "apprentice", "plumber"},
		[]string{"hammer", "spanner", "saw", "toolbox", "bucket", "lantern", "radio", "boot", "toy car", "table lamp", "jar", "telephone"},
		[]string{"workbench", "crate"}, []string{"chest", "drawer", "wardrobe", "door", "window", "box"}, "board"},
	{"street cafe", []string{"waiter", "postman", "tourist", "musician", "baker"},
		[]string{"mug", "teapot", "cake", "trumpet", "camera", "vase", "envelope", "umbrella", "suitcase", "candle", "bottle", "top hat"},
		[]string{"round table", "counter"}, []string{"door", "window", "parasol", "mailbox", "box"}, "chalkboard"},
	{"office", []string{"clerk", "courier", "manager", "cleaner", "engineer"},
		[]string{"telephone", "globe", "alarm clock", "trophy", "envelope", "book", "camera", "mug", "table lamp", "flower pot", "suitcase", "radio"},
		[]string{"desk", "counter"}, []string{"drawer", "wardrobe", "door", "box"}, "board"},
	{"living room", []string{"grandfather", "child", "nurse", "musician", "student"},
		[]string{"table lamp", "vase", "guitar", "teddy bear", "book", "drum", "gift box", "candle", "alarm clock", "radio", "balloon", "toy car"},
		[]string{"sideboard", "table"}, []string{"curtain", "wardrobe", "chest", "drawer", "door", "window"}, "frame"},
	{"library", []string{"librarian", "student", "professor", "tourist", "child"},
		[]string{"book", "globe", "lantern", "telephone", "backpack", "umbrella", "envelope", "bell", "top hat", "table lamp", "camera", "vase"},
		[]string{"desk", "table"}, []string{"door", "window", "drawer", "chest", "cupboard", "box"}, "board"},
	{"station", []string{"conductor", "tourist", "postman", "cleaner", "student"},
		[]string{"suitcase", "backpack", "umbrella", "bell", "trumpet", "lantern", "basket", "gift box", "camera", "teddy bear", "top hat", "bottle"},
		[]string{"crate", "counter"}, []string{"wardrobe", "box", "mailbox", "chest"}, "departures"},
}

// garments says what each role wears; the word is part of the description. The roles of
// a place wear different things, so that a garment can be asked about.
var garments = map[string]struct{ garment, hat string }{
	"baker": {"apron", "toque"}, "cook": {"jacket", "toque"}, "waiter": {"waistcoat", ""}, "grandmother": {"dress", ""},
	"fishmonger": {"overalls", "cap"}, "gardener": {"overalls", "straw"}, "jogger": {"tracksuit", "band"}, "painter": {"smock", "beret"},
	"child": {"hoodie", ""}, "musician": {"scarf", "fedora"}, "carpenter": {"overalls", "cap"}, "mechanic": {"jacket", "helmet"},
	"apprentice": {"hoodie", "cap"}, "plumber": {"apron", ""}, "postman": {"jacket", "cap"}, "tourist": {"raincoat", "straw"},
	"clerk": {"waistcoat", ""}, "courier": {"jacket", "helmet"}, "manager": {"raincoat", ""}, "cleaner": {"apron", "band"},
	"engineer": {"overalls", ""}, "grandfather": {"waistcoat", ""}, "nurse": {"dress", "band"}, "student": {"tracksuit", ""},
	"librarian": {"jacket", ""}, "professor": {"waistcoat", ""}, "conductor": {"waistcoat", "kepi"},
}

// actions of the clips. Text on a question's option is the name itself.
var actions = []string{
	"jumping", "waving", "sweeping", "pouring", "throwing a ball", "dancing", "doing squats", "juggling", "running", "hammering",
}

// lights of clips, which are mostly by day; hours are the different ones.
var lights = []string{"day", "day", "dusk", "night"}

var hours = []string{"day", "dusk", "night"}

var schemes = []schemas.FilmPalette{
	{Wall: "#e9d8b8", Floor: "#b98a5e", Wood: "#8a5a3b", Accent: "#2f7f86"},
	{Wall: "#bcd3cf", Floor: "#a9876b", Wood: "#6e4a35", Accent: "#d9694a"},
	{Wall: "#d9b7a6", Floor: "#8f6f5c", Wood: "#5f4038", Accent: "#4c6fa5"},
	{Wall: "#b7c3dc", Floor: "#8d8a93", Wood: "#7b5a45", Accent: "#e0a13c"},
	{Wall: "#cfd6a8", Floor: "#a67f55", Wood: "#7a5636", Accent: "#b0506b"},
	{Wall: "#d8cbe0", Floor: "#94786f", Wood: "#6a4c55", Accent: "#4f8f5b"},
}

var skins = []string{"#f6d3b3", "#e8b88f", "#c98e62", "#9a6440", "#6f4429", "#f2c6a0"}

var hairs = []string{"short", "bun", "long", "curly", "bald", "ponytail"}

var hairTones = []string{"#2b1d16", "#5a3620", "#8d5a2b", "#c99a4b", "#a33d1f", "#3a3a44", "#b9b4ad"}

var trousers = []string{"#3a4358", "#4e3f36", "#5c6470", "#2f3d3a", "#6b5744", "#494a6b"}

var shirts = []string{"#f3efe6", "#d9e2ec", "#f0dfc8", "#cfd8d0", "#e9d6da"}

// The words of titles occur in nothing that a film shows, so that no title says
// what happens in it.
var adjectives = []string{
	"Amber", "Tranquil", "Marbled", "Crooked", "Golden", "Wandering", "Velvet", "Hidden", "Copper", "Sleepy", "Northern", "Weathered",
	"Scarlet", "Floating", "Second", "Winter", "Restless", "Hollow", "Emerald", "Forgotten", "Crystal", "Little", "Midnight", "Honest",
	"Ivory", "Drifting", "Lonely", "Borrowed", "Cobalt", "Patient", "Wooden", "Secret", "Silver", "Curious", "Rusty", "Gentle",
}

var subjects = []string{
	"Compass", "Orchard", "Lighthouse", "Sparrow", "Glacier", "Falcon", "Carousel", "Meadow", "Violin", "Staircase", "Comet", "Whistle",
	"Canyon", "Riddle", "Feather", "Island", "Promise", "Kingdom", "Sonnet", "Mirror", "Journey", "Otter", "Cavern", "Thunder",
	"Sailor", "Pebble", "Bridge", "Ribbon", "Chapter", "Tiger", "Labyrinth", "Waltz", "Cloud", "Anchor", "Sundial", "Moon",
}

var maxTitles = len(adjectives) * len(subjects)

// signs are the texts that the sign of each place may bear. No text is in two
// places and all places have as many, so that a text is not known to be true by
// how often it is met; and no text is part of another.
var signs = map[string][]string{
	"kitchen": {
		"SOUP READY", "FRESH BREAD", "LUNCH 12:30", "PIE AT FIVE", "WASH HANDS", "NO SUGAR", "TEA TIME 4:15", "OVEN HOT",
		"EGGS GONE", "SALT LOW", "MENU TWO", "DINNER 19:00", "KNIVES AWAY", "ADD PEPPER", "RICE TODAY", "PASTA NIGHT",
		"BUY MILK", "STIR SLOWLY", "DISHES FIRST", "HONEY CAKE", "TASTE THIS", "PLUM JAM", "COOK 8 MORE", "CHEF AWAY",
	},
	"park": {
		"KEEP OFF GRASS", "CONCERT 15:00", "FEED THE DUCKS", "PATH CLOSED", "ROSE WEEK", "PICNIC TODAY", "GATES SHUT 9:00", "LOST CAT",
		"POND DEEP", "NO BALL GAMES", "TREE WALK 2:30", "BENCH WET", "BIKES LEFT", "KITE DAY", "DOGS ON LEAD", "FROG PARADE",
		"SWANS NEST", "YOGA AT SEVEN", "MAZE THIS WAY", "BEES AT WORK", "FUN RUN 10", "FOUND: GLOVE", "BOATS 5 EACH", "PLANT SALE",
	},
	"workshop": {
		"WEAR GLOVES", "ORDER 52", "GLUE DRYING", "SAW BROKEN", "OFF ON FRIDAY", "BACK AT 3:00", "SAFETY FIRST", "ORDER 17",
		"SWEEP UP", "DRILL IN USE", "NAILS: BOX 6", "OIL THE LATHE", "CHAIRS DONE", "VARNISH LATE", "TOOLS RETURNED", "POWER CUT",
		"PLANKS HERE", "MASKS ON", "PICKUP 16:45", "SANDING TODAY", "MIND SPARKS", "BOLTS GONE", "TEST BENCH 3", "ASK THE BOSS",
	},
	"street cafe": {
		"WE ARE OPEN", "HAPPY HOUR 6:00", "CAKE SOLD OUT", "CASH ONLY", "TABLE 9 FREE", "LIVE MUSIC 8:30", "CLOSED NOW", "ICED TEA",
		"WAFFLES IN", "TWO FOR ONE", "PAY INSIDE", "BRUNCH 11:00", "SODA 1.50", "QUIZ TUESDAY", "SEAT YOURSELF", "FRUIT TART",
		"NO DOGS", "TRY COCOA", "SPECIAL: TOAST", "BREAK 15 MIN", "MINT LEMONADE", "STAFF NEEDED", "COFFEE 2.20", "SUNNY SIDE",
	},
	"office": {
		"MEETING 10:00", "ROOM 4 BUSY", "PRINTER DOWN", "SALES UP 12", "QUIET PLEASE", "FLOOR 3", "DEADLINE TODAY", "ROOM 4 FREE",
		"LIFT REPAIRED", "CALL BERLIN", "BUDGET DUE", "VISITOR 14:20", "NEW COPIER", "DESK SWAP", "NO MEETINGS", "TEAM LUNCH",
		"PARCEL ARRIVED", "SIGN FORMS", "WIFI SLOW", "TARGET MET", "AUDIT MONDAY", "BADGE CHECK", "FIRE DRILL 9:15", "MAIL AT NOON",
	},
	"living room": {
		"WELCOME HOME", "PARTY AT 7:00", "HAPPY BIRTHDAY", "GAME NIGHT", "SHH, NAPPING", "MOVIE 20:15", "BE KIND", "GONE FISHING",
		"DANCE MORE", "FEED GOLDIE", "GUESTS SUNDAY", "NO SHOES", "CALL GRANNY", "READ A STORY", "WATER FERNS", "HUGS HERE",
		"BEDTIME 8:45", "SING ALONG", "PUZZLE CLUB", "BAKE WITH US", "SMILE DAILY", "CHESS AT SIX", "TV OFF", "TIDY UP",
	},
	"library": {
		"SILENCE", "STORY HOUR 2:00", "RETURNS HERE", "NEW: POETRY", "CLOSING SOON", "SHELF 8 MOVED", "MAPS UPSTAIRS", "READ MORE",
		"LOANS 14 DAYS", "ATLAS ROOM", "NO SNACKS", "AUTHOR TALK", "COMICS LEFT", "FINES PAID", "STUDY AREA 5", "OLD PAPERS",
		"PRINT 10 CENTS", "BOOK OF THE DAY", "SCIENCE WEEK", "AUDIO SECTION", "RENEW ONLINE", "KIDS CORNER", "WHISPER", "DICTIONARIES",
	},
	"station": {
		"PLATFORM 2", "DELAYED 9:40", "ON TIME", "BOARDING NOW", "PLATFORM 7", "LAST TRAIN 23:10", "TICKETS HERE", "NO SERVICE",
		"EXPRESS 6:05", "MIND THE GAP", "BUS INSTEAD", "CANCELLED", "TO THE COAST", "COACH B FULL", "WAIT BEHIND", "LOCKERS",
		"NIGHT LINE", "HAS ARRIVED", "TRACK WORK", "NEXT: HARBOUR", "DOORS CLOSE", "LOST TICKETS", "ALL STOPS", "CHANGE AT ELM",
	},
}
