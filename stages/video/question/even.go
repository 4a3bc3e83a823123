package question

// wordings are drafts of one question with different wrong options; any of them
// may be asked.
type wordings []draft

// side is what can be asked about one video, in the order in which it should be.
type side []wordings

// most is how many facts of a side are looked at when limit of them are asked.
func most(limit int) int { return 2*limit + 4 }

// mostWeighed bounds how many sets of questions are compared for one scene.
const mostWeighed = 4000

// evenly chooses up to limit questions of each side, and the wrong options of
// each, so that the set gives as little away as it can: the right option is the
// longest and the shortest, the commonest and the rarest of its four one time in
// four, and a text is right as often as a fourth of the times that it is shown.
// It begins with the first ones and takes any single exchange that is better
// until there is none. Whether a question may be exchanged for one about another
// kind of event is said by anyKind: where options come from other pairs it may
// not, for then those of this pair would be shown less often than they are.
func evenly(sides []side, limit int, anyKind bool) []draft {
	c := newChoosing(sides, limit)
	c.anyKind = anyKind
	best := c.bias()
	for left, better := mostWeighed, true; better && left > 0; {
		better = false
		for i := range c.picked {
			was := c.picked[i]
			for _, p := range c.instead(i) {
				c.picked[i] = p
				left--
				if b := c.bias(); b < best-1e-9 && left > 0 {
					best, was, better = b, p, true
				}
			}
			c.picked[i] = was
		}
	}
	return c.drafts()
}

// pick is one wording of one fact of a side.
type pick struct{ side, fact, wording int }

// choosing is a set of picks, all of different facts.
type choosing struct {
	sides   []side
	picked  []pick
	anyKind bool
	// ids of the texts of each wording, the answer first, and their lengths.
	texts  map[pick][]int
	length []int
}

func newChoosing(sides []side, limit int) *choosing {
	c := &choosing{sides: sides, texts: map[pick][]int{}}
	ids := map[string]int{}
	id := func(text string) int {
		n, known := ids[text]
		if !known {
			n = len(ids)
			ids[text] = n
			c.length = append(c.length, length(text))
		}
		return n
	}
	for s, facts := range sides {
		for f, ws := range facts {
			if f < limit {
				c.picked = append(c.picked, pick{s, f, 0})
			}
			for w, d := range ws {
				texts := []int{id(d.Answer)}
				for _, o := range d.wrong {
					texts = append(texts, id(o.Text))
				}
				c.texts[pick{s, f, w}] = texts
			}
		}
	}
	return c
}

// instead lists what could be picked in the place of a pick: its other wordings,
// and those of the facts of its side that are not picked.
func (c *choosing) instead(i int) []pick {
	own := c.picked[i]
	taken := map[int]bool{}
	for _, p := range c.picked {
		taken[p.fact] = taken[p.fact] || p.side == own.side
	}
	kind := c.sides[own.side][own.fact][0].Kind
	var out []pick
	for f, ws := range c.sides[own.side] {
		if f != own.fact && (taken[f] || !c.anyKind && ws[0].Kind != kind) {
			continue
		}
		for w := range ws {
			if p := (pick{own.side, f, w}); p != own {
				out = append(out, p)
			}
		}
	}
	return out
}

// oneKind is how much worse it is to ask about two events of one kind of a side
// than of two kinds.
const oneKind = 0.05

// sameKinds counts the picks of a side that are of a kind with one before.
func (c *choosing) sameKinds() (n int) {
	type asked struct {
		side int
		kind string
	}
	seen := map[asked]bool{}
	for _, p := range c.picked {
		of := asked{p.side, c.sides[p.side][p.fact][0].Kind}
		if seen[of] {
			n++
		}
		seen[of] = true
	}
	return n
}

// bias is how far simple ways to guess are from chance over what is picked, and
// how little the kinds of events vary.
func (c *choosing) bias() float64 {
	shown, right := make([]int, len(c.length)), make([]int, len(c.length))
	for _, p := range c.picked {
		right[c.texts[p][0]]++
		for _, t := range c.texts[p] {
			shown[t]++
		}
	}
	var longest, shortest, commonest, rarest float64
	for _, p := range c.picked {
		texts := c.texts[p]
		longest += lead(texts, c.length, 1)
		shortest += lead(texts, c.length, -1)
		commonest += lead(texts, shown, 1)
		rarest += lead(texts, shown, -1)
	}
	sum := longest*longest + shortest*shortest + (commonest*commonest+rarest*rarest)/2
	for t := range shown {
		d := float64(right[t]) - float64(shown[t])/optionCount
		sum += d * d / 8
	}
	return sum + oneKind*float64(c.sameKinds())
}

// lead is how much more often than by chance the first of some texts is found by
// whoever takes the one with the greatest value (times sign).
func lead(texts, value []int, sign int) float64 {
	ties := 0
	for _, t := range texts {
		switch d := sign * (value[t] - value[texts[0]]); {
		case d > 0:
			return -1.0 / optionCount
		case d == 0:
			ties++
		}
	}
	return 1/float64(ties) - 1.0/optionCount
}

func (c *choosing) drafts() []draft {
	var out []draft
	for _, p := range c.picked {
		out = append(out, c.sides[p.side][p.fact][p.wording])
	}
	return out
}
