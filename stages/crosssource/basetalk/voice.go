// Package basetalk writes what people say in chats and what stands in papers, by rules
// and seed. What writes a turn sees the turns before it, who speaks and the theme,
// and nothing of any evidence (SMMBench B.4): no function here takes any.
package basetalk

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

//go:embed turns.grammar
var turnRules string

//go:embed asks.grammar
var askRules string

//go:embed announce.grammar
var announceRules string

//go:embed papers.grammar
var paperRules string

// Person is who speaks, as far as it shapes what they say.
type Person struct {
	Name  string   `json:"name"`
	Work  string   `json:"work"`
	Town  string   `json:"town"`
	Likes []string `json:"likes"`
}

// Line is what somebody says. Act is the discourse act it was drawn as, or "answer" of
// one that answers a question.
type Line struct {
	Speaker string `json:"speaker"`
	Act     string `json:"act"`
	Text    string `json:"text"`
	// about are the things of its sub-topic, where the rules wrote it.
	about []string
}

// Acts returns the discourse acts (SMMBench B.4), and small talk.
func Acts() []string {
	return []string{"agree", "rebut", "elaborate", "ask", "summarise", "shift", "small"}
}

// rules are the grammars, parsed once.
var rules = sync.OnceValues(func() (map[string]grammar.Grammar, error) {
	out := map[string]grammar.Grammar{}
	for name, text := range map[string]string{"turns": turnRules + askRules, "announce": announceRules, "papers": paperRules} {
		g, err := grammar.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("rules of %s: %w", name, err)
		}
		out[name] = g
	}
	return out, nil
})

// Voice says sentences of one source.
type Voice struct {
	rnd  *rand.Rand
	cast []Person
	// all are the things of each theme.
	all [][]string
	// things are those of the sub-topic that is spoken of, named the two of the sentence
	// before, which the next is about as well where it holds to them.
	things, named []string
	holds         bool
	// asked is the question that the last sentence put, if it put one.
	asked question
	// paperThings are the things of the section that is written; entries counts those of a profile,
	// from anywhere.
	paperThings []string
	entries     int
	// aside are names that no question is about.
	aside simulate.Names
	// things and firms that something is asked about, mentioned where nothing is told of them.
	mentioned simulate.Names
	// topics are attributes of such things, attributes those that any has.
	topics     []Topic
	attributes []string

	rules map[string]grammar.Grammar
}

// NewVoice returns the voice of a source: of its people, and of what they speak about.
func NewVoice(rnd *rand.Rand, themes []string, cast []Person) (*Voice, error) {
	if len(cast) == 0 || len(themes) == 0 {
		return nil, fmt.Errorf("a source of %d people about %d themes; want one or more of each", len(cast), len(themes))
	}
	r, err := rules()
	names := make([]string, len(cast))
	for i, p := range cast {
		names[i] = p.Name
	}
	v := &Voice{rnd: rnd, cast: cast, rules: r, aside: simulate.Bystanders(rnd, themes[0], 4, names...), attributes: simulate.Attributes(), entries: rnd.IntN(4)}
	for _, t := range themes {
		v.all = append(v.all, thingsOf(t))
	}
	v.things = v.all[0]
	return v, err
}

// Subtopics returns how many sub-topics a theme has: 10 to 20 as in SMMBench E.5, fewer
// where there are too few turns to tell them apart.
func Subtopics(rnd *rand.Rand, turns int) int { return max(1, min(10+rnd.IntN(11), turns/6)) }

// Chat writes turns one after the other. Each sub-topic is about some of the theme's
// things and is joined to the next by a shift. Who is asked something answers it in the
// next turn: so none that something is put in after, by how many turns are before it, asks.
func (v *Voice) Chat(turns int, inserted ...int) ([]Line, error) {
	topics := Subtopics(v.rnd, turns)
	out := make([]Line, 0, turns)
	last := ""
	for len(out) < turns {
		i := len(out)
		begins := opensTopic(i, topics, turns)
		if begins {
			v.things, v.named = weights.Sample(v.rnd, weights.Pick(v.rnd, v.all), 5), nil
		}
		may := i+1 < turns && !opensTopic(i+1, topics, turns) && !slices.Contains(inserted, i+1)
		now, err := v.nextTurns(begins, last, may, i+2 < turns && may && !opensTopic(i+2, topics, turns) && !slices.Contains(inserted, i+2))
		if err != nil {
			return nil, err
		}
		for _, l := range now {
			l.about = v.things
			out, last = append(out, l), l.Speaker
		}
	}
	v.things = v.all[0]
	return out, nil
}

// nextTurns returns a turn or, if there is room for three, an unasked statement with its
// frame.
func (v *Voice) nextTurns(begins bool, last string, may, room bool) ([]Line, error) {
	if room && !begins && v.asked.kind == "" && v.rnd.IntN(tellOf) == 0 {
		return v.tellUnasked(last)
	}
	l, err := v.nextTurn(begins, last, may, v.pickLength())
	return []Line{l}, err
}

// nextTurn returns a turn of so many sentences. It answers a question of the turn before,
// and asks one only if it may.
func (v *Voice) nextTurn(begins bool, last string, may bool, sentences int) (Line, error) {
	if v.asked.kind != "" {
		who := v.pickOther(last)
		if v.asked.to != "" {
			who = v.person(v.asked.to)
		}
		return v.writeTurn(who, last, "answer", may, sentences)
	}
	return v.writeTurn(v.pickOther(last), last, v.pickAct(begins, last), may, sentences)
}

// About lets a voice speak about what a line is about, where that is known.
func (v *Voice) About(l Line) {
	if len(l.about) > 0 {
		v.things = l.about
	}
}

func (v *Voice) sentence(rule string, who Person, last string) (string, error) {
	s, err := v.fillRule("turns", rule, who, last, nil)
	if err == nil && !strings.ContainsAny(s[len(s)-1:], ".?!:") {
		s += "."
	}
	s = capitalise(s)
	v.asked = v.questionIn(rule, s, who.Name)
	return s, err
}

func capitalise(s string) string {
	out := []rune(s)
	for i := 2; i < len(out); i++ {
		if out[i-1] == ' ' && strings.ContainsRune(".?!", out[i-2]) {
			out[i] = unicode.ToUpper(out[i])
		}
	}
	return string(out)
}

// pickAct picks the act of a turn. A sub-topic begins with a shift, and agreement needs
// an earlier turn.
func (v *Voice) pickAct(begins bool, last string) string {
	switch {
	case last == "":
		return "elaborate"
	case begins:
		return "shift"
	case v.rnd.IntN(7) == 0:
		return "small"
	}
	return weights.Pick(v.rnd, []string{"agree", "agree", "rebut", "rebut", "elaborate", "elaborate", "elaborate", "ask", "ask", "summarise"})
}

// pickLength picks the number of sentences: one or two, or five to eight (SMMBench E.6).
func (v *Voice) pickLength() int {
	n := 1 + min(v.rnd.IntN(3), 1)
	if v.rnd.IntN(longOf) == 0 {
		n = 5 + v.rnd.IntN(4)
	}
	return n
}

// writeTurn returns a turn with the given act. A question comes last.
func (v *Voice) writeTurn(who Person, last, act string, may bool, sentences int) (Line, error) {
	said := make([]string, 0, sentences)
	defer func() { v.holds = false }()
	for len(said) < sentences {
		rule := act
		v.holds = slices.Contains([]string{"agree", "rebut", "answer"}, act) && len(said) == 0 || act != "shift" && v.rnd.IntN(2) == 0
		if len(said) > 0 {
			rule = weights.Pick(v.rnd, []string{"elaborate", "elaborate", "claim", "counter", "reason", "example", "ask"})
		}
		if rule == "ask" && len(said)+1 < sentences {
			rule = "elaborate"
		}
		if act == "ask" && may && len(said)+1 == sentences {
			rule = "ask"
		}
		word := v.ruleFor(rule, may)
		s, err := v.sentence(word, who, last)
		if err != nil {
			return Line{}, err
		}
		if said = append(said, s); v.asked.kind != "" || word == "wonder" && len(said) == 1 {
			break
		}
	}
	return Line{Speaker: who.Name, Act: act, Text: strings.Join(said, " ")}, nil
}

// Scaffold returns what somebody says before or after something is posted, or how a
// picture or table is announced: one of the rules prompt, ready, before, after, after_topic,
// heard, welcome, quote, quoted, picture, table and inline. The name of a picture, and what of
// a thing a text tells, is all that it knows of them.
func (v *Voice) Scaffold(rule, speaker, last, named, topic string) (string, error) {
	return v.fillRule("announce", rule, v.person(speaker), last, map[string]string{"handle": named, "topic": topic})
}

// Paper returns what stands in a document, a table or a profile: one of the rules section,
// paragraph, cell and entry. Paragraphs are about the things of their section. Entries are
// of different kinds in turn.
func (v *Voice) Paper(rule string) (string, error) {
	who := weights.Pick(v.rnd, v.cast)
	if rule == "section" || len(v.paperThings) == 0 {
		v.paperThings = weights.Sample(v.rnd, v.things, 2)
	}
	if rule == "section" || rule == "paragraph" {
		return v.fillRule("papers", rule, who, "", map[string]string{"n": v.paperThings[0], "m": v.paperThings[1]})
	}
	if rule == "entry" {
		rule = []string{"likes", "past", "likes", "knows"}[v.entries%4]
		if n := len(who.Likes); n > 0 {
			who.Likes = who.Likes[v.entries/2%n:][:1]
		}
		v.entries++
	}
	return v.fillRule("papers", rule, who, "", nil)
}

func (v *Voice) fillRule(rules, rule string, who Person, last string, more map[string]string) (string, error) {
	things := weights.Sample(v.rnd, v.things, 2)
	if v.holds && len(v.named) > 0 {
		things = v.named
	}
	v.named = things
	slots := map[string]string{
		"n": things[0], "m": things[1], "adj": weights.Pick(v.rnd, qualities()), "when": weights.Pick(v.rnd, times()), "town": who.Town, "work": who.Work, "awork": article(who.Work) + who.Work,
		"thing": weights.Pick(v.rnd, v.aside.Things), "firm": weights.Pick(v.rnd, v.aside.Firms), "place": weights.Pick(v.rnd, v.aside.Places), "person": weights.Pick(v.rnd, v.aside.People),
		"venue": weights.Pick(v.rnd, v.aside.Venues), "like": weights.Pick(v.rnd, who.Likes), "who": firstName(v.pickListener(who.Name, last)), "self": firstName(who.Name),
	}
	slots["any_thing"], slots["any_firm"] = pickOrOther(v, slots["thing"], v.mentioned.Things), pickOrOther(v, slots["firm"], v.mentioned.Firms)
	slots["topic"] = v.attributeTopic(slots["thing"], slots["firm"])
	for k, s := range more {
		slots[k] = s
	}
	g := v.rules[rules]
	if n, all := g.CountWays(rule), g.CountWays(rule+forGroup); len(v.cast) > 2 && v.rnd.IntN(n+all) >= n {
		rule += forGroup
	}
	return g.Say(v.rnd, rule, slots)
}

func article(noun string) string {
	if strings.HasPrefix(noun, "uni") || !strings.ContainsAny(noun[:min(1, len(noun))], "aeiouAEIOU") {
		return "a "
	}
	return "an "
}

// pickListener returns the last speaker, or somebody else if that is the speaker.
func (v *Voice) pickListener(speaker, last string) string {
	if last != "" && last != speaker {
		return last
	}
	return v.pickOther(speaker).Name
}

// pickOther returns a member of the cast with none of the names. If there is none it
// ignores the last name, then all.
func (v *Voice) pickOther(names ...string) Person {
	for ; len(names) > 0; names = names[:len(names)-1] {
		var out []Person
		for _, p := range v.cast {
			if !slices.Contains(names, p.Name) {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			return weights.Pick(v.rnd, out)
		}
	}
	return v.cast[0]
}

// Other returns the name of somebody else.
func (v *Voice) Other(names ...string) string { return v.pickOther(names...).Name }

func (v *Voice) person(name string) Person {
	for _, p := range v.cast {
		if p.Name == name {
			return p
		}
	}
	return v.cast[0]
}

func firstName(name string) string {
	given, _, _ := strings.Cut(name, " ")
	return given
}

// Cue is what is decided of a turn before anybody writes it (SMMBench B.4).
type Cue struct {
	Speaker Person
	// Act is one of Acts.
	Act string
	// Long is five to eight sentences, else it is one or two (SMMBench E.6).
	Long bool
	// Topic is the place of its sub-topic.
	Topic int
}

// longOf is one in how many turns are long.
const longOf = 9

// PlanTurns decides who says what kind of thing in each turn, over so many sub-topics.
func (v *Voice) PlanTurns(turns, topics int) []Cue {
	out := make([]Cue, turns)
	last := ""
	for i := range out {
		who := v.pickOther(last)
		out[i] = Cue{Speaker: who, Act: v.pickAct(opensTopic(i, topics, turns), last), Long: v.rnd.IntN(longOf) == 0, Topic: i * topics / turns}
		last = who.Name
	}
	return out
}

// Say writes a turn by rule, as it was decided. It asks no question: who has the next
// word is decided, too, and what they say may not be by rule.
func (v *Voice) Say(c Cue, last string) (Line, error) {
	n := 1 + v.rnd.IntN(2)
	if c.Long {
		n = 5 + v.rnd.IntN(4)
	}
	return v.writeTurn(c.Speaker, last, c.Act, false, n)
}

func opensTopic(i, topics, turns int) bool { return i == 0 || i*topics/turns != (i-1)*topics/turns }

// forGroup ends the name of a rule whose ways only fit more than two people.
const forGroup = "_group"

// question is what a sentence asks.
type question struct {
	// kind is one of those below, empty for none; to is who is asked, by name, empty for
	// anybody.
	kind, to string
}

// questionIn returns the question that a sentence by a rule asks, and whom it names.
func (v *Voice) questionIn(rule, text, speaker string) question {
	kind, asks := strings.CutPrefix(rule, "ask_")
	if !asks {
		return question{}
	}
	named := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.?!:", r) })
	for _, p := range v.cast {
		if p.Name != speaker && slices.Contains(named, firstName(p.Name)) {
			return question{kind, p.Name}
		}
	}
	return question{kind: kind}
}

func privateQuestions() []string { return []string{"open", "join", "care", "letter"} }

// Of how many shifts and turns of small talk one asks, of how many answers one is such as
// fits any question about a topic, and of how many questions, and of how many sentences that
// tell something, one is about something that may be asked about, of which nothing is told.
const (
	turningOf = 4
	privateOf = 4
	anyOf     = 5
	matterOf  = 2
	wonderOf  = 2
)

// ruleFor returns a rule for an act; one that makes a statement if it may not ask.
func (v *Voice) ruleFor(act string, may bool) string {
	switch {
	case act == "answer" && slices.Contains(privateQuestions(), v.asked.kind), act == "answer" && v.rnd.IntN(anyOf) > 0:
		return "answer_" + v.asked.kind
	case act == "ask" && may && v.rnd.IntN(matterOf) == 0:
		return "ask_matter"
	case act == "ask" && may:
		return "ask_" + weights.Pick(v.rnd, []string{"news", "opinion", "read", "why", "which", "been", "firm", "worth", "always", "explain", "where", "met", "visit", "often", "shop"})
	case (act == "elaborate" || act == "ask" || act == "small") && v.rnd.IntN(wonderOf) == 0:
		return "wonder"
	case act == "ask":
		return "elaborate"
	case act == "shift" && may && v.rnd.IntN(turningOf) == 0:
		return "ask_" + weights.Pick(v.rnd, []string{"opinion", "looked"})
	case act == "small" && may && v.rnd.IntN(privateOf) == 0:
		return "ask_" + weights.Pick(v.rnd, privateQuestions())
	}
	return act
}

// Topic is an attribute of something, of which nothing is told, or a term without one.
type Topic struct {
	Of        string `json:"of"`
	Attribute string `json:"attribute,omitempty"`
}

// Mention has a voice name things and firms in passing, and attributes of things, beside
// those that nothing is asked about.
func (v *Voice) Mention(names []string, topics []Topic) {
	for _, n := range names {
		things, firms := simulate.NamesIn(n)
		v.mentioned.Things, v.mentioned.Firms = append(v.mentioned.Things, things...), append(v.mentioned.Firms, firms...)
	}
	v.topics = topics
}

// asideOf is one in how many names that may be asked about is one that nothing is asked
// about.
const asideOf = 5

func (v *Voice) attributeTopic(thing, firm string) string {
	t := pickOrOther(v, Topic{weights.Pick(v.rnd, []string{thing, firm}), weights.Pick(v.rnd, v.attributes)}, v.topics)
	if t.Attribute == "" {
		return []string{"the word " + t.Of, "the meaning of " + t.Of, "what " + t.Of + " means"}[v.rnd.IntN(3)]
	}
	return []string{"the " + t.Attribute + " of " + t.Of, "the " + t.Attribute + " for " + t.Of, t.Of + "'s " + t.Attribute}[v.rnd.IntN(3)]
}

// pickOrOther returns name, or sometimes one of the others.
func pickOrOther[T any](v *Voice, name T, others []T) T {
	if len(others) == 0 || v.rnd.IntN(asideOf) == 0 {
		return name
	}
	return weights.Pick(v.rnd, others)
}

// Aside writes turns of a sentence each, about as long as what is said around a
// picture: they stand where one could, after who spoke last.
func (v *Voice) Aside(turns int, last string) ([]Line, error) {
	out := make([]Line, 0, turns)
	for i := range turns {
		l, err := v.briefTurn(last, i+1 < turns)
		if err != nil {
			return nil, err
		}
		out, last = append(out, Line{Speaker: l.Speaker, Text: l.Text}), l.Speaker
	}
	return out, nil
}

// briefTurn returns the shortest of three one-sentence turns, since lines around a piece
// are short.
func (v *Voice) briefTurn(last string, may bool) (out Line, err error) {
	before, after := v.asked, v.asked
	for i := range 3 {
		v.asked = before
		l, err := v.nextTurn(false, last, may, 1)
		if err != nil {
			return out, err
		}
		if i == 0 || len(l.Text) < len(out.Text) {
			out, after = l, v.asked
		}
	}
	v.asked = after
	return out, nil
}

// tellOf is in how many turns somebody tells something, leadOf in how many of those only a
// few words lead up to it.
const (
	tellOf = 16
	leadOf = 3
)

// tellUnasked returns a statement about unasked names with the frame of a piece, so that
// announcements alone do not reveal the evidence.
func (v *Voice) tellUnasked(last string) ([]Line, error) {
	who := v.pickOther(last)
	lead, err := v.leadIn(who, last)
	if err != nil {
		return nil, err
	}
	told, err := v.sentence("told", who, last)
	if err != nil {
		return nil, err
	}
	by := v.pickOther(who.Name)
	reply, err := v.fillRule("announce", "after", by, who.Name, nil)
	if err != nil {
		return nil, err
	}
	more, err := v.sentence(weights.Pick(v.rnd, []string{"elaborate", "claim", "example", "reason", "counter"}), by, who.Name)
	return []Line{{Speaker: who.Name, Act: "tell", Text: lead}, {Speaker: who.Name, Act: "tell", Text: told}, {Speaker: by.Name, Act: "tell", Text: reply + " " + more}}, err
}

// leadIn returns a lead-up that asks nothing, since no answer follows.
func (v *Voice) leadIn(who Person, last string) (string, error) {
	said := ""
	if v.rnd.IntN(leadOf) > 0 {
		s, err := v.sentence("elaborate", who, last)
		if err != nil {
			return "", err
		}
		said = s + " "
	}
	for {
		s, err := v.fillRule("announce", "before", who, last, nil)
		if err != nil || !strings.HasSuffix(s, "?") {
			return said + s, err
		}
	}
}
