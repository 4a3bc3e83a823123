package defects

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
)

// Collection is a set of questions for one gate that judges a question by its
// form, or by the others beside it.
type Collection struct {
	// Gate judges it, Defect is what was planted in it.
	Gate, Defect string
	Questions    []schemas.Question
	// Planted says of each question whether the gate should flag it.
	Planted []bool
	// Statistical says that the gate finds a defect by how likely it is, so that
	// it may miss one and, rarely, take a clean question for one.
	Statistical bool
}

func (c *Collection) add(q schemas.Question, planted bool) {
	q.QuestionID = fmt.Sprintf("c%04d", len(c.Questions))
	if q.TaskID == "" {
		q.TaskID = "task " + q.QuestionID
	}
	c.Questions, c.Planted = append(c.Questions, q), append(c.Planted, planted)
}

// Collections makes one collection per structural defect, with the given number
// of questions that have it and more that do not.
func Collections(seed uint64, defects int) []Collection {
	rnd := rand.New(rand.NewPCG(seed, 0x636f6c6c656374))
	return []Collection{
		wrongRoles(rnd, defects), noMirror(rnd, defects), unbalanced(defects), namedFiles(rnd, defects),
		tellingLength(defects), skewed(defects), inTurn(defects), biased(defects), guessable(rnd, 3*defects),
	}
}

// randomMediaID is a media id.
func randomMediaID(rnd *rand.Rand) string {
	return fmt.Sprintf("%016x%016x%016x%016x", rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64())
}

// fourOptions is a question with four options, the right one at a place.
func fourOptions(rnd *rand.Rand, typ string, place int, roles [3]string) schemas.Question {
	c, f := rnd.Perm(len(colours)), rnd.Perm(len(forms))
	q := schemas.Question{Family: "planted", Type: typ, Question: "Which parcel is lifted?", Media: []string{randomMediaID(rnd)}, Split: "test", Labels: map[string]string{}}
	for i := range 4 {
		q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(i), Text: colours[c[i]] + " " + forms[f[i]], Role: roles[(i+3-place)%4%3]})
	}
	q.Options[place].Role = schemas.RoleCorrect
	q.AnswerKey, q.AnswerText = q.Options[place].Key, q.Options[place].Text
	return q
}

// mixedRoles are the wrong options of a question about interference.
var mixedRoles = [3]string{schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}

// wrongRoles plants options of roles that a question about interference must
// not have: two unrelated ones, or three intrusions.
func wrongRoles(rnd *rand.Rand, defects int) Collection {
	c := Collection{Gate: "interference-roles", Defect: "wrong-roles"}
	for i := range 3 * defects {
		roles := mixedRoles
		if i < defects {
			roles[2-i%2] = [2]string{schemas.RoleIntrusion, schemas.RoleUnrelated}[i%2]
		}
		c.add(fourOptions(rnd, schemas.TypeInterference, i%4, roles), i < defects)
	}
	return c
}

// noMirror plants questions whose other order is missing.
func noMirror(rnd *rand.Rand, defects int) Collection {
	c := Collection{Gate: "mirror-pairs", Defect: "no-mirror"}
	for i := range 2 * defects {
		q := fourOptions(rnd, schemas.TypeInterference, i%4, mixedRoles)
		q.Labels[schemas.LabelMirror] = fmt.Sprintf("m%03d", i)
		directions := []string{schemas.Proactive, schemas.Retroactive}
		if i < defects {
			directions = directions[i%2 : i%2+1]
		}
		for _, d := range directions {
			q.Labels = map[string]string{schemas.LabelMirror: q.Labels[schemas.LabelMirror], schemas.LabelDirection: d}
			q.Media = []string{randomMediaID(rnd)}
			c.add(q, i < defects)
		}
	}
	return c
}

// recallQuestion is a question of N-Back.
func recallQuestion(n, k, number int, yes bool, media string) schemas.Question {
	q := schemas.Question{
		Family: "planted", Type: schemas.TypeNBack, Question: "Is the last clip the same action?", Media: []string{media}, Split: "test",
		Options: []schemas.Option{{Key: "A", Text: "Yes", Role: schemas.RoleDistractor}, {Key: "B", Text: "No", Role: schemas.RoleCorrect}},
		Labels: map[string]string{
			"attribute": "action", "n_value": fmt.Sprint(n), "clip_count": fmt.Sprint(k),
			"first_clip": fmt.Sprint(number / 2), "frames": fmt.Sprint(100 + number/2%5),
		},
	}
	if yes {
		q.Options[0].Role, q.Options[1].Role = schemas.RoleCorrect, schemas.RoleDistractor
	}
	for _, o := range q.Options {
		if o.Role == schemas.RoleCorrect {
			q.AnswerKey, q.AnswerText = o.Key, o.Text
		}
	}
	return q
}

// unbalanced plants a surplus of yes in every second cell. Of equal answers the
// last by id are one too many.
func unbalanced(defects int) Collection {
	c := Collection{Gate: "nback-balance", Defect: "unbalanced"}
	const cells = 5
	for cell := range 2 * cells {
		for i := range 8 {
			c.add(recallQuestion(1+cell%3, 4+cell, i, i%2 == 0, fmt.Sprintf("%064x", 100*cell+i)), false)
		}
		if cell%2 == 1 {
			continue
		}
		for i := range (defects + cells - 1) / cells {
			c.add(recallQuestion(1+cell%3, 4+cell, i, true, fmt.Sprintf("%064x", 100*cell+50+i)), true)
		}
	}
	return c
}

// namedFiles plants videos whose name says the answer.
func namedFiles(rnd *rand.Rand, defects int) Collection {
	c := Collection{Gate: "nback-leak", Defect: "label-in-file-name"}
	for i := range 4 * defects {
		yes, media := i%2 == 0, randomMediaID(rnd)
		if i < defects {
			media = map[bool]string{true: "match", false: "other"}[yes] + fmt.Sprintf("-%03d.mp4", i)
		}
		c.add(recallQuestion(1, 4, i, yes, media), i < defects)
	}
	return c
}

// tellingLength plants videos that are longer where the answer is yes: those of
// five clips. Those of four are not.
func tellingLength(defects int) Collection {
	c := Collection{Gate: "nback-leak", Defect: "label-in-length"}
	each := max(defects, 30)
	for i := range 2 * each {
		k, yes := 4+i/each, i%2 == 0
		q := recallQuestion(1, k, i, yes, fmt.Sprintf("%064x", i))
		q.Labels["clip_count"] = fmt.Sprint(k)
		if k == 5 && yes {
			q.Labels["frames"] = fmt.Sprint(200 + i%7)
		}
		c.add(q, k == 5)
	}
	return c
}
