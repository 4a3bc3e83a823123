package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

// sayFact states a fact as people do in a chat.
func (s *simulator) sayFact(of, attribute, value string) string {
	return s.pickSentence(of, attribute, value, "If anybody asks about the {a} of {e}: {v}.", "I looked up the {a} of {e}, and it is {v}.", "Noted down the {a} of {e}: {v}.")
}

func (s *simulator) writeFact(of, attribute, value string) string {
	return s.pickSentence(of, attribute, value, "Listed as the {a} of {e}: {v}.", "{e} lists {v} as its {a}.", "Entry for {e}, {a}: {v}.")
}

func (s *simulator) pickSentence(of, attribute, value string, ways ...string) string {
	ways = append(ways, "The {a} of {e} is {v}.", "{e} has {v} as its {a}.", "For {e}, the {a} is {v}.")
	if strings.ToLower(value) != value {
		ways = append(ways, "{v} is the {a} of {e}.")
	}
	return fillSlots(weights.Pick(s.rnd, ways), "e", of, "a", attribute, "v", value)
}

func (s *simulator) sayChange(of, attribute, value string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"Change of plan: the {a} of {e} is {v} now.", "As of today, the {a} of {e} is {v}.", "The {a} of {e} has changed to {v}.", "Scratch the old {a} of {e}, it is {v} from here on.",
		"They have settled on {v} as the new {a} of {e}.",
	}), "e", of, "a", attribute, "v", value)
}

// sayRaise says that a number has grown or shrunk.
func (s *simulator) sayRaise(of, attribute string, by int) string {
	ways := []string{"The {a} of {e} has gone up by {n}.", "They have added {n} to the {a} of {e}.", "The {a} of {e} is {n} higher than it was."}
	if by < 0 {
		ways, by = []string{"The {a} of {e} has gone down by {n}.", "They have taken {n} off the {a} of {e}.", "The {a} of {e} is {n} lower than it was."}, -by
	}
	return fillSlots(weights.Pick(s.rnd, ways), "e", of, "a", attribute, "n", strconv.Itoa(by))
}

func (s *simulator) sayDecider(who, of, attribute string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"{p} has the last word on the {a} of {e}.", "On the {a} of {e}, what {p} says counts.", "Where the {a} of {e} is in doubt, {p} decides.",
	}), "p", who, "a", attribute, "e", of)
}

// sayDefinition defines a term by bounds of a measure.
func (s *simulator) sayDefinition(term string, low, high int) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"We call {at} {w} when its {m} lies between {l} and {h}.", "{At} counts as {w} as long as its {m} stays between {l} and {h}.",
		"To be {w}, {at} needs {am} between {l} and {h}.",
	}), "at", indefinite(s.field.thing), "At", upper(indefinite(s.field.thing)), "am", indefinite(s.field.measure), "w", term, "m", s.field.measure, "l", strconv.Itoa(low), "h", strconv.Itoa(high))
}

// sayException excludes what has more of the other measure than a limit, or less.
func (s *simulator) sayException(term string, g grades) string {
	side := "below"
	if g.above {
		side = "above"
	}
	return fillSlots(weights.Pick(s.rnd, []string{
		"No {t} is {w} with {am} {d} {n}.", "{At} with {am} {d} {n} is never {w}.",
	}), "t", s.field.thing, "At", upper(indefinite(s.field.thing)), "w", term, "am", indefinite(s.field.other), "d", side, "n", strconv.Itoa(g.limit))
}

// sayTaste states two liked kinds and one disliked.
func (s *simulator) sayTaste(likes [2]string, avoids string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"I am fond of {a} and {b}, but I would rather skip {c}.", "Give me {a} or {b} any day; {c} I leave to others.", "I look for {a} and {b}, and I stay away from {c}.",
	}), "a", likes[0], "b", likes[1], "c", avoids)
}

func (s *simulator) writeTaste(who string, likes [2]string, avoids string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"{p} is fond of {a} and {b}, but would rather skip {c}.", "{p} looks for {a} and {b}, and stays away from {c}.", "Likes of {p}: {a} and {b}. Leaves to others: {c}.",
	}), "p", who, "a", likes[0], "b", likes[1], "c", avoids)
}

// sayChoice tells a choice between two kinds.
func (s *simulator) sayChoice(taken, left string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"I could have had {b} yesterday and went for {a} instead.", "They offered me {b}, and I asked for {a}.", "Picked {a} over {b} once more.", "It was {a} or {b} for me, and I took {a}.",
	}), "a", taken, "b", left)
}

// fillSlots replaces slots by values, given as alternating names and values.
func fillSlots(sentence string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		sentence = strings.ReplaceAll(sentence, "{"+pairs[i]+"}", pairs[i+1])
	}
	return sentence
}

func countOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func (s *simulator) cardReference() string { return "the " + s.field.thing + " on the card" }

// word words a question in the next sentence of a form, from one at random on.
func (s *simulator) word(form string, say map[string]string) string {
	sentences := wordings.Sentences(form)
	if _, begun := s.worded[form]; !begun {
		if s.worded == nil {
			s.worded = map[string]int{}
		}
		s.worded[form] = s.rnd.IntN(len(sentences))
	}
	s.worded[form]++
	return phrasebook.Fill(sentences[s.worded[form]%len(sentences)], say)
}

// askCardAttribute asks for an attribute of the pictured subject. It does not reveal
// whether sources tell of a change or disagree.
func (s *simulator) askCardAttribute(what aspect) string {
	return s.word(wordings.Value, map[string]string{"ask": what.ask, "attribute": what.name, "of": s.cardReference()})
}

// askChain asks for the end of a chain: in one sentence up to three links, else link by
// link.
func (s *simulator) askChain(of string, links []aspect) string {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.name
	}
	ask := links[len(links)-1].ask
	if len(names) <= 3 {
		slices.Reverse(names)
		return s.word(wordings.Value, map[string]string{"ask": ask, "attribute": strings.Join(names, " of the "), "of": of})
	}
	said := "The " + names[0] + " of " + of + " has " + indefinite(names[1]) + "."
	last, rest := names[1], names[2:]
	for ; len(rest) > 2; rest = rest[2:] {
		said += " That " + last + "'s " + rest[0] + " has " + indefinite(rest[1]) + "."
		last = rest[1]
	}
	end := rest[0] + " of that " + last
	if len(rest) == 2 {
		end = rest[1] + " of that " + last + "'s " + rest[0]
	}
	return s.word(wordings.Linked, map[string]string{"links": said, "ask": ask, "end": end})
}

func indefinite(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// inDocument decides at random whether a piece goes to a document.
func (s *simulator) inDocument() bool { return s.rnd.Float64() < s.size.Documents }

// pictureHome picks the home of a picture: a source of its own or a chat.
func (s *simulator) pictureHome() string {
	if s.rnd.Float64() < s.size.Images {
		return HomeImage
	}
	return HomeChat
}

// documentUnit returns a text in a document or chat.
func (s *simulator) documentUnit(role, text string) Unit {
	u := Unit{Home: HomeChat, Role: role, Text: text}
	if s.inDocument() {
		u.Home = HomeDocument
	}
	return u
}

// factUnit returns a fact in a document or chat, in words of its kind.
func (s *simulator) factUnit(role, of, attribute, value string) Unit {
	u := s.documentUnit(role, "")
	if u.Text = s.sayFact(of, attribute, value); u.Home == HomeDocument {
		u.Text = s.writeFact(of, attribute, value)
	}
	return u
}

// asPage sometimes turns a text of a document into the picture of a page whose other
// paragraphs, from another, tell similar facts.
func (s *simulator) asPage(u Unit, another func() string) Unit {
	if u.Home != HomeDocument || s.rnd.Float64() >= s.size.Pages {
		return u
	}
	rows := [][]string{{u.Text}, {another()}, {another()}, {another()}}
	s.rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	u.Text = ""
	u.Picture = &Picture{Kind: Page, Title: s.pickName([]string{"Handbook", "Papers", "Notices", "Guide", "Register", "Almanac"}), Columns: []string{"paragraph"}, Rows: rows}
	u.Title = u.Picture.Title
	return u
}

func (s *simulator) term() string {
	return s.stem() + "-" + weights.Pick(s.rnd, termEnds())
}

func termEnds() []string { return []string{"listed", "grade", "rated", "band", "class"} }
