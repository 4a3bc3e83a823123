package release

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// statistics is what the card and the report tell of a release.
type statistics struct {
	Questions, Tasks, Media int
	Seconds                 float64
	Bytes                   int64
	Families, Types, Splits []bar
	Labels                  []labelBars
	// Positions counts where the correct option stands, by its key.
	Positions []bar
}

// bar is one counted value; Percent is of the largest count, Share of all.
type bar struct {
	Name           string
	Count          int
	Percent, Share float64
}

type labelBars struct {
	Label string
	Bars  []bar
	// More counts values that are not shown.
	More int
}

// shownBars bounds how many values of a label are shown.
const shownBars = 12

func (c *content) statistics() statistics {
	s := statistics{Questions: len(c.questions), Tasks: len(c.tasks), Media: len(c.media)}
	families, types, splits, positions := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	labels := map[string]map[string]int{}
	for _, q := range c.questions {
		families[q.Family]++
		types[q.Type]++
		splits[q.Split]++
		if len(q.Options) > 0 {
			positions[q.AnswerKey]++
		}
		for k, v := range q.Labels {
			if labels[k] == nil {
				labels[k] = map[string]int{}
			}
			labels[k][v]++
		}
	}
	for _, m := range c.media {
		s.Seconds += m.Duration
		s.Bytes += m.Bytes
	}
	s.Families, s.Types, s.Splits, s.Positions = bars(families), bars(types), bars(splits), bars(positions)
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		s.Labels = append(s.Labels, labelOf(k, labels[k]))
	}
	return s
}

// labelOf shows the most frequent values of a label.
func labelOf(name string, counts map[string]int) labelBars {
	all := bars(counts)
	if len(all) <= shownBars {
		return labelBars{Label: name, Bars: all}
	}
	slices.SortStableFunc(all, func(a, b bar) int { return cmp.Compare(b.Count, a.Count) })
	return labelBars{Label: name, Bars: all[:shownBars], More: len(all) - shownBars}
}

func bars(counts map[string]int) []bar {
	largest, total := 1, 0
	for _, n := range counts {
		largest, total = max(largest, n), total+n
	}
	var out []bar
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		n := counts[k]
		out = append(out, bar{Name: k, Count: n,
			Percent: 100 * float64(n) / float64(largest), Share: 100 * float64(n) / float64(total)})
	}
	return out
}

// readableBytes writes a size for people.
func readableBytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// readableTime writes seconds for people.
func readableTime(s float64) string {
	switch {
	case s >= 3600:
		return fmt.Sprintf("%.1f h", s/3600)
	case s >= 120:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}
