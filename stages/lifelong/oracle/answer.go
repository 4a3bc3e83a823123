package oracle

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memforge/memforge/schemas"
)

// Ref is a turn that an answer rests on, by the places of its session and itself.
type Ref struct {
	Session, Turn int
	Role          string
	// Part counts the facts that an answer joins, from 0; Retracts says that it takes back
	// what another turn told.
	Part     int
	Retracts bool
}

func (r Ref) isAfter(o Ref) bool {
	return r.Session > o.Session || r.Session == o.Session && r.Turn > o.Turn
}

// Result is what a question comes to.
type Result struct {
	// Type is one of the eleven in lower case.
	Type, Right string
	Refs        []Ref
	Updates     int
	// Outside is what must be known besides.
	Outside string
	// Thing and Aspect are what was never told, where the answer is that, Spoken the session
	// that spoke of the thing last. What was never told has no evidence.
	Thing, Aspect string
	Spoken        int
	// Fact is the same for questions that ask for the same thing.
	Fact      string
	isOffered optionCheck
	// subject is what is asked of what.
	subject string
}

// questionLines has a line for each way to ask.
//
//go:embed questions.txt
var questionLines string

// questionForm is a way to ask, and the words for the aspect in it: who, how many, what,
// and so on.
type questionForm struct {
	pattern
	asks string
}

// questionForms are the ways to ask; the first that fits is taken.
var questionForms = sync.OnceValue(func() (out []questionForm) {
	words := map[string][][2]string{
		"ASK": {{"who", "who is the A of T"}, {"what", "what is the A of T"}, {"how many", "how many A are given for T"}}, "IS": {{"is", "is"}, {"are", "are"}},
		"HAS": {{"one", "V as its A"}, {"several", "V A"}}, "INQUIRY": {{"who", "Who is the B of it"}, {"what", "What is its B"}, {"how many", "How many B are given for it"}},
	}
	for line := range strings.Lines(questionLines) {
		kind, way, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		name := slot.FindString("")
		for of := range words {
			if strings.Contains(way, of) {
				name = of
			}
		}
		if name == "" {
			out = append(out, questionForm{newPattern(kind, way), ""})
		}
		for _, w := range words[name] {
			filled := strings.Replace(way, name, w[1], 1)
			if strings.HasPrefix(way, "ASK") {
				filled = strings.ToUpper(filled[:1]) + filled[1:]
			}
			out = append(out, questionForm{newPattern(kind, filled), w[0]})
		}
	}
	return out
})

// solve works out what a question of a form comes to.
func (t *Task) solve(form questionForm, of map[string]string, upto int) (Result, error) {
	switch form.kind {
	case "value":
		gone := none
		if form.asks == "who" {
			gone = nobody
		}
		return t.answerCurrent(of, upto, gone)
	case "conflict":
		return t.answerConflict(of, upto)
	case "day":
		return t.answerDay(of, upto)
	case "country":
		return t.answerCountry(of, upto)
	case "tag":
		return t.answerTag(of, upto)
	case "hours":
		return t.answerHours(of, upto)
	case "search":
		return t.answerSearch(of, upto)
	}
	return t.answerCrossModal(of, upto)
}

// readQuestion returns the form of a question and what its slots hold.
func readQuestion(question string) (questionForm, map[string]string, error) {
	for _, f := range questionForms() {
		if !f.mayMatch(question) {
			continue
		}
		if m := f.form.FindStringSubmatch(question); m != nil {
			return f, namedGroups(f.form, m), nil
		}
	}
	return questionForm{}, nil, fmt.Errorf("%q is asked in no way that is known", question)
}

// Answer works a question out as it stands after a session, with the evidence of its
// answer and of its options, if these are given.
func (t *Task) Answer(question string, upto int, options ...string) (Result, error) {
	form, of, err := readQuestion(question)
	if err != nil {
		return Result{}, err
	}
	if day, dated := of["D"]; dated && day != t.sessionDay(upto) {
		return Result{}, fmt.Errorf("%q asks as of another day than that of the session after which it is asked, %s", question, t.sessionDay(upto))
	}
	if err := t.checkQuestionWords(question, form.asks, of); err != nil {
		return Result{}, err
	}
	r, err := t.solve(form, of, upto)
	if err != nil {
		return r, fmt.Errorf("%q: %w", question, err)
	}
	t.citeOptions(&r, options, upto)
	slices.SortStableFunc(r.Refs, func(a, b Ref) int { return cmp.Or(a.Session-b.Session, a.Turn-b.Turn) })
	return r, nil
}

func (t *Task) sessionDay(session int) string {
	day, err := time.Parse(time.DateOnly, t.sessions[session].Date)
	if err != nil {
		return "a session without a date"
	}
	return day.Format("2 January 2006")
}

// currentStatement returns the chain of a subject and its last statement, which must have
// one value.
func (t *Task) currentStatement(subject string, upto int) ([]statement, statement, error) {
	c := t.chain(subject, upto)
	if len(c) == 0 {
		return nil, statement{}, fmt.Errorf("nothing is said or shown of %s", subject)
	}
	last := c[len(c)-1]
	if last.kind == "delete" || last.also != "" {
		return nil, statement{}, fmt.Errorf("no single value of %s holds", subject)
	}
	return c, last, nil
}

func (s statement) ref(role string) Ref { return Ref{Session: s.session, Turn: s.turn, Role: role} }

// answerCurrent answers a question for the current value; gone is the answer where it ended.
func (t *Task) answerCurrent(of map[string]string, upto int, gone string) (Result, error) {
	subject := of["T"] + "/" + of["A"]
	if len(t.filter(func(s statement) bool { return s.session <= upto && s.subject() == subject })) == 0 {
		about := t.filter(func(s statement) bool { return s.session <= upto && s.changesState() && s.thing == of["T"] })
		switch {
		case t.partial:
			return Result{Right: schemas.AnswerNone}, nil
		case len(about) == 0:
			return Result{}, fmt.Errorf("nobody ever speaks of %s", of["T"])
		}
		return Result{subject: subject, Type: "mb", Right: schemas.AnswerNone, Fact: subject + "/unsaid", Thing: of["T"], Aspect: of["A"], Spoken: about[len(about)-1].session, isOffered: t.valueOptions("", of["A"], upto, gone)}, nil
	}
	c := t.chain(subject, upto)
	if len(c) == 0 {
		return Result{}, fmt.Errorf("nothing that is said of %s counts", subject)
	}
	last := c[len(c)-1]
	right := last.heldValue()
	if last.kind == "delete" {
		right = gone
	}
	kinds := map[bool]map[bool]string{false: {false: "fr", true: "du"}, true: {false: "vfr", true: "vu"}}
	if last.shownBefore && t.isCaptioned(subject, upto) {
		return Result{}, fmt.Errorf("a caption tells what the pictures of %s show", of["T"])
	}
	return Result{subject: subject, Type: kinds[last.shownBefore][len(c) > 1], Right: right, Refs: t.refsAbout(subject, 0, upto), Updates: len(c) - 1, Fact: subject + "/" + right, isOffered: t.valueOptions("", of["A"], upto, gone, schemas.AnswerNone)}, nil
}

func (t *Task) answerConflict(of map[string]string, upto int) (Result, error) {
	c := t.chain(of["T"]+"/"+of["A"], upto)
	if len(c) == 0 || c[len(c)-1].kind == "delete" {
		return Result{}, fmt.Errorf("nothing holds of it")
	}
	last := c[len(c)-1]
	if len(t.filter(func(s statement) bool {
		return s.session <= upto && s.subject() == last.subject() && slices.Contains([]string{"joke", "hearsay", "plan", "slip", "past"}, s.kind)
	})) == 0 {
		return Result{}, fmt.Errorf("nothing else was said of it")
	}
	return Result{
		subject: last.subject(), Type: "mc", Right: last.heldValue(), Refs: t.refsAbout(last.subject(), 0, upto), Updates: len(c) - 1, Fact: last.subject() + "/" + last.heldValue(),
		isOffered: t.valueOptions(last.subject(), of["A"], upto),
	}, nil
}

func (t *Task) answerDay(of map[string]string, upto int) (Result, error) {
	var told []statement
	for _, s := range t.chain(of["T"]+"/"+of["A"], upto) {
		if s.value == of["V"] {
			told = append(told, s)
		}
	}
	if len(told) != 1 {
		return Result{}, fmt.Errorf("it is brought up %d times", len(told))
	}
	return Result{subject: told[0].subject(), Type: "tr", Right: t.sessionDay(told[0].session), Refs: t.withOwner(of["T"], told[0].ref(schemas.RoleClue)), Fact: told[0].subject() + "/" + of["V"] + "/when", isOffered: t.dayOptions(of["V"], upto)}, nil
}

func (t *Task) answerCountry(of map[string]string, upto int) (Result, error) {
	c, last, err := t.currentStatement(of["T"]+"/"+of["A"], upto)
	if err != nil {
		return Result{}, err
	}
	land := countryOf(last.value)
	if land == "" {
		return Result{}, fmt.Errorf("nobody knows where %s lies", last.value)
	}
	return Result{subject: last.subject(), Type: "kr", Right: land, Refs: t.refsAbout(last.subject(), 0, upto), Updates: len(c) - 1, Outside: last.value + " lies in " + land, Fact: last.subject() + "/" + last.value + "/country", isOffered: t.countryOptions(upto)}, nil
}

// holders returns the things of which the value, and no other, holds after a session.
func (t *Task) holders(aspect, value string, upto int) []string {
	var out []string
	for subject, values := range t.State(upto) {
		if thing, of, _ := strings.Cut(subject, "/"); of == aspect && slices.Equal(values, []string{value}) {
			out = append(out, thing)
		}
	}
	return out
}

func (t *Task) answerSearch(of map[string]string, upto int) (Result, error) {
	things := t.holders(of["A"], of["V"], upto)
	if len(things) != 1 {
		return Result{}, fmt.Errorf("%d things have it on that day", len(things))
	}
	c, last, err := t.currentStatement(things[0]+"/"+of["A"], upto)
	if err != nil {
		return Result{}, err
	}
	if !last.shownBefore || t.isCaptioned(last.subject(), upto) {
		return Result{}, fmt.Errorf("no picture shows what %s has, or a caption tells it", things[0])
	}
	return Result{subject: last.subject(), Type: "vs", Right: last.thing, Refs: t.refsAbout(last.subject(), 0, upto), Updates: len(c) - 1, Fact: last.subject() + "/" + of["V"], isOffered: t.thingOptions(of["A"], upto)}, nil
}

func (t *Task) answerCrossModal(of map[string]string, upto int) (Result, error) {
	things := t.holders(of["A"], of["V"], upto)
	if len(things) != 1 {
		return Result{}, fmt.Errorf("%d things have it", len(things))
	}
	said, told, err := t.currentStatement(things[0]+"/"+of["A"], upto)
	if err != nil {
		return Result{}, err
	}
	seen, last, err := t.currentStatement(things[0]+"/"+of["B"], upto)
	if err != nil {
		return Result{}, err
	}
	if told.shownBefore || !last.shownBefore || len(t.picturesShowing(told.subject(), upto)) > 0 || t.isCaptioned(last.subject(), upto) {
		return Result{}, fmt.Errorf("it takes words alone and a picture whose caption does not tell it, and has not both")
	}
	refs := append(t.refsAbout(told.subject(), 0, upto), t.refsAbout(last.subject(), 1, upto)...)
	return Result{subject: last.subject(), Type: "cmr", Right: last.value, Refs: refs, Updates: len(said) + len(seen) - 2, Fact: last.subject() + "/" + last.value, isOffered: t.pictureOptions(of["B"], upto)}, nil
}

// Answers where something held and nothing took its place, to who and to what it is.
const (
	nobody = "Nobody any more"
	none   = "None any more"
)

// heldValue returns the value that holds after a statement, as pictures write it.
func (s statement) heldValue() string {
	if s.also != "" {
		return s.value + " and " + s.also
	}
	return s.value
}

// countryTable lists countries with their cities.
const countryTable = `Argentina: Ushuaia
Australia: Adelaide
Australia: Canberra
Austria: Graz
Austria: Linz
Belgium: Ghent
Belgium: Bruges
Brazil: Recife
Brazil: Curitiba
Bulgaria: Plovdiv
Canada: Montreal
Canada: Calgary
Canada: Winnipeg
Chile: Antofagasta
Colombia: Bogota
Croatia: Zadar
Denmark: Aarhus
Denmark: Odense
Ecuador: Quito
Estonia: Tartu
Finland: Tampere
Finland: Turku
France: Lyon
France: Nantes
France: Lille
Germany: Leipzig
Germany: Bremen
Ghana: Kumasi
Greece: Thessaloniki
Hungary: Debrecen
Hungary: Szeged
Iceland: Akureyri
India: Jaipur
India: Pune
Ireland: Galway
Ireland: Cork
Italy: Turin
Italy: Padua
Italy: Bologna
Japan: Kyoto
Japan: Osaka
Japan: Sapporo
Kenya: Mombasa
Latvia: Riga
Lithuania: Kaunas
Mexico: Puebla
Morocco: Fez
Norway: Trondheim
Norway: Stavanger
Peru: Cusco
Peru: Arequipa
Poland: Krakow
Poland: Gdansk
Portugal: Porto
Portugal: Braga
Romania: Cluj
Slovakia: Kosice
Slovenia: Maribor
South Korea: Busan
Spain: Seville
Spain: Bilbao
Spain: Zaragoza
Sweden: Malmo
Sweden: Uppsala
Switzerland: Basel
Switzerland: Lausanne
Turkey: Izmir
Turkey: Antalya
Uruguay: Montevideo
Vietnam: Hanoi
the Czech Republic: Brno
the Czech Republic: Olomouc
the Netherlands: Utrecht
the Netherlands: Delft
the Philippines: Cebu
the United Kingdom: Cardiff
the United Kingdom: Edinburgh`

func countryOf(city string) string {
	for _, line := range strings.Split(countryTable, "\n") {
		if land, town, _ := strings.Cut(line, ": "); town == city {
			return land
		}
	}
	return ""
}

// Family begins the types of its questions and the ids of its tasks.
const Family = "lifelong"

// Question returns a question with everything that follows from its result except
// options: evidence with texts, pictures and labels.
func (t *Task) Question(q schemas.Question, r Result, upto int) schemas.Question {
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: Family, TaskID: q.TaskID, CheckpointID: q.CheckpointID, Type: Family + "_" + r.Type, Question: q.Question, Media: []string{}, Evidence: []schemas.Evidence{},
	}
	last := r.Spoken
	for i, at := range r.Refs {
		e := t.roundEvidence(at)
		e.Order = int32(i + 1)
		out.Evidence = append(out.Evidence, e)
		if at.Role != schemas.RoleDistractor {
			last = max(last, at.Session)
		}
		if e.Media != "" && !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	sets := r.SufficientSets()
	pieces := len(sets[0])
	sum := pieces + r.Updates + (upto-last)/3
	level := "hard"
	if sum < 6 {
		level = "medium"
	}
	if sum < 3 {
		level = "easy"
	}
	out.Labels = map[string]string{
		"axis": strings.ToUpper(r.Type), "domain": Domain(q.TaskID), "difficulty": level,
		schemas.LabelFact: strings.TrimPrefix(q.TaskID, Family+"/") + "/" + r.Fact,
		"evidence":        strconv.Itoa(pieces), "updates": strconv.Itoa(r.Updates), "distance": strconv.Itoa(upto - last),
	}
	if r.Outside != "" {
		out.Labels["outside_fact"] = r.Outside
	}
	if len(sets) > 1 {
		out.Labels[schemas.LabelSufficient] = WriteSets(sets)
	}
	return out
}

// Domain returns what the id of a task says: lifelong/health-0003 is of health.
func Domain(task string) string {
	name := strings.TrimPrefix(task, Family+"/")
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return name
	}
	return name[:at]
}

// roundEvidence returns a user's turn and its answer as evidence.
func (t *Task) roundEvidence(at Ref) schemas.Evidence {
	s := t.sessions[at.Session]
	said := s.Turns[at.Turn]
	end := at.Turn + 1
	if end < len(s.Turns) && s.Turns[end].Role == schemas.TurnAssistant {
		end++
	}
	e := schemas.Evidence{
		Kind: schemas.EvidenceTurn, Ref: said.TurnID, SessionID: s.SessionID, Role: at.Role, Modality: schemas.ModalityText, Text: schemas.QuoteTurns(s.Date, s.Turns[at.Turn:end]...),
	}
	if n := len(said.Attachments); n > 0 {
		shown := said.Attachments[n-1]
		e.Modality, e.Media, e.Caption = schemas.ModalityImage, shown.MediaID, shown.Caption
		e.MinimalCaption, e.TaskAwareCaption = shown.MinimalCaption, shown.TaskAwareCaption
	}
	return e
}
