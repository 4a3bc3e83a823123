package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// refsAbout returns the turns that speak of a subject: what held before, what holds now,
// later pictures that show it again, and what misleads, with what takes it back.
func (t *Task) refsAbout(subject string, part, upto int) []Ref {
	var out []Ref
	add := func(r Ref) {
		if r.Part = part; !slices.ContainsFunc(out, func(o Ref) bool { return o.Session == r.Session && o.Turn == r.Turn }) {
			out = append(out, r)
		}
	}
	c := t.chain(subject, upto)
	last := c[len(c)-1].ref(schemas.RoleClue)
	thing, _, _ := strings.Cut(subject, "/")
	for _, r := range t.withOwner(thing, last)[1:] {
		add(r)
	}
	for _, before := range c[:len(c)-1] {
		add(before.ref(schemas.RoleSuperseded))
		last.Role = schemas.RoleUpdate
	}
	add(last)
	for _, s := range t.filter(func(s statement) bool { return s.session <= upto && s.subject() == subject && !s.changesState() }) {
		add(s.ref(schemas.RoleDistractor))
		if s.retractedBy > 0 {
			back := Ref{Session: s.session, Turn: s.retractedBy, Role: schemas.RoleDistractor, Retracts: true}
			if back.isAfter(last) {
				back.Role = schemas.RoleClue
			}
			add(back)
		}
	}
	for _, p := range t.picturesShowing(subject, upto) {
		r := p.ref(schemas.RoleSuperseded)
		if r.isAfter(last) {
			r.Role = schemas.RoleAlternative
		}
		add(r)
	}
	return out
}

// owner returns the person who speaks of "my" things, "" where no profile names one.
func (t *Task) owner() string {
	if len(t.sessions) == 0 || t.sessions[0].Kind != schemas.KindProfile || len(t.sessions[0].Participants) != 1 {
		return ""
	}
	return t.sessions[0].Participants[0]
}

// withOwner adds the turn that says who speaks to what rests on "my" things.
func (t *Task) withOwner(thing string, refs ...Ref) []Ref {
	if thing == t.owner() && !slices.ContainsFunc(refs, func(r Ref) bool { return r.Session == 0 && r.Turn == 0 }) {
		return append(refs, Ref{Role: schemas.RoleContext})
	}
	return refs
}

// picturesShowing returns the rows of pictures about a subject.
func (t *Task) picturesShowing(subject string, upto int) []statement {
	var out []statement
	for _, p := range t.pictures {
		if p.session <= upto && p.subject() == subject {
			out = append(out, p)
		}
	}
	return out
}

// isCaptioned reports whether a caption tells what a picture shows of a subject.
func (t *Task) isCaptioned(subject string, upto int) bool {
	return !t.partial && slices.ContainsFunc(t.picturesShowing(subject, upto), func(p statement) bool { return p.captioned })
}

// citeOptions adds what wrong options rest on, unless what speaks of the subject tells them:
// for each the last turn that does.
func (t *Task) citeOptions(r *Result, options []string, upto int) {
	for _, o := range options {
		if o == r.Right || r.Type == "ttl" {
			continue
		}
		for _, part := range strings.Split(o, " and ") {
			t.citeOption(r, part, upto)
		}
	}
}

func (t *Task) citeOption(r *Result, option string, upto int) {
	thing, aspect, _ := strings.Cut(r.subject, "/")
	var found *statement
	for _, s := range slices.Concat(t.statements, t.pictures) {
		at, rests := s.ref(""), false
		switch {
		case s.session > upto || s.thing == "":
			continue
		case r.Type == "tr":
			rests = s.thing == thing && t.sessionDay(s.session) == option && (found == nil || found.ref("").isAfter(at))
		case r.Type == "vs":
			rests = s.subject() == option+"/"+aspect && s.picture != ""
		default:
			rests = s.tells(option) || r.Type == "kr" && s.tellsTownOf(option)
		}
		if !rests {
			continue
		}
		if r.Type != "tr" && r.Type != "vs" && s.subject() == r.subject {
			return
		}
		if r.Type == "tr" || found == nil || at.isAfter(found.ref("")) {
			found = &s
		}
	}
	if found == nil {
		return
	}
	r.citeMisleading(found.ref(schemas.RoleDistractor))
	if found.retractedBy > 0 {
		r.citeMisleading(Ref{Session: found.session, Turn: found.retractedBy, Role: schemas.RoleDistractor, Retracts: true})
	}
}

func (r *Result) citeMisleading(at Ref) {
	if !slices.ContainsFunc(r.Refs, func(o Ref) bool { return o.Session == at.Session && o.Turn == at.Turn }) {
		r.Refs = append(r.Refs, at)
	}
}

// tells reports whether a statement tells a value, alone or as one of two.
func (s statement) tells(value string) bool {
	return s.also == value || slices.Contains(strings.Split(s.value, " and "), value)
}

func (s statement) tellsTownOf(land string) bool {
	return slices.ContainsFunc(append(strings.Split(s.value, " and "), s.also), func(v string) bool { return countryOf(v) == land })
}

// SufficientSets returns the sets of evidence of which each gives the answer, as places among
// the turns: one that gives each part, and what takes back a later slip about it.
func (r Result) SufficientSets() [][]int {
	sets := [][]int{nil}
	for part := range 2 {
		var longer [][]int
		for i, at := range r.Refs {
			if at.Part != part || at.Retracts || at.Role != schemas.RoleClue && at.Role != schemas.RoleUpdate && at.Role != schemas.RoleAlternative {
				continue
			}
			for _, set := range sets {
				one := append(slices.Clone(set), i)
				for j, back := range r.Refs {
					if back.Part == part && back.Retracts && back.Role == schemas.RoleClue && back.isAfter(at) {
						one = append(one, j)
					}
				}
				longer = append(longer, one)
			}
		}
		if longer != nil {
			sets = longer
		}
	}
	slices.SortStableFunc(sets, func(a, b []int) int { return len(a) - len(b) })
	return sets
}

// WriteSets writes sets of places as the label schemas.LabelSufficient has them.
func WriteSets(sets [][]int) string {
	var out []string
	for _, set := range sets {
		var orders []string
		for _, i := range slices.Sorted(slices.Values(set)) {
			orders = append(orders, strconv.Itoa(i+1))
		}
		out = append(out, strings.Join(orders, " "))
	}
	return strings.Join(out, "|")
}

// Settle works a question out from pieces of evidence alone: the turns that they quote and
// what their captions say in full that pictures show.
func Settle(q schemas.Question, pieces []schemas.Evidence) (string, error) {
	form, of, err := readQuestion(q.Question)
	if err != nil {
		return "", err
	}
	sessions, pictures, err := quotedSessions(pieces)
	if err != nil {
		return "", err
	}
	t := &Task{sessions: sessions, partial: true, asked: of["A"]}
	t.read(pictures)
	r, err := t.solve(form, of, len(sessions)-1)
	return r.Right, err
}

// quotedSessions returns the sessions of which pieces quote turns, without all others.
func quotedSessions(pieces []schemas.Evidence) ([]schemas.Session, map[string]Picture, error) {
	pieces = slices.Clone(pieces)
	slices.SortFunc(pieces, func(a, b schemas.Evidence) int { return int(a.Order - b.Order) })
	var out []schemas.Session
	pictures := map[string]Picture{}
	for _, e := range pieces {
		date, turn, err := readQuote(e.Text)
		if err != nil {
			return nil, nil, fmt.Errorf("evidence %s: %w", e.Ref, err)
		}
		if e.Media != "" {
			if pictures[e.Media], err = readCaption(e.TaskAwareCaption); err != nil {
				return nil, nil, fmt.Errorf("evidence %s: %w", e.Ref, err)
			}
			turn.Attachments = []schemas.Attachment{{MediaID: e.Media, Caption: e.Caption}}
		}
		if n := len(out); n == 0 || out[n-1].SessionID != e.SessionID {
			out = append(out, schemas.Session{SessionID: e.SessionID, Order: int32(n), Date: date})
		}
		s := &out[len(out)-1]
		s.Turns = append(s.Turns, turn)
		if m := speaks.FindStringSubmatch(turn.Text); m != nil && len(out) == 1 {
			s.Kind, s.Participants = schemas.KindProfile, m[1:]
		}
	}
	return out, pictures, nil
}

var (
	quoteForm = regexp.MustCompile(`(?s)^\[([^\]]+)\]\n(user|agent): (.*?)(?:\nassistant: .*)?$`)
	speaks    = regexp.MustCompile(`^I am ([A-Z]\w+ [A-Z]\w+)\. `)
	feedback  = regexp.MustCompile(`(?s)(?:^|; )feedback: (.*)$`)
	readsForm = regexp.MustCompile(`, titled "(.+)"\. It reads: (.+)\.$`)
)

// readQuote returns the date of a quoted round and what its first turn tells.
func readQuote(text string) (date string, turn schemas.Turn, err error) {
	m := quoteForm.FindStringSubmatch(text)
	if m == nil {
		return "", turn, fmt.Errorf("%q quotes no turn of a user or an agent", text)
	}
	turn.Role = m[2]
	if turn.Role == schemas.TurnUser {
		turn.Text = m[3]
	} else if f := feedback.FindStringSubmatch(m[3]); f != nil {
		turn.Feedback = f[1]
	}
	return m[1], turn, nil
}

// readCaption returns what a full caption says that a picture shows.
func readCaption(caption string) (Picture, error) {
	m := readsForm.FindStringSubmatch(caption)
	if m == nil {
		return Picture{}, fmt.Errorf("the caption %q does not say what the picture reads", caption)
	}
	out := Picture{Title: m[1]}
	for _, row := range strings.Split(m[2], "; ") {
		name, value, _ := strings.Cut(row, ": ")
		out.Rows = append(out.Rows, [2]string{name, value})
	}
	return out, nil
}
