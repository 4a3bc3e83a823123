// Package oracle recomputes what a question about composed videos says from the
// tables of a release alone: it parses the words of the question, finds the
// video that they name, and looks up events, labels and recipe. It shares no
// code with the packages that write the questions, so that a mistake, or a
// forgery, on one side is none on the other.
package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Version rises when the same tables would give other questions.
const Version = "4"

// Case is what the tables say about one medium.
type Case struct {
	Media schemas.Media
	// Events and Labels are those of the originals that the medium shows.
	Events []schemas.StatedEvent
	Labels []schemas.StatedLabel
}

// DeriveQuestion returns q with every column as it follows from the tables, and
// the names of the columns that do not follow. The error says what in its words
// or options is wrong.
func (c Case) DeriveQuestion(q schemas.Question) (schemas.Question, []string, error) {
	w, err := c.composition()
	if err != nil {
		return q, nil, err
	}
	if w.layout == layoutNBack {
		return w.solveTrial(q)
	}
	r, err := w.solve(q)
	if err != nil {
		return q, nil, fmt.Errorf("%q: %w", q.Question, err)
	}
	out := newQuestion(q, c.Media.MediaID)
	out.Question, out.Options, out.AnswerKey, out.AnswerText, out.Type = r.question, r.options, r.key, r.answer, r.typ
	if out.Type == schemas.TypeSpatialGrounding && len(w.swaps) == 0 {
		out.Split = schemas.ControlSplit
	}
	out.QuestionMCQ = withOptions(out.Question, out.Options)
	out.Evidence = w.evidence(r, c.Media.MediaID, q.Evidence)
	out.Explanation, out.Setting = w.explanation(r).format(q.Explanation), w.setting().format(q.Setting)
	free := w.deriveLabels(&out, r, q)
	return out, free, nil
}

// newQuestion returns a question without what is derived. Fields that stages
// never set stay empty.
func newQuestion(q schemas.Question, medium string) schemas.Question {
	return schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: q.TaskID, Split: "test", Media: []string{medium},
		Labels: map[string]string{},
	}
}

const family = "video"

// withOptions returns a question with its options below it, one a line.
func withOptions(question string, options []schemas.Option) string {
	lines := []string{question}
	for _, o := range options {
		lines = append(lines, o.Key+". "+o.Text)
	}
	return strings.Join(lines, "\n")
}

func contentID(prefix string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return prefix + "-" + hex.EncodeToString(sum.Sum(nil))[:16]
}

func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// moment is something that happens in one of the videos.
type moment struct {
	video *video
	seenEvent
}

// solution is what follows for a question about two videos.
type solution struct {
	wording
	question, typ string
	options       []schemas.Option
	key, answer   string
	// target is A, B, both or neither. clues are what the answer rests on, others
	// what a wrong option may be taken from, by option.
	target string
	clues  []moment
	others [][]moment
	why    string
	// detail is what content retention asks for, fact what is asked of what.
	detail string
	fact   []string
	// swaps is the number of exchanges, order that of the films.
	swaps int
	order string
}

func (w *composition) solve(q schemas.Question) (solution, error) {
	r := solution{options: slices.Clone(q.Options), swaps: len(w.swaps), order: w.order()}
	w.asked = q.QuestionMCQ
	var err error
	if r.wording, err = parseWording(w.layout, q.Question); err != nil {
		return r, err
	}
	r.question = r.wording.String()
	judge := map[string]func(*solution) error{
		formOnly: w.solveValue, formNth: w.solveNth, formOrder: w.solveOrder, formGap: w.solveGap, formPlace: w.solvePlace, formWhich: w.solveWhich,
		formHandled: w.solveHandled, formDeed: w.solveDeed, formSign: w.solveSign,
	}[r.form]
	if err := r.checkOptions(); err != nil {
		return r, err
	}
	if err := judge(&r); err != nil {
		return r, err
	}
	return r, r.chooseAnswer()
}

// checkOptions demands options of different texts under the letters A, B, C,
// ...
func (r *solution) checkOptions() error {
	if len(r.options) != 4 {
		return fmt.Errorf("it has %d options, want 4", len(r.options))
	}
	for i, o := range r.options {
		if want := schemas.Letter(i); o.Key != want {
			return fmt.Errorf("option %d has the key %q, want %q", i, o.Key, want)
		}
		for _, p := range r.options[:i] {
			if confusable(o.Text, p.Text) && slices.Contains([]string{formOnly, formNth, formHandled}, r.form) || o.Text == p.Text {
				return fmt.Errorf("options %q and %q could be meant by each other", p.Text, o.Text)
			}
		}
	}
	return nil
}

func (r *solution) chooseAnswer() error {
	for i := range r.options {
		o := &r.options[i]
		if o.Text != r.answer {
			continue
		}
		o.Role, r.key = schemas.RoleCorrect, o.Key
		return nil
	}
	return fmt.Errorf("the answer is %q, and no option says so", r.answer)
}

func (r *solution) judgeOthers(judge func(text string) (role string, err error)) error {
	for i := range r.options {
		o := &r.options[i]
		if o.Text == r.answer {
			continue
		}
		role, err := judge(o.Text)
		if err != nil {
			return fmt.Errorf("option %q: %w", o.Text, err)
		}
		o.Role = role
	}
	return nil
}

func (w *composition) videoNamed(phrase string) (*video, error) {
	var found *video
	for _, id := range w.names {
		f := w.videos[id]
		if name, err := w.videoName(f); err == nil && collapseSpace(name) == phrase {
			if found != nil {
				return nil, fmt.Errorf("both videos are %s", phrase)
			}
			found = f
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no video is %s", phrase)
	}
	return found, nil
}

// videoName returns how the question calls a video, or would: by its title,
// else by a phrase that the tables give for a video that begins like it. Of
// several phrases it is one that the question has.
func (w *composition) videoName(f *video) (string, error) {
	switch titles := f.labelValues(schemas.AttributeTitle); len(titles) {
	case 0:
	case 1:
		return `the video titled "` + titles[0] + `"`, nil
	default:
		return "", fmt.Errorf("video %s has the titles %q", f.id, titles)
	}
	var fits []string
	for _, l := range f.labels {
		if l.Attribute == schemas.AttributeName && l.Original == f.stretches[0].original && w.nameMatches(f, l.Value) {
			fits = append(fits, l.Value)
		}
	}
	if len(fits) == 0 {
		return "", fmt.Errorf("video %s has no title, and no name that tells it from the other", f.id)
	}
	if i := slices.IndexFunc(fits, func(name string) bool { return strings.Contains(w.asked, collapseSpace(name)) }); i >= 0 {
		return fits[i], nil
	}
	return fits[0], nil
}

// nameMatches reports whether a name says what a video shows first, or first
// and last, and quotes nothing else; or has a label of the whole video, for
// which the other has another value.
func (w *composition) nameMatches(f *video, name string) bool {
	other, shown := w.other(f), f.eventsOf("shows")
	distinct := false
	if len(shown) > 0 {
		first, last := `"`+shown[0].value+`"`, `"`+shown[len(shown)-1].value+`"`
		distinct = strings.Contains(name, first) && !other.mentions(shown[0].value)
		name = strings.Replace(strings.Replace(name, first, "", 1), last, "", 1)
	}
	if strings.Contains(name, `"`) {
		return false
	}
	for _, l := range f.labels {
		switch l.Attribute {
		case schemas.AttributeName, schemas.AttributeNoun, schemas.AttributeAbsent, schemas.AttributeCategory:
			continue
		}
		mine, theirs := f.constantLabel(l.Attribute), other.constantLabel(l.Attribute)
		distinct = distinct || mine == l.Value && strings.Contains(name, mine) && theirs != "" && !confusable(mine, theirs)
	}
	return distinct
}

func (f *video) constantLabel(attribute string) string {
	for _, s := range f.stretches {
		if !slices.ContainsFunc(f.labels, func(l schemas.StatedLabel) bool { return l.Attribute == attribute && l.Original == s.original }) {
			return ""
		}
	}
	if all := f.labelValues(attribute); len(all) == 1 {
		return all[0]
	}
	return ""
}

func (w *composition) statedNouns() []string {
	var out []string
	for _, id := range w.names {
		for _, n := range w.videos[id].labelValues(schemas.AttributeNoun) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return append(out, "")
}

func (w *composition) checkNoun(noun string) error {
	if !slices.Contains(w.statedNouns(), noun) {
		return fmt.Errorf("nothing is called a %s in the tables", noun)
	}
	return nil
}
