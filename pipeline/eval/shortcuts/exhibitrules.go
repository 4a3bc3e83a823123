package shortcuts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Exhibit is a table or chart as rows of cells.
type Exhibit [][]string

// AddExhibit adds the rows of a record about a picture that has some, be they cells or names
// with values.
func AddExhibit(to map[string]Exhibit, rec pipeline.Record) error {
	var of struct {
		MediaID string `json:"media_id"`
		Rows    []struct {
			Cells       []string `json:"cells"`
			Name, Value string
		} `json:"rows"`
	}
	if err := json.Unmarshal(rec.Data, &of); err != nil {
		return fmt.Errorf("rows of %s %s: %w", rec.Schema, rec.ID, err)
	}
	for _, r := range of.Rows {
		if len(r.Cells) < 2 {
			r.Cells = []string{r.Name, r.Value}
		}
		to[of.MediaID] = append(to[of.MediaID], r.Cells)
	}
	return nil
}

// Happenings name, by the title of a video, what takes part in what happens there.
func Happenings(events []schemas.StatedEvent, labels []schemas.StatedLabel) map[string][]string {
	by, out := map[string][]string{}, map[string][]string{}
	for _, e := range events {
		for _, text := range slices.Concat(e.Actors, e.Objects, []string{e.Text}) {
			by[e.Original] = append(by[e.Original], bare(text))
		}
	}
	for _, l := range labels {
		if l.Attribute == schemas.AttributeTitle {
			out[words.Folded(l.Value)] = append(out[words.Folded(l.Value)], by[l.Original]...)
		}
	}
	return out
}

// exhibitOfText reads the rows of a table that a text writes with strokes between cells.
func exhibitOfText(text string) (out Exhibit) {
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) > 1 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			out = append(out, cells)
		}
	}
	return out
}

// exhibitRules go by where options stand among the values of a chart or table that has them
// all, and in what happens in the video that a question names.
func exhibitRules() []Rule {
	ranked := func(name string, rate func(c *Case, charts []chart, i int) float64, charts int) Rule {
		return Rule{Name: name, Sees: Exhibits, Rate: func(c *Case) []float64 {
			of := c.charts()
			if len(of) < charts {
				return nil
			}
			return c.rate(func(i int) float64 { return rate(c, of, i) })
		}}
	}
	option := func(ch chart, c *Case, i int) int { return ch.ranks[words.Folded(c.Options[i])] }
	var out []Rule
	for _, r := range []struct {
		name string
		rank int
	}{{"lowest", 0}, {"second lowest", 1}, {"second highest", -2}, {"highest", -1}} {
		out = append(out, ranked(r.name+" of the options in the chart", func(c *Case, of []chart, i int) float64 {
			var ranks []int
			for j := range c.Options {
				ranks = append(ranks, option(of[0], c, j))
			}
			slices.Sort(ranks)
			return indicator(ranks[(r.rank+len(ranks))%len(ranks)] == option(of[0], c, i))
		}, 1))
	}
	inner := func(c *Case, of []chart, i int) bool {
		at := option(of[0], c, i)
		return at > 0 && at < len(of[0].ranks)-1
	}
	return append(out,
		ranked("highest or lowest of the chart", func(c *Case, of []chart, i int) float64 { return indicator(!inner(c, of, i)) }, 1),
		ranked("neither, and lowest in the second table", func(c *Case, of []chart, i int) float64 {
			return indicator(inner(c, of, i)) * float64(1+len(of[1].ranks)-option(of[1], c, i))
		}, 2),
		ranked("beside the one that is highest in the second table", func(c *Case, of []chart, i int) (best float64) {
			for name, at := range of[0].ranks {
				if d := at - option(of[0], c, i); d == 1 || d == -1 {
					best = max(best, float64(of[1].ranks[name]-option(of[1], c, i)))
				}
			}
			return best * indicator(inner(c, of, i))
		}, 2),
		Rule{Name: "happens in the video that is named", Sees: Events, Rate: func(c *Case) []float64 {
			if len(c.Happenings) == 0 {
				return nil
			}
			return c.rate(func(i int) float64 { return indicator(slices.Contains(c.Happenings, bare(c.Options[i]))) })
		}})
}

// chart gives names their places by value, from the lowest.
type chart struct{ ranks map[string]int }

// charts are the exhibits that have every option with a number, the most like the question
// first. Names that tables put for codes are read through.
func (c *Case) charts() (out []chart) {
	alias := map[string]string{}
	for _, l := range c.Lines {
		for _, e := range l.Exhibits {
			for _, row := range e {
				if _, number := valueOf(row[1]); len(row) == 2 && !number {
					alias[words.Folded(row[0])] = words.Folded(row[1])
				}
			}
		}
	}
	asked, shared := words.WordSet(c.Question), []float64{}
	for _, l := range c.Lines {
		for _, e := range l.Exhibits {
			ch, ok := c.chartOf(e, alias)
			if !ok {
				continue
			}
			like := words.Overlap(asked, words.WordSet(l.Said))
			at, _ := slices.BinarySearchFunc(shared, like, func(a, b float64) int {
				if a >= b {
					return -1
				}
				return 1
			})
			shared, out = slices.Insert(shared, at, like), slices.Insert(out, at, ch)
		}
	}
	return out
}

func (c *Case) chartOf(e Exhibit, alias map[string]string) (chart, bool) {
	type bar struct {
		name  string
		value float64
	}
	var bars []bar
	for _, row := range e {
		v, number := valueOf(row[len(row)-1])
		if len(row) < 2 || !number {
			continue
		}
		name := words.Folded(row[0])
		if other := alias[name]; other != "" {
			name = other
		}
		bars = append(bars, bar{name, v})
	}
	slices.SortFunc(bars, func(a, b bar) int {
		if a.value != b.value {
			return int(indicator(a.value > b.value) - indicator(a.value < b.value))
		}
		return strings.Compare(a.name, b.name)
	})
	ch := chart{map[string]int{}}
	for _, b := range bars {
		if _, twice := ch.ranks[b.name]; !twice {
			ch.ranks[b.name] = len(ch.ranks)
		}
	}
	missing := slices.ContainsFunc(c.Options, func(o string) bool { _, has := ch.ranks[words.Folded(o)]; return !has })
	return ch, !missing
}
