package author

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// EventJob is the prompt for what happens in one section of one video. Both
// types that ask where something happens ask it.
const EventJob = "video.author.event"

// EventInput is what an event is written from. It does not even say the layout,
// so every composition of a pair can put the same request: which section is
// asked about depends on the composition, what happens in it does not.
type EventInput struct {
	Target Story `json:"target"`
	Other  Story `json:"other"`
	// Section is that of Target in which the event happens.
	Section int `json:"section"`
	// Refused are earlier answers to this very request.
	Refused []EventRefusal `json:"refused"`
}

// EventRefusal is an event that did not pass CheckEvent, and why.
type EventRefusal = model.RejectedAnswer[Event]

// Event is what happens in one section of one video and nowhere else, as a
// clause. It is empty where the section has nothing of that kind.
type Event struct {
	// Cannot says why there is none.
	Cannot      string `json:"cannot"`
	Event       string `json:"event"`
	Explanation string `json:"explanation"`
}

// Clause is the event as it stands in a question.
func (e Event) Clause() string {
	return strings.TrimRight(strings.Join(strings.Fields(e.Event), " "), ". ")
}

// An event's words. The prompt asks for fewer; quoted descriptions take more.
const (
	minEventWords = 3
	maxEventWords = 40
)

// hinting finds words that answer where or when, or that speak of videos.
var hinting = regexp.MustCompile(`(?i)\b(left|right)(-hand)?\b|\b(first|second|third|last|half|halves|halfway|midway|beginning|ending|finally|again|once more|earlier|later|previously|afterwards|videos?|footage)\b|\b(at|from|in|until) the (very )?(start|end|outset)\b`)

// CheckEvent says what is wrong with an event that is not empty, in words that
// its author can act on.
func CheckEvent(in EventInput, e Event) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	clause := e.Clause()
	if n := len(answercues.Words(clause)); n < minEventWords || n > maxEventWords {
		say("the event has %d words; use %d to %d", n, minEventWords, maxEventWords)
	}
	if strings.Contains(clause, "?") || strings.HasSuffix(clause, ":") {
		say("the event must be one statement; the question is added")
	}
	for _, m := range []string{findPlacement(clause, true), hinting.FindString(clause)} {
		if m != "" {
			say("the event says %q; it must not tell where or when it is seen, nor speak of videos", m)
		}
	}
	if hint := nameHints(in.Target.Name, in.Other.Name, clause); len(hint) > 0 {
		say("the event says %q, which the name of one of the videos says and that of the other does not; the event must not tell the video", hint)
	}
	if named := topic(in.Target.Name); covers(named, topic(clause)) {
		say("the name of the video says the event already; choose one that must be watched")
	}
	for _, of := range []string{RoleTarget, RoleOther} {
		for _, p := range in.story(of).Sections {
			if (of == RoleOther || p.Section != in.Section) && (Story{Sections: []Part{p}}).hasText(clause) {
				say("the event stands in the description of section %d of the %s video too; it must happen in section %d of the target video only", p.Section, of, in.Section)
			}
		}
	}
	if m := answercues.FindOptionLetter(e.Explanation); m != "" {
		say("the explanation says %q; the options are not yours", m)
	}
	return why
}

func (in EventInput) story(of string) Story {
	if of == RoleOther {
		return in.Other
	}
	return in.Target
}

// ChooseEvent answers as the built-in model: it quotes a text of the section
// that is unlike every text of the same key elsewhere in both videos. Without
// one the event is empty. All else that it gives passes CheckEvent.
func ChooseEvent(in EventInput, rnd *rand.Rand) Event {
	at := slices.IndexFunc(in.Target.Sections, func(p Part) bool { return p.Section == in.Section })
	if at < 0 {
		return Event{Explanation: fmt.Sprintf("There is no section %d.", in.Section)}
	}
	texts := groundtruth.DescriptionTexts(in.Target.Sections[at].Description)
	for _, key := range rnd.Perm(len(about)) {
		t := strings.TrimSuffix(strings.TrimSpace(texts[key]), ".")
		if t == "" || len(t) > maxText || !in.isUnique(key, t) {
			continue
		}
		e := Event{
			Event:       "this description of " + about[key] + ` becomes true: "` + t + `"`,
			Explanation: "The description is one of this section, and of no other section of either video.",
		}
		if len(CheckEvent(in, e)) == 0 {
			return e
		}
	}
	return Event{Explanation: fmt.Sprintf("The built-in model found no text of section %d that is unlike those of every other section and tells no place.", in.Section)}
}

func (in EventInput) isUnique(key int, text string) bool {
	for _, of := range []string{RoleTarget, RoleOther} {
		for _, p := range in.story(of).Sections {
			if (of == RoleOther || p.Section != in.Section) && answercues.Alike(groundtruth.DescriptionTexts(p.Description)[key], text) {
				return false
			}
		}
	}
	return true
}
