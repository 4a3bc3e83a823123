package author

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// Most characters of what is added to the given sentences, and of an answer.
const (
	mostAdded  = 600
	mostAnswer = 500
)

// checkSession says what is wrong with a session as it is written.
func (t *simulationWriter) checkSession(n int, in Input, rounds []WrittenRound) (why []string) {
	if len(rounds) != len(in.Rounds) {
		return []string{fmt.Sprintf("there are %d rounds; write %d", len(rounds), len(in.Rounds))}
	}
	said := map[string]bool{}
	for _, l := range in.Last {
		said[l.User] = true
	}
	for i, r := range rounds {
		for _, reason := range t.checkRound(n, i, in.Rounds[i], r) {
			why = append(why, fmt.Sprintf("round %d: %s", i+1, reason))
		}
		if said[r.User] {
			why = append(why, fmt.Sprintf("round %d: the user said this before, word for word", i+1))
		}
		said[r.User] = true
	}
	return why
}

func (t *simulationWriter) checkRound(n, r int, of Round, said WrittenRound) (why []string) {
	added := said.User
	for _, s := range of.Sentences {
		if strings.Count(said.User, s) != 1 {
			why = append(why, fmt.Sprintf("the sentence %q must stand in what the user says once, exactly", s))
		}
		added = strings.Replace(added, s, " ", 1)
	}
	if strings.TrimSpace(said.User) == "" || strings.TrimSpace(said.Assistant) == "" || answercues.HasControl(added+said.Assistant) {
		why = append(why, "a text is empty, or not one paragraph of plain text")
	}
	if utf8.RuneCountInString(added) > mostAdded || utf8.RuneCountInString(said.Assistant) > mostAnswer {
		why = append(why, fmt.Sprintf("it is too long: add %d characters at most to the given sentences, and answer with %d at most", mostAdded, mostAnswer))
	}
	if of.NothingElse && strings.TrimSpace(added) != "" {
		why = append(why, "somebody wrote what the user says here; nothing stands beside it")
	}
	added += "\n" + said.Assistant
	if strings.ContainsFunc(added, unicode.IsDigit) {
		why = append(why, "a number stands beside the given sentences")
	}
	for _, name := range t.names.all {
		if told := t.names.whyForbidden(name, n, r); told != "" && answercues.ContainsWords(added, name) {
			why = append(why, fmt.Sprintf("it says %q beside the given sentences, which %s", name, told))
		}
	}
	for _, k := range t.world.Unsaid {
		if whole := said.User + "\n" + said.Assistant; answercues.ContainsWords(whole, withoutArticle(k.Entity)) && answercues.ContainsWords(whole, k.Aspect) {
			why = append(why, fmt.Sprintf("it speaks of the %s of %s, which nobody ever does", k.Aspect, k.Entity))
		}
	}
	return why
}

// withoutArticle is a thing without its article.
func withoutArticle(thing string) string { return strings.TrimPrefix(thing, "the ") }

// worldNames are those of a world: things, people and values, and when each is told.
type worldNames struct {
	all []string
	// of are the names of the events of a round, as its sentences have them.
	of map[[2]int][]string
	// thing says that a name is that of a thing, which may be spoken of once it is known.
	thing map[string]bool
	// first is the place at which a name is told first; ended the sessions after which it
	// no longer is the value of anything.
	first, ended map[string][2]int
	// own are the values that words, not pictures, tell as what holds in a round.
	own map[[2]int]map[string]bool
}

func newWorldNames(w simulate.World) worldNames {
	out := worldNames{of: map[[2]int][]string{}, thing: map[string]bool{}, first: map[string][2]int{}, ended: map[string][2]int{}, own: map[[2]int]map[string]bool{}}
	for _, e := range w.Events {
		at := [2]int{e.Session, e.Round}
		if out.own[at] == nil {
			out.own[at] = map[string]bool{}
		}
		thing := withoutArticle(e.Key.Entity)
		for _, name := range []string{thing, e.Value, e.Also, e.Old, e.Who} {
			if name == "" || name == "rule" {
				continue
			}
			out.of[at] = append(out.of[at], name)
			if _, known := out.first[name]; !known {
				out.first[name], out.all = at, append(out.all, name)
			}
		}
		out.thing[thing] = out.thing[thing] || thing != ""
		real := !simulate.Interferes(e.Op) && e.Op != simulate.OpTagRule && e.Op != simulate.OpHourRule
		for _, name := range []string{e.Value, e.Also} {
			if real && name != "" && e.Picture < 0 {
				out.own[at][name] = true
			}
			if real {
				delete(out.ended, name)
			}
		}
		if e.Old != "" && real && e.Old != e.Value && e.Old != e.Also {
			out.ended[e.Old] = at
		}
	}
	return out
}

// whyForbidden says why a name may not be spoken of in a round beside its given sentences;
// nothing where it may.
func (s worldNames) whyForbidden(name string, n, r int) string {
	at, ended := s.first[name], s.ended[name]
	switch {
	case s.own[[2]int{n, r}][name]:
		return ""
	case at[0] > n || at[0] == n && at[1] > r:
		return "is told only later"
	case s.thing[name]:
		return ""
	case ended[0] > 0 && ended[0] <= n:
		return "no longer holds"
	}
	return "is told elsewhere"
}
