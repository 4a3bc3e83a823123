package dialogs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

// Keys of LoCoMo's files. A session's key ends in its number; what belongs to it has
// the number inside.
const keyConversation = "conversation"

var (
	sessionKey = regexp.MustCompile(`^session_([1-9][0-9]{0,3})$`)
	dateKey    = regexp.MustCompile(`^session_([1-9][0-9]{0,3})_date_time$`)
	// turnRef names a turn: D8:6 is the sixth of session 8.
	turnRef = regexp.MustCompile(`^D([1-9][0-9]{0,3}):([1-9][0-9]{0,4})$`)
	refMark = regexp.MustCompile(`[\s;,]+`)
)

// locomoKinds returns the question types by category, as LoCoMo's own program has them.
func locomoKinds() map[string]string {
	return map[string]string{"1": "multi_hop", "2": "temporal", "3": "open_domain", "4": "single_hop", "5": kindAdversarial}
}

const kindAdversarial = "adversarial"

// parseLocomo reads a flat object, or one whose sessions lie in an object of their own.
func parseLocomo(o annotation.Object, name string) (conversation, error) {
	c := conversation{name: name}
	if id, err := o.Text("sample_id"); err == nil && idForm.MatchString(id) {
		c.name = id
	}
	talk, observed := o, o
	if _, nested := o[keyConversation]; nested {
		var err error
		if talk, err = o.Object(keyConversation); err != nil {
			return c, err
		}
		if observed, err = observations(o); err != nil {
			return c, err
		}
	}
	c.sessions = c.locomoSessions(talk)
	if len(c.sessions) == 0 {
		return c, errors.New("it has no session_1 and no other session")
	}
	for i := range c.sessions {
		c.addObservations(&c.sessions[i], observed)
	}
	questions, err := o.Objects("qa")
	if err != nil {
		return c, err
	}
	for i, q := range questions {
		c.locomoQuestion(i, q)
	}
	c.dropContradicted()
	return c, nil
}

// observations returns the observations of the nested layout, which has had two names for
// them.
func observations(o annotation.Object) (annotation.Object, error) {
	if _, ok := o["observation"]; ok {
		return o.Object("observation")
	}
	return o.Object("observations")
}

// locomoSessions returns the sessions in the order of their numbers. A date without a
// session is rejected.
func (c *conversation) locomoSessions(o annotation.Object) (out []session) {
	dates := map[int]string{}
	for key := range o {
		if m := dateKey.FindStringSubmatch(key); m != nil {
			n, _ := strconv.Atoi(m[1]) // at most four digits
			dates[n] = key
		}
	}
	for _, key := range sortedKeys(o) {
		m := sessionKey.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1]) // at most four digits
		s := session{number: n}
		date, err := o.Text(dates[n])
		if err == nil && dates[n] != "" {
			s.at, err = parseSpokenDate(date)
		}
		if err != nil {
			c.reject(dates[n], codeDate, "%v: the session has no date", err)
		}
		delete(dates, n)
		if s.turns = c.locomoTurns(key, o[key]); len(s.turns) > 0 {
			out = append(out, s)
		}
	}
	for _, key := range slices.Sorted(maps.Values(dates)) {
		c.reject(key, codeNoDay, "there is no session of that number")
	}
	slices.SortFunc(out, func(a, b session) int { return a.number - b.number })
	return out
}

// parseSpokenDate reads a date such as "1:56 pm on 8 May, 2023". It names no zone: UTC stands
// for wherever the speakers were.
func parseSpokenDate(s string) (string, error) {
	t, err := time.Parse("3:04 pm on 2 January, 2006", strings.ToLower(s[:min(len(s), 9)])+s[min(len(s), 9):])
	if err != nil {
		return "", fmt.Errorf("%q is not a date like 1:56 pm on 8 May, 2023", annotation.Truncate(s))
	}
	return t.Format(time.RFC3339), nil
}

func (c *conversation) locomoTurns(place string, raw json.RawMessage) (out []turn) {
	items, err := annotation.ParseList(raw)
	if err != nil {
		c.reject(place, codeSession, "%v", err)
		return nil
	}
	for i, item := range items {
		t, dead, err := locomoTurn(item)
		if err != nil {
			c.reject(fmt.Sprintf("%s[%d]", place, i), codeTurn, "%v", err)
			continue
		}
		if slices.ContainsFunc(out, func(o turn) bool { return o.ref == t.ref }) {
			c.reject(fmt.Sprintf("%s[%d]", place, i), codeCopy, "a turn before it has the dia_id %s", t.ref)
			continue
		}
		for range dead {
			c.reject(t.ref, codeDead, "the picture is a link that was never part of the data; its description is kept")
		}
		out = append(out, t)
	}
	return out
}

func locomoTurn(item json.RawMessage) (t turn, dead int, err error) {
	o, err := annotation.ParseObject(item)
	if err != nil {
		return t, 0, err
	}
	var caption string
	err = o.Fill(annotation.Field{Key: "dia_id", Into: &t.ref}, annotation.Field{Key: "speaker", Into: &t.speaker},
		annotation.Field{Key: "text", Into: &t.text}, annotation.Field{Key: "blip_caption", Into: &caption})
	if err != nil {
		return t, 0, err
	}
	if !turnRef.MatchString(t.ref) || t.speaker == "" {
		return t, 0, fmt.Errorf("it has dia_id %q and speaker %q; want one like D1:1, and a name", annotation.Truncate(t.ref), annotation.Truncate(t.speaker))
	}
	t.role = roleOf(t.speaker)
	if caption != "" {
		t.pictures = []picture{{caption: caption}}
	}
	links, err := o.Texts("img_url")
	return t, len(links), err
}

// addObservations adds a session's observations: by speaker, a list of texts with their
// turns.
func (c *conversation) addObservations(s *session, o annotation.Object) {
	place := fmt.Sprintf("session_%d_observation", s.number)
	bySpeaker, err := o.Object(place)
	if err != nil {
		c.reject(place, codePoint, "%v", err)
		return
	}
	for _, speaker := range sortedKeys(bySpeaker) {
		notes, err := annotation.ParseList(bySpeaker[speaker])
		if err != nil {
			c.reject(place+"."+speaker, codePoint, "%v", err)
			continue
		}
		for i, raw := range notes {
			at := fmt.Sprintf("%s.%s[%d]", place, speaker, i)
			text, refs, err := parseObservation(raw)
			if err != nil {
				c.reject(at, codePoint, "%v", err)
				continue
			}
			s.points = append(s.points, point{subject: speaker, text: text, refs: c.parseEvidence(at, refs)})
		}
	}
}

// parseObservation reads a list of a text and its turn or turns.
func parseObservation(raw json.RawMessage) (text string, refs []string, err error) {
	parts, err := annotation.ParseList(raw)
	if err != nil || len(parts) != 2 {
		return "", nil, fmt.Errorf("want a list of a text and its turns, have %s", annotation.Truncate(string(raw)))
	}
	o := annotation.Object{"text": parts[0], "turns": parts[1]}
	if text, err = o.Text("text"); err != nil {
		return "", nil, err
	}
	refs, err = o.Texts("turns")
	return text, refs, err
}

// parseEvidence splits references to turns, since some entries hold several, and rejects
// what names no turn.
func (c *conversation) parseEvidence(place string, written []string) (out []string) {
	for _, w := range written {
		for _, ref := range refMark.Split(strings.TrimSpace(w), -1) {
			if !turnRef.MatchString(ref) {
				c.reject(place, codeEvidence, "%q names no turn", annotation.Truncate(w))
				continue
			}
			if !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
	}
	return out
}

func (c *conversation) locomoQuestion(i int, o annotation.Object) {
	place := fmt.Sprintf("qa[%d]", i)
	q := question{number: i + 1}
	var category, trap string
	err := o.Fill(annotation.Field{Key: "question", Into: &q.text}, annotation.Field{Key: "answer", Into: &q.answer},
		annotation.Field{Key: "category", Into: &category}, annotation.Field{Key: "adversarial_answer", Into: &trap})
	if err != nil {
		c.reject(place, codeQuestion, "%v", err)
		return
	}
	written, err := o.Texts("evidence")
	if err != nil {
		c.reject(place, codeQuestion, "%v", err)
		return
	}
	q.answer, trap = strings.TrimSpace(q.answer), strings.TrimSpace(trap)
	q.place, q.kind, q.refs = place, locomoKinds()[category], c.parseEvidence(place, written)
	if q.kind == kindAdversarial {
		q.answer = schemas.AnswerNone
		if trap != "" && !isUnanswerableOption(trap) {
			q.wrong = []string{trap}
		}
	}
	if q.text == "" || q.answer == "" || q.kind == "" {
		c.reject(place, codeQuestion, "it lacks a question, an answer or a category from 1 to 5")
		return
	}
	c.questions = append(c.questions, q)
}

// dropContradicted rejects each unanswerable question that another one asks in the same
// words and answers.
func (c *conversation) dropContradicted() {
	answered := map[string]string{}
	for _, q := range c.questions {
		if q.kind != kindAdversarial {
			answered[words.Folded(q.text)] = q.answer
		}
	}
	c.questions = slices.DeleteFunc(c.questions, func(q question) bool {
		answer, twice := answered[words.Folded(q.text)]
		if q.kind != kindAdversarial || !twice {
			return false
		}
		c.reject(q.place, codeContra, "it says that there is no answer, and another question in the same words has the answer %q", annotation.Truncate(answer))
		return true
	})
}

// isUnanswerableOption reports that a wrong option says what the right one does: "Not mentioned".
func isUnanswerableOption(text string) bool {
	return strings.HasPrefix(words.Folded(schemas.AnswerNone), words.Folded(text))
}

func sortedKeys(o annotation.Object) []string { return slices.Sorted(maps.Keys(o)) }
