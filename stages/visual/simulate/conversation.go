package simulate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// Conversations begin within startDaySpread days from the first day of firstYear.
const (
	firstYear      = 2023
	startDaySpread = 600
)

// writeSessions spreads pictures and asides over dated sessions. No text says what a
// picture shows.
func (s Scenario) writeSessions(rnd *rand.Rand, plot Plot, size Size) ([]Session, error) {
	g, err := s.loadGrammar()
	if err != nil {
		return nil, err
	}
	t := sessionWriter{rnd: rnd, say: func(rule string, slots map[string]string) (string, error) { return g.Say(rnd, rule, slots) }, said: map[string]bool{}}
	rounds := layOutRounds(rnd, size)
	day := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rnd.IntN(startDaySpread))
	var out []Session
	for _, pictures := range rounds {
		session := Session{Date: day.Format(time.DateOnly)}
		for _, scene := range pictures {
			r, err := t.writeRound(plot, scene)
			if err != nil {
				return nil, err
			}
			session.Rounds = append(session.Rounds, r)
		}
		out = append(out, session)
		day = day.AddDate(0, 0, 1+rnd.IntN(9))
	}
	return out, nil
}

// layOutRounds returns for every session the scene of each round, -1 for none. Pictures
// and asides are spread at random, the former in their order.
func layOutRounds(rnd *rand.Rand, size Size) [][]int {
	slots := make([]int, size.Rounds) // 1 for a picture
	for i := range size.Pictures {
		slots[i] = 1
	}
	rnd.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	ends := rnd.Perm(size.Rounds - 1)[:size.Sessions-1]
	ending := map[int]bool{size.Rounds - 1: true}
	for _, e := range ends {
		ending[e] = true
	}
	var out [][]int
	var session []int
	next := 0
	for i, picture := range slots {
		scene := -1
		if picture == 1 {
			scene = next
			next++
		}
		session = append(session, scene)
		if ending[i] {
			out, session = append(out, session), nil
		}
	}
	return out
}

// sessionWriter writes texts and avoids repetitions as long as the grammar has
// alternatives.
type sessionWriter struct {
	rnd  *rand.Rand
	say  func(rule string, slots map[string]string) (string, error)
	said map[string]bool
}

// maxTries bounds the attempts at a new text.
const maxTries = 24

func (t *sessionWriter) sayFresh(rule string, slots map[string]string) (out string, err error) {
	for range maxTries {
		if out, err = t.say(rule, slots); err != nil || !t.said[out] {
			break
		}
	}
	t.said[out] = true
	return out, err
}

func (t *sessionWriter) writeRound(plot Plot, scene int) (r Round, err error) {
	slots := maps.Clone(plot.Profile)
	user, assistant := "aside", "answer"
	if scene >= 0 {
		user, assistant = "shown", "reply"
		slots["noun"] = plot.Scenes[scene].Noun
		if t.rnd.IntN(5) > 0 {
			assistant = "kept"
		}
	}
	r.Scene = scene
	if r.User, err = t.sayFresh(user, slots); err != nil {
		return r, err
	}
	// An aside "topic: words" is answered by the rule of its topic.
	if topic, words, ok := strings.Cut(r.User, " :: "); ok {
		r.User, assistant = words, "answer-"+strings.ToLower(topic)
	}
	if r.Assistant, err = t.sayFresh(assistant, slots); err != nil {
		return r, fmt.Errorf("answer to %q: %w", r.User, err)
	}
	err = t.addSmallTalk(&r, slots)
	r.User, r.Assistant = fixArticles(r.User), fixArticles(r.Assistant)
	if err != nil || scene < 0 {
		return r, err
	}
	return r, t.addOccasion(&r, slots)
}

var articleBeforeVowel = regexp.MustCompile(`\b([Aa]) ([aeiou])`)

// fixArticles writes "an overview" for "a overview", since a noun fills its slot whatever
// stands before it.
func fixArticles(text string) string { return articleBeforeVowel.ReplaceAllString(text, "${1}n $2") }

// addOccasion lets the user say what had happened just before a picture. A life so long
// that the grammar has no new occasion goes without.
func (t *sessionWriter) addOccasion(r *Round, slots map[string]string) error {
	for range maxTries {
		occasion, err := t.say("occasion", slots)
		if err != nil {
			return err
		}
		if occasion = strings.ToLower(occasion[:1]) + occasion[1:]; t.said[occasion] {
			continue
		}
		t.said[occasion] = true
		told, err := t.say("after", map[string]string{"happened": occasion})
		r.Occasion = occasion
		r.User += " " + told
		return err
	}
	return nil
}

// addSmallTalk lets both sides say more, so that the few rules of a scenario do not
// repeat.
func (t *sessionWriter) addSmallTalk(r *Round, slots map[string]string) error {
	if t.rnd.IntN(2) == 0 {
		also, err := t.sayFresh("also", slots)
		if err != nil {
			return err
		}
		r.User += " " + also
	}
	if r.Scene >= 0 {
		return nil
	}
	tail, err := t.sayFresh("tail", slots)
	r.Assistant += " " + tail
	return err
}
