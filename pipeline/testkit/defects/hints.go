package defects

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Hint is a way in which questions give their answer away without evidence.
type Hint struct {
	Name string
	// Figure names the way to guess that must notice it.
	Figure string
	plant  func(rnd *rand.Rand, q *schemas.Question)
}

// Hints lists the hints, one for each simple rule and one of words alone.
func Hints() []Hint {
	return []Hint{
		{"gold is longest", "longest option", func(rnd *rand.Rand, q *schemas.Question) { extreme(rnd, q, 1) }},
		{"gold is shortest", "shortest option", func(rnd *rand.Rand, q *schemas.Question) { extreme(rnd, q, -1) }},
		{"gold stands at C", "position most often right elsewhere", func(_ *rand.Rand, q *schemas.Question) { makeRight(q, 2) }},
		{"gold is alone", "odd one out", lonely},
		{"gold is central", "most like the others", central},
		{"gold is everywhere", "commonest option", func(_ *rand.Rand, q *schemas.Question) { reword(q, goldAt(q), "grey kettle") }},
		{"gold is unheard of", "rarest option", everydayBut},
		{"question names gold", "most words of the question", func(_ *rand.Rand, q *schemas.Question) { q.Question += " Not the other " + q.AnswerText + "!" }},
		{"gold is named last", "latest mentioned in the question", namedLast},
		{"words tell gold", "choice model on options", func(_ *rand.Rand, q *schemas.Question) { reword(q, goldAt(q), "worn "+strings.Fields(q.AnswerText)[1]) }},
	}
}

// HintedQuestions makes so many facts of a type, of which the first planted ones have a
// hint, and shows each in some ways: over other media, in other tasks. Without a
// hint they are clean. It reports for each question whether it was spoilt.
func HintedQuestions(seed uint64, typ string, h *Hint, facts, planted, copies int) (qs []schemas.Question, spoilt []bool) {
	rnd := rand.New(rand.NewPCG(seed, 0x68696e74))
	for i := range facts {
		q := fourOptions(rnd, typ, rnd.IntN(4), mixedRoles)
		q.Question = fmt.Sprintf("Which parcel is lifted in hall %d?", rnd.IntN(1e6))
		if h != nil && i < planted {
			h.plant(rnd, &q)
		}
		for way := range copies {
			c := q
			c.QuestionID, c.TaskID = fmt.Sprintf("%s-%04d-%d", typ, i, way), fmt.Sprintf("%s-t%04d-%d", typ, i, way)
			c.Labels, c.Media = map[string]string{schemas.LabelFact: fmt.Sprintf("%s-%04d", typ, i)}, []string{randomMediaID(rnd)}
			qs, spoilt = append(qs, c), append(spoilt, h != nil && i < planted)
		}
	}
	return qs, spoilt
}

func goldAt(q *schemas.Question) int {
	return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
}

// makeRight makes another option the right one.
func makeRight(q *schemas.Question, at int) {
	old := goldAt(q)
	q.Options[old].Role, q.Options[at].Role = q.Options[at].Role, q.Options[old].Role
	q.AnswerKey, q.AnswerText = q.Options[at].Key, q.Options[at].Text
}

// reword gives an option another text.
func reword(q *schemas.Question, at int, text string) {
	q.Options[at].Text = text
	q.AnswerText = q.Options[goldAt(q)].Text
}

// extreme makes the longest option (times sign) the right one, among options of
// which one is longest.
func extreme(rnd *rand.Rand, q *schemas.Question, sign int) {
	for {
		best, ties := 0, 0
		for i, o := range q.Options {
			switch d := sign * (len(o.Text) - len(q.Options[best].Text)); {
			case d > 0:
				best, ties = i, 0
			case d == 0 && i > 0:
				ties++
			}
		}
		if ties == 0 {
			makeRight(q, best)
			return
		}
		q.Options = fourOptions(rnd, q.Type, goldAt(q), mixedRoles).Options
	}
}

// lonely gives the wrong options one colour, central gives each a word of the
// right one.
func lonely(_ *rand.Rand, q *schemas.Question) {
	gold := goldAt(q)
	colour := strings.Fields(q.Options[(gold+1)%4].Text)[0]
	for n := 2; n < 4; n++ {
		reword(q, (gold+n)%4, colour+" "+strings.Fields(q.Options[(gold+n)%4].Text)[1])
	}
}

func central(_ *rand.Rand, q *schemas.Question) {
	gold := strings.Fields(q.AnswerText)
	for n := 1; n < 4; n++ {
		at := (goldAt(q) + n) % 4
		words := strings.Fields(q.Options[at].Text)
		words[n%2] = gold[n%2]
		reword(q, at, strings.Join(words, " "))
	}
}

// everydayBut makes every wrong option one that stands in many questions.
func everydayBut(rnd *rand.Rand, q *schemas.Question) {
	everyday := strings.Split("grey kettle,grey ladder,grey saucer,grey violin", ",")
	rnd.Shuffle(len(everyday), func(i, j int) { everyday[i], everyday[j] = everyday[j], everyday[i] })
	for n := 1; n < 4; n++ {
		reword(q, (goldAt(q)+n)%4, everyday[n])
	}
}

// namedLast lists the options in the question, the right one last.
func namedLast(rnd *rand.Rand, q *schemas.Question) {
	gold := goldAt(q)
	for _, i := range rnd.Perm(4) {
		if i != gold {
			q.Question += " Is it the " + q.Options[i].Text + "?"
		}
	}
	q.Question += " Is it the " + q.AnswerText + "?"
}
