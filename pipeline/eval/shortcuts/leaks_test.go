package shortcuts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// sound makes four questions each about so many tasks. Nothing tells the right option.
func sound(tasks int, rnd *rand.Rand) []schemas.Question {
	qs := clean(4*tasks, rnd)
	for i := range qs {
		qs[i].TaskID = fmt.Sprintf("t%04d", i/4)
	}
	return qs
}

func setOptions(q *schemas.Question, gold int, texts ...string) {
	q.Options = nil
	for i, t := range texts {
		q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(i), Text: t})
	}
	setGold(q, gold)
}

// shuffled sets options of which the first is right, in random order.
func shuffled(q *schemas.Question, rnd *rand.Rand, texts ...string) {
	gold := texts[0]
	rnd.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	setOptions(q, slices.Index(texts, gold), texts...)
}

// leaks are ways to plant the right answer, by the rule that must find it; "-" before the name
// wants it below chance.
func leaks() map[string]func(q *schemas.Question, i int, rnd *rand.Rand) {
	wrong := func(q *schemas.Question, rnd *rand.Rand) *schemas.Option {
		return &q.Options[(gold(q)+1+rnd.IntN(3))%4]
	}
	numbers := func(rnd *rand.Rand) []string {
		at := 10 + rnd.IntN(50)
		return []string{fmt.Sprint(at), fmt.Sprint(at + 7), fmt.Sprint(at + 12), fmt.Sprint(at + 30)}
	}
	return map[string]func(q *schemas.Question, i int, rnd *rand.Rand){
		"longest option":   func(q *schemas.Question, _ int, _ *rand.Rand) { suffix(q, " with a broken handle") },
		"-longest option":  func(q *schemas.Question, _ int, rnd *rand.Rand) { wrong(q, rnd).Text += " with a broken handle" },
		"-shortest option": func(q *schemas.Question, _ int, rnd *rand.Rand) { wrong(q, rnd).Text = "a" },
		"odd one out": func(q *schemas.Question, i int, rnd *rand.Rand) {
			shuffled(q, rnd, fmt.Sprint("tall w", i), fmt.Sprint("red x", i), fmt.Sprint("red y", i), fmt.Sprint("red z", i))
		},
		"most like the others": func(q *schemas.Question, i int, rnd *rand.Rand) {
			shuffled(q, rnd, "red kettle", "red ladder", "blue kettle", "green anchor")
		},
		"spelt least like the others": func(q *schemas.Question, i int, rnd *rand.Rand) {
			shuffled(q, rnd, fmt.Sprint("mug", i), fmt.Sprint("kettle", i), fmt.Sprint("kettles", i), fmt.Sprint("kettler", i))
		},
		"of the rarest form":    func(q *schemas.Question, _ int, _ *rand.Rand) { q.Options[gold(q)].Text = "the " + q.AnswerText },
		"commonest option":      func(q *schemas.Question, _ int, _ *rand.Rand) { q.Options[gold(q)].Text = "grey kettle" },
		"-commonest option":     func(q *schemas.Question, _ int, rnd *rand.Rand) { wrong(q, rnd).Text = "grey kettle" },
		"named in the question": func(q *schemas.Question, _ int, _ *rand.Rand) { q.Question += " Not the other " + q.AnswerText + "!" },
		"-named in the question": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			q.Question += " Beside the " + wrong(q, rnd).Text + "?"
		},
		"named in the open wording": func(q *schemas.Question, _ int, _ *rand.Rand) {
			q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
			q.Question += " Not the other " + q.AnswerText + "!"
		},
		"-named in the open wording": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
			q.Question += " Beside the " + wrong(q, rnd).Text + "?"
		},
		"second smallest number or date": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			n := numbers(rnd)
			shuffled(q, rnd, n[1], n[0], n[2], n[3])
		},
		"-largest number or date": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			n := numbers(rnd)
			k := rnd.IntN(3)
			n[0], n[k] = n[k], n[0]
			shuffled(q, rnd, n...)
		},
		"nearest to the others as a number or date": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			shuffled(q, rnd, "3 May 2024", "1 April 2024", "1 May 2024", "30 August 2024")
		},
		"parts where most options have them": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			shuffled(q, rnd, "a, then b, then c", "a, then c, then b", "b, then a, then c", "c, then b, then a")
		},
		"option C": func(q *schemas.Question, _ int, _ *rand.Rand) { setGold(q, 2) },
		"letter after that of the question before":    func(q *schemas.Question, i int, _ *rand.Rand) { setGold(q, i%4) },
		"first in the alphabet":                       func(q *schemas.Question, i int, _ *rand.Rand) { q.Options[gold(q)].Text = "an " + q.AnswerText },
		"right in an earlier question of the cluster": func(q *schemas.Question, i int, _ *rand.Rand) { q.Options[gold(q)].Text = fmt.Sprint("thing", i/4) },
		"-right in an earlier question of the cluster": func(q *schemas.Question, i int, rnd *rand.Rand) {
			q.Options[gold(q)].Text = fmt.Sprintf("thing%dx%d", i/4, i%4)
			wrong(q, rnd).Text = fmt.Sprintf("thing%dx%d", i/4, (i+3)%4)
		},
		"wrong in an earlier question of the cluster": func(q *schemas.Question, i int, rnd *rand.Rand) {
			q.Options[gold(q)].Text = fmt.Sprintf("thing%dx%d", i/4, i%4)
			wrong(q, rnd).Text = fmt.Sprintf("thing%dx%d", i/4, (i+1)%4)
		},
		"option most often right elsewhere": func(q *schemas.Question, i int, _ *rand.Rand) {
			for o := range q.Options {
				q.Options[o].Text = fmt.Sprintf("kind%d", (o-gold(q)+4)%4)
			}
		},
		"most like options of other questions": func(q *schemas.Question, i int, rnd *rand.Rand) {
			tag := func(join string) string {
				return fmt.Sprintf("%d%sKX%s%c%c", rnd.IntN(90), join, join, 'A'+rune(rnd.IntN(26)), 'A'+rune(rnd.IntN(26)))
			}
			joins := []string{"-", "_", ".", "/", ":"}
			other := slices.DeleteFunc(slices.Clone(joins), func(j string) bool { return j == joins[i/4%5] })
			rnd.Shuffle(4, func(a, b int) { other[a], other[b] = other[b], other[a] })
			shuffled(q, rnd, tag(joins[i/4%5]), tag(other[0]), tag(other[1]), tag(other[2]))
		},
		"choice model on options": func(q *schemas.Question, _ int, rnd *rand.Rand) {
			for o := range q.Options {
				word := "shiny"
				if o == gold(q) {
					word = "rusty"
				}
				q.Options[o].Text = word + " " + strings.Fields(q.Options[o].Text)[1]
			}
			q.AnswerText = q.Options[gold(q)].Text
		},
	}
}

// TestEachLeakIsFoundByItsRule plants one in all questions.
func TestEachLeakIsFoundByItsRule(t *testing.T) {
	if n := len(leaks()); n < 20 {
		t.Fatalf("%d leaks", n)
	}
	for name, plant := range leaks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(5, uint64(len(name))))
			qs := sound(25, rnd)
			for i := range qs {
				plant(&qs[i], i, rnd)
				setGold(&qs[i], gold(&qs[i]))
			}
			rule, below := strings.CutPrefix(name, "-")
			s := study(t, qs)
			s.Figures = append(s.Figures, s.Company...)
			f := figure(t, s, rule)
			if !f.BeyondChance(0.01) || (f.Excess() < 0) != below {
				t.Errorf("%.1f %% %s of %d facts, chance %.1f %%, p %.2g", 100*f.Accuracy.Value, f.Accuracy.Span(), f.Facts, 100*f.Chance, f.Adjusted)
			}
		})
	}
}

// TestSoundSetsAreNotFlagged: at most one of twenty has any figure off chance.
func TestSoundSetsAreNotFlagged(t *testing.T) {
	flagged := 0
	for seed := range uint64(20) {
		s := study(t, sound(20, rand.New(rand.NewPCG(seed, 77))))
		for _, f := range append(s.Figures, s.Company...) {
			if f.BeyondChance(0.01) {
				t.Logf("seed %d: %s %+v p %.2g", seed, f.Name, f.Accuracy, f.Adjusted)
				flagged++
				break
			}
		}
	}
	if flagged > 1 {
		t.Errorf("%d of 20 sound sets are flagged", flagged)
	}
}

// TestAddedRulesAreTried: a rule of a domain finds what only it can.
func TestAddedRulesAreTried(t *testing.T) {
	qs := sound(25, rand.New(rand.NewPCG(9, 9)))
	for i := range qs {
		qs[i].Question += fmt.Sprint(" Hall ", gold(&qs[i]))
	}
	rule := Rule{Name: "hall of the question", Sees: Alone, Rate: func(c *Case) []float64 {
		return c.rate(func(i int) float64 { return indicator(strings.HasSuffix(c.Question, fmt.Sprint(" ", i))) })
	}}
	all, err := Studies(Subject{Questions: qs, Added: []Rule{rule}, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }})
	if err != nil {
		t.Fatal(err)
	}
	if f := figure(t, all[0], rule.Name); f.Accuracy.Value != 1 || !f.BeyondChance(0.01) {
		t.Errorf("%+v", f)
	}
}

// TestBaselinesReadTheHistory: each rule answers what it is made for, and is not judged.
func TestBaselinesReadTheHistory(t *testing.T) {
	qs := sound(10, rand.New(rand.NewPCG(6, 1)))
	materials, exhibits, happenings := []Material{}, map[string]Exhibit{}, map[string][]string{}
	for task := range 10 {
		s := schemas.Session{SessionID: fmt.Sprint("s", task), TaskID: fmt.Sprintf("t%04d", task), Date: "2024-03-05"}
		for k := range 4 {
			i := 4*task + k
			q := &qs[i]
			thing := fmt.Sprintf("zither%d", i)
			for o := range q.Options {
				q.Options[o].Text = fmt.Sprintf("value%dx%d", i, o)
			}
			setGold(q, gold(q))
			q.Question = fmt.Sprintf("What is the colour of the %s of 5 March 2024 in the film %s?", thing, thing)
			q.Evidence = []schemas.Evidence{{Kind: schemas.EvidenceTurn, Ref: fmt.Sprint("turn", i), Role: "clue"}}
			happenings[thing] = []string{q.AnswerText}
			say := func(id, text string, media ...schemas.Attachment) {
				s.Turns = append(s.Turns, schemas.Turn{TurnID: id, Text: text, Attachments: media})
			}
			for o := range q.Options {
				if o != gold(q) {
					say("", "Once "+q.Options[o].Text+" was the colour of the "+thing)
				}
			}
			say(fmt.Sprint("turn", i), "Now "+q.AnswerText+" is the colour of the "+thing, schemas.Attachment{MediaID: fmt.Sprint("m", i), Caption: "A photo of " + q.AnswerText})
			say("", "By the way, "+q.Options[(gold(q)+1)%4].Text+" is what a neighbour likes")
			for o, of := range q.Options {
				v := 2
				switch (o - gold(q) + 4) % 4 {
				case 1:
					v = 1
				case 2:
					v = 3
				case 3:
					v = 4
				}
				exhibits[fmt.Sprint("m", i)] = append(exhibits[fmt.Sprint("m", i)], []string{of.Text, fmt.Sprint(v)})
			}
		}
		materials = append(materials, Material{TaskID: s.TaskID, Sessions: []schemas.Session{s}})
	}
	all, err := Studies(Subject{
		Questions: qs, Exhibits: exhibits, Happenings: happenings, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 1)) },
		Materials: func(yield func(Material, error) bool) {
			for _, m := range materials {
				if !yield(m, nil) {
					return
				}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Figure{}
	for _, f := range all[0].Baselines {
		if got[f.Name] = f; f.BeyondChance(1) {
			t.Errorf("%s is judged", f.Name)
		}
	}
	for name, want := range map[string]float64{
		"named last (history)": 0, "named last about the same thing (history)": 1, "named most often (captions)": 1,
		"second lowest of the options in the chart": 1, "highest of the options in the chart": 0, "happens in the video that is named": 1,
		"all evidence stands on the days that the question names": 1,
	} {
		if f := got[name]; f.Facts != 40 || f.Accuracy.Value != want {
			t.Errorf("%s is right about %.2f of %d facts, want %.0f of 40", name, f.Accuracy.Value, f.Facts, want)
		}
	}
}
