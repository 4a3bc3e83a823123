package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/schemas"
)

// Ref is a turn that an answer rests on, by the places of its session and itself.
type Ref struct {
	Session, Turn int
	Role          string
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
}

// questionForms are the ways to ask; the first that fits is taken.
var questionForms = []struct {
	form  *regexp.Regexp
	solve func(*Task, map[string]string, int) (Result, error)
}{
	{compilePattern(`Who is the A of T, as of D\?`), answerCurrentUnless(nobody)},
	{compilePattern(`What is the A of T, as of D\?`), answerCurrentUnless(none)},
	{compilePattern(`How many A are given for T, as of D\?`), answerCurrentUnless(none)},
	{compilePattern(`(?:As of|Going by all that was said and shown up to) D, who is the A of T\?`), answerCurrentUnless(nobody)},
	{compilePattern(`(?:As of|Going by all that was said and shown up to) D, what is the A of T\?`), answerCurrentUnless(none)},
	{compilePattern(`(?:As of|Going by all that was said and shown up to) D, how many A are given for T\?`), answerCurrentUnless(none)},
	{compilePattern(`Different things were said about the A of T\. What of it holds, as of D\?`), (*Task).answerConflict},
	{compilePattern(`On which day did the user first bring up that the A of T (?:is|are) V\?`), (*Task).answerDay},
	{compilePattern(`On which day did it first come up that the A of T (?:is|are) V\?`), (*Task).answerDay},
	{compilePattern(`In which country is the A of T, as of D\?`), (*Task).answerCountry},
	{compilePattern(`By the rule for tags that the user taught, what is the tag of T with the number V\?`), (*Task).answerTag},
	{compilePattern(`By the rule for quoted hours that the user taught, how many hours are quoted for V hours of work\?`), (*Task).answerHours},
	{compilePattern(`As of D, of all that the pictures so far are about, what has V as its A\?`), (*Task).answerSearch},
	{compilePattern(`As of D, of all that the pictures so far are about, what has V A\?`), (*Task).answerSearch},
	{compilePattern(`As of D, V is the A of one of the things talked about\. What is its B\?`), (*Task).answerCrossModal},
	{compilePattern(`As of D, V is the A of one of the things talked about\. How many B are given for it\?`), (*Task).answerCrossModal},
}

// Answer works a question out as it stands after a session.
func (t *Task) Answer(question string, upto int) (Result, error) {
	for _, a := range questionForms {
		if m := a.form.FindStringSubmatch(question); m != nil {
			of := namedGroups(a.form, m)
			if day, dated := of["D"]; dated && day != t.sessionDay(upto) {
				return Result{}, fmt.Errorf("%q asks as of another day than that of the session after which it is asked, %s", question, t.sessionDay(upto))
			}
			if err := t.checkQuestionWords(question, of); err != nil {
				return Result{}, err
			}
			r, err := a.solve(t, of, upto)
			if err != nil {
				return r, fmt.Errorf("%q: %w", question, err)
			}
			slices.SortStableFunc(r.Refs, func(a, b Ref) int {
				if a.Session != b.Session {
					return a.Session - b.Session
				}
				return a.Turn - b.Turn
			})
			return r, nil
		}
	}
	return Result{}, fmt.Errorf("%q is asked in no way that is known", question)
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

func (s statement) ref(role string) Ref { return Ref{s.session, s.turn, role} }

// answerCurrentUnless answers a question for the current value; gone is the answer where
// it ended.
func answerCurrentUnless(gone string) func(*Task, map[string]string, int) (Result, error) {
	return func(t *Task, of map[string]string, upto int) (Result, error) { return t.answerCurrent(of, upto, gone) }
}

func (t *Task) answerCurrent(of map[string]string, upto int, gone string) (Result, error) {
	subject := of["T"] + "/" + of["A"]
	if len(t.filter(func(s statement) bool { return s.session <= upto && s.subject() == subject })) == 0 {
		about := t.filter(func(s statement) bool { return s.session <= upto && s.changesState() && s.thing == of["T"] })
		if len(about) == 0 {
			return Result{}, fmt.Errorf("nobody ever speaks of %s", of["T"])
		}
		return Result{Type: "mb", Right: schemas.AnswerNone, Fact: subject + "/unsaid", Thing: of["T"], Aspect: of["A"], Spoken: about[len(about)-1].session, isOffered: t.valueOptions("", of["A"], upto, gone)}, nil
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
	return Result{Type: kinds[last.shownBefore][len(c) > 1], Right: right, Refs: t.history(c, upto), Updates: len(c) - 1, Fact: subject + "/" + right, isOffered: t.valueOptions("", of["A"], upto, gone, schemas.AnswerNone)}, nil
}

func (t *Task) answerConflict(of map[string]string, upto int) (Result, error) {
	c := t.chain(of["T"]+"/"+of["A"], upto)
	if len(c) == 0 || c[len(c)-1].kind == "delete" {
		return Result{}, fmt.Errorf("nothing holds of it")
	}
	last, refs := c[len(c)-1], t.history(c, upto)
	told := len(refs)
	for _, s := range t.filter(func(s statement) bool {
		return s.session <= upto && s.subject() == last.subject() && slices.Contains([]string{"joke", "hearsay", "plan", "slip", "past"}, s.kind)
	}) {
		refs = append(refs, s.ref(schemas.RoleDistractor))
	}
	if len(refs) == told {
		return Result{}, fmt.Errorf("nothing else was said of it")
	}
	return Result{Type: "mc", Right: last.heldValue(), Refs: refs, Updates: len(c) - 1, Fact: last.subject() + "/" + last.heldValue() + "/conflict", isOffered: t.valueOptions(last.subject(), of["A"], upto)}, nil
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
	return Result{Type: "tr", Right: t.sessionDay(told[0].session), Refs: []Ref{told[0].ref(schemas.RoleClue)}, Fact: told[0].subject() + "/" + of["V"] + "/when", isOffered: t.dayOptions(of["V"], upto)}, nil
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
	return Result{Type: "kr", Right: land, Refs: t.history(c, upto), Updates: len(c) - 1, Outside: last.value + " lies in " + land, Fact: last.subject() + "/" + last.value + "/country", isOffered: t.countryOptions(upto)}, nil
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
	if !last.shownBefore {
		return Result{}, fmt.Errorf("no picture shows what %s has", things[0])
	}
	return Result{Type: "vs", Right: last.thing, Refs: t.history(c, upto), Updates: len(c) - 1, Fact: last.subject() + "/" + of["V"] + "/search", isOffered: t.thingOptions(of["A"], upto)}, nil
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
	if told.shownBefore || !last.shownBefore || len(t.picturesShowing(told.subject(), told.value, upto)) > 0 {
		return Result{}, fmt.Errorf("it takes words alone and a picture, and has not both")
	}
	return Result{Type: "cmr", Right: last.value, Refs: append(t.history(said, upto), t.history(seen, upto)...), Updates: len(said) + len(seen) - 2, Fact: told.subject() + "/" + last.subject() + "/" + last.value, isOffered: t.pictureOptions(of["B"], upto)}, nil
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

// history returns the evidence for the end of a chain: all that held before, what holds
// now, and the latest later picture that shows it again.
func (t *Task) history(c []statement, upto int) []Ref {
	var out []Ref
	for _, before := range c[:len(c)-1] {
		out = append(out, before.ref(schemas.RoleSuperseded))
	}
	last := c[len(c)-1]
	if len(c) > 1 {
		out = append(out, last.ref(schemas.RoleUpdate))
	} else {
		out = append(out, last.ref(schemas.RoleClue))
	}
	if last.kind == "delete" {
		return out
	}
	if again := t.picturesShowing(last.subject(), last.heldValue(), upto); len(again) > 0 {
		p := again[len(again)-1]
		if p.session > last.session || p.session == last.session && p.turn > last.turn {
			out = append(out, p.ref(schemas.RoleClue))
		}
	}
	return out
}

func (t *Task) picturesShowing(subject, value string, upto int) []statement {
	var out []statement
	for _, p := range t.pictures {
		if p.session <= upto && p.value == value && p.subject() == subject {
			out = append(out, p)
		}
	}
	return out
}

// countryTable lists countries with their cities.
const countryTable = `Argentina: Rosario
Australia: Adelaide
Australia: Perth
Austria: Graz
Austria: Linz
Belgium: Ghent
Belgium: Bruges
Brazil: Recife
Brazil: Curitiba
Bulgaria: Plovdiv
Canada: Montreal
Canada: Calgary
Canada: Halifax
Chile: Valparaiso
Colombia: Medellin
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
Georgia: Batumi
Germany: Leipzig
Germany: Bremen
Ghana: Kumasi
Greece: Thessaloniki
Hungary: Debrecen
Hungary: Szeged
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
Norway: Bergen
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
Spain: Malaga
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
the United Kingdom: Bristol
the United Kingdom: Leeds`

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
		if last = max(last, at.Session); e.Media != "" && !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	sum := len(r.Refs) + r.Updates + (upto-last)/3
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
		"evidence":        strconv.Itoa(len(r.Refs)), "updates": strconv.Itoa(r.Updates), "distance": strconv.Itoa(upto - last),
	}
	if r.Outside != "" {
		out.Labels["outside_fact"] = r.Outside
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
