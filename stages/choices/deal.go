package choices

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// dealer gives out answers as wrong options. Only answers of questions that get
// options themselves are given out, and each about as often as any other: then
// neither that a text is offered nor how often it is says whether it is right.
type dealer struct {
	cfg     Config
	rand    *rand.Rand
	entries []entry
	// state of each: still in, bearing the option that there is no answer, and what it
	// was given.
	active, bears []bool
	picks         [][]string
	near          [][]int
	at            map[string]int
	// why tells of those that are out.
	why map[string]string
	// rank is a drawn order, of which the last leave first.
	rank []int
}

// mostNear bounds how many answers of other tasks are looked at for one question.
const mostNear = 256

func (d *dealer) add(q schemas.Question) {
	d.at[q.QuestionID] = len(d.entries)
	d.entries = append(d.entries, entryOf(q, d.cfg.None))
}

// optionsFor returns what a question gets, or why it gets nothing.
func (d *dealer) optionsFor(id string) (texts []string, why string) {
	i := d.at[id]
	if !d.active[i] {
		return nil, d.why[id]
	}
	texts = d.picks[i]
	if d.bears[i] {
		texts = append(slices.Clone(texts), d.cfg.None)
	}
	return texts, ""
}

// dealAll deals until every active entry has options. Entries that cannot have
// them are dropped, with their answers, so it ends.
func (d *dealer) dealAll(ctx context.Context) error {
	slices.SortFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	n := len(d.entries)
	d.active, d.bears, d.picks, d.near = make([]bool, n), make([]bool, n), make([][]string, n), make([][]int, n)
	d.rank = d.rand.Perm(n)
	for i, e := range d.entries {
		d.at[e.id] = i
		d.active[i] = true
		if e.none && len(e.wrong) == 0 {
			d.drop(i, "it has no answer, and no wrong one that others could be like")
		}
	}
	d.findNeighbours()
	for i, e := range d.entries {
		if missing := d.cfg.Options - 2 - len(e.wrong) - len(d.near[i]); d.active[i] && missing > 0 {
			d.drop(i, fmt.Sprintf("%d more wrong options are wanted than there are answers like its own", missing))
		}
	}
	for changed := true; changed; {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed = d.balanceUse()
		changed = d.dealRound() || changed
	}
	return nil
}

func (d *dealer) drop(i int, why string) {
	d.active[i], d.why[d.entries[i].id] = false, why
}

// findNeighbours lists for each entry whose answers are like its own: of its
// sessions first, then of its task, and those whose questions share most words first.
func (d *dealer) findNeighbours() {
	type family struct {
		form answerForm
		task string
	}
	tasks, all := map[family][]int{}, map[answerForm][]int{}
	for i, e := range d.entries {
		if !e.none {
			tasks[family{e.form, e.task}] = append(tasks[family{e.form, e.task}], i)
			all[e.form] = append(all[e.form], i)
		}
	}
	for i := range d.entries {
		e := &d.entries[i]
		own := tasks[family{e.form, e.task}]
		near := slices.Concat(d.similarEntries(i, own, len(own), true), d.similarEntries(i, all[e.form], mostNear, false))
		slices.SortStableFunc(near, func(a, b int) int {
			x, y := &d.entries[a], &d.entries[b]
			return cmp.Or(cmp.Compare(e.farness(x), e.farness(y)), cmp.Compare(e.sharedWords(y), e.sharedWords(x)), cmp.Compare(d.rank[a], d.rank[b]))
		})
		d.near[i] = near
	}
}

// similarEntries returns those of a pool, of the entry's own task or of others,
// that are compatible with it; it considers so many, from the entry's own place
// on.
func (d *dealer) similarEntries(i int, pool []int, most int, own bool) (out []int) {
	from, _ := slices.BinarySearch(pool, i)
	for k := range min(len(pool), most) {
		j := pool[(from+k)%len(pool)]
		if o := &d.entries[j]; j != i && own == (o.task == d.entries[i].task) && d.entries[i].compatible(o) {
			out = append(out, j)
		}
	}
	return out
}

// dealRound deals once, to those with the fewest to choose from first, and
// reports whether an entry was dropped.
func (d *dealer) dealRound() bool {
	rights, uses := map[string]int{}, map[string]int{}
	var order []int
	for i, e := range d.entries {
		if !d.active[i] {
			continue
		}
		order = append(order, i)
		for _, w := range e.wrong {
			uses[words.Value(w)]++
		}
		if !e.none {
			rights[e.plain]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(d.near[a]), len(d.near[b])), cmp.Compare(d.rank[a], d.rank[b]))
	})
	missing := map[int]int{}
	for _, i := range order {
		if n := d.pickOptions(i, rights, uses); n > 0 {
			missing[i] = n
		}
	}
	short := d.rankedWhere(func(i int) bool { return missing[i] > 0 })
	slices.SortStableFunc(short, func(a, b int) int { return cmp.Compare(missing[b], missing[a]) })
	for _, i := range short[:(len(short)+leaving-1)/leaving] {
		d.drop(i, fmt.Sprintf("%d more wrong options are wanted than there are answers like its own", missing[i]))
	}
	return len(short) > 0
}

// leaving is the part of those who lack options that leave at a time: the others may
// find some when those want none.
const leaving = 4

// pickOptions gives an entry its options: of those compatible with its own
// answer the least used, of its own sessions, then of its own task, as long as there are any. It returns
// how many are missing. What is right once is wrong at most as often as a
// question has options.
func (d *dealer) pickOptions(i int, rights, uses map[string]int) (missing int) {
	e := &d.entries[i]
	want := d.cfg.Options - 1 - len(e.wrong)
	if d.bears[i] {
		want--
	}
	d.picks[i] = nil
	var taken []int
	for range want {
		best := -1
		for _, j := range d.near[i] {
			o := &d.entries[j]
			if !d.active[j] || uses[o.plain] >= d.cfg.Options*rights[o.plain] || !d.differsFrom(taken, e, o) {
				continue
			}
			if best < 0 || e.farness(o) == e.farness(&d.entries[best]) && uses[o.plain] < uses[d.entries[best].plain] {
				best = j
			}
		}
		if best < 0 {
			return want - len(taken)
		}
		taken = append(taken, best)
		uses[d.entries[best].plain]++
		d.picks[i] = append(d.picks[i], d.entries[best].text)
	}
	return 0
}

// differsFrom reports that an answer says something else than the options taken
// already and those the question came with.
func (d *dealer) differsFrom(taken []int, e, o *entry) bool {
	for _, w := range e.wrong {
		if !textsDiffer(o.form, words.Value(w), o.plain, contentWords(w), o.content) {
			return false
		}
	}
	return !slices.ContainsFunc(taken, func(j int) bool {
		t := &d.entries[j]
		return !textsDiffer(o.form, t.plain, o.plain, t.content, o.content)
	})
}

// balanceUse sees to it that no answer is right as often as an option picked at
// random: as many others offer it as that takes, those first that find the
// fewest compatible answers, and where there are too few others, questions
// without an answer are dropped.
func (d *dealer) balanceUse() (changed bool) {
	without, others := d.rankedWhere(func(i int) bool { return d.entries[i].none }), d.rankedWhere(func(i int) bool { return !d.entries[i].none })
	each := d.cfg.Options - 1
	keep := min(len(without), len(others)/each)
	for _, i := range without[keep:] {
		d.drop(i, "too few other questions have options for what says that there is no answer to be wrong as often as it should")
		changed = true
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(len(d.near[a]), len(d.near[b])) })
	for n, i := range others {
		bears := n < each*keep
		changed, d.bears[i] = changed || d.bears[i] != bears, bears
	}
	return changed
}

// rankedWhere returns the active entries for which something holds, in their
// random order.
func (d *dealer) rankedWhere(holds func(i int) bool) (out []int) {
	for i := range d.entries {
		if d.active[i] && holds(i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(d.rank[a], d.rank[b]) })
	return out
}
