package rounds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// ActError says why an entry is refused; the page says it to the annotator.
type ActError struct{ Reason string }

func (e *ActError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &ActError{fmt.Sprintf(format, args...)} }

// State is what a person did about an item.
type State struct {
	Answered *Answer
	Decided  *Entry
	Skipped  bool
}

// State returns what a person did about an item in its present form.
func (r *Round) State(person, item string) State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stateOf(person, item)
}

func (r *Round) stateOf(person, item string) State {
	j, it := r.journals[person], r.items[item]
	if j == nil || it == nil {
		return State{}
	}
	all, _ := j.progressByItem(map[string]string{item: it.Digest})
	p := all[item]
	s := State{Decided: p.decided, Skipped: p.skipped}
	if p.answered != nil {
		s.Answered = p.answered.Answer
	}
	return s
}

// Act keeps an entry of a person and returns it. The same request again returns the first
// entry and keeps nothing. A second answer is refused: the first stands.
func (r *Round) Act(person string, e Entry) (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, it := r.journals[person], r.items[e.Item]
	if j == nil || it == nil {
		return e, refuse("There is no such item in this round.")
	}
	if first, ok := j.Find(e.Request); ok {
		if !sameContent(first, e) {
			return first, refuse("This form was sent before with other contents, and those stand: your first answer stands, and a decision is changed on a page that is loaded again.")
		}
		return first, nil
	}
	if e.Digest != it.Digest {
		return e, refuse("The question was changed since you opened the page. Load it again.")
	}
	e.Time = r.now().UTC().Format(time.RFC3339)
	if err := r.check(person, it, &e); err != nil {
		return e, err
	}
	e, err := j.Append(e)
	if err == nil {
		r.figures = nil
	}
	return e, err
}

// sameContent compares what a person sent twice under one request id.
func sameContent(a, b Entry) bool {
	x, y := a.Answer, b.Answer
	if (x == nil) != (y == nil) || x != nil && (x.Option != y.Option || x.Text != y.Text || x.Sure != y.Sure) {
		return false
	}
	return a.Kind == b.Kind && a.Item == b.Item && a.Decision == b.Decision && a.Label == b.Label && a.Note == b.Note &&
		maps.Equal(a.Criteria, b.Criteria) && slices.Equal(a.Changes, b.Changes)
}

// check refuses what does not fit what the person did before, and judges an answer.
func (r *Round) check(person string, it *Item, e *Entry) error {
	keeper := person == r.Keeper
	if !keeper && !slices.Contains(r.orders[person], e.Item) {
		return refuse("This item is not yours to review.")
	}
	state := r.stateOf(person, e.Item)
	switch e.Kind {
	case KindAnswered:
		if state.Answered != nil {
			return refuse("You have answered this question before: your first answer stands.")
		}
		return judge(it, e.Answer)
	case KindSkipped:
		if keeper || state.Decided != nil {
			return refuse("There is nothing to skip: it is decided.")
		}
	case KindDecided:
		if state.Answered == nil && !keeper {
			return refuse("Answer the question first; then its gold is shown and you decide.")
		}
		return checkDecision(it, *e)
	}
	return nil
}

// checkDecision refuses a decision without what it needs.
func checkDecision(it *Item, e Entry) error {
	switch {
	case e.Decision == schemas.DecisionReject && e.Note == "":
		return refuse("Say why the question is to be rejected.")
	case e.Decision == DecisionRevise && len(e.Changes) == 0 && e.Note == "":
		return refuse("Change what is to be revised, or say under Why what is to be rewritten.")
	case e.Decision == DecisionRevise:
		_, err := review.ApplyChanges(it.Question, e.Changes)
		if err = cmp.Or(err, review.CheckSpans(it.Question, e.Changes, it.Seconds)); err != nil {
			return refuse("The question cannot be changed so: %v.", err)
		}
	}
	if err := e.check(); err != nil {
		return refuse("The decision cannot be kept: %v.", err)
	}
	return nil
}

// judge compares an answer with the gold. A free text is right if it says the same words;
// else a rule cannot tell.
func judge(it *Item, a *Answer) error {
	if a == nil {
		return refuse("Choose an answer.")
	}
	a.Right = nil
	right := false
	switch {
	case a.Option == "" && a.Text == "":
	case len(it.Options) > 0:
		if !slices.ContainsFunc(it.Options, func(o schemas.Option) bool { return o.Key == a.Option }) {
			return refuse("There is no such option.")
		}
		right = a.Option == it.AnswerKey
	default:
		gold := cmp.Or(it.AnswerText, it.AnswerCall)
		if right = words.SameWords(a.Text, gold) && strings.TrimSpace(gold) != ""; !right {
			return nil
		}
	}
	a.Right = &right
	return nil
}

// Progress counts what a person has done.
type Progress struct{ Decided, Skipped, Of int }

// Progress returns how far a person is.
func (r *Round) Progress(person string) Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, _ := r.journals[person].progressByItem(r.digests())
	p := Progress{Of: len(r.orders[person])}
	for _, id := range r.orders[person] {
		if all[id].decided != nil {
			p.Decided++
		} else if all[id].skipped {
			p.Skipped++
		}
	}
	return p
}

// Next returns the item that a person is to see: the first in the person's order that is
// neither decided nor skipped, else the first that was skipped.
func (r *Round) Next(person string) (item string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journals[person] == nil {
		return "", false
	}
	all, _ := r.journals[person].progressByItem(r.digests())
	for _, skipped := range []bool{false, true} {
		for _, id := range r.orders[person] {
			if all[id].decided == nil && all[id].skipped == skipped {
				return id, true
			}
		}
	}
	return "", false
}

// Place returns the place of an item in a person's order, from 1, and the item that comes
// before it, if any.
func (r *Round) Place(person, item string) (place int, before string) {
	order := r.orders[person]
	i := slices.Index(order, item)
	if i > 0 {
		before = order[i-1]
	}
	return i + 1, before
}

// Order returns the items of a person in the person's order.
func (r *Round) Order(person string) []string { return slices.Clone(r.orders[person]) }

// Families returns the families of the items, sorted.
func (r *Round) Families() (out []string) {
	for _, it := range r.items {
		out = append(out, it.Family)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// LabelValues returns the values that a label has in the questions of a family, sorted.
func (r *Round) LabelValues(family, key string) (out []string) {
	for _, it := range r.items {
		if v := it.Labels[key]; v != "" && it.Family == family {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Len returns how many items the round has.
func (r *Round) Len() int { return len(r.items) }
