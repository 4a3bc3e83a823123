package chatauthor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// People asks for portraits of all people of a batch. Each of its sources asks the same, so
// that the request is answered once.
type People struct {
	People  []basetalk.Person                 `json:"people"`
	Themes  []string                          `json:"themes"`
	Refused []model.RejectedAnswer[Portrayed] `json:"refused"`
}

// Portrayed are portraits, in the order of the people.
type Portrayed struct {
	People []Portrait `json:"people"`
}

// Portrait is a person with what fits what is known of them.
type Portrait struct {
	Name      string     `json:"name"`
	Work      string     `json:"work"`
	Town      string     `json:"town"`
	Likes     []string   `json:"likes"`
	Habits    []string   `json:"habits"`
	Voice     string     `json:"voice"`
	Relations []Relation `json:"relations"`
}

// Relation is what somebody is to another one of the people.
type Relation struct {
	With string `json:"with"`
	Is   string `json:"is"`
}

// portrayPeople asks for portraits. What is known of people stands in if no answer passes.
func (w *chatWriter) portrayPeople(ctx context.Context) error {
	if len(w.channel.People) == 0 {
		return nil
	}
	in := People{People: w.channel.People, Themes: w.channel.BatchThemes}
	got, refused, err := w.people.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Portrayed]) People {
			in.Refused = r
			return in
		},
		func(a model.Answer[Portrayed]) ([]string, error) {
			return checkPortraits(in.People, a.Value.People), nil
		})
	if err = answerError(err, refused, codePeople); err != nil {
		if !w.fallBack(ctx, err, codePeople, "people", 0) {
			return err
		}
		return nil
	}
	w.portraits = got.Value.People
	return nil
}

// checkPortraits returns what contradicts what is known of people.
func checkPortraits(known []basetalk.Person, given []Portrait) (why []string) {
	if len(given) != len(known) {
		return []string{fmt.Sprintf("there are %d people; give %d, in their order", len(given), len(known))}
	}
	named := func(name string) bool {
		return slices.ContainsFunc(known, func(p basetalk.Person) bool { return p.Name == name })
	}
	for i, p := range given {
		of := known[i]
		if p.Name != of.Name || p.Work != of.Work || p.Town != of.Town || !slices.Equal(p.Likes, of.Likes) {
			why = append(why, fmt.Sprintf("%s is another person than the one given; keep name, work, town and likes word for word", p.Name))
		}
		for _, r := range p.Relations {
			if !named(r.With) || r.With == p.Name || strings.TrimSpace(r.Is) == "" {
				why = append(why, fmt.Sprintf("%s is related to %q, who is none of the others", p.Name, r.With))
			}
		}
		if len(p.Habits) == 0 || len(p.Relations) == 0 {
			why = append(why, fmt.Sprintf("%s has %d habits and %d relations; give one of each or more", p.Name, len(p.Habits), len(p.Relations)))
		}
	}
	return why
}

// portrait returns what is known of a person, with relations to those who are there.
func (w *chatWriter) portrait(p basetalk.Person, there []basetalk.Person) Portrait {
	at := slices.IndexFunc(w.portraits, func(o Portrait) bool { return o.Name == p.Name })
	if at < 0 {
		return Portrait{Name: p.Name, Work: p.Work, Town: p.Town, Likes: p.Likes}
	}
	out := w.portraits[at]
	out.Relations = slices.DeleteFunc(slices.Clone(out.Relations), func(r Relation) bool {
		return !slices.ContainsFunc(there, func(o basetalk.Person) bool { return o.Name == r.With })
	})
	return out
}

// Paper asks for the text of a document or a profile.
type Paper struct {
	Kind    string                          `json:"kind"`
	Themes  []string                        `json:"themes"`
	People  []Portrait                      `json:"people"`
	Count   int                             `json:"count"`
	Refused []model.RejectedAnswer[Entries] `json:"refused"`
}

// Entries are paragraphs of a document or lines of a profile, in order.
type Entries struct {
	Entries []string `json:"entries"`
}

// mostEntry is how many characters a paragraph has at most.
const mostEntry = 1200

// writePaper asks for the own text of a document or profile; rules stand in if no answer
// passes.
func (w *chatWriter) writePaper(ctx context.Context) error {
	in := Paper{Kind: w.channel.Kind, Themes: w.channel.Themes, People: []Portrait{}, Count: w.channel.Base}
	if w.channel.Kind == schemas.KindProfile {
		in.People = append(in.People, w.portrait(w.channel.Cast[0], w.channel.People))
	}
	got, refused, err := w.paper.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Entries]) Paper {
			in.Refused = r
			return in
		},
		func(a model.Answer[Entries]) ([]string, error) { return checkEntries(in.Count, a.Value.Entries), nil })
	if err = answerError(err, refused, codePaper); err != nil {
		if !w.fallBack(ctx, err, codePaper, "paper", 0) {
			return err
		}
		return nil
	}
	for _, text := range got.Value.Entries {
		w.channel.Own = append(w.channel.Own, basetalk.Line{Text: strings.TrimSpace(text)})
	}
	return nil
}

func checkEntries(count int, entries []string) (why []string) {
	if len(entries) != count {
		return []string{fmt.Sprintf("there are %d entries; give %d", len(entries), count)}
	}
	for i, text := range entries {
		switch n := utf8.RuneCountInString(strings.TrimSpace(text)); {
		case n == 0 || n > mostEntry || answercues.HasControl(text):
			why = append(why, fmt.Sprintf("entry %d has %d characters or several lines; write one paragraph of %d at most", i+1, n, mostEntry))
		case slices.Contains(entries[:i], text):
			why = append(why, fmt.Sprintf("entry %d stands there twice", i+1))
		case handle.MatchString(text):
			why = append(why, fmt.Sprintf("entry %d speaks of %q; nothing is shared here", i+1, handle.FindString(text)))
		}
	}
	return why
}
