package question

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// packings is how many ways to choose questions are tried.
const packings = 60

// chooseApart chooses questions of which no two have an option in common, up to limit of
// each side: as many as it finds, and of equally many those that give the least away.
func chooseApart(sides []sideFacts, limit int, rnd *rand.Rand) []draft {
	c, best := newChoiceSet(sides, 0), []choice(nil)
	var facts []choice
	for s := range sides {
		for f := range sides[s] {
			facts = append(facts, choice{side: s, fact: f})
		}
	}
	least := 0.0
	for range packings {
		c.choices = nil
		taken, asked := map[int]bool{}, make([]int, len(sides))
		for _, p := range shuffled(facts, rnd) {
			for _, w := range rnd.Perm(len(sides[p.side][p.fact])) {
				p.wording = w
				if asked[p.side] == limit || slices.ContainsFunc(c.texts[p], func(t int) bool { return taken[t] }) {
					continue
				}
				for _, t := range c.texts[p] {
					taken[t] = true
				}
				asked[p.side]++
				c.choices = append(c.choices, p)
				break
			}
		}
		if b := c.bias(); len(c.choices) > len(best) || len(c.choices) == len(best) && b < least {
			best, least = c.choices, b
		}
	}
	c.choices = best
	return c.drafts()
}

// keepApart drops drafts that name a thing, a person or a text of the pair that one
// before them names.
func (s Scene) keepApart(drafts []draft) []draft {
	var all []string
	for _, e := range slices.Concat(s.Pair.A.Events, s.Pair.B.Events) {
		all = append(all, groundtruth.Value(e), e.Subject)
	}
	all = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(all))), func(v string) bool { return v == "" })
	taken := map[string]bool{}
	return slices.DeleteFunc(drafts, func(d draft) bool {
		names := d.names(all)
		if slices.ContainsFunc(names, func(v string) bool { return taken[v] }) {
			return true
		}
		for _, v := range names {
			taken[v] = true
		}
		return false
	})
}

// names lists the things, people and texts of a draft's events, and which of all it says.
func (d draft) names(all []string) (out []string) {
	for _, m := range slices.Concat(d.Clues, d.Distractors) {
		out = append(out, groundtruth.Value(m.Event))
	}
	said := []string{d.Answer}
	for _, o := range d.wrong {
		said = append(said, o.Text)
	}
	for _, text := range d.say {
		said = append(said, text)
	}
	for _, v := range all {
		if slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// drawApart draws up to n drafts of kinds of events, each of which has a list for each
// answer. The answer is drawn for each anew, until its kind has none left for some
// answer: answers dealt out evenly would tell the last of them.
func drawApart(kinds [][][]draft, n int, rnd *rand.Rand) []draft {
	var out []draft
	for {
		kinds = slices.DeleteFunc(kinds, func(lists [][]draft) bool {
			return slices.ContainsFunc(lists, func(l []draft) bool { return len(l) == 0 })
		})
		if len(kinds) == 0 || len(out) >= n {
			return out
		}
		lists := kinds[rnd.IntN(len(kinds))]
		i := rnd.IntN(len(lists))
		out, lists[i] = append(out, lists[i][0]), lists[i][1:]
	}
}

// firstOfEach drops drafts about a value that an earlier kind has, and shuffles the rest.
func firstOfEach(kindOf map[string]string, kind string, drafts []draft, rnd *rand.Rand) []draft {
	return shuffled(slices.DeleteFunc(drafts, func(d draft) bool {
		value := d.Fact[3]
		if kindOf[value] == "" {
			kindOf[value] = kind
		}
		return kindOf[value] != kind
	}), rnd)
}

// groundApart asks of things at a place, with the video and the place drawn for each. In
// which half of a video something happens goes with what it is, as people enter early and
// put down late: of time only the other kinds are asked. A split screen whose sides stay has
// two questions, since its places tell each other.
func groundApart(qs []asker, g Grounding, limit int, rnd *rand.Rand) []draft {
	at := make([][]draft, len(qs)*len(g.Places))
	kindOf := map[string]string{}
	for _, kind := range groundtruth.Kinds() {
		if g.Type == schemas.TypeTemporalGrounding && (isPerson(kind) || kind == groundtruth.PutsDown) {
			continue
		}
		for n, q := range qs {
			for p, place := range g.Places {
				at[2*n+p] = append(at[2*n+p], firstOfEach(kindOf, kind, q.draftsAtPlace(g, kind, place, qs[1-n]), rnd)...)
			}
		}
	}
	for i := range at {
		at[i] = shuffled(at[i], rnd)
	}
	if g.Type == schemas.TypeSpatialGrounding && len(qs[0].scene.A.Swaps()) == 0 {
		control := shuffled(slices.Concat(at...), rnd)
		return control[:min(len(control), 2)]
	}
	return drawApart([][][]draft{at}, 2*limit, rnd)
}

// draftsApart asks in which video something happens, with answers drawn for each.
func (r recallAsker) draftsApart(limit int, rnd *rand.Rand) []draft {
	var whole, partial [][][]draft
	kindOf := map[string]string{}
	for _, kind := range groundtruth.Kinds() {
		var lists [][]draft
		for _, found := range [][]draft{r.draftsInOne(kind, r.a), r.draftsInOne(kind, r.b), r.draftsInNeither(kind), r.draftsInBoth(kind)} {
			lists = append(lists, firstOfEach(kindOf, kind, found, rnd))
		}
		partial = append(partial, lists[:3:3])
		whole = append(whole, lists)
	}
	if out := drawApart(whole, 4*limit, rnd); len(out) > 0 {
		return out
	}
	return drawApart(partial, 4*limit, rnd)
}

// newGapPart asks for details with wrong options from the videos of other pairs, for each
// question its own, and of things and garments those that the pair lacks: what fills one gap
// of a pair then says nothing of another. Every pair has all colours.
func newGapPart(qs []asker, of func(asker, string) []cloze, limit int) detailPart {
	return newWholePart(qs, func(q asker, kind string) (out []choices) {
		for _, c := range of(q, kind) {
			var ds choices
			others := slices.DeleteFunc(slices.Clone(c.elsewhere), func(text string) bool {
				return !c.isFalse(text) || c.Detail != schemas.DetailColour && (q.target.names(text) || q.rival.names(text))
			})
			for _, wrong := range findOptionSets(q.rnd, c.Answer, optionRequest{others, optionCount - 1}) {
				c.wrong = distractors(wrong)
				ds = append(ds, c.draft)
			}
			if len(ds) > 0 {
				out = append(out, ds)
			}
		}
		return out
	}, limit)
}
