package crosssource_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// half is the most that a rule may be right: one of the two answers that what misleads
// leaves open.
const half = 0.5

// TestPartsLeaveAnswersOpen has somebody guess who sees a part of the evidence, and knows
// not which of the things that are told of the question is about: by the options named, by
// the one named most often, by the one named last, by what each thing that is told of comes
// to, and by the one named last of those named most often. No rule is right more often than one of two, over what is shown of 100
// questions of a task or more; without what misleads the last one would be.
func TestPartsLeaveAnswersOpen(t *testing.T) {
	t.Parallel()
	b := askStage(t)
	asked := map[string]int{}
	shares, bare := map[string]*guesses{}, map[string]*guesses{}
	for _, q := range b.questions {
		if q.Labels["arrangement"] != "distributed" || q.AnswerCall != "" || cardOf(q) < 0 {
			continue
		}
		asked[q.Labels["task"]]++
		b.guess(t, q, shares)
		q.Evidence = q.Needed()
		b.guess(t, q, bare)
	}
	for _, task := range []string{schemas.TaskMultiHop, schemas.TaskConflict} {
		if asked[task] < 100 {
			t.Errorf("%d questions of %s were tried, want 100 or more", asked[task], task)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(shares)) {
		c, without := shares[at], bare[at]
		if c.n == 0 {
			continue // no picture but the card
		}
		for i, rule := range guessRules() {
			if share := c.share(i); share > c.bound() {
				t.Errorf("%s: by the %s %.2f of %d guesses are right, want at most %.2f", at, rule, share, c.n, c.bound())
			}
		}
		t.Logf("%s: %d views, right %s; without what misleads %s", at, c.n, c, without)
	}
	for _, at := range []string{"conflict_resolution, texts", "multi_hop, dense captions without the card"} {
		if c := bare[at]; c == nil || c.share(3) <= c.bound() {
			t.Errorf("%s: without what misleads nothing is to be guessed: %v", at, c)
		}
	}
}

// large is a family of three large worlds, which several tests look at.
var large struct {
	once sync.Once
	b    built
}

// askStage is that family, most of whose questions are about what a card shows.
func askStage(t *testing.T) built {
	t.Helper()
	large.once.Do(func() {
		w, p := small()
		w.Count, w.Size.People, p.Groups, p.Privates, p.Turns = 3, 24, 6, 2, 240 // room for all that misleads
		w.Size.Items = map[string]int{schemas.TaskMultiHop: 66, schemas.TaskConflict: 56, schemas.TaskFunctionCall: 8}
		w.Size.Pieces = []weights.Range{{From: 3, Weight: 36}, {From: 4, Weight: 34}, {From: 5, To: 7, Weight: 26}, {From: 8, To: 9, Weight: 4}}
		large.b = build(t, 7, w, p)
	})
	if large.b.tasks == nil {
		t.Fatal("the family could not be built; another test says why")
	}
	return large.b
}

// guess counts the guesses at a question of which parts are shown.
func (b built) guess(t *testing.T, q schemas.Question, into map[string]*guesses) {
	t.Helper()
	for kind, views := range parts(q) {
		at := q.Labels["task"] + ", " + kind
		if into[at] == nil {
			into[at] = &guesses{}
		}
		for _, v := range views {
			s, err := view.Show(&v.q, v.name, view.Settings{Frames: 1, Most: 40})
			var lack *view.MissingError
			switch {
			case errors.As(err, &lack):
			case err != nil:
				t.Fatal(err)
			default:
				into[at].add(q, s, b.comes(t, q, s))
			}
		}
	}
}

// part is a view of a question.
type part struct {
	q    schemas.Question
	name string
}

// parts are views that hide something of a question about what a card shows, by what
// they hide.
func parts(q schemas.Question) map[string][]part {
	card := cardOf(q)
	hidden := q
	hidden.Evidence = slices.Delete(slices.Clone(q.Evidence), card, card+1)
	out := map[string][]part{"texts": {{q, view.Text}}, "dense captions without the card": {{hidden, view.DenseCaption}}}
	one := 1 + len(q.QuestionID+q.Question)%len(q.Needed()) // any
	out["one piece alone"] = []part{{q, view.Only + ":" + strconv.Itoa(one)}}
	return out
}

func guessRules() []string {
	return []string{"options named", "option named most", "option named last", "things told of", "option named last of those named most"}
}

// guesses are how often each rule was right.
type guesses struct {
	n     int
	right [5]float64
}

func (c *guesses) share(rule int) float64 { return c.right[rule] / float64(c.n) }

// bound is the most that may be right by chance, at 95 %.
func (c *guesses) bound() float64 { return half + 1.96*math.Sqrt(half*half/float64(c.n)) }

func (c *guesses) String() string {
	var out []string
	for i, r := range guessRules() {
		out = append(out, fmt.Sprintf("%.2f by the %s", c.share(i), r))
	}
	return strings.Join(out, ", ")
}

// add has each rule guess; of several options that it leaves open any is as good, and of
// none all.
func (c *guesses) add(q schemas.Question, s view.Shown, comes []string) {
	c.n++
	count, last, order := map[string]int{}, []string{}, []string{}
	for _, p := range s.Passages {
		if named := namedIn(q, p.Text+"\n"+p.Caption); len(named) > 0 {
			last, order = named, append(order, named...)
			for _, o := range named {
				count[o]++
			}
		}
	}
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	named := slices.Sorted(maps.Keys(count))
	top := slices.DeleteFunc(slices.Clone(named), func(o string) bool { return count[o] < most })
	var late []string
	for _, o := range slices.Backward(order) {
		if slices.Contains(top, o) {
			late = []string{o}
			break
		}
	}
	for i, open := range [][]string{named, top, last, comes, late} {
		switch {
		case len(open) == 0:
			c.right[i] += 1 / float64(len(q.Options))
		case slices.Contains(open, q.AnswerText):
			c.right[i] += 1 / float64(len(open))
		}
	}
}

// namedIn are the options that a text names.
func namedIn(q schemas.Question, text string) (out []string) {
	for _, o := range q.Options {
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(o.Text) + `\b`).MatchString(text) {
			out = append(out, o.Text)
		}
	}
	return out
}

var aThing = regexp.MustCompile(`[A-Z]\w+(?: [A-Z]\w+)+`)

// comes are the options that the question would come to if its card showed one or the
// other of the things that are told of.
func (b built) comes(t *testing.T, q schemas.Question, s view.Shown) (out []string) {
	t.Helper()
	card := q.Evidence[cardOf(q)]
	sessions := b.seen(q, append(slices.Clone(s.Passages), view.Passage{Text: card.Text, Caption: card.Caption}))
	own := map[string]crosssource.RenderedPicture{}
	for _, e := range q.Evidence {
		if x, shown := b.exhibits[e.Media]; shown {
			own[e.Media] = x
		}
	}
	for _, thing := range things(s) {
		x := b.exhibits[card.Media]
		x.Title = thing
		own[card.Media] = x
		r, _ := built{exhibits: own}.read(t, sessions).Answer(q.Question, nil) // it may name what is hidden
		if slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == r.Right }) && !slices.Contains(out, r.Right) {
			out = append(out, r.Right)
		}
	}
	return out
}

// cardOf is the place of the card that shows what a question is about; -1 for none.
func cardOf(q schemas.Question) int {
	return slices.IndexFunc(q.Evidence, func(e schemas.Evidence) bool { return strings.Contains(e.MinimalCaption, "card") })
}

// things are names in what is said.
func things(s view.Shown) (out []string) {
	for _, p := range s.Passages {
		for _, line := range strings.Split(p.Text, "\n") {
			_, said, _ := strings.Cut(line, ": ")
			for _, name := range aThing.FindAllString(said, -1) {
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// seen are the turns of passages, those with a picture where its caption is shown.
func (b built) seen(q schemas.Question, shown []view.Passage) (out []schemas.Session) {
	for _, p := range shown {
		at := slices.IndexFunc(q.Evidence, func(e schemas.Evidence) bool {
			return p.Text != "" && e.Text == p.Text || p.Caption != "" && e.Caption == p.Caption
		})
		if at < 0 {
			continue
		}
		for _, from := range b.sessions {
			if from.SessionID != q.Evidence[at].SessionID {
				continue
			}
			first := slices.IndexFunc(from.Turns, func(u schemas.Turn) bool { return u.TurnID == q.Evidence[at].Ref })
			if first < 0 {
				continue
			}
			n := 1 + strings.Count(q.Evidence[at].Text, "\n")
			from.Turns = slices.Clone(from.Turns[first : first+n])
			for i := range from.Turns {
				if p.Caption == "" {
					from.Turns[i].Attachments = nil
				}
			}
			out = append(out, from)
		}
	}
	return out
}
