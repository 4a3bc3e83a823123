package oracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

// askedQuestion is a question in its parts: the handles that it is based on, and its words.
type askedQuestion struct {
	handles []string
	words   string
	tools   []schemas.Tool
}

// handlePrefix is how a question begins that names pictures: the second way where it is about
// what a card or a programme shows.
var handlePrefix = regexp.MustCompile(`^(According to|See) ((?:(?:Fig|Table)\. [0-9a-f]{8}(?:, | and )?)+)(,|:) `)

var handleForm = regexp.MustCompile(`(?:Fig|Table)\. [0-9a-f]{8}`)

// solver answers one form of question, in one of its sentences.
type solver struct {
	task    string
	pattern *regexp.Regexp
	// parts are the names of the blanks whose words solve takes, in order.
	parts []string
	solve func(*Task, askedQuestion, []string) (Result, error)
}

// read returns the parts of a question; nil where it has another form. Its first letter
// may be small, where names of pictures stand before it.
func (s solver) read(words string) []string {
	said, ok := phrasebook.Blanks(s.pattern, phrasebook.Capitalise(words))
	if !ok {
		return nil
	}
	var out []string
	for _, name := range s.parts {
		out = append(out, said[name]+said[phrasebook.Capitalise(name)])
	}
	return out
}

// solvers are the forms of questions, compiled for all of them.
var solvers = sync.OnceValue(func() (out []solver) {
	holds := map[string]string{
		"thing": "[a-z ]+", "term": "[A-Z][a-z]+-[a-z]+", "attribute": "[a-z][a-z -]*", "of": name + `|the [a-z ]+ on the card`, "ask": "(?i:who|where|which firm)",
		"verb": "[a-z]+", "sort": "[a-z ]+", "links": `.+\.`, "end": "[a-z ]+ of that [a-z' ]+",
	}
	add := func(task, form string, solve func(*Task, askedQuestion, []string) (Result, error), parts ...string) {
		for _, sentence := range wordings.Sentences(form) {
			out = append(out, solver{task, phrasebook.Pattern(sentence, holds), parts, solve})
		}
	}
	add(schemas.TaskSingleHop, wordings.Definition, (*Task).answerDefinition, "thing", "term")
	add(schemas.TaskConflict, wordings.Total, (*Task).answerTotal, "attribute", "of")
	add(schemas.TaskPreference, wordings.Avoided, (*Task).answerAvoided, "who")
	add(schemas.TaskPreference, wordings.Preferred, (*Task).answerPreferred, "who")
	add(schemas.TaskFunctionCall, wordings.Call, (*Task).answerCall, "verb")
	add(schemas.TaskMultiHop, wordings.Linked, (*Task).answerLinkedChain, "links", "end")
	add(schemas.TaskMultiHop, wordings.Value, (*Task).answerChain, "attribute", "of")
	return out
})

// Answer works a question out. An error says what in it leads nowhere: then nothing in
// the sources gives an answer, or more than one.
func (t *Task) Answer(question string, tools []schemas.Tool) (Result, error) {
	a := askedQuestion{words: question, tools: tools}
	if m := handlePrefix.FindStringSubmatch(question); m != nil {
		a.handles, a.words = handleForm.FindAllString(m[2], -1), question[len(m[0]):]
		shown := strings.Contains(a.words, " on the card") || strings.Contains(a.words, " of the programme ")
		if begin := m[1] + m[3]; shown != (begin == "See:") || !shown && begin != "According to," {
			return Result{}, fmt.Errorf("%q names pictures in another way than such a question does", question)
		}
	}
	for _, s := range solvers() {
		parts := s.read(a.words)
		if parts == nil {
			continue
		}
		r, err := s.solve(t, a, parts)
		if err != nil {
			return Result{}, fmt.Errorf("%q: %w", question, err)
		}
		r.Task = cmp.Or(r.Task, s.task)
		r.sortEvidence()
		if t.partial {
			return r, nil
		}
		return r, r.checkHandles(a.handles)
	}
	return Result{}, fmt.Errorf("%q is asked in no way that is known", question)
}

func (t *Task) basePicture(a askedQuestion, kinds ...string) (*Piece, error) {
	for _, p := range t.pictures {
		if slices.Contains(a.handles, p.handle) && slices.Contains(kinds, p.picture.Kind) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no picture of the kind %q is called one of %q", kinds, a.handles)
}

// singleValue returns the value on which all statements agree.
func singleValue(list []fact, what string) (string, *Piece, error) {
	if len(list) == 0 {
		return "", nil, fmt.Errorf("nobody tells %s", what)
	}
	for _, f := range list[1:] {
		if f.args["v"] != list[0].args["v"] {
			return "", nil, fmt.Errorf("%s is %q and %q", what, list[0].args["v"], f.args["v"])
		}
	}
	return list[0].args["v"], list[0].from, nil
}

// currentValue returns the single value of an attribute without a told change.
func (t *Task) currentValue(of, attribute string) (string, *Piece, error) {
	what := "the " + attribute + " of " + of
	for _, kind := range []string{"changed", "up", "down"} {
		if n := len(t.find(kind, "of", of, "a", attribute)); n > 0 {
			return "", nil, fmt.Errorf("%d changes are told of %s, and the question knows of none", n, what)
		}
	}
	return singleValue(t.find("fact", "of", of, "a", attribute), what)
}

// answerDefinition finds the one thing on a chart that fits a definition.
func (t *Task) answerDefinition(a askedQuestion, m []string) (r Result, err error) {
	chart, err := t.basePicture(a, "chart")
	if err != nil {
		return r, err
	}
	terms := t.find("between", "w", m[1], "t", m[0])
	if len(terms) != 1 {
		return r, fmt.Errorf("%q is defined %d times", m[1], len(terms))
	}
	r.addPieces(schemas.RoleClue, chart, terms[0].from)
	low, high := parseNumber(terms[0].args["l"]), parseNumber(terms[0].args["h"])
	limits := t.find("except", "w", m[1])
	r.Offered = t.thingsByName(chart.entries(), m[0])
	for _, row := range chart.picture.Rows {
		if v := parseNumber(row[1]); chart.picture.Columns[1] != terms[0].args["m"] || v < low || v > high {
			continue
		}
		label := row[0]
		if names := t.find("fact", "of", label, "a", m[0]); len(names) > 0 {
			label = names[0].args["v"]
			r.addPieces(schemas.RoleClue, names[0].from)
		}
		out, err := t.isExcluded(label, limits, &r)
		if err != nil {
			return r, err
		}
		if out {
			continue
		}
		if r.Right != "" {
			return r, fmt.Errorf("%q and %q are both %s", r.Right, label, m[1])
		}
		r.Right = label
	}
	if r.Right == "" {
		return r, fmt.Errorf("nothing is %s", m[1])
	}
	return r, nil
}

// thingsByName returns things of a kind, with codes replaced by names.
func (t *Task) thingsByName(list []string, kind string) (out []string) {
	for _, label := range list {
		if names := t.find("fact", "of", label, "a", kind); len(names) > 0 {
			label = names[0].args["v"]
		}
		out = append(out, label)
	}
	return out
}

func (t *Task) isExcluded(of string, limits []fact, r *Result) (bool, error) {
	for _, l := range limits {
		v, from, err := t.currentValue(of, l.args["m"])
		if err != nil {
			return false, err
		}
		r.addPieces(schemas.RoleClue, l.from, from)
		if l.excludes(v) {
			return true, nil
		}
	}
	return false, nil
}

// excludes reports whether an exception holds of a number.
func (f fact) excludes(v string) bool {
	if f.args["d"] == "below" {
		return parseNumber(v) < parseNumber(f.args["n"])
	}
	return parseNumber(v) > parseNumber(f.args["n"])
}

func parseNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// subjectOf returns the subject that a question names or its card shows.
func (t *Task) subjectOf(a askedQuestion, named string, r *Result) (string, error) {
	if !strings.HasSuffix(named, " on the card") {
		return named, nil
	}
	card, err := t.basePicture(a, "card")
	if err != nil {
		return "", err
	}
	r.addPieces(schemas.RoleClue, card)
	return card.picture.Title, nil
}

func (t *Task) attributeValues(attribute string) (out []string) {
	for _, kind := range []string{"fact", "changed"} {
		for _, f := range t.find(kind, "a", attribute) {
			out = append(out, f.args["v"])
		}
	}
	return out
}

// answerContradiction returns the valid value where sources disagree: that of the person
// who decides, or the latest.
func (t *Task) answerContradiction(a askedQuestion, m []string) (Result, error) {
	of, err := t.subjectOf(a, m[1], &Result{})
	if err == nil && len(t.find("decides", "of", of, "a", m[0])) > 0 {
		return t.answerDisputed(a, m)
	}
	return t.answerChanged(a, m)
}

// answerTotal adds up all changes of a number.
func (t *Task) answerTotal(a askedQuestion, m []string) (r Result, err error) {
	r.Variant = "total"
	of, err := t.subjectOf(a, m[1], &r)
	if err != nil {
		return r, err
	}
	n, changes, err := t.sumChanges(of, m[0], &r)
	if err == nil && changes == 0 {
		err = fmt.Errorf("nobody tells of a change of the %s of %s", m[0], of)
	}
	if err != nil {
		return r, err
	}
	r.Right, r.Offered = strconv.Itoa(n), t.attributeNumbers(m[0])
	r.Outdated = t.find("fact", "of", of, "a", m[0])[0].args["v"]
	return r, nil
}

// attributeNumbers returns the initial and final numbers of all things with an attribute.
func (t *Task) attributeNumbers(attribute string) []string {
	out := t.attributeValues(attribute)
	for _, f := range t.find("fact", "a", attribute) {
		if n, changes, err := t.sumChanges(f.args["of"], attribute, &Result{}); err == nil && changes > 0 {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

// sumChanges returns the final number and how many changes led to it.
func (t *Task) sumChanges(of, attribute string, r *Result) (sum, changes int, err error) {
	v, from, err := singleValue(t.find("fact", "of", of, "a", attribute), "the "+attribute+" of "+of)
	if err != nil {
		return 0, 0, err
	}
	r.addPieces(schemas.RoleClue, from)
	sum = parseNumber(v)
	var updates []*Piece
	for sign, kind := range map[int]string{1: "up", -1: "down"} {
		for _, f := range t.find(kind, "of", of, "a", attribute) {
			sum, changes = sum+sign*parseNumber(f.args["n"]), changes+1
			updates = append(updates, f.from)
		}
	}
	r.addUpdates(from, updates...)
	return sum, changes, nil
}

// answerChanged returns the changed value; the former one must be told, too.
func (t *Task) answerChanged(a askedQuestion, m []string) (r Result, err error) {
	r.Variant = "time"
	of, err := t.subjectOf(a, m[1], &r)
	if err != nil {
		return r, err
	}
	r.Offered = t.attributeValues(m[0])
	changes := t.find("changed", "of", of, "a", m[0])
	if t.partial && len(changes) > 0 {
		r.Right = changes[len(changes)-1].args["v"]
		return r, nil
	}
	before, from, err := singleValue(t.find("fact", "of", of, "a", m[0]), "the "+m[0]+" of "+of)
	if err != nil {
		return r, err
	}
	r.addPieces(schemas.RoleSuperseded, from)
	r.Outdated = before
	if len(changes) == 0 || changes[len(changes)-1].from.position() < from.position() {
		return r, fmt.Errorf("the %s of %s is %s, and nobody tells of a change", m[0], of, before)
	}
	for _, c := range changes {
		r.addUpdates(from, c.from)
		r.Right = c.args["v"]
	}
	return r, nil
}

// answerDisputed returns what the person who decides says, where two disagree.
func (t *Task) answerDisputed(a askedQuestion, m []string) (r Result, err error) {
	r.Variant = "authority"
	of, err := t.subjectOf(a, m[1], &r)
	if err != nil {
		return r, err
	}
	rules := t.find("decides", "of", of, "a", m[0])
	said := t.find("fact", "of", of, "a", m[0])
	alone := t.partial && len(said) == 1
	if len(rules) != 1 || !alone && (len(said) != 2 || said[0].args["v"] == said[1].args["v"] || said[0].from.speaker() == said[1].from.speaker()) {
		return r, fmt.Errorf("of the %s of %s %d things are said and %d rules tell who decides; want two that differ and one", m[0], of, len(said), len(rules))
	}
	r.addPieces(schemas.RoleClue, rules[0].from)
	r.Offered = t.attributeValues(m[0])
	for _, f := range said {
		role := schemas.RoleSuperseded
		if f.from.speaker() == rules[0].args["p"] {
			role, r.Right = schemas.RoleClue, f.args["v"]
		} else {
			r.Outdated = f.args["v"]
		}
		r.addByTeller(role, f.from)
	}
	if r.Right == "" {
		return r, fmt.Errorf("%s decides and says nothing", rules[0].args["p"])
	}
	return r, nil
}

// answerChain follows the links of one sentence, the last one named first. A single link
// is told more than once.
func (t *Task) answerChain(a askedQuestion, m []string) (Result, error) {
	links := strings.Split(m[0], " of the ")
	if len(links) == 1 {
		r, err := t.answerContradiction(a, m)
		r.Task = schemas.TaskConflict
		return r, err
	}
	return t.followLinks(a, m[1], links)
}

// answerLinkedChain follows the links of several sentences to the end that is asked for.
func (t *Task) answerLinkedChain(a askedQuestion, m []string) (Result, error) {
	links, of, err := readLinks(m[0], m[1])
	if err != nil {
		return Result{}, err
	}
	slices.Reverse(links)
	return t.followLinks(a, of, links)
}

// readLinks returns the links of sentences each of which continues the one before, those
// of the end that is asked for, and what they begin from.
func readLinks(told, asked string) (links []string, of string, err error) {
	first, end := firstLinks().FindStringSubmatch(told), lastLinks.FindStringSubmatch(asked)
	if first == nil || end == nil {
		return nil, "", fmt.Errorf("it tells the links %q to %q, which are none", told, asked)
	}
	links = []string{first[1], first[3]}
	for _, s := range continuation.FindAllStringSubmatch(first[4], -1) {
		if last := links[len(links)-1]; s[1] != last {
			return nil, "", fmt.Errorf("it goes on from %q, and came to %q", s[1], last)
		}
		links = append(links, s[2], s[3])
	}
	if last := links[len(links)-1]; end[2] != last {
		return nil, "", fmt.Errorf("it asks about %q, and came to %q", end[2], last)
	}
	if end[3] != "" {
		links = append(links, end[3])
	}
	return append(links, end[1]), first[2], nil
}

// Links that are told one after the other, and what is asked at the end of them.
var (
	firstLinks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^The ([a-z ]+) of (` + name + `|the [a-z ]+ on the card) has an? ([a-z ]+)\.((?: That [a-z ]+'s [a-z ]+ has an? [a-z ]+\.)*)$`)
	})
	continuation = regexp.MustCompile(` That ([a-z ]+)'s ([a-z ]+) has an? ([a-z ]+)\.`)
	lastLinks    = regexp.MustCompile(`^([a-z ]+) of that ([a-z ]+?)(?:'s ([a-z ]+))?$`)
)

// followLinks follows links whose last comes first.
func (t *Task) followLinks(a askedQuestion, from string, links []string) (r Result, err error) {
	at, err := t.subjectOf(a, from, &r)
	if err != nil {
		return r, err
	}
	for _, l := range slices.Backward(links) {
		next, piece, err := t.currentValue(at, l)
		if err != nil {
			return r, err
		}
		r.addPieces(schemas.RoleClue, piece)
		at = next
	}
	r.Right, r.Offered = at, t.attributeValues(links[0])
	return r, nil
}
