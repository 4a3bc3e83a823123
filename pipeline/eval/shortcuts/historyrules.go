package shortcuts

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Line is a turn of the history, as rules read it.
type Line struct {
	// Date is the day of its session, empty for none.
	Date string
	// Said are its words and those of all captions of its pictures, Caption those of the plain
	// captions; both as padded text.
	Said, Caption string
	// Exhibits are the tables and charts that it holds.
	Exhibits []Exhibit

	id    string
	media []string
	words map[string]int
	count int
}

// newLines returns the turns of a session; exhibits are those of pictures by media id.
func newLines(s schemas.Session, exhibits map[string]Exhibit) (out []Line) {
	for _, t := range s.Turns {
		l := Line{Date: s.Date[:min(len(s.Date), len(time.DateOnly))], id: t.TurnID, words: map[string]int{}}
		said, captions := []string{t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback}, []string{}
		if e := exhibitOfText(t.Text); len(e) > 0 {
			l.Exhibits = append(l.Exhibits, e)
		}
		for _, a := range t.Attachments {
			said, captions = append(said, a.Caption, a.TaskAwareCaption), append(captions, a.Caption)
			l.media = append(l.media, a.MediaID)
			if e := exhibits[a.MediaID]; len(e) > 0 {
				l.Exhibits = append(l.Exhibits, e)
			}
		}
		list := words.Words(strings.Join(said, " "))
		l.Said, l.Caption, l.count = " "+strings.Join(list, " ")+" ", padded(strings.Join(captions, " ")), len(list)
		for _, w := range list {
			l.words[w]++
		}
		out = append(out, l)
	}
	return out
}

// historyRules look the options up in what was said and shown.
func historyRules() []Rule {
	var out []Rule
	for _, from := range []struct {
		sees Sight
		text func(Line) string
	}{{History, func(l Line) string { return l.Said }}, {Captions, func(l Line) string { return l.Caption }}} {
		in := " (" + string(from.sees) + ")"
		add := func(name string, rate func(c *Case, at [][]int) []float64) {
			out = append(out, Rule{Name: name + in, Sees: from.sees, Rate: func(c *Case) []float64 {
				if at := c.mentions(from.sees, from.text); at != nil {
					return rate(c, at)
				}
				return nil
			}})
		}
		byLine := func(of func(c *Case) func(line int) float64) func(c *Case, at [][]int) []float64 {
			return func(c *Case, at [][]int) []float64 {
				value := of(c)
				return c.rate(func(i int) float64 {
					best := math.Inf(-1)
					for _, line := range at[i] {
						best = max(best, value(line))
					}
					return best
				})
			}
		}
		add("named last", byLine(func(*Case) func(int) float64 { return func(line int) float64 { return float64(line) } }))
		add("named first", byLine(func(*Case) func(int) float64 { return func(line int) float64 { return -float64(line) } }))
		add("named most often", func(c *Case, at [][]int) []float64 { return c.rate(func(i int) float64 { return float64(len(at[i])) }) })
		add("named least often", func(c *Case, at [][]int) []float64 {
			return c.rate(func(i int) float64 { return onlyIf(len(at[i]) > 0, -float64(len(at[i]))) })
		})
		add("in the longest turn", byLine(func(c *Case) func(int) float64 { return func(line int) float64 { return float64(c.Lines[line].count) } }))
		add("in the shortest turn", byLine(func(c *Case) func(int) float64 {
			return func(line int) float64 { return -float64(c.Lines[line].count) }
		}))
		add("in the turn most like the question", byLine(func(c *Case) func(int) float64 {
			like := c.likeQuestion()
			return func(line int) float64 { return like[line] }
		}))
		add("named last in the ten turns most like the question", byLine(func(c *Case) func(int) float64 {
			like := c.likeQuestion()
			tenth := slices.Sorted(slices.Values(like))[max(0, len(like)-10)]
			return func(line int) float64 { return onlyIf(like[line] >= tenth, float64(line)) }
		}))
		add("named last about the same thing", func(c *Case, at [][]int) []float64 {
			about := c.aboutQuestion()
			return c.orNone(c.rate(func(i int) float64 {
				last := -1
				for _, line := range at[i] {
					if about[line] {
						last = line
					}
				}
				return float64(last)
			}))
		})
		add("named most often about the same thing", func(c *Case, at [][]int) []float64 {
			about := c.aboutQuestion()
			return c.rate(func(i int) (n float64) {
				for _, line := range at[i] {
					n += indicator(about[line])
				}
				return n
			})
		})
	}
	return append(out, dayRules()...)
}

// onlyIf rates what does not fulfil a condition below all that does.
func onlyIf(holds bool, rating float64) float64 {
	if holds {
		return rating
	}
	return math.Inf(-1)
}

// mentions are the lines whose text names each option; nil where none names any.
func (c *Case) mentions(sees Sight, text func(Line) string) [][]int {
	if c.found.mentions == nil {
		c.found.mentions = map[Sight][][]int{}
	}
	at, known := c.found.mentions[sees]
	if !known {
		at = c.findMentions(text)
		c.found.mentions[sees] = at
	}
	return at
}

func (c *Case) findMentions(text func(Line) string) [][]int {
	out, any := make([][]int, len(c.Options)), false
	for i, o := range c.Options {
		part := bare(o)
		for n, l := range c.Lines {
			if names(text(l), part) {
				out[i] = append(out[i], n)
			}
		}
		any = any || len(out[i]) > 0
	}
	if !any {
		return nil
	}
	return out
}

// orNone prefers an option that says that nothing was told where no option is rated.
func (c *Case) orNone(ratings []float64) []float64 {
	if slices.Max(ratings) >= 0 {
		return ratings
	}
	return c.rate(func(i int) float64 { return indicator(c.Options[i] == schemas.AnswerNone) })
}

// likeQuestion rates the lines by the words that they share with the question (BM25).
func (c *Case) likeQuestion() []float64 {
	const saturation, byLength = 1.2, 0.75
	if c.found.like != nil {
		return c.found.like
	}
	mean := 0.0
	for _, l := range c.Lines {
		mean += float64(l.count) / float64(len(c.Lines))
	}
	out := make([]float64, len(c.Lines))
	for _, w := range words.WordSet(c.Question) {
		n := 0.0
		for _, l := range c.Lines {
			n += indicator(l.words[w] > 0)
		}
		rarity := math.Log(1 + (float64(len(c.Lines))-n+0.5)/(n+0.5))
		for i, l := range c.Lines {
			if f := float64(l.words[w]); f > 0 {
				out[i] += rarity * f * (saturation + 1) / (f + saturation*(1-byLength+byLength*float64(l.count)/mean))
			}
		}
	}
	c.found.like = out
	return out
}

// aboutQuestion tells the lines that have most of the rare words of the question: those of a
// fourth of the lines at most, dates and words of phrasing aside.
func (c *Case) aboutQuestion() []bool {
	if c.found.about != nil {
		return c.found.about
	}
	shared, most := make([]int, len(c.Lines)), 1
	for _, w := range words.WordSet(datePattern.ReplaceAllString(c.Question, " ")) {
		n := 0
		for _, l := range c.Lines {
			n += int(indicator(l.words[w] > 0))
		}
		if n > max(1, len(c.Lines)/4) || slices.Contains(phrasing, w) {
			continue
		}
		for i, l := range c.Lines {
			if l.words[w] > 0 {
				shared[i]++
				most = max(most, shared[i])
			}
		}
	}
	out := make([]bool, len(shared))
	for i, n := range shared {
		out[i] = n == most || n > 1 && n == most-1
	}
	c.found.about = out
	return out
}

// phrasing are words of how questions are put.
var phrasing = strings.Fields("a an and any as at be by did do does for from has have how in is it its of on or said shown that the there this to up was were what when where which who whose with")

// dayRules answer with a day: of the sessions on the days of the options, the one that speaks of
// what is asked first, last, or most.
func dayRules() []Rule {
	rated := func(name string, rate func(lines []int) float64) Rule {
		return Rule{Name: name, Sees: History, Rate: func(c *Case) []float64 {
			if len(c.Lines) == 0 {
				return nil
			}
			about := c.aboutQuestion()
			return c.rate(func(i int) float64 {
				var lines []int
				for _, day := range datesIn(c.Options[i]) {
					for n, l := range c.Lines {
						if about[n] && l.Date == day.Format(time.DateOnly) {
							lines = append(lines, n)
						}
					}
				}
				if len(lines) == 0 {
					return math.Inf(-1)
				}
				return rate(lines)
			})
		}}
	}
	return []Rule{
		rated("day that names the thing most often", func(lines []int) float64 { return float64(len(lines)) }),
		rated("first day that names the thing", func(lines []int) float64 { return -float64(lines[0]) }),
		rated("last day that names the thing", func(lines []int) float64 { return float64(lines[0]) }),
	}
}

// findsEvidence reports whether the turns of the days that a question names hold all of its
// evidence; ok is false where it names no day.
func (c *Case) findsEvidence() (found, ok bool) {
	held := map[string]bool{}
	for _, day := range datesIn(c.Question) {
		ok = true
		for _, l := range c.Lines {
			if l.Date == day.Format(time.DateOnly) {
				held[l.id] = true
				for _, m := range l.media {
					held[m] = true
				}
			}
		}
	}
	needed := c.ob.q.Needed()
	return len(needed) > 0 && !slices.ContainsFunc(needed, func(e schemas.Evidence) bool { return !held[e.Ref] && !held[e.Media] }), ok && len(c.Lines) > 0
}
