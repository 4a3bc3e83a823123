package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNamesAreFound: firms and things are told from each other and from people and places.
func TestNamesAreFound(t *testing.T) {
	t.Parallel()
	things, firms := NamesIn("For Nastgate Logistics, the parent firm of Lyrning Cinema is Daiplow Supply. Ida Stixing is on Fenmond Hill.")
	if !slices.Equal(things, []string{"Lyrning Cinema"}) || !slices.Equal(firms, []string{"Nastgate Logistics", "Daiplow Supply"}) {
		t.Errorf("things %q, firms %q", things, firms)
	}
	if things, firms := NamesIn("nothing is named Here"); len(things)+len(firms) > 0 {
		t.Errorf("things %q, firms %q", things, firms)
	}
}

// TestNamesCanBeRead: no name has one letter three times in a row.
func TestNamesCanBeRead(t *testing.T) {
	t.Parallel()
	n, doubled := newNamer(rand.New(rand.NewPCG(3, 6))), 0
	for range 20_000 {
		word, run := n.stem(), 1
		for i := 1; i < len(word); i++ {
			if word[i] != word[i-1] {
				run = 0
			}
			run++
			if run == 2 {
				doubled++
			}
			if run == 3 {
				t.Errorf("%s has %q three times", word, word[i])
			}
		}
	}
	if doubled < 1000 {
		t.Errorf("%d letters are doubled", doubled)
	}
}

// TestTopicsAreFound: of what is told of something, whatever the words, the thing and the
// attribute are known, and the term of a definition; not of other texts.
func TestTopicsAreFound(t *testing.T) {
	t.Parallel()
	s := &simulator{namer: newNamer(rand.New(rand.NewPCG(1, 6))), field: fieldOf("music")}
	for range 200 {
		for of, attributes := range map[string][]string{s.pickName([]string{"Choir"}): {"deputy", "lamp order"}, s.firm(): {"leasing firm", "night porter"}, s.pickName(machines()): {"budget"}} {
			for _, a := range attributes {
				for _, text := range []string{s.sayFact(of, a, s.firm()), s.writeFact(of, a, "270"), s.sayChange(of, a, s.person().Name), s.sayRaise(of, a, 4), s.sayDecider("Ida Stixing", of, a)} {
					if thing, attribute := TopicOf(text); thing != of || attribute != a {
						t.Errorf("%q is of the %q of %q", text, attribute, thing)
					}
				}
			}
		}
		term := s.term()
		if TermOf(s.sayDefinition(term, 10, 40)) != term || TermOf(s.sayException(term, grades{limit: 30, above: true})) != term {
			t.Errorf("%s is not found in %q", term, s.sayDefinition(term, 10, 40))
		}
	}
	for _, text := range []string{"Self-service and co-operation in Kailford.", "I am fond of long walks.", "Somebody is the deputy of nobody."} {
		if of, a := TopicOf(text); of != "" || TermOf(text) != "" {
			t.Errorf("%q is of the %q of %q, %q", text, a, of, TermOf(text))
		}
	}
}
