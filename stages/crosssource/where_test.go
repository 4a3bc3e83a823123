package crosssource_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// thing is what is told of one thing that a question could be about, as a reader finds it
// who does not see the card.
type thing struct {
	name    string
	asked   bool
	at      []int64
	written bool // something of it stands in a document
	sources map[string]bool
}

// guesser takes some of the things that are told of.
type guesser struct {
	name  string
	among func([]thing) []thing
}

// guessers read order, documents and chats, and no card.
func guessers() []guesser {
	by := func(value func(thing) int64) func([]thing) []thing {
		return func(list []thing) (out []thing) {
			best := int64(math.MaxInt64)
			for _, t := range list {
				best = min(best, value(t))
			}
			return slices.DeleteFunc(slices.Clone(list), func(t thing) bool { return value(t) != best })
		}
	}
	only := func(is func(thing) bool) func([]thing) []thing {
		return func(list []thing) []thing {
			if out := slices.DeleteFunc(slices.Clone(list), func(t thing) bool { return !is(t) }); len(out) > 0 {
				return out
			}
			return list
		}
	}
	return []guesser{
		{"told first", by(func(t thing) int64 { return slices.Min(t.at) })},
		{"told last", by(func(t thing) int64 { return -slices.Max(t.at) })},
		{"told in the shortest time", by(func(t thing) int64 { return slices.Max(t.at) - slices.Min(t.at) })},
		{"told over the longest time", by(func(t thing) int64 { return slices.Min(t.at) - slices.Max(t.at) })},
		{"in a document", only(func(t thing) bool { return t.written })},
		{"in no document", only(func(t thing) bool { return !t.written })},
		{"in one source", only(func(t thing) bool { return len(t.sources) == 1 })},
		{"in most sources", by(func(t thing) int64 { return -int64(len(t.sources)) })},
	}
}

// asks are questions about what a card shows, by what is told of each thing: an attribute
// of it, or what a procedure of its owner is about.
var (
	asksOf   = regexp.MustCompile(`\b[Tt]he ([a-z ]+) of the [a-z ]+ on the card`)
	asksCall = regexp.MustCompile(`([a-z]+) the [a-z]+ on the card`)
	aFirm    = regexp.MustCompile(`[A-Z][a-z]+ (?:Supply|Works|Trading|Partners|Services|Brothers|Logistics|Holdings|Associates|Craft|Systems|Union|Collective|Guild)`)
)

// thingsOf are those that the evidence of a question, and what misleads, tell of: of calls
// the firms with a procedure. The card says which one is meant.
func thingsOf(b built, q schemas.Question) (kind string, out []thing) {
	card := ""
	for _, e := range q.Evidence {
		if x, ok := b.exhibits[e.Media]; ok && x.Kind == "card" {
			if card = x.Title; q.AnswerCall != "" {
				card = x.Rows[0].Cells[1]
			}
		}
	}
	kind, attribute, title := q.Labels["task"]+" "+q.Labels["conflict"], "", card[strings.LastIndex(card, " ")+1:]
	if m := asksOf.FindStringSubmatch(q.Question); m != nil {
		links := strings.Split(m[1], " of the ")
		attribute = links[len(links)-1]
	}
	named := regexp.MustCompile(`[A-Z][a-z]+ ` + title + `\b`)
	if m := asksCall.FindStringSubmatch(q.Question); m != nil && q.AnswerCall != "" {
		attribute, named = " "+m[1], aFirm
	}
	if card == "" || attribute == "" {
		return kind, nil
	}
	turns, kinds := whereOf(b, q.TaskID)
	for _, e := range q.Evidence {
		of := named.FindString(unquoted(e.Text))
		if e.Media != "" || e.Modality != schemas.ModalityText || of == "" || !strings.Contains(unquoted(e.Text), attribute) {
			continue
		}
		at := slices.IndexFunc(out, func(t thing) bool { return t.name == of })
		if at < 0 {
			at = len(out)
			out = append(out, thing{name: of, asked: of == card, sources: map[string]bool{}})
		}
		out[at].at = append(out[at].at, turns[e.Ref])
		out[at].sources[e.SessionID] = true
		out[at].written = out[at].written || kinds[e.SessionID] == schemas.KindDocument
	}
	if q.Labels["conflict"] == "total" { // what asks for a total asks of what has changed
		out = slices.DeleteFunc(out, func(t thing) bool { return len(t.at) == 1 })
	}
	return kind, out
}

// whereOf are the places of the turns of a task, and the kinds of its sources.
func whereOf(b built, task string) (turns map[string]int64, kinds map[string]string) {
	turns, kinds = map[string]int64{}, map[string]string{}
	for _, s := range b.of(task, "") {
		kinds[s.SessionID] = s.Kind
		for _, u := range s.Turns {
			turns[u.TurnID] = u.Position
		}
	}
	return turns, kinds
}

// TestPlacesTellNotWhatIsAsked: over many worlds, who does not see the card and takes the
// thing told of first, last, in a document, in one source and so on takes the right one no
// more often than chance, in both arrangements; likewise the firm whose desk is the right
// one. In twins all that is told of a question stands in one chat.
func TestPlacesTellNotWhatIsAsked(t *testing.T) {
	t.Parallel()
	tallies := map[string]*placeTally{}
	tallyPlaces(t, askStage(t), tallies) // worlds that another test looks at, too
	var lock sync.Mutex
	t.Run("seed", func(t *testing.T) {
		for seed := range testsize.Choose(uint64(0), 10) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				b := cards(t, seed)
				lock.Lock()
				defer lock.Unlock()
				tallyPlaces(t, b, tallies)
			})
		}
	})
	kinds := map[string]bool{}
	for name, c := range tallies {
		kind, _, _ := strings.Cut(name, ",")
		kinds[kind] = true
		bound := c.chance + 3.3*math.Sqrt(c.variance)
		if c.right > bound || bound > 0.6*c.n && c.chance < 0.4*c.n {
			t.Errorf("%s: right %.2f of %.0f, by chance %.2f, bound %.2f; a bound above 0.6 tells too little", name, c.right/c.n, c.n, c.chance/c.n, bound/c.n)
		}
		t.Logf("%s: right %.2f of %.0f, by chance %.2f, bound %.2f", name, c.right/c.n, c.n, c.chance/c.n, bound/c.n)
	}
	if len(kinds) != 5 {
		t.Errorf("%d kinds of questions were read, want 5: %v", len(kinds), kinds)
	}
}

// placeTally is how often a guess was right, and how often it is by chance.
type placeTally struct{ n, chance, variance, right float64 }

// tallyPlaces counts the guesses at the questions of a family.
func tallyPlaces(t *testing.T, b built, tallies map[string]*placeTally) {
	t.Helper()
	for _, q := range b.questions {
		kind, list := thingsOf(b, q)
		if len(list) == 0 {
			continue
		}
		if !slices.ContainsFunc(list, func(t thing) bool { return t.asked }) {
			t.Errorf("%s: nothing is told of what its card shows: %+v", q.QuestionID, list)
		}
		for _, g := range guessers() {
			taken := g.among(list)
			name := kind + ", " + q.Labels["arrangement"] + ", " + g.name
			if tallies[name] == nil {
				tallies[name] = &placeTally{}
			}
			c := tallies[name]
			p := 1 / float64(len(list))
			c.n, c.chance, c.variance = c.n+1, c.chance+p, c.variance+p*(1-p)
			if slices.ContainsFunc(taken, func(t thing) bool { return t.asked }) {
				c.right += 1 / float64(len(taken))
			}
		}
	}
}

// cards is a family of one world most of whose questions are about what a card shows.
func cards(t *testing.T, seed uint64) built {
	t.Helper()
	w, p := small()
	w.Size.Documents, w.Size.Images = 0.7, 0.4
	w.Size.Items = map[string]int{schemas.TaskMultiHop: 4, schemas.TaskConflict: 9, schemas.TaskFunctionCall: 4}
	w.Size.Pieces = []weights.Range{{From: 3, Weight: 4}, {From: 4, Weight: 4}, {From: 5, To: 7, Weight: 4}}
	p.Turns = 160
	return build(t, seed, w, p)
}
