package simulate

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// namer draws names, none twice. Words are put together from syllables, so that
// worlds share few of them.
type namer struct {
	rnd   *rand.Rand
	taken map[string]bool
	// firsts are first names that are still free.
	firsts []string
	// beside says that the names are those of what no item is about.
	beside bool
}

func newNamer(rnd *rand.Rand) *namer { return &namer{rnd: rnd, taken: map[string]bool{}} }

func (n *namer) pickNew(draw func() string) string {
	for {
		if s := draw(); !n.taken[s] {
			n.taken[s] = true
			return s
		}
	}
}

// stem returns an invented word.
func (n *namer) stem() string {
	return n.pickNew(func() (word string) {
		onset := []string{"B", "Br", "C", "Cr", "D", "Dr", "F", "Fl", "G", "Gl", "H", "J", "K", "Kl", "L", "M", "N", "P", "Pr", "Qu", "R", "S", "Sk", "St", "T", "Tr", "V", "W", "Y", "Z"}
		vowel := []string{"a", "e", "i", "o", "u", "ai", "ea", "ie", "oa", "ou", "y"}
		middle := []string{"b", "bl", "ck", "d", "dr", "ff", "g", "l", "ld", "lm", "lv", "m", "mb", "n", "nd", "nn", "p", "r", "rd", "rk", "rl", "rn", "rr", "s", "ss", "st", "t", "th", "tt", "v", "x", "z"}
		end := []string{"a", "an", "ar", "by", "don", "el", "en", "er", "ey", "fell", "ford", "gate", "ham", "ick", "in", "ing", "is", "ley", "low", "mere", "mond", "o", "on", "or", "ow", "sby", "shaw", "stead", "ton", "us", "wick", "worth"}
		twice := strings.NewReplacer("fff", "ff", "sss", "ss", "ttt", "tt")
		for word == "" || IsUnasked(word) != n.beside {
			word = twice.Replace(weights.Pick(n.rnd, onset) + weights.Pick(n.rnd, vowel) + weights.Pick(n.rnd, middle) + weights.Pick(n.rnd, end))
		}
		return word
	})
}

// IsUnasked reports a word that names what no item is about: every fifth or so, which nobody
// can see in it. So names that are only mentioned are never those of something asked about.
func IsUnasked(word string) bool {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32()%5 == 0
}

// pickName returns a name of two words, the second being its kind.
func (n *namer) pickName(kinds []string) string { return n.stem() + " " + weights.Pick(n.rnd, kinds) }

func (n *namer) firm() string {
	return n.pickName(firmKinds())
}

// firmKinds and placeKinds are the second words of names.
func firmKinds() []string {
	return []string{"Supply", "Works", "Trading", "Partners", "Services", "Brothers", "Logistics", "Holdings", "Associates", "Craft", "Systems", "Union", "Collective", "Guild"}
}

func placeKinds() []string {
	return []string{"Lane", "Quay", "Square", "Hill", "Gate", "Street", "Court", "Terrace", "Park", "Bridge", "Mews", "Row", "Wharf", "Corner", "Green"}
}

func (n *namer) place() string {
	return n.pickName(placeKinds())
}

func (n *namer) code() string {
	return n.pickNew(func() string {
		letters := "ABCDEFGHJKLMNPQRSTUVWXYZ"
		return string(letters[n.rnd.IntN(24)]) + string(letters[n.rnd.IntN(24)]) + "-" + strconv.Itoa(100+n.rnd.IntN(900))
	})
}

// first returns a first name. All names come once before any comes again, since people of
// a chat are called by it.
func (n *namer) first() string {
	if len(n.firsts) == 0 {
		n.firsts = firstNames()
	}
	i := n.rnd.IntN(len(n.firsts))
	name := n.firsts[i]
	n.firsts = slices.Delete(n.firsts, i, i+1)
	return name
}

func (n *namer) person() Person {
	p := Person{Name: n.first() + " " + n.stem(), Town: n.stem()}
	p.Work = weights.Pick(n.rnd, []string{
		"accountant", "archivist", "baker", "bookbinder", "bus driver", "carpenter", "chemist", "conductor", "curator", "dentist", "editor", "electrician", "florist", "gardener",
		"geologist", "joiner", "librarian", "locksmith", "midwife", "nurse", "optician", "painter", "pharmacist", "photographer", "pilot", "plumber", "porter", "potter", "ranger",
		"roofer", "sailor", "surveyor", "tailor", "teacher", "translator", "vet", "weaver", "welder",
	})
	p.Likes = weights.Sample(n.rnd, []string{"long walks", "radio repairs", "cold swims", "baking", "jigsaw puzzles", "train trips", "pub quizzes", "mending things", "film nights", "rowing", "board games", "brass band practice", "allotment work", "a reading group", "swimming lessons", "market days", "bicycle tours", "silent films", "gardening", "letter writing"}, 2)
	return p
}

func firstNames() []string {
	return strings.Fields("Abel Ada Adil Agnes Aiko Alba Aldo Alma Amara Amir Anika Anouk Anton Arlo Asia Asta Aurel Ayla Bashir Basil Bela Berit Bibi Boris Brita Bruno Carla " +
		"Carmen Cato Cedric Celia Chiara Chidi Clara Cleo Cora Cyril Dag Dalia Damian Daria Dario Deniz Dilan Dina Dora Edda Edgar Edith Eino Elena Eli Elif " +
		"Elsa Emil Emre Enid Enzo Erik Erna Esme Esra Ezra Fabio Fanny Farah Felix Femi Fidel Filip Finn Fiona Flora Frida Gala Gemma Georg Gerda Gilda Gino " +
		"Gloria Goran Greta Gustav Hadi Hana Hanno Hassan Hedda Heidi Helga Henrik Hilda Hiro Hugo Ida Idris Igor Ilse Ilya Imani Ines Inga Ingmar Irene Iris " +
		"Isak Isla Ivo Jalal Jana Janko Jelena Joel Jonas Josef Judith Jules Juno Kai Kalle Karin Kasia Katya Kemal Kenji Kerstin Klara Kofi Kuno Laila Lars " +
		"Laura Leif Lena Leo Levi Lidia Lina Linus Liv Lorenzo Lotte Luca Lucia Ludo Luis Lydia Mabel Magda Malik Malte Manon Marco Maren Marius Marta Mateo " +
		"Matilda Maya Melina Mercy Milan Mina Mira Miro Mona Moritz Nadia Naoki Nela Nico Nils Nina Noah Noor Nora Odile Olaf Oleg Olga Omar Oona Orla Oscar " +
		"Otis Otto Pablo Palma Paula Paulo Pavel Pedro Petra Pia Pilar Pola Priya Quinn Rafa Raj Ralf Ramon Rania Rasmus Rhea Rita Roman Romy Rosa Ruben Rufus " +
		"Runa Sabine Salma Sami Samuel Sandro Sanna Selma Sergio Sigrid Silas Silvia Simone Sina Sofie Sonja Stefan Stella Suki Sven Tamar Tarek Tariq Tea Teo " +
		"Thea Theo Tilda Till Timo Tobias Tomas Tove Udo Ugo Ulla Uma Ursula Vada Valerie Vasco Vera Veronika Victor Vida Viktor Vilma Vito Wanda Wenzel Wilma " +
		"Yael Yara Yasmin Yelena Yoko Yuri Yusuf Zadie Zara Zelda Zeno Zita Zoran Zuri")
}

// numbers picks n different numbers from low to high.
func numbers(rnd *rand.Rand, n, low, high int) []int {
	var out []int
	for len(out) < n {
		if v := low + rnd.IntN(high-low+1); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Names are what is called as the things, firms, places and people of a world are. Venues
// are houses that one can go to, which not all things are.
type Names struct{ Things, Firms, Places, People, Venues []string }

// Bystanders returns so many names of each kind, for a world of a theme, of what no item is
// about. Nobody of them has the first name of one of the people given.
func Bystanders(rnd *rand.Rand, theme string, n int, people ...string) (out Names) {
	from := newNamer(rnd)
	from.beside = true
	here := map[string]bool{}
	for _, p := range people {
		first, _, _ := strings.Cut(p, " ")
		here[first] = true
	}
	from.firsts = slices.DeleteFunc(firstNames(), func(first string) bool { return here[first] })
	for range n {
		out.Things = append(out.Things, from.pickName([]string{fieldOf(theme).title}))
		out.Firms, out.Places = append(out.Firms, from.firm()), append(out.Places, from.place())
		out.People = append(out.People, from.person().Name)
	}
	for range n {
		out.Venues = append(out.Venues, from.pickName([]string{"Hall", "Library", "Museum", "House", "Theatre", "Institute", "Centre", "Rooms"}))
	}
	return out
}

// Stranger returns an invented person, whose first name is none of those that are taken.
func Stranger(rnd *rand.Rand, taken []string) Person {
	n := newNamer(rnd)
	n.firsts = slices.DeleteFunc(firstNames(), func(first string) bool { return slices.Contains(taken, first) })
	return n.person()
}

// NamesIn returns names that a text has of firms and of things of any theme, but for those that
// nothing is asked about.
func NamesIn(text string) (things, firms []string) {
	for _, n := range twoWordNames(text) {
		switch _, kind, _ := strings.Cut(n, " "); {
		case slices.Contains(firmKinds(), kind):
			firms = append(firms, n)
		case slices.ContainsFunc(fields(), func(f field) bool { return f.title == kind }):
			things = append(things, n)
		}
	}
	return things, firms
}

// twoWordNames returns the askable two-word names in a text, in order.
func twoWordNames(text string) (out []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && r != '\'' && !unicode.IsLetter(r) })
	for i := 1; i < len(words); i++ {
		stem, kind := words[i-1], strings.TrimSuffix(words[i], "'s")
		if !IsUnasked(stem) && strings.ToLower(stem) != stem && strings.ToLower(kind) != kind {
			out = append(out, stem+" "+kind)
		}
	}
	return out
}

// TopicOf returns what a text tells an attribute of, and which. Both are empty where the text tells
// none that is asked about, or of nothing that has one.
func TopicOf(text string) (of, attribute string) {
	for _, a := range Attributes() {
		if strings.Contains(" "+text, " "+a+" ") || strings.Contains(text, " "+a+":") || strings.Contains(text, " "+a+".") {
			attribute = a
		}
	}
	for _, n := range twoWordNames(text) {
		_, kind, _ := strings.Cut(n, " ")
		has := slices.Contains(firmKinds(), kind) || slices.Contains(machines(), kind) || slices.ContainsFunc(fields(), func(f field) bool { return f.title == kind })
		if has && (of == "" || strings.Contains(text, attribute+" of "+n)) {
			of = n
		}
	}
	if attribute == "" || of == "" {
		return "", ""
	}
	return of, attribute
}

// TermOf returns the term of a world that a text defines, or makes an exception to; empty for none.
func TermOf(text string) string {
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,")
		stem, end, _ := strings.Cut(w, "-")
		if strings.ToLower(stem) != stem && slices.Contains(termEnds(), end) {
			return w
		}
	}
	return ""
}

// Attributes returns what can be told of things and firms.
func Attributes() []string {
	out := slices.Concat(quantities(), []string{"budget", "priority"})
	for _, a := range slices.Concat(relations(), ends(), disputes()) {
		out = append(out, a.name)
	}
	return out
}
