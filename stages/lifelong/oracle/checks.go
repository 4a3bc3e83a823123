package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// CheckFrames checks that the kind of each session fits its turns, and that the first one
// is the profile of the person who takes part in the others.
func (t *Task) CheckFrames() error {
	owner := ""
	for n, s := range t.sessions {
		if err := checkBareTurns(s); err != nil {
			return err
		}
		if n == 0 {
			var err error
			if owner, err = t.profileOwner(s); err != nil {
				return err
			}
			continue
		}
		kind, who := schemas.KindDialogue, []string{owner, schemas.TurnAssistant}
		has := map[string]bool{}
		for _, turn := range s.Turns {
			has[turn.Role] = true
		}
		if has[schemas.TurnAgent] {
			kind, who = schemas.KindTrajectory, []string{schemas.TurnUser, schemas.TurnAgent}
		}
		switch {
		case s.Kind != kind || has[schemas.TurnAgent] && has[schemas.TurnAssistant]:
			return fmt.Errorf("session %s is said to be a %s, and by its turns it is a %s", s.SessionID, s.Kind, kind)
		case !slices.Equal(s.Participants, who) || s.Title != "":
			return fmt.Errorf("session %s, %q, is of %q; want none and %q", s.SessionID, s.Title, s.Participants, who)
		}
	}
	return nil
}

func (t *Task) profileOwner(s schemas.Session) (string, error) {
	if s.Kind != schemas.KindProfile || s.Title != "Profile" || len(s.Participants) != 1 {
		return "", fmt.Errorf("session %s is a %s, %q, of %q; want the profile of one person", s.SessionID, s.Kind, s.Title, s.Participants)
	}
	owner := s.Participants[0]
	if len(s.Turns) == 0 || !strings.HasPrefix(s.Turns[0].Text, "I am "+owner+". ") {
		return "", fmt.Errorf("session %s is the profile of %s, and does not begin with who speaks", s.SessionID, owner)
	}
	for _, one := range t.filter(func(o statement) bool { return o.session == 0 && o.thing != owner }) {
		return "", fmt.Errorf("session %s is the profile of %s, and tells of %s", s.SessionID, owner, one.thing)
	}
	return owner, nil
}

// checkBareTurns checks that turns have no time and no place in a stream and that only
// agents take steps: nothing else reads these fields.
func checkBareTurns(s schemas.Session) error {
	for _, t := range s.Turns {
		step := t.Observation + t.Reasoning + t.Action + t.Feedback
		if t.Timestamp != "" || t.Position != 0 || t.Role != schemas.TurnAgent && step != "" || t.Role == schemas.TurnAgent && t.Text != "" {
			return fmt.Errorf("turn %s by %s is of %q at place %d, with the words %q and the step %q; want no time and no place, and words or a step", t.TurnID, t.Role, t.Timestamp, t.Position, t.Text, step)
		}
	}
	return nil
}

// Summary describes a task: the number of sessions and pictures, and with whom.
func Summary(sessions []schemas.Session) string {
	shown, who := 0, ""
	for _, s := range sessions {
		if s.Kind == schemas.KindProfile && len(s.Participants) == 1 {
			who = s.Participants[0]
		}
		for _, t := range s.Turns {
			shown += len(t.Attachments)
		}
	}
	return fmt.Sprintf("%d sessions with %s, %d pictures", len(sessions), who, shown)
}

// unlearnedStatements returns statements in the texts that teach nothing: what assistants
// say, what agents see, think and do, and doubtful sentences.
func unlearnedStatements(turn schemas.Turn) []statement {
	said, fed := turnPatterns(), shownForm()
	if turn.Role == schemas.TurnAssistant {
		said, fed = nil, nil
	}
	out := append(unreadStatements(turn.Text, said), unreadStatements(turn.Feedback, fed)...)
	for _, text := range []string{turn.Observation, turn.Reasoning, turn.Action} {
		out = append(out, unreadStatements(text, nil)...)
	}
	return out
}

// unreadStatements returns statements in the sentences that match another way of telling,
// but none of the given ones.
func unreadStatements(text string, ways []pattern) (out []statement) {
	for _, sentence := range sentences(text) {
		if len(readSentences(sentence, ways)) == 0 {
			all := append(readSentences(sentence, shownForm()), readSentences(sentence, turnPatterns())...)
			out = append(out, all[:min(1, len(all))]...)
		}
	}
	return out
}

// CheckUnlearned reports a statement in a text that teaches nothing, such as an
// assistant's, unless it repeats what holds: a reader would take it for true, and no
// answer goes by it.
func (t *Task) CheckUnlearned() error {
	aspects := map[string]bool{"": true} // of a rule
	for _, one := range t.statements {
		aspects[one.aspect] = true
	}
	for n, s := range t.sessions {
		for i, turn := range s.Turns {
			for _, one := range unlearnedStatements(turn) {
				one.session, one.turn = n, i
				if aspects[one.aspect] && !t.isRepetition(one) {
					return fmt.Errorf("turn %s says where nothing is told that the %s of %s is %s (%s), and that is not what holds then", turn.TurnID, one.aspect, one.thing, one.value, one.kind)
				}
			}
		}
	}
	return nil
}

// isRepetition reports whether a statement repeats the current value or a taught rule.
func (t *Task) isRepetition(s statement) bool {
	before := t.filter(func(o statement) bool {
		return (o.session < s.session || o.session == s.session && o.turn <= s.turn) && o.subject() == s.subject()
	})
	if s.kind == "tag" || s.kind == "hours" {
		return slices.ContainsFunc(before, func(o statement) bool { return o.kind == s.kind && o.value == s.value && o.also == s.also })
	}
	if !s.changesState() { // it makes nothing true, and may be said again by those who heard it
		return slices.ContainsFunc(before, func(o statement) bool { return o.kind == s.kind && o.value == s.value })
	}
	before = slices.DeleteFunc(before, func(o statement) bool { return !o.changesState() })
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	if last.kind == "delete" || s.kind == "delete" {
		return last.kind == s.kind
	}
	return s.value == last.value && s.also == last.also
}

// CheckUntold reports a line that tells the asked aspect of an unanswerable question: in
// a round that names the thing, any line that names no other thing.
func (t *Task) CheckUntold(r Result, upto int) error {
	thing, aspect := r.Thing, r.Aspect
	if r.Type != "mb" {
		return nil
	}
	told := regexp.MustCompile(`(?i)(?:^|[.,:;!?] )(?:its |the |their |your |my )?` + regexp.QuoteMeta(aspect) + `(?: is| are| was| reads| will be|:) `)
	for n, s := range t.sessions {
		for i := 0; i < len(s.Turns) && n <= upto; i++ {
			lines := turnLines(s.Turns[i])
			if i+1 < len(s.Turns) && s.Turns[i+1].Role == schemas.TurnAssistant {
				lines = append(lines, turnLines(s.Turns[i+1])...)
			}
			if !slices.ContainsFunc(lines, func(l string) bool { return namesThing(l, thing) }) {
				continue
			}
			for _, l := range lines {
				if told.MatchString(l) && (namesThing(l, thing) || !slices.ContainsFunc(t.statements, func(s statement) bool { return s.thing != "" && namesThing(l, s.thing) })) {
					return fmt.Errorf("nobody is to tell the %s of %s, and in the round of turn %s stands %q", aspect, thing, s.Turns[i].TurnID, l)
				}
			}
		}
	}
	return nil
}

func namesThing(line, thing string) bool {
	return strings.Contains(line, strings.TrimPrefix(thing, "the "))
}

// turnLines returns all texts of a turn with its captions.
func turnLines(turn schemas.Turn) []string {
	out := []string{turn.Text, turn.Observation, turn.Reasoning, turn.Action, turn.Feedback}
	for _, a := range turn.Attachments {
		out = append(out, a.Caption, a.MinimalCaption, a.TaskAwareCaption)
	}
	return out
}

// valueFinder finds the values in a text that are not written by chance: people, rooms,
// organisations, amounts, codes and towns.
type valueFinder struct {
	form  *regexp.Regexp // at the beginning of a text
	words map[string]bool
}

var newValueFinder = sync.OnceValue(func() valueFinder {
	var all []string
	for _, f := range valueForms {
		expr := strings.TrimSuffix(strings.TrimPrefix(f.value.String(), "^(?:"), ")$")
		if len(f.aspects) == 0 && expr != aNumber {
			all = append(all, expr)
		}
	}
	v := valueFinder{regexp.MustCompile("^(?:" + strings.Join(all, "|") + `)\b`), map[string]bool{}}
	for _, w := range regexp.MustCompile("[A-Za-z]+").FindAllString(strings.Join(all, "|"), -1) {
		v.words[w] = true
	}
	return v
})

var wordForm, smallLetter = regexp.MustCompile(`\b\w+`), regexp.MustCompile("[a-z]")

// find returns the values in a text from the left, without overlaps. A word with small
// letters can begin a value only if some form has that word, so few words are tried.
func (v valueFinder) find(text string) (out []string) {
	end := 0
	for _, at := range wordForm.FindAllStringIndex(text, -1) {
		if word := text[at[0]:at[1]]; at[0] < end || smallLetter.MatchString(word) && !v.words[word] {
			continue
		}
		if found := v.form.FindString(text[at[0]:]); found != "" {
			out, end = append(out, found), at[0]+len(found)
		}
	}
	return out
}

// aNumber is the form of numbers, which stand in many sentences.
const aNumber = `[1-9]\d{0,2}`

// CheckStrayValues reports a value in a sentence that tells nothing, if the round tells
// it nowhere: a reader takes "That went to Graz in the end" for true, and no answer goes
// by it.
func (t *Task) CheckStrayValues() error {
	for n, s := range t.sessions[min(1, len(t.sessions)):] {
		for i, turn := range s.Turns {
			for _, text := range []string{turn.Text, turn.Observation, turn.Reasoning, turn.Feedback} {
				if v := t.strayValue(text, n+1, i); v != "" {
					return fmt.Errorf("turn %s says %q, where nothing is told, and nobody tells that in its round", turn.TurnID, v)
				}
			}
		}
	}
	return nil
}

// strayValue returns a value in a text that its round does not tell, or "".
func (t *Task) strayValue(text string, session, turn int) string {
	first := turn
	if t.sessions[session].Turns[turn].Role == schemas.TurnAssistant {
		first = max(turn-1, 0)
	}
	round := t.filter(func(o statement) bool { return o.session == session && first <= o.turn && o.turn <= turn })
	for _, sentence := range sentences(text) {
		if len(readSentences(sentence, turnPatterns()))+len(readSentences(sentence, shownForm())) > 0 {
			continue
		}
		for _, v := range newValueFinder().find(sentence) {
			known := slices.ContainsFunc(round, func(o statement) bool { return slices.Contains([]string{o.value, o.also, o.old, o.who}, v) })
			if !known && !slices.Contains(t.sessions[0].Participants, v) {
				return v
			}
		}
	}
	return ""
}

// stepForms are the actions that change something, in parts: A attribute, T thing without its
// article, V value, W a second one.
var stepForms = compileAll(
	`TYPE "(?P<V>.+)" into "(?P<A>.+)"; SAVE`, `SELECT "(?P<A>.+)"; DELETE; SAVE`, `SPLIT "(?P<A>.+)" into "(?P<V>.+)" \| "(?P<W>.+)"; SAVE`, `MERGE "(?P<A>.+)" into "(?P<V>.+)"; SAVE`,
	`WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+) \| (?P<W>.+)`, `WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+)`, `WIPE (?P<A>.+) of (?P<T>.+)`, `PUT (?P<T>.+?) : where there is room`, `PUT (?P<T>.+?) : (?P<V>.+)`,
)

// frontForms are the answers by which a thing comes in front of an agent.
var frontForms = compileAll(`(?P<T>the .+) (?:is open now|comes to the front|is within reach)\.`, `I stand in front of (?P<T>the .+)\.`)

func compileAll(ways ...string) (out []*regexp.Regexp) {
	for _, w := range ways {
		out = append(out, regexp.MustCompile("^(?i:"+w+")$"))
	}
	return out
}

// firstMatch returns the groups of the first expression that matches, or nil.
func firstMatch(ways []*regexp.Regexp, text string) map[string]string {
	for _, w := range ways {
		if m := w.FindStringSubmatch(text); m != nil {
			return namedGroups(w, m)
		}
	}
	return nil
}

// CheckAgentSteps reports a step whose parts contradict each other: an action that
// differs from its answer in effect or thing, a look at a thing not in front, or a wrong
// number of saved changes.
func (t *Task) CheckAgentSteps() error {
	things := map[string]bool{}
	for _, s := range t.statements {
		if title, of := strings.CutPrefix(s.thing, "the "); of {
			things[title] = true
		}
	}
	for n, s := range t.sessions {
		front, saved := "", 0
		for i, turn := range s.Turns {
			if turn.Role != schemas.TurnAgent {
				continue
			}
			step := agentStep{turn: turn, statements: t.filter(func(o statement) bool {
				return o.session == n && o.turn == i && !o.shownBefore && (o.changesState() || o.kind == "plan")
			}), things: things}
			if err := step.check(front, saved); err != nil {
				return fmt.Errorf("turn %s: %w", turn.TurnID, err)
			}
			if of := firstMatch(frontForms, turn.Feedback); of != nil {
				front = strings.TrimPrefix(strings.ToLower(of["T"][:1])+of["T"][1:], "the ")
			}
			if len(step.statements) > 0 && step.statements[0].changesState() {
				saved++
			}
		}
	}
	return nil
}

// agentStep is a step of an agent with its statements, and the titles of all things.
type agentStep struct {
	turn       schemas.Turn
	statements []statement
	things     map[string]bool
}

// savedChanges are how many changes a look says that were saved.
var savedChanges = regexp.MustCompile(`(?:log has|after) (no|one|\d+) changes?\b`)

// full is the feedback for taking a thing while the gripper holds another.
var full = regexp.MustCompile(`^Failed: the gripper holds .+ already\.$`)

func (d agentStep) check(front string, saved int) error {
	did := firstMatch(stepForms, d.turn.Action)
	switch {
	case len(d.statements) > 0 && did == nil:
		return fmt.Errorf("the action %q changes nothing, and is answered by %q", d.turn.Action, d.turn.Feedback)
	case len(d.statements) > 0:
		told := d.statements[0]
		for part, want := range map[string]string{"A": told.aspect, "T": strings.TrimPrefix(told.thing, "the "), "V": told.value, "W": told.also} {
			if got, says := did[part]; says && got != want && !strings.EqualFold(got, want) {
				return fmt.Errorf("the action %q is of %q, and what it is answered is of %q", d.turn.Action, got, want)
			}
		}
	}
	if err := d.checkThing(front); err != nil {
		return err
	}
	if m := savedChanges.FindStringSubmatch(strings.ToLower(d.turn.Observation)); m != nil && m[1] != strconv.Itoa(saved) && (m[1] != "no" || saved != 0) && (m[1] != "one" || saved != 1) {
		return fmt.Errorf("%q tells of %s changes, and %d were saved", d.turn.Observation, m[1], saved)
	}
	return nil
}

// checkThing checks that a step is about one thing, and that a look is at the thing in
// front.
func (d agentStep) checkThing(front string) error {
	acted, answered := d.thingsNamed(d.turn.Action), d.thingsNamed(full.ReplaceAllString(d.turn.Feedback, ""))
	for _, thing := range acted {
		if len(answered) > 0 && !slices.Contains(answered, thing) {
			return fmt.Errorf("the action %q is on the %s, and the answer %q speaks of another thing", d.turn.Action, thing, d.turn.Feedback)
		}
	}
	seen := d.thingsNamed(d.turn.Observation)
	if front != "" && len(seen) > 0 && !slices.Contains(seen, front) {
		return fmt.Errorf("%q looks at another thing than the %s, which is in front", d.turn.Observation, front)
	}
	for _, thing := range d.thingsNamed(d.turn.Reasoning) {
		if !slices.Contains(slices.Concat(acted, answered, seen), thing) {
			return fmt.Errorf("%q thinks of the %s, and what is seen, done and answered is of other things", d.turn.Reasoning, thing)
		}
	}
	return nil
}

func (d agentStep) thingsNamed(text string) (out []string) {
	for thing := range d.things {
		if strings.Contains(text, thing) {
			out = append(out, thing)
		}
	}
	return out
}
