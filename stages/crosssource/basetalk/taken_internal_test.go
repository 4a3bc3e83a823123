package basetalk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWhatIsSaidIsTakenUp: who agrees or disagrees mostly speaks of a thing of the turn
// before, and nobody tells of their own kind of work in their own town as of somebody else's.
func TestWhatIsSaidIsTakenUp(t *testing.T) {
	t.Parallel()
	v, lines := spoken(t, 3000)
	replies, taken := 0, 0
	for i, l := range lines {
		p := v.person(l.Speaker)
		for _, between := range []string{" from ", " in ", " of "} {
			if strings.Contains(l.Text, p.Work+between+p.Town) {
				t.Errorf("%s, a %s of %s, says %q", p.Name, p.Work, p.Town, l.Text)
			}
		}
		if i == 0 || l.Act != "agree" && l.Act != "rebut" {
			continue
		}
		said, both := 0, 0
		for _, thing := range lines[i-1].about {
			if strings.Contains(strings.ToLower(lines[i-1].Text), thing) {
				said++
				if strings.Contains(strings.ToLower(l.Text), thing) {
					both++
				}
			}
		}
		if said > 0 {
			replies++
			taken += min(both, 1)
		}
	}
	if taken*10 < replies*7 || replies < 300 {
		t.Errorf("%d of %d replies speak of what they reply to", taken, replies)
	}
	t.Logf("%d of %d replies speak of what they reply to", taken, replies)
}

// spoken is a voice of five people, and turns of theirs.
func spoken(t *testing.T, turns int) (*Voice, []Line) {
	t.Helper()
	var all []Person
	for i, work := range []string{"baker", "pilot", "nurse", "joiner", "vet"} {
		all = append(all, Person{Name: fmt.Sprintf("Person%c Surname", 'a'+rune(i)), Work: work, Town: fmt.Sprintf("Town%c", 'a'+rune(i)), Likes: []string{"long walks"}})
	}
	v, err := NewVoice(rand.New(rand.NewPCG(1, 7)), []string{"films", "sports"}, all)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := v.Chat(turns)
	if err != nil {
		t.Fatal(err)
	}
	return v, lines
}
