package shortcuts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// optionRules go by how options look beside each other and beside the question.
func optionRules() []Rule {
	out := slices.Concat(
		both(Alone, "longest option", "shortest option", func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return float64(len([]rune(c.Options[i]))) })
		}),
		both(Alone, "most like the others", "odd one out", func(c *Case) []float64 { return c.likeness(words.WordSet) }),
		both(Alone, "spelt most like the others", "spelt least like the others", func(c *Case) []float64 { return c.likeness(letterPairs) }),
		both(Alone, "of the commonest form", "of the rarest form", func(c *Case) []float64 {
			return c.rate(func(i int) (n float64) {
				for _, o := range c.Options {
					if formOf(o) == formOf(c.Options[i]) {
						n++
					}
				}
				return n
			})
		}),
		both(Alone, "commonest option", "rarest option", func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return float64(c.form.seen[words.Folded(c.Options[i])]) })
		}),
		both(Alone, "first in the alphabet", "last in the alphabet", func(c *Case) []float64 {
			return c.rate(func(i int) (n float64) {
				for _, o := range c.Options {
					if words.Folded(c.Options[i]) < words.Folded(o) {
						n++
					}
				}
				return n
			})
		}))
	out = append(out, wordingRules("the question", func(c *Case) string { return c.Question })...)
	out = append(out, wordingRules("the open wording", func(c *Case) string { return c.Open })...)
	for place := range studiedPlaces {
		out = append(out, Rule{Name: "option " + schemas.Letter(place), Sees: Alone, Rate: func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return indicator(i == place) })
		}})
	}
	return out
}

// wordingRules go by what a wording of the question names. They say nothing where there is none.
func wordingRules(of string, wording func(*Case) string) []Rule {
	rule := func(name string, rate func(c *Case, asked string) []float64) Rule {
		return Rule{Name: name + " " + of, Sees: Alone, Rate: func(c *Case) []float64 {
			if asked := wording(c); asked != "" {
				return rate(c, asked)
			}
			return nil
		}}
	}
	overlap := func(c *Case, asked string) []float64 {
		set := words.WordSet(asked)
		return c.rate(func(i int) float64 { return words.Overlap(words.WordSet(c.Options[i]), set) })
	}
	return []Rule{
		rule("most words of", overlap),
		rule("fewest words of", func(c *Case, asked string) []float64 { return negate(overlap(c, asked)) }),
		rule("named in", func(c *Case, asked string) []float64 {
			return c.rate(func(i int) float64 { return indicator(names(padded(asked), bare(c.Options[i]))) })
		}),
		rule("latest mentioned in", func(c *Case, asked string) []float64 {
			return c.rate(func(i int) float64 { return float64(strings.LastIndex(padded(asked), " "+bare(c.Options[i])+" ")) })
		}),
	}
}

// studiedPlaces are the places that have a rule each.
const studiedPlaces = 4

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// likeness of each option to the others, by the parts that they share.
func (c *Case) likeness(parts func(string) []string) []float64 {
	sets := make([][]string, len(c.Options))
	for i, o := range c.Options {
		sets[i] = parts(o)
	}
	return c.rate(func(i int) (sum float64) {
		for j, other := range sets {
			if j != i {
				sum += words.Overlap(sets[i], other)
			}
		}
		return sum
	})
}

// letterPairs are the distinct pairs of neighbouring characters of a text, ascending.
func letterPairs(text string) (out []string) {
	list := []rune(" " + strings.ToLower(text) + " ")
	for i := range len(list) - 1 {
		out = append(out, string(list[i:i+2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// formOf is what a text looks like: capitals, digits, marks, an article, a plural.
func formOf(text string) string {
	var out strings.Builder
	for _, w := range strings.Fields(text) {
		switch stem := strings.TrimRight(w, ".,;:!?"); {
		case slices.Contains([]string{"the", "a", "an"}, strings.ToLower(w)):
			out.WriteString("the ")
		case strings.ContainsAny(w, "0123456789"):
			out.WriteString("9 ")
		case strings.ToLower(w) != w:
			out.WriteString("A ")
		case strings.HasSuffix(stem, "s") && !strings.HasSuffix(stem, "ss"):
			out.WriteString("as ")
		default:
			out.WriteString("a ")
		}
	}
	if last := strings.TrimSpace(text); last != "" && strings.ContainsAny(last[len(last)-1:], ".!?") {
		out.WriteString(".")
	}
	return out.String()
}

// valueRules go by the order of options that are numbers or dates.
func valueRules() []Rule {
	const what = " number or date"
	at := func(name string, rank int) Rule {
		return Rule{Name: name + what, Sees: Alone, Rate: func(c *Case) []float64 {
			ranks := c.valueRanks()
			if ranks == nil {
				return nil
			}
			return c.rate(func(i int) float64 { return indicator(ranks[i] == (rank+len(ranks))%len(ranks)) })
		}}
	}
	return append([]Rule{at("smallest", 0), at("largest", -1), at("second smallest", 1), at("second largest", -2)},
		both(Alone, "nearest to the others as a"+what, "farthest from the others as a"+what, func(c *Case) []float64 { return c.nearness(c.values()) })...)
}

// nearness is how near each option's value is to values.
func (c *Case) nearness(values []float64) []float64 {
	own := c.values()
	if own == nil {
		return nil
	}
	return c.rate(func(i int) (sum float64) {
		for _, v := range values {
			sum -= max(own[i]-v, v-own[i])
		}
		return sum
	})
}

// values are those of the options; nil where one has none.
func (c *Case) values() []float64 {
	out := make([]float64, len(c.Options))
	for i, o := range c.Options {
		v, ok := valueOf(o)
		if !ok {
			return nil
		}
		out[i] = v
	}
	return out
}

// valueRanks are the places of the options by value; nil where two are equal.
func (c *Case) valueRanks() []int {
	values := c.values()
	sorted := slices.Sorted(slices.Values(values))
	if values == nil || len(slices.Compact(slices.Clone(sorted))) < len(values) {
		return nil
	}
	out := make([]int, len(values))
	for i, v := range values {
		out[i], _ = slices.BinarySearch(sorted, v)
	}
	return out
}

var (
	numberPattern = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?`)
	datePattern   = regexp.MustCompile(`(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})|\d{4}-\d{2}-\d{2}`)
	numberWords   = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
)

// datesIn returns the days that a text names.
func datesIn(text string) (out []time.Time) {
	for _, m := range datePattern.FindAllString(text, -1) {
		for _, layout := range []string{"2 January 2006", time.DateOnly} {
			if t, err := time.Parse(layout, m); err == nil {
				out = append(out, t)
			}
		}
	}
	return out
}

// valueOf is the date or the number that a text has.
func valueOf(text string) (float64, bool) {
	if days := datesIn(text); len(days) > 0 {
		return float64(days[0].Unix()), true
	}
	if at := slices.Index(numberWords, words.Folded(text)); at >= 0 {
		return float64(at), true
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(numberPattern.FindString(text), ",", ""), 64)
	return v, err == nil
}

// partRules go by the order of things in options that are lists.
func partRules() []Rule {
	inPlace := func(from func(parts []string) []string) func(c *Case) []float64 {
		return func(c *Case) []float64 {
			lists := c.parts()
			return c.rate(func(i int) (n float64) {
				for _, other := range lists {
					for at, p := range from(lists[i]) {
						if of := from(other); at < len(of) && of[at] == p {
							n++
						}
					}
				}
				return n
			})
		}
	}
	all := func(parts []string) []string { return parts }
	first := func(parts []string) []string { return parts[:min(1, len(parts))] }
	last := func(parts []string) []string { return parts[max(0, len(parts)-1):] }
	return slices.Concat(
		both(Alone, "parts where most options have them", "parts where fewest options have them", inPlace(all)),
		both(Alone, "first part that most options have", "first part that fewest options have", inPlace(first)),
		both(Alone, "last part that most options have", "last part that fewest options have", inPlace(last)),
		both(Alone, "order most like the others'", "order least like the others'", func(c *Case) []float64 {
			lists := c.parts()
			return c.rate(func(i int) (n float64) {
				for _, other := range lists {
					n += sameOrder(lists[i], other)
				}
				return n
			})
		}),
		both(Alone, "parts in the order of the alphabet", "parts against the order of the alphabet", func(c *Case) []float64 {
			lists := c.parts()
			return c.rate(func(i int) float64 { return sameOrder(lists[i], slices.Sorted(slices.Values(lists[i]))) })
		}))
}

var partPattern = regexp.MustCompile(`,? then |[,;/>]+ ?`)

// parts are what each option lists; none where one lists a single thing.
func (c *Case) parts() [][]string {
	out := make([][]string, len(c.Options))
	for i, o := range c.Options {
		if out[i] = partPattern.Split(o, -1); len(out[i]) < 2 {
			return make([][]string, len(c.Options))
		}
	}
	return out
}

// sameOrder counts the pairs that stand in two lists in one order.
func sameOrder(a, b []string) (n float64) {
	for i, x := range a {
		for _, y := range a[i+1:] {
			if p, q := slices.Index(b, x), slices.Index(b, y); p >= 0 && p < q {
				n++
			}
		}
	}
	return n
}

// answeredRules go by the answers of questions of other clusters, and of earlier ones of the
// same cluster. What is least often right elsewhere is no rule: where answers are dealt out
// evenly, counting all others tells what is left.
func answeredRules() []Rule {
	return []Rule{
		{Name: "option most often right elsewhere", Sees: Answered, Upward: true, Rate: func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return c.form.texts.shareElsewhere(c.ob, words.Folded(c.Options[i])) })
		}},
		{Name: "position most often right elsewhere", Sees: Answered, Upward: true, Rate: func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return c.form.places.shareElsewhere(c.ob, schemas.Letter(i)) })
		}},
		{Name: "right in an earlier question of the cluster", Sees: Company, Rate: func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return c.cluster.answered(c.ob, c.Options[i], true) })
		}},
		{Name: "wrong in an earlier question of the cluster", Sees: Company, Rate: func(c *Case) []float64 {
			return c.rate(func(i int) float64 { return c.cluster.answered(c.ob, c.Options[i], false) })
		}},
		{Name: "letter of the question before", Sees: Answered, Rate: func(c *Case) []float64 { return c.afterLast(0) }},
		{Name: "letter after that of the question before", Sees: Answered, Rate: func(c *Case) []float64 { return c.afterLast(1) }},
	}
}

func (c *Case) afterLast(on int) []float64 {
	if c.ob.last < 0 {
		return nil
	}
	return c.rate(func(i int) float64 { return indicator(i == (c.ob.last+on)%len(c.Options)) })
}

// corpus is what all questions of a form tell, without the answers of the cluster asked about.
type corpus struct {
	seen          prevalence
	texts, places tally
}

// prevalence counts, by the words of an option, the facts that it stands beside.
type prevalence map[string]int

// tally counts how often something was right of how often it could be, by cluster and over
// all.
type tally struct {
	all map[string][2]float64
	by  map[[2]string][2]float64 // by cluster and thing
}

func newTally() tally {
	return tally{map[string][2]float64{}, map[[2]string][2]float64{}}
}

func newCorpus(obs []observation) *corpus {
	c, known := &corpus{prevalence{}, newTally(), newTally()}, map[[2]string]bool{}
	for _, ob := range obs {
		for i, o := range ob.q.Options {
			text := words.Folded(o.Text)
			if key := [2]string{ob.fact, text}; !known[key] {
				known[key] = true
				c.seen[text]++
			}
			c.texts.add(ob, text, i == ob.gold)
			c.places.add(ob, schemas.Letter(i), i == ob.gold)
		}
	}
	return c
}

func (t tally) add(ob observation, thing string, right bool) {
	n := [2]float64{ob.weight * indicator(right), ob.weight}
	key := [2]string{ob.cluster, thing}
	all, own := t.all[thing], t.by[key]
	for j := range n {
		all[j] += n[j]
		own[j] += n[j]
	}
	t.all[thing], t.by[key] = all, own
}

// shareElsewhere is the share of right ones in other clusters, smoothed by one guess.
func (t tally) shareElsewhere(ob observation, thing string) float64 {
	all, own := t.all[thing], t.by[[2]string{ob.cluster, thing}]
	return (all[0] - own[0] + 1) / (all[1] - own[1] + float64(len(ob.q.Options)))
}
