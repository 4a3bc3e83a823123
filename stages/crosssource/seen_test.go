package crosssource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// TestNamesLeadToMoreThanEvidence: firms and things that texts of items tell of are named
// by the way as well, and in more turns than such texts, but none that is an option or stands
// in a call.
func TestNamesLeadToMoreThanEvidence(t *testing.T) {
	t.Parallel()
	told, mentioned, turns, texted := 0, 0, 0, 0
	for seed := range kept {
		b := family(t, seed)
		texts, names, offered := map[string]bool{}, map[string]bool{}, []string{}
		for _, i := range b.items {
			offered = append(offered, i.Question.AnswerCall)
			for _, o := range i.Question.Options {
				offered = append(offered, o.Text)
			}
			for _, u := range i.Units {
				texts[u.Text] = true
				things, firms := simulate.NamesIn(u.Text)
				for _, n := range slices.Concat(things, firms) {
					names[n] = true
				}
			}
		}
		found := map[string]bool{}
		for _, s := range b.sessions {
			for _, x := range s.Turns {
				if strings.Contains(x.Text, " | ") {
					continue
				}
				things, firms := simulate.NamesIn(x.Text)
				if named := slices.ContainsFunc(slices.Concat(things, firms), func(n string) bool { return names[n] }); named && texts[x.Text] {
					texted++
				} else if named {
					turns++
				}
				if texts[x.Text] {
					continue
				}
				for _, n := range slices.Concat(things, firms) {
					if !names[n] {
						continue
					}
					if slices.ContainsFunc(offered, func(o string) bool { return strings.Contains(o, n) }) {
						t.Errorf("%q names %s, which is offered as an answer", x.Text, n)
					}
					found[n] = true
				}
			}
		}
		told, mentioned = told+len(names), mentioned+len(found)
	}
	if mentioned*3 < told*2 || texted*15 > turns*8 {
		t.Errorf("%d of %d names of what is told of are mentioned elsewhere, in %d turns, and %d tell of them", mentioned, told, turns, texted)
	}
	t.Logf("%d of %d names of what is told of are mentioned elsewhere, in %d turns, and %d tell of them", mentioned, told, turns, texted)
}
