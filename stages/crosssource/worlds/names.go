package worlds

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// namer draws names, none twice. Words are put together from syllables, so that
// worlds share few of them.
type namer struct {
	rnd   *rand.Rand
	taken map[string]bool
}

func newNamer(rnd *rand.Rand) *namer { return &namer{rnd, map[string]bool{}} }

// fresh draws until something new comes.
func (n *namer) fresh(draw func() string) string {
	for {
		if s := draw(); !n.taken[s] {
			n.taken[s] = true
			return s
		}
	}
}

// stem is a word that is none.
func (n *namer) stem() string {
	return n.fresh(func() string {
		onset := []string{"B", "Br", "C", "Cr", "D", "Dr", "F", "Fl", "G", "Gl", "H", "J", "K", "Kl", "L", "M", "N", "P", "Pr", "Qu", "R", "S", "Sk", "St", "T", "Tr", "V", "W", "Y", "Z"}
		vowel := []string{"a", "e", "i", "o", "u", "ai", "ea", "ie", "oa", "ou", "y"}
		middle := []string{"b", "bl", "ck", "d", "dr", "ff", "g", "l", "ld", "lm", "lv", "m", "mb", "n", "nd", "nn", "p", "r", "rd", "rk", "rl", "rn", "rr", "s", "ss", "st", "t", "th", "tt", "v", "x", "z"}
		end := []string{"a", "an", "ar", "by", "don", "el", "en", "er", "ey", "fell", "ford", "gate", "ham", "ick", "in", "ing", "is", "ley", "low", "mere", "mond", "o", "on", "or", "ow", "sby", "shaw", "stead", "ton", "us", "wick", "worth"}
		return weights.Pick(n.rnd, onset) + weights.Pick(n.rnd, vowel) + weights.Pick(n.rnd, middle) + weights.Pick(n.rnd, end)
	})
}

// called is a name of two words, of which the second says what it is the name of.
func (n *namer) called(kinds []string) string { return n.stem() + " " + weights.Pick(n.rnd, kinds) }

func (n *namer) firm() string {
	return n.called([]string{"Supply", "Works", "Trading", "Partners", "Services", "Brothers", "Logistics", "Holdings", "Associates", "Craft", "Systems", "Union", "Collective", "Guild"})
}

func (n *namer) place() string {
	return n.called([]string{"Lane", "Quay", "Square", "Hill", "Gate", "Street", "Court", "Terrace", "Park", "Bridge", "Mews", "Row", "Wharf", "Corner", "Green"})
}

func (n *namer) event() string {
	return n.called([]string{"Evening", "Workshop", "Fair", "Session", "Matinee", "Meetup", "Hour", "Night", "Round", "Gathering", "Course", "Walk"})
}

// code is a label such as QX-482.
func (n *namer) code() string {
	return n.fresh(func() string {
		letters := "ABCDEFGHJKLMNPQRSTUVWXYZ"
		return string(letters[n.rnd.IntN(24)]) + string(letters[n.rnd.IntN(24)]) + "-" + strconv.Itoa(100+n.rnd.IntN(900))
	})
}

func (n *namer) person() Person {
	first := weights.Pick(n.rnd, firstNames())
	p := Person{Name: first + " " + n.stem(), Town: n.stem()}
	p.Work = weights.Pick(n.rnd, []string{
		"accountant", "archivist", "baker", "bookbinder", "bus driver", "carpenter", "chemist", "conductor", "curator", "dentist", "editor", "electrician", "florist", "gardener",
		"geologist", "joiner", "librarian", "locksmith", "midwife", "nurse", "optician", "painter", "pharmacist", "photographer", "pilot", "plumber", "porter", "potter", "ranger",
		"roofer", "sailor", "surveyor", "tailor", "teacher", "translator", "vet", "weaver", "welder",
	})
	p.Likes = weights.Sample(n.rnd, pastimes(), 2)
	return p
}

func firstNames() []string {
	return strings.Fields("Ada Alma Amir Anouk Arlo Asia Bela Bruno Carla Cato Chidi Cleo Dag Dina Eli Elif Emil Enzo Esme Ezra Farah Finn Flora Greta Hana Hugo Ida Ilya Imani Ines Iris Ivo Jalal Jonas Juno Kai Kemal Lena " +
		"Levi Lina Luis Mabel Maren Mateo Maya Mina Mira Nadia Nils Noor Olga Omar Oona Orla Otis Paulo Petra Pia Priya Quinn Rafa Rhea Rosa Runa Sami Selma Silas Sofie Tariq Thea Tilda Tomas Uma Vera Viktor Wanda Yara Yusuf Zeno Zuri")
}

// pastimes are what people of a world like, and what nothing is asked about.
func pastimes() []string {
	return []string{
		"long walks", "old radios", "cold swims", "sourdough", "jigsaw puzzles", "night trains", "pub quizzes", "mending things", "black coffee", "early starts", "board games", "brass bands",
		"open fires", "thick novels", "rain on the roof", "market days", "bicycle tours", "silent films", "rooftop gardens", "handwritten letters",
	}
}

// numbers draws n different ones from low to high.
func numbers(rnd *rand.Rand, n, low, high int) []int {
	var out []int
	for len(out) < n {
		if v := low + rnd.IntN(high-low+1); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Name is that of a person.
func Name(rnd *rand.Rand) string { return newNamer(rnd).person().Name }
