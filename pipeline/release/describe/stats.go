package describe

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// statistics is what the card and the report tell of a release.
type statistics struct {
	Questions, Tasks, Media int
	Referenced              int // of the media
	Seconds                 float64
	Bytes                   int64
	Families, Types, Splits []bar
	Labels                  []labelBars
	// Positions counts where the correct option stands, by its key, apart for each
	// number of options.
	Positions []labelBars
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
	// Instead says how many values there are, where they are too many to be shown
	// one by one or tell a reader nothing.
	Instead string
}

const shownBars = 12

// digest matches names that no reader uses.
var digest = regexp.MustCompile(`[0-9a-f]{12}`)

func (rel Release) statistics() statistics {
	var s statistics
	for range rel.Tasks {
		s.Tasks++
	}
	families, types, splits, positions := map[string]int{}, map[string]int{}, map[string]int{}, map[int]map[string]int{}
	labels := map[string]map[string]int{}
	for q := range rel.Questions {
		s.Questions++
		families[q.Family]++
		types[q.ReportedType()]++
		splits[q.Split]++
		if n := len(q.Options); n > 0 {
			if positions[n] == nil {
				positions[n] = map[string]int{}
			}
			positions[n][q.AnswerKey]++
		}
		for k, v := range q.Labels {
			if labels[k] == nil {
				labels[k] = map[string]int{}
			}
			labels[k][v]++
		}
	}
	for m := range rel.Media {
		s.Media++
		s.Seconds += m.Duration
		s.Bytes += m.Bytes
		if rel.Manifest.References(m.License) {
			s.Referenced++
		}
	}
	s.Families, s.Types, s.Splits = bars(families), bars(types), bars(splits)
	for _, n := range slices.Sorted(maps.Keys(positions)) {
		s.Positions = append(s.Positions, labelBars{Label: "position of the correct option, of " + fmt.Sprint(n), Bars: bars(positions[n])})
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		s.Labels = append(s.Labels, labelValues(k, labels[k]))
	}
	return s
}

// labelValues returns the values of a label, or says how many there are and how often
// each occurs.
func labelValues(name string, counts map[string]int) labelBars {
	all := bars(counts)
	named := slices.ContainsFunc(all, func(b bar) bool { return !digest.MatchString(b.Name) })
	if named && len(all) <= shownBars {
		return labelBars{Label: name, Bars: all}
	}
	times := slices.Sorted(maps.Values(counts))
	least, most := times[0], times[len(times)-1]
	instead := fmt.Sprintf("%s, each of %d to %s", count(len(all), "distinct value"), least, count(most, "question"))
	if least == most {
		instead = fmt.Sprintf("%s, each of %s", count(len(all), "distinct value"), count(most, "question"))
	}
	return labelBars{Label: name, Instead: instead}
}

func bars(counts map[string]int) []bar {
	largest, total := 1, 0
	for _, n := range counts {
		largest, total = max(largest, n), total+n
	}
	var out []bar
	for _, k := range slices.SortedFunc(maps.Keys(counts), compareAsNumbers) {
		n := counts[k]
		out = append(out, bar{Name: k, Count: n,
			Percent: 100 * float64(n) / float64(largest), Share: 100 * float64(n) / float64(total)})
	}
	return out
}

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

func readableTime(s float64) string {
	switch {
	case s >= 3600:
		return fmt.Sprintf("%.1f h", s/3600)
	case s >= 120:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}

func compareAsNumbers(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}
