package defects

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// skewed plants more right options at C than chance explains. The surplus over
// an even share, last by id, is one too many.
func skewed(defects int) Collection {
	c := Collection{Gate: "answer-position", Defect: "skewed-position"}
	rnd := rand.New(rand.NewPCG(uint64(defects), 1))
	places := schemas.BalancedPlaces(rnd, 4*defects, 4)
	for range defects * 4 / 3 { // a quarter of those beyond even belongs to C
		places = slices.Insert(places, rnd.IntN(len(places)), 2)
	}
	fair := (len(places) + 3) / 4
	atC := 0
	for _, place := range places {
		if place == 2 {
			atC++
		}
		c.add(fourOptions(rnd, schemas.TypeInterference, place, mixedRoles), place == 2 && atC > fair)
	}
	return c
}

// inTurn plants more right options that stand one letter on from the one before than
// chance explains.
func inTurn(defects int) Collection {
	c := Collection{Gate: "answer-position", Defect: "position-in-turn"}
	rnd := rand.New(rand.NewPCG(uint64(defects), 3))
	steps := make([]int, 5*defects)
	fair := (len(steps) + 3) / 4
	for i := range steps {
		steps[i] = 1
		if i >= fair+defects {
			steps[i] = i % 3 * 3 % 4 // 0, 3 or 2
		}
	}
	rnd.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	on, place := 0, 0
	c.add(fourOptions(rnd, schemas.TypeInterference, place, mixedRoles), false)
	for _, step := range steps {
		if place = (place + step) % 4; step == 1 {
			on++
		}
		c.add(fourOptions(rnd, schemas.TypeInterference, place, mixedRoles), step == 1 && on > fair)
	}
	return c
}

// biased plants more questions about sources whose answer is neither than
// chance explains.
func biased(defects int) Collection {
	c := Collection{Gate: "source-answers", Defect: "biased-answers"}
	rnd := rand.New(rand.NewPCG(uint64(defects), 2))
	targets := []string{"A", "B", schemas.TargetBoth, schemas.TargetNeither}
	even := 4 * defects
	total := even + defects*4/3
	fair := (total + 3) / 4
	neither := 0
	for i := range total {
		target := targets[i%4]
		if i >= even {
			target = schemas.TargetNeither
		}
		typ := schemas.TypeSourceMemory
		if target == schemas.TargetNeither {
			typ = schemas.TypeFalseMemory
			neither++
		}
		q := fourOptions(rnd, typ, i%4, [3]string{schemas.RoleDistractor, schemas.RoleDistractor, schemas.RoleDistractor})
		q.Labels[schemas.LabelTarget] = target
		c.add(q, target == schemas.TargetNeither && neither > fair)
	}
	return c
}

// guessable plants questions whose right option alone ends in words that others
// never have: a model that has read the set needs no evidence. They are three in
// eight: with much fewer the set as a whole is not answered beyond chance, and
// then the gate flags nothing.
func guessable(rnd *rand.Rand, defects int) Collection {
	c := Collection{Gate: "statistical-shortcuts", Defect: "telling-words", Statistical: true}
	for i := range 8 * defects / 3 {
		q := fourOptions(rnd, schemas.TypeInterference, rnd.IntN(4), mixedRoles)
		q.Question = fmt.Sprintf("Which parcel is lifted in hall %d?", i)
		if i < defects {
			at := int(q.AnswerKey[0] - 'A')
			q.Options[at].Text += " with a dent"
			q.AnswerText = q.Options[at].Text
		}
		c.add(q, i < defects)
	}
	return c
}

// CopiedQuestions makes questions without media, and copies of some: the same words in
// another order of the options, under another task. It returns the questions and
// the ids of each copy and what it is a copy of.
func CopiedQuestions(seed uint64, defects int) (questions []schemas.Question, pairs map[string]string) {
	rnd := rand.New(rand.NewPCG(seed, 0x636f7079))
	c, pairs := Collection{}, map[string]string{}
	for i := range 4 * defects {
		q := fourOptions(rnd, schemas.TypeInterference, i%4, mixedRoles)
		q.Media = nil
		q.Question = fmt.Sprintf("Which parcel is lifted in hall %d?", i)
		c.add(q, false)
	}
	for i := range defects {
		q := c.Questions[i]
		q.TaskID = "" // its own
		q.Options = append(q.Options[1:4:4], q.Options[0])
		for o := range q.Options {
			q.Options[o].Key = schemas.Letter(o)
			if q.Options[o].Text == q.AnswerText {
				q.AnswerKey = q.Options[o].Key
			}
		}
		if i%2 == 0 {
			q.Split = "train"
		}
		c.add(q, true)
		pairs[c.Questions[len(c.Questions)-1].QuestionID] = c.Questions[i].QuestionID
	}
	return c.Questions, pairs
}
