package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// masked is an item of a world without one piece of its evidence, as somebody reads it.
type masked struct {
	item  simulate.Item
	units []simulate.Unit // in order of time
	task  *Task
	// asked are the parts of the question.
	asked []string
}

// TestNoPieceCanBeSpared takes away each piece of evidence of each item in turn, over
// many worlds. A reader who follows all that is still told, and takes what is missing for
// open, is left with two answers or more; and no simple rule (the option named most
// often, the only one named, the one named last, the number closest to what is told) is right
// more often than one of two.
func TestNoPieceCanBeSpared(t *testing.T) {
	t.Parallel()
	tried := map[string]*tally{}
	for seed := range testsize.Choose(uint64(6), 30) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		themes := simulate.Themes()
		w, err := simulate.Simulate(rnd, themes[int(seed)%len(themes)], simulate.Size{
			People: 12, Documents: 0.7, Pages: 0.3, Images: 0.3,
			Items:  map[string]int{schemas.TaskSingleHop: 6, schemas.TaskMultiHop: 8, schemas.TaskConflict: 10, schemas.TaskPreference: 6, schemas.TaskFunctionCall: 6},
			Pieces: []weights.Range{{From: 2, Weight: 30}, {From: 3, Weight: 30}, {From: 4, Weight: 25}, {From: 5, To: 9, Weight: 25}, {From: 10, To: 26, Weight: 4}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for n, item := range w.Items {
			for i, u := range item.Units {
				if u.Role == schemas.RoleDistractor || u.Role == schemas.RoleSuperseded {
					continue
				}
				m := mask(t, rnd, item, i)
				open := m.open()
				if slices.Contains(open, gold(item)) && len(open) < 2 {
					t.Errorf("seed %d, item %d (%s %s): without piece %d %q is still told: %+v", seed, n, item.Task, item.Variant, i, gold(item), item.Units)
				}
				name := item.Task + " " + item.Variant + " without " + sortOf(u)
				if tried[name] == nil {
					tried[name] = &tally{}
				}
				tried[name].add(m, open)
			}
		}
	}
	kinds := map[string]bool{}
	for name, c := range tried {
		kinds[strings.Split(name, " without ")[0]] = true
		for i, rule := range []string{"what is told", "most named", "only named", "named last", "closest"} {
			share := c.right[i] / float64(c.n)
			if bound := 0.5 + 1.96*math.Sqrt(0.25/float64(c.n)); share > bound {
				t.Errorf("%s: by %s %.2f of %d answers are right, want at most %.2f", name, rule, share, c.n, bound)
			}
		}
		t.Logf("%s: %d, right %.2f by what is told, %.2f by the most named, %.2f by the only named, %.2f by the last, %.2f by the closest", name, c.n, c.right[0]/float64(c.n), c.right[1]/float64(c.n), c.right[2]/float64(c.n), c.right[3]/float64(c.n), c.right[4]/float64(c.n))
	}
	if len(kinds) != 8 {
		t.Errorf("%d kinds of questions were tried, want 8: %v", len(kinds), kinds)
	}
}

// tally is how often each way to guess was right.
type tally struct {
	n     int
	right [5]float64
}

func (c *tally) add(m masked, open []string) {
	c.n++
	for i, list := range [][]string{open, m.most(), m.alone(), m.last(), m.closest()} {
		if slices.Contains(list, gold(m.item)) {
			c.right[i] += 1 / float64(len(list))
		}
	}
}

// gold is the answer of an item.
func gold(i simulate.Item) string {
	if i.Call != "" {
		return i.Call
	}
	return i.Options[0]
}

// sortOf says what kind of piece a unit is.
func sortOf(u simulate.Unit) string {
	if u.Picture != nil {
		return u.Picture.Kind
	}
	if len(u.Rows) > 0 {
		return "table"
	}
	return u.Role
}

// mask gives what is told of an item without one unit: others in an order in which what
// revises comes later.
func mask(t *testing.T, rnd *rand.Rand, item simulate.Item, without int) masked {
	t.Helper()
	m := masked{item: item}
	done := map[int]bool{}
	for len(done) < len(item.Units) {
		i := rnd.IntN(len(item.Units))
		if done[i] || slices.ContainsFunc(item.Units[i].Revises, func(r int) bool { return !done[r] }) {
			continue
		}
		done[i] = true
		if i != without {
			m.units = append(m.units, item.Units[i])
		}
	}
	var sessions []schemas.Session
	pictures := map[string]Picture{}
	for i, u := range m.units {
		s := schemas.Session{Kind: schemas.KindGroupChat, Turns: []schemas.Turn{{Position: int64(100 * i), Speaker: u.Speaker, Text: u.Text}}}
		switch {
		case u.Picture != nil:
			id := fmt.Sprint(i)
			pictures[id] = Picture{u.Picture.Kind, u.Picture.Title, u.Picture.Columns, u.Picture.Rows}
			s.Turns[0].Attachments = []schemas.Attachment{{AttachmentID: id, MediaID: id}}
		case len(u.Rows) > 0:
			s.Turns[0].Text = "Table. 00000000 (rows)"
			for _, r := range u.Rows {
				s.Turns = append(s.Turns, schemas.Turn{Position: int64(100 * i), Text: strings.Join(r, " | ")})
			}
		}
		sessions = append(sessions, s)
	}
	var err error
	if m.task, err = New(sessions, pictures); err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers() {
		if found := s.read(item.Ask); found != nil {
			m.asked = found
			return m
		}
	}
	t.Fatalf("%q is asked in no way that is known", item.Ask)
	return m
}

// named are the options that a unit names; where a table leads to an option, what stands
// before it there counts as well.
func (m masked) named(u simulate.Unit) (out []string) {
	text := u.Text
	for _, r := range slices.Concat(u.Rows, rowsOf(u)) {
		text += " . " + strings.Join(r, " . ")
	}
	text = " " + plain(text) + " "
	for _, o := range m.item.Options {
		if strings.Contains(text, " "+plain(o)+" ") || m.before(o) != "" && strings.Contains(text, " "+plain(m.before(o))+" ") {
			out = append(out, o)
		}
	}
	return out
}

func rowsOf(u simulate.Unit) [][]string {
	if u.Picture == nil {
		return nil
	}
	return u.Picture.Rows
}

// before is what leads to an option in the last table of a chain.
func (m masked) before(option string) string {
	for _, u := range m.item.Units {
		for _, r := range slices.Concat(u.Rows, rowsOf(u)) {
			if m.item.Task == schemas.TaskMultiHop && len(r) == 2 && r[1] == option {
				return r[0]
			}
		}
	}
	return ""
}

func plain(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" .,:;?!", r) }), " ")
}

// most are the options named most often, alone the only one that is named or not, last the
// one named last.
func (m masked) most() []string {
	counts := m.counts()
	best := 0
	for _, n := range counts {
		best = max(best, n)
	}
	return m.that(func(o string) bool { return counts[o] == best })
}

func (m masked) alone() []string {
	counts := m.counts()
	some, none := m.that(func(o string) bool { return counts[o] > 0 }), m.that(func(o string) bool { return counts[o] == 0 })
	switch {
	case len(some) == 1:
		return some
	case len(none) == 1:
		return none
	}
	return m.item.Options
}

func (m masked) last() []string {
	for _, u := range slices.Backward(m.units) {
		if n := m.named(u); len(n) > 0 {
			return n
		}
	}
	return m.item.Options
}

func (m masked) counts() map[string]int {
	out := map[string]int{}
	for _, u := range m.units {
		for _, o := range m.named(u) {
			out[o]++
		}
	}
	return out
}

func (m masked) that(ok func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(m.item.Options), func(o string) bool { return !ok(o) })
}

// closest are the options no further from a number that was changed than any other, as far
// as its changes are told: what misses one of them may be close to what it comes to.
func (m masked) closest() []string {
	if m.item.Variant != simulate.Total {
		return m.item.Options
	}
	open := m.totals()
	off := func(o string) (n int) {
		n = math.MaxInt
		for _, sum := range open {
			n = min(n, max(parseNumber(o)-parseNumber(sum), parseNumber(sum)-parseNumber(o)))
		}
		return n
	}
	least := math.MaxInt
	for _, o := range m.item.Options {
		least = min(least, off(o))
	}
	return m.that(func(o string) bool { return off(o) == least })
}
