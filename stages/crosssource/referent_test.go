package crosssource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// lifeItems are items of LifeSim about people of whom the data set gives little, as
// crosssource.prepare leaves them.
func lifeItems(t *testing.T) (items []schemas.EvidenceItem, people []schemas.Profile) {
	t.Helper()
	attributes := []map[string]string{{"age": "31"}, {"work": "baker"}, {"likes": "old radios"}, {"lives in": "Wexholm", "occupation": "vet"}, nil}
	for i, a := range attributes {
		p := schemas.Profile{ProfileID: fmt.Sprintf("lifesim/p%d", i), Dataset: "lifesim", UpstreamID: fmt.Sprint("p", i), SourceID: "lifesim", License: "MIT", Attributes: a}
		if i == 1 {
			p.Name = "Ada Brook"
		}
		people = append(people, p)
		item := lifeItem(t)
		item.ItemID = fmt.Sprintf("lifesim/%d", i)
		item.Question.QuestionID, item.Profiles = item.ItemID, []string{p.ProfileID}
		item.Question.Question = "Going by what this person did and asked for, which of these is most likely true of them?"
		item.Question.SetOptions(schemas.Option{Text: "Seeks quiet places.", Role: schemas.RoleCorrect}, schemas.Option{Text: "Seeks lively crowds.", Role: schemas.RoleDistractor},
			schemas.Option{Text: "Wants firm plans.", Role: schemas.RoleDistractor}, schemas.Option{Text: "Avoids all outings.", Role: schemas.RoleDistractor})
		for n := range item.Units {
			item.Units[n].UnitID = schemas.UnitIDOf(item.ItemID, n+1)
			item.Units[n].Text += fmt.Sprintf(" That was trip %d.", i)
		}
		items = append(items, item)
	}
	return items, people
}

// askAbout plans, writes and asks about items of a data set.
func askAbout(t *testing.T, items []schemas.EvidenceItem, people []schemas.Profile) (channels []placement.Channel, questions []schemas.Question, lost int) {
	t.Helper()
	var given []pipeline.Record
	for _, i := range items {
		given = append(given, recordOf(t, i))
	}
	in := slices.Clone(given)
	for _, p := range people {
		r, err := pipeline.NewRecord(schemas.NameProfile, p.ProfileID, p)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, r)
	}
	var c crosssource.PlanConfig
	c.SetDefaults()
	planned, n := run(t, "crosssource.plan", 3, c, in...)
	written, _ := run(t, "crosssource.write", 3, nil, planned...)
	placed, _ := run(t, "crosssource.place", 3, nil, append(of("crosssource.placed", written), given...)...)
	asked, m := run(t, "crosssource.ask", 3, nil, append(placed, given...)...)
	return testkit.DecodeAll[placement.Channel](t, "crosssource.channel", planned), testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked), n + m
}

// TestQuestionsNameTheirPerson: what a data set asks about "this person" names who tells the
// evidence, in both arrangements.
func TestQuestionsNameTheirPerson(t *testing.T) {
	t.Parallel()
	items, people := lifeItems(t)
	_, questions, lost := askAbout(t, items, people)
	named := map[string]string{}
	for _, q := range questions {
		for _, e := range q.Evidence {
			who, _, _ := strings.Cut(e.Text, ": ")
			if !strings.HasPrefix(q.Question, "Going by what "+who+" did and asked for,") {
				t.Errorf("%s asks %q, and %s tells its evidence", q.QuestionID, q.Question, who)
			}
			named[q.Labels[schemas.LabelFact]] = who
		}
	}
	if len(questions) != 2*len(items) || lost != 0 || len(named) != len(items) || named["lifesim/1"] != "Ada Brook" {
		t.Errorf("%d questions name %v, %d were lost", len(questions), named, lost)
	}
}

// TestNoQuestionLeavesItsPersonOpen: where several people tell the evidence of a question
// about "this person", it is lost, for nothing says who is meant.
func TestNoQuestionLeavesItsPersonOpen(t *testing.T) {
	t.Parallel()
	items, people := lifeItems(t)
	items[1].Units[0].Labels = map[string]string{placement.LabelSpeaker: "Ada Brook"}
	people[4].Name = "Ivo Marsh"
	items[1].Units[1].Labels = map[string]string{placement.LabelSpeaker: "Ivo Marsh"}
	_, questions, lost := askAbout(t, items, people)
	if len(questions) != 2*len(items)-2 || lost != 2 {
		t.Errorf("%d questions, %d were lost", len(questions), lost)
	}
	for _, q := range questions {
		if strings.Contains(q.Question, "this person") {
			t.Errorf("%s asks %q", q.QuestionID, q.Question)
		}
	}
}

// TestEverybodyHasALife: of each person in a chat name, work, town and likes are known, what
// a data set gives is kept, and what is invented differs from person to person.
func TestEverybodyHasALife(t *testing.T) {
	t.Parallel()
	items, people := lifeItems(t)
	channels, _, _ := askAbout(t, items, people)
	seen := map[string]map[string]string{"work": {}, "town": {}, "likes": {}}
	for _, c := range channels {
		for _, p := range c.Cast {
			likes := strings.Join(p.Likes, ", ")
			if p.Name == "" || p.Work == "" || p.Town == "" || likes == "" {
				t.Errorf("%s has somebody without a life: %+v", c.SessionID, p)
			}
			seen["work"][p.Name], seen["town"][p.Name], seen["likes"][p.Name] = p.Work, p.Town, likes
		}
	}
	for field, of := range seen {
		values := map[string]bool{}
		for _, v := range of {
			values[v] = true
		}
		if len(of) != len(people) || len(values) < len(people)-1 {
			t.Errorf("%s of %d people: %v", field, len(of), of)
		}
	}
	given := []string{seen["work"]["Ada Brook"]}
	for _, p := range seen["town"] {
		if p == "Wexholm" {
			given = append(given, p)
		}
	}
	if !slices.Equal(given, []string{"baker", "Wexholm"}) {
		t.Errorf("what the data set gives is %q", given)
	}
}
