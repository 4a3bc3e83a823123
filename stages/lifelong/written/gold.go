package written

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/question"
)

// Gold is what follows from a plan for a question.
type Gold struct {
	Key   Key
	Right string
	Wrong []string
	// Pieces are the facts and interferences that it rests on.
	Pieces []Piece
	// Updates counts the changes of what is asked about.
	Updates int
	// Outside is the fact of the world that it takes.
	Outside string
	// Asks says in plain words what is asked, for the author of the question.
	Asks string
	// Keys are those that a reader may take it to ask for: more than one where the thing is
	// not named.
	Keys []Key
	// Fact is what is asked of what with the answer, the same whatever words ask for it.
	Fact string
}

// Piece is a fact or an interference by its id, and its role as evidence.
type Piece struct{ ID, Role string }

// wrongCount is how many wrong options a question has.
const wrongCount = question.Options - 1

// Gold works out what a question is to be answered with.
func (p Plan) Gold(q Question) (Gold, error) {
	if q.End < 0 || q.End >= len(p.Sessions) {
		return Gold{}, fmt.Errorf("a question of type %q is asked after session %d; the plan has %d", q.Type, q.End, len(p.Sessions))
	}
	g, err := p.goldByType(q)
	if err != nil {
		return Gold{}, fmt.Errorf("question of type %q about %v after session %d: %w", q.Type, q.Facts, q.End, err)
	}
	if len(g.Wrong) > wrongCount {
		g.Wrong = g.Wrong[:wrongCount]
	}
	for i, w := range g.Wrong {
		if equalValues(State, w, g.Right) || slices.ContainsFunc(g.Wrong[:i], func(o string) bool { return equalValues(State, o, w) }) {
			return Gold{}, fmt.Errorf("question of type %q about %v: two options are %q", q.Type, q.Facts, w)
		}
	}
	if len(g.Wrong) < wrongCount {
		return Gold{}, fmt.Errorf("question of type %q about %v has %d wrong options, and needs %d", q.Type, q.Facts, len(g.Wrong), wrongCount)
	}
	g.Keys = p.askedKeys(q, g)
	g.Fact = strings.Join(append([]string{q.Type}, append(slices.Clone(q.Facts), g.Key.String(), g.Right)...), "/")
	return g, nil
}

// askedKeys returns the keys that a reader, who knows no value, may take a question to ask
// for: of a distance both, and of a thing that is not named those of its aspect.
func (p Plan) askedKeys(q Question, g Gold) []Key {
	out := []Key{g.Key}
	for _, f := range p.Facts {
		unnamed := (q.Type == question.VS || q.Type == question.CMR) && f.Aspect == g.Key.Aspect
		if f.Key() != g.Key && (unnamed || q.Type == question.TR && f.ID == q.Facts[0]) {
			out = append(out, f.Key())
		}
	}
	return out
}

func (p Plan) goldByType(q Question) (Gold, error) {
	switch q.Type {
	case question.MB:
		return p.goldOfAbsent(q)
	case question.MC:
		return p.goldOfInterference(q)
	case question.KR:
		return p.goldOfOutside(q)
	}
	facts, err := p.holding(q)
	if err != nil {
		return Gold{}, err
	}
	switch q.Type {
	case question.FR, question.VFR, question.DU, question.VU:
		return p.goldOfValue(q, facts[0])
	case question.TR:
		return p.goldOfDistance(q, facts)
	case question.TTL:
		return p.goldOfRule(q, facts[0])
	case question.CMR:
		return p.goldOfJoin(facts)
	case question.VS:
		return goldOfSearch(facts)
	}
	return Gold{}, fmt.Errorf("there is no such type")
}

// holding returns the facts that a question names, which hold when it is asked.
func (p Plan) holding(q Question) ([]Fact, error) {
	want := map[string]int{question.TR: 2, question.CMR: 2, question.VS: 4}[q.Type]
	if len(q.Facts) != max(1, want) {
		return nil, fmt.Errorf("it names %d facts; it rests on %d", len(q.Facts), max(1, want))
	}
	live := p.Live(q.End)
	var out []Fact
	for _, id := range q.Facts {
		i := slices.IndexFunc(live, func(f Fact) bool { return f.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("fact %s does not hold then", id)
		}
		out = append(out, live[i])
	}
	if q.Type != question.VS && len(p.liveOf(out[0].Key(), q.End)) > 1 {
		return nil, fmt.Errorf("several facts of %s hold then", out[0].Key())
	}
	return out, nil
}

func (p Plan) liveOf(k Key, end int) []Fact {
	return slices.DeleteFunc(p.Live(end), func(f Fact) bool { return f.Key() != k })
}

// goldOfValue asks for the value that holds. The values before it are wrong options.
func (p Plan) goldOfValue(q Question, f Fact) (Gold, error) {
	chain := p.Chain(f.Key(), q.End)
	before := chain[:len(chain)-1]
	updated := q.Type == question.DU || q.Type == question.VU
	shown := q.Type == question.VFR || q.Type == question.VU
	switch {
	case f.Kind == Rule, shown != (f.Mode == Shown), updated != (len(before) > 0):
		return Gold{}, fmt.Errorf("fact %s is %s, of kind %s and changed %d times", f.ID, f.Mode, f.Kind, len(before))
	case len(p.against(f.Key(), q.End)) > 0 && !updated:
		return Gold{}, fmt.Errorf("an interference is against fact %s", f.ID)
	}
	g := Gold{Key: f.Key(), Right: Display(f.Kind, f.Value), Asks: "the " + f.Aspect + " of " + f.Thing}
	role := schemas.RoleClue
	for _, old := range slices.Backward(before) {
		if old.Op != Delete {
			g.Updates++
			g.addWrong(f.Kind, old.Value)
			g.Pieces = append(g.Pieces, Piece{old.ID, schemas.RoleSuperseded})
		}
	}
	slices.Reverse(g.Pieces)
	if updated {
		role = schemas.RoleUpdate
		g.Asks += ", as it is now"
	}
	g.Pieces = append(g.Pieces, Piece{f.ID, role})
	p.fillFromLife(&g, f, q.End)
	g.fill(f.Kind, f.Near)
	g.offerAbsence()
	return g, nil
}

// against returns the interferences up to a session that are against facts of a key.
func (p Plan) against(k Key, end int) (out []Interference) {
	for _, i := range p.Interfering {
		if f, ok := p.FactByID(i.Against); ok && f.Key() == k && i.Session <= end {
			out = append(out, i)
		}
	}
	return out
}

// fillFromLife adds values of other facts of the kind and unit that came up by then, told
// or shown as this one, so that it does not help to know which option was ever said. One
// option is left for a near value.
func (p Plan) fillFromLife(g *Gold, f Fact, end int) {
	var others []Fact
	for _, o := range p.Facts {
		if o.Session <= end && o.Key() != f.Key() && o.Mode == f.Mode && o.Op != Delete && comparable(f, o) {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b Fact) int {
		rank := func(o Fact) uint64 { return words.Mix(words.Hash(f.ID + "/" + o.ID)) }
		return cmp.Compare(rank(a), rank(b))
	})
	for _, o := range others {
		if len(g.Wrong) < wrongCount-1 && !p.everTrue(f.Key(), o) {
			g.addWrong(o.Kind, o.Value)
		}
	}
}

// comparable reports whether the value of another fact could be that of this one: dates,
// hours, amounts, people and places, and numbers of one unit.
func comparable(f, o Fact) bool {
	switch f.Kind {
	case Date, Hour, Person, Place:
		return o.Kind == f.Kind
	case Money, Number:
		return o.Kind == f.Kind && unitOf(o) == unitOf(f)
	}
	return false
}

// everTrue reports whether a key has the value of a fact at any time.
func (p Plan) everTrue(k Key, o Fact) bool {
	return slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.Key() == k && equalValues(f.Kind, f.Value, o.Value) })
}

// unitOf returns what stands behind a number.
func unitOf(f Fact) string { return strings.TrimLeft(f.Value, "0123456789.,: ") }

// addWrong adds a wrong option where neither the right one nor another wrong one equals it.
func (g *Gold) addWrong(kind, value string) {
	text := Display(kind, value)
	same := func(o string) bool { return equalValues(State, o, text) }
	if !same(g.Right) && !slices.ContainsFunc(g.Wrong, same) {
		g.Wrong = append(g.Wrong, text)
	}
}

func (g *Gold) fill(kind string, near []string) {
	for _, n := range near {
		if len(g.Wrong) < wrongCount {
			g.addWrong(kind, n)
		}
	}
}

// offerAbsence puts the answer of absence among the wrong options of three in five
// questions that share their form with questions without an answer, so that offering it
// tells nothing.
func (g *Gold) offerAbsence() {
	if words.Mix(words.Hash(g.Key.String()))%5 < 3 && len(g.Wrong) >= wrongCount {
		g.Wrong = append(g.Wrong[:wrongCount-1], schemas.AnswerNone)
	}
}

// goldOfDistance asks how many days lie between two events.
func (p Plan) goldOfDistance(q Question, facts []Fact) (Gold, error) {
	var days []time.Time
	for _, f := range facts {
		at := f.When
		if f.Kind == Date {
			at = f.Value
		}
		d, err := time.Parse(time.DateOnly, at)
		if err != nil || f.Mode != Told {
			return Gold{}, fmt.Errorf("fact %s has no date that is told", f.ID)
		}
		if len(p.liveOf(f.Key(), q.End)) > 1 {
			return Gold{}, fmt.Errorf("several facts of %s hold then", f.Key())
		}
		days = append(days, d)
	}
	n := int(days[1].Sub(days[0]).Hours() / 24)
	if n < 2 || n > 400 {
		return Gold{}, fmt.Errorf("%d days lie between facts %v; 2 to 400 can be asked for", n, q.Facts)
	}
	name := func(f Fact) string {
		if f.Kind == Date {
			return "the " + f.Aspect + " of " + f.Thing
		}
		return "the day on which this became so: the " + f.Aspect + " of " + f.Thing + " is " + f.Value
	}
	g := Gold{
		Key: facts[1].Key(), Right: countDays(n), Pieces: []Piece{{facts[0].ID, schemas.RoleClue}, {facts[1].ID, schemas.RoleClue}},
		Asks: "how many days lie between " + name(facts[0]) + ", and " + name(facts[1]),
	}
	// The right number is the smallest, second, third or largest with equal chance.
	step := []int{1, 2, 3, 7}[words.Mix(words.Hash(g.Asks))%4]
	below := int(words.Mix(words.Hash(g.Asks+g.Right)) % 4)
	for below*step >= n {
		below--
	}
	for i := range question.Options {
		if i != below {
			g.Wrong = append(g.Wrong, countDays(n+(i-below)*step))
		}
	}
	return g, nil
}

func countDays(n int) string {
	if n == 1 {
		return "1 day"
	}
	return strconv.Itoa(n) + " days"
}

// goldOfRule applies a rule to a case that no session tells. A rule that it superseded
// gives a wrong option.
func (p Plan) goldOfRule(q Question, f Fact) (Gold, error) {
	if f.Kind != Rule || f.Rule == nil {
		return Gold{}, fmt.Errorf("fact %s is no rule", f.ID)
	}
	r := f.Rule
	if gap := max(q.Amount-r.Limit, r.Limit-q.Amount); q.Amount < 1 || gap*10 < r.Limit {
		return Gold{}, fmt.Errorf("the amount %d is too near the limit %d", q.Amount, r.Limit)
	}
	g := Gold{Key: f.Key(), Right: r.Outcome(q.Amount, q.Excepted), Asks: "what is to be done by the user's rule (" + f.Aspect + " of " + f.Thing + ") where " + r.Quantity + " is " + strconv.Itoa(q.Amount) + " " + r.Unit}
	if q.Excepted {
		g.Asks += " and this is so: " + r.Exception
	} else {
		g.Asks += " and this is not so, which the question makes plain: " + r.Exception
	}
	chain := p.Chain(f.Key(), q.End)
	for _, old := range chain[:len(chain)-1] {
		if old.Rule != nil {
			g.Updates++
			g.addWrong(State, old.Rule.Outcome(q.Amount, q.Excepted))
			g.Pieces = append(g.Pieces, Piece{old.ID, schemas.RoleSuperseded})
		}
	}
	role := schemas.RoleClue
	if g.Updates > 0 {
		role = schemas.RoleUpdate
	}
	g.Pieces = append(g.Pieces, Piece{f.ID, role})
	for _, o := range []string{r.Within, r.Above, r.Then} {
		if len(g.Wrong) < wrongCount {
			g.addWrong(State, o)
		}
	}
	g.fill(State, f.Near)
	return g, nil
}

// Outcome returns what the rule says of a case.
func (r RuleFact) Outcome(amount int, excepted bool) string {
	switch {
	case excepted:
		return r.Then
	case amount <= r.Limit:
		return r.Within
	}
	return r.Above
}

// goldOfJoin asks for a value that a picture shows of what words tell alone.
func (p Plan) goldOfJoin(facts []Fact) (Gold, error) {
	told, shown := facts[0], facts[1]
	if told.Mode != Told || shown.Mode != Shown || !strings.EqualFold(told.Value, shown.Thing) {
		return Gold{}, fmt.Errorf("fact %s tells no thing of which fact %s is shown", told.ID, shown.ID)
	}
	g := Gold{
		Key: shown.Key(), Right: Display(shown.Kind, shown.Value), Pieces: []Piece{{told.ID, schemas.RoleClue}, {shown.ID, schemas.RoleClue}},
		Asks: "the " + shown.Aspect + " of what is the " + told.Aspect + " of " + told.Thing + ", without naming it (" + told.Value + ")",
	}
	for _, other := range p.Facts {
		if other.Picture == shown.Picture && other.Kind == shown.Kind && other.Aspect == shown.Aspect && other.ID != shown.ID && len(g.Wrong) < wrongCount {
			g.addWrong(other.Kind, other.Value)
		}
	}
	g.fill(shown.Kind, shown.Near)
	return g, nil
}

// goldOfSearch asks which of four things has a value in the pictures of an aspect.
func goldOfSearch(facts []Fact) (Gold, error) {
	target := facts[0]
	g := Gold{
		Key: target.Key(), Right: target.Thing, Pieces: []Piece{{target.ID, schemas.RoleClue}},
		Asks: "of which thing a picture shows that its " + target.Aspect + " is " + Display(target.Kind, target.Value),
	}
	if target.Mode != Shown {
		return Gold{}, fmt.Errorf("fact %s is not shown", target.ID)
	}
	for _, f := range facts[1:] {
		if !searchable(target, f) {
			return Gold{}, fmt.Errorf("fact %s is not shown, or not of the aspect %q of another thing with another value of the kind and unit", f.ID, target.Aspect)
		}
		g.addWrong(State, f.Thing)
		g.Pieces = append(g.Pieces, Piece{f.ID, schemas.RoleDistractor})
	}
	return g, nil
}

// searchable reports whether a fact can stand beside the one that is looked for: shown, in
// the same aspect and unit, of another thing, with another value.
func searchable(target, f Fact) bool {
	return f.Mode == Shown && f.Aspect == target.Aspect && f.Thing != target.Thing && f.Kind == target.Kind && !equalValues(f.Kind, f.Value, target.Value) &&
		(f.Kind != Number && f.Kind != Money || unitOf(f) == unitOf(target))
}

// goldOfInterference asks for what holds against what only looked like it.
func (p Plan) goldOfInterference(q Question) (Gold, error) {
	at := slices.IndexFunc(p.Interfering, func(i Interference) bool { return len(q.Facts) == 1 && i.ID == q.Facts[0] })
	if at < 0 || p.Interfering[at].Session > q.End {
		return Gold{}, fmt.Errorf("it names no interference that came by then")
	}
	i := p.Interfering[at]
	f, ok := p.FactByID(i.Against)
	live := p.liveOf(f.Key(), q.End)
	if !ok || len(live) != 1 {
		return Gold{}, fmt.Errorf("%d facts hold of what %s is against", len(live), i.ID)
	}
	f = live[0]
	g := Gold{Key: f.Key(), Right: Display(f.Kind, f.Value), Asks: "the " + f.Aspect + " of " + f.Thing + ", as it really is", Pieces: []Piece{{f.ID, schemas.RoleClue}, {i.ID, schemas.RoleDistractor}}}
	g.addWrong(f.Kind, i.Value)
	chain := p.Chain(f.Key(), q.End)
	for _, old := range chain[:len(chain)-1] {
		if old.Op != Delete {
			g.Updates++
			g.addWrong(old.Kind, old.Value)
			g.Pieces = append(g.Pieces, Piece{old.ID, schemas.RoleSuperseded})
			g.Pieces[0].Role = schemas.RoleUpdate
		}
	}
	p.fillFromLife(&g, f, q.End)
	g.fill(f.Kind, f.Near)
	g.offerAbsence()
	return g, nil
}

// goldOfAbsent asks for what no session says.
func (p Plan) goldOfAbsent(q Question) (Gold, error) {
	if q.Absent < 1 || q.Absent > len(p.Absent) {
		return Gold{}, fmt.Errorf("it names absent key %d; there are %d", q.Absent, len(p.Absent))
	}
	a := p.Absent[q.Absent-1]
	g := Gold{Key: Key{a.Thing, a.Aspect}, Right: schemas.AnswerNone, Asks: "the " + a.Aspect + " of " + a.Thing}
	g.fill(State, a.Near)
	return g, nil
}

// goldOfOutside asks for what follows from a fact with a fact of the world.
func (p Plan) goldOfOutside(q Question) (Gold, error) {
	at := slices.IndexFunc(p.Outside, func(o Outside) bool { return len(q.Facts) == 1 && o.ID == q.Facts[0] })
	if at < 0 {
		return Gold{}, fmt.Errorf("it names no outside record")
	}
	o := p.Outside[at]
	f, ok := p.FactByID(o.Fact)
	if !ok || f.Session > q.End || len(p.liveOf(f.Key(), q.End)) != 1 || p.liveOf(f.Key(), q.End)[0].ID != f.ID {
		return Gold{}, fmt.Errorf("fact %s, from which %s goes on, does not hold then", o.Fact, o.ID)
	}
	g := Gold{
		Key: f.Key(), Right: o.Value, Outside: f.Value + ": " + o.Relation + " is " + o.Value, Pieces: []Piece{{f.ID, schemas.RoleClue}},
		Asks: o.Relation + ", for what is the " + f.Aspect + " of " + f.Thing + ", without naming it (" + f.Value + ")",
	}
	g.fill(State, o.Near)
	return g, nil
}
