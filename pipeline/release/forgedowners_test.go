package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// ownerForgeries change whose sources are said to be, what pictures are called in words
// and who offers pictures, and what a twin offers.
func ownerForgeries(t *testing.T, c release.Contents) map[string]Change {
	t.Helper()
	var profile, chat schemas.Session
	sessions := sessionsOf(t, c)
	for _, s := range sessions {
		switch s.Kind {
		case schemas.KindProfile:
			profile = s
		case schemas.KindGroupChat:
			chat = s
		}
	}
	set := func(table, column string, v any, id string) Change {
		return func(g *release.Forgery) error { return g.Set(table, column, v, id) }
	}
	who := []any{"Nobody Else"}
	for _, p := range chat.Participants {
		who = append(who, p)
	}
	likes := panelUse(t, c, schemas.TaskPreference, nil)
	hop := panelUse(t, c, schemas.TaskSingleHop, func(q schemas.Question) bool { return slices.ContainsFunc(q.Evidence, pictured) })
	return map[string]Change{
		"a profile's title":        set("sessions", "title", "profile_nobody_else", profile.SessionID),
		"a profile's owner":        set("sessions", "participants", []any{"Nobody Else"}, profile.SessionID),
		"a profile, title and all": strangersProfile(profile.SessionID),
		"somebody who says nothing in a chat": func(g *release.Forgery) error {
			return g.Set("sessions", "participants", who, chat.SessionID)
		},
		"a wrong option of one of twins": otherOption(likes, offeredElsewhere(t, c, likes)),
		"what a turn calls its picture":  calledOtherwise(hop),
		"the licence of a picture":       set("media", "license", "CC-BY-4.0", hop.Evidence[slices.IndexFunc(hop.Evidence, pictured)].Media),
	}
}

// inBoth puts another text in the place of a wrong option that twins share.
func inBoth(one, two schemas.Question, text string) Change {
	return func(g *release.Forgery) error {
		old := one.Options[slices.IndexFunc(one.Options, func(o schemas.Option) bool { return o.Key != one.AnswerKey })].Text
		for _, of := range []schemas.Question{one, two} {
			g.Question(of.QuestionID, func(q *schemas.Question) {
				for i := range q.Options {
					if q.Options[i].Text == old {
						q.Options[i].Text = text
					}
				}
				q.QuestionMCQ = schemas.MCQ(strings.Split(q.QuestionMCQ, "\n")[0], q.Options)
			})
		}
		return nil
	}
}

// strangersProfile gives a profile to somebody who is nowhere else, by title and owner.
func strangersProfile(id string) Change {
	return func(g *release.Forgery) error {
		if err := g.Set("sessions", "title", "profile_nobody_else", id); err != nil {
			return err
		}
		return g.Set("sessions", "participants", []any{"Nobody Else"}, id)
	}
}

// offeredElsewhere is a wrong option of another question of the same kind and task, which
// its sources tell of something alike.
func offeredElsewhere(t *testing.T, c release.Contents, of schemas.Question) string {
	t.Helper()
	for _, q := range c.Questions {
		for _, o := range q.Options {
			if !slices.ContainsFunc(of.Options, func(p schemas.Option) bool { return p.Text == o.Text }) {
				return o.Text
			}
		}
	}
	t.Fatalf("no other option is offered in %s", of.TaskID)
	return ""
}

// calledOtherwise has a turn, wherever it stands, call its picture by a name of another.
func calledOtherwise(q schemas.Question) Change {
	return func(g *release.Forgery) error {
		e := q.Evidence[slices.IndexFunc(q.Evidence, pictured)]
		said := e.Text[strings.Index(e.Text, ": ")+2:]
		name := handleIn(said)
		now := strings.ReplaceAll(said, name, "Fig. 01234567")
		if now == said {
			return fmt.Errorf("%q names no picture", said)
		}
		return replace(g, said, now, "turns", "questions", "flagged", placementsTable)
	}
}
