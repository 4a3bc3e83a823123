package question

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/wordings"
)

// The answers to the question in which of two videos something happens.
const (
	inBoth    = "in both videos"
	inNeither = "in neither video"
)

// sourceMemory asks in which of the two videos something happens: in one, in
// both, or, of what was made up, in neither (false memory discrimination,
// M3Eval 3.1.3). Each answer is right equally often, within each kind of event,
// because a kind or a wording that goes with one answer would tell it. Where no
// event of any kind is shared, "both" is never right.
func sourceMemory(s Scene, limit int, rnd *rand.Rand) []draft {
	qs := s.askers(rnd)
	if len(qs) != 2 {
		return nil
	}
	r := recallAsker{a: qs[0], b: qs[1]}
	if s.Apart {
		return r.draftsApart(limit, rnd)
	}
	var whole, partial [][][]draft
	for _, kind := range groundtruth.Kinds() {
		a, b, both, neither := r.draftsInOne(kind, qs[0]), r.draftsInOne(kind, qs[1]), r.draftsInBoth(kind), r.draftsInNeither(kind)
		partial = append(partial, takeRounds(rnd, a, b, neither))
		whole = append(whole, takeRounds(rnd, a, b, both, neither))
	}
	if !slices.ContainsFunc(whole, func(rs [][]draft) bool { return len(rs) > 0 }) {
		whole = partial
	}
	var out []draft
	for _, round := range takeInTurn(shuffled(whole, rnd), limit) {
		out = append(out, shuffled(round, rnd)...)
	}
	return out
}

func takeRounds(rnd *rand.Rand, lists ...[]draft) [][]draft {
	n := len(lists[0])
	for i, l := range lists {
		n = min(n, len(l))
		lists[i] = shuffled(l, rnd)
	}
	out := make([][]draft, n)
	for i := range out {
		for _, l := range lists {
			out[i] = append(out[i], l[i])
		}
	}
	return out
}

type recallAsker struct{ a, b asker }

func (r recallAsker) givesAway(value string) bool {
	return r.a.givesAway(value) || r.b.givesAway(value)
}

// draftsInOne asks about what happens only in the video of q.
func (r recallAsker) draftsInOne(kind string, q asker) []draft {
	var out []draft
	for _, e := range q.target.distinctEvents(kind) {
		if v := groundtruth.Value(e); !q.rival.mentions(v) && !r.givesAway(v) {
			d := r.newDraft(schemas.TypeSourceMemory, kind, v, "only in "+q.name)
			d.Target, d.Clues = string(q.side), []Moment{q.clueMoment(e)}
			d.Fact = happensFact(d.Target, kind, v)
			out = append(out, d)
		}
	}
	return out
}

// draftsInBoth asks about what happens in either video, in the same words.
func (r recallAsker) draftsInBoth(kind string) []draft {
	var out []draft
	for _, e := range r.a.target.distinctEvents(kind) {
		v := groundtruth.Value(e)
		for _, o := range r.b.target.distinctEvents(kind) {
			if !r.givesAway(v) && slices.Equal(groundtruth.Words(v), groundtruth.Words(groundtruth.Value(o))) {
				d := r.newDraft(schemas.TypeSourceMemory, kind, v, inBoth)
				d.Target, d.Clues = schemas.TargetBoth, []Moment{r.a.clueMoment(e), r.b.clueMoment(o)}
				d.Fact = happensFact(d.Target, kind, v)
				out = append(out, d)
			}
		}
	}
	return out
}

// draftsInNeither asks about what might well happen in these videos and does
// not.
func (r recallAsker) draftsInNeither(kind string) []draft {
	var out []draft
	for _, v := range r.lures(kind) {
		d := r.newDraft(schemas.TypeFalseMemory, kind, v, inNeither)
		d.Target, d.Reason, d.Lure = schemas.TargetNeither, "It happens in neither video.", v
		d.Fact = happensFact(d.Target, kind, v)
		out = append(out, d)
	}
	return out
}

func (r recallAsker) newDraft(typ, kind, value, answer string) draft {
	style := r.a.scene.Style
	d := r.a.newDraft(typ, kind, wordings.Which, map[string]string{"whether": style.askWhether(kind, value), "clause": style.statement(kind, value)})
	d.Answer = answer
	for _, text := range []string{"only in " + r.a.name, "only in " + r.b.name, inBoth, inNeither} {
		if text != answer {
			d.wrong = append(d.wrong, schemas.Option{Text: text, Role: schemas.RoleDistractor})
		}
	}
	return d
}

// lures returns values of a kind that are of neither video and would suit both:
// what their source suggests, else a thing of one in the colour of another,
// else what the videos of other pairs hold.
func (r recallAsker) lures(kind string) []string {
	pair := r.a.scene.Pair
	for _, from := range [][]string{append(slices.Clone(pair.A.Lures[kind]), pair.B.Lures[kind]...), recolouredValues(pair, kind), pair.Pool[kind]} {
		var out []string
		for _, v := range from {
			if r.a.isAbsent(v) && !r.b.givesAway(v) && !anyClash(out, v) {
				out = append(out, v)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// recolouredValues gives each thing of a kind the colours of the others.
func recolouredValues(pair schemas.Pair, kind string) []string {
	var details []groundtruth.Detail
	for _, v := range append(groundtruth.Values(pair.A.Events)[kind], groundtruth.Values(pair.B.Events)[kind]...) {
		if d, ok := groundtruth.ParseDetail(v); ok {
			details = append(details, d)
		}
	}
	var out []string
	for _, d := range details {
		for _, o := range details {
			out = append(out, d.WithColour(o.Colour))
		}
	}
	return out
}
