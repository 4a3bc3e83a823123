package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

// singleHop asks which thing on a chart fits a definition. The definition is told
// elsewhere; more pieces add an exception, its numbers, and the key of the chart's codes.
func singleHop(s *simulator, pieces int) (Item, error) {
	pieces = min(max(pieces, 2), 5)
	coded, limited := pieces == 3 || pieces == 5, pieces >= 4
	term := s.term()
	names := make([]string, 6)
	for i := range names {
		names[i] = s.pickName([]string{s.field.title})
	}
	g := s.pickGrades(limited)
	item := Item{
		Ask: s.word(wordings.Definition, map[string]string{"thing": s.field.thing, "term": term}), Explanation: "The chart gives the " + s.field.measure + " of each " + s.field.thing + ", and another source says what " + term + " means.",
	}
	labels := slices.Clone(names)
	for i := range labels {
		if coded {
			labels[i] = s.code()
		}
	}
	chart := &Picture{Kind: Chart, Title: s.stem() + ": " + s.field.measure + " by " + s.field.thing, Columns: []string{s.field.thing, s.field.measure}}
	for i, v := range g.first {
		chart.Rows = append(chart.Rows, []string{labels[i], strconv.Itoa(v)})
	}
	item.Units = append(item.Units,
		Unit{Home: s.pictureHome(), Role: schemas.RoleClue, Picture: chart, Title: chart.Title},
		s.asPage(s.documentUnit(schemas.RoleClue, s.sayDefinition(term, g.low, g.high)), func() string {
			low := 120 + s.rnd.IntN(700)
			return s.sayDefinition(s.term(), low, low+20+s.rnd.IntN(120))
		}))
	if limited {
		item.Units = append(item.Units, s.limits(term, names, g)...)
	}
	if coded {
		item.Units = append(item.Units, s.codeTable(labels, names))
	}
	item.Options = []string{names[g.right]}
	for _, i := range g.wrong {
		item.Options = append(item.Options, names[i])
	}
	return item, nil
}

func (s *simulator) limits(term string, names []string, g grades) []Unit {
	sheet := [][]string{{s.field.thing, s.field.other}}
	for i, v := range g.second {
		sheet = append(sheet, []string{names[i], strconv.Itoa(v)})
	}
	return []Unit{
		s.documentUnit(schemas.RoleClue, s.sayException(term, g)),
		s.tableUnit(s.stem()+": "+s.field.other, sheet),
	}
}

func (s *simulator) codeTable(labels, names []string) Unit {
	rows := [][]string{{"code", s.field.thing}}
	for _, i := range s.rnd.Perm(len(names)) {
		rows = append(rows, []string{labels[i], names[i]})
	}
	return s.tableUnit(s.stem()+": codes", rows)
}

// grades are numbers of which exactly one fits a definition.
type grades struct {
	first, second    []int
	low, high, limit int
	// above says that the limit excludes what lies above it, else below.
	above bool
	// right and wrong are the places of what fits and of three others.
	right int
	wrong []int
}

// pickGrades picks numbers and a definition that the right thing fits, whatever its rank:
// of the options each is the tallest, the shortest or between as often.
func (s *simulator) pickGrades(limited bool) grades {
	sorted := numbers(s.rnd, 6, 120, 960)
	slices.Sort(sorted)
	for i := range sorted { // apart, so that a chart tells them
		sorted[i] += 40 * i
	}
	order := s.rnd.Perm(6) // places by rank
	g := grades{first: make([]int, 6), second: numbers(s.rnd, 6, 3, 90)}
	for rank, i := range order {
		g.first[i] = sorted[rank]
	}
	// bound returns a number between two ranks, or beyond the first or last.
	bound := func(rank int) int {
		switch rank {
		case 0:
			return sorted[0] - 15 - s.rnd.IntN(60)
		case len(sorted):
			return sorted[rank-1] + 15 + s.rnd.IntN(60)
		}
		return (sorted[rank-1] + sorted[rank]) / 2
	}
	if !limited {
		rank := s.rnd.IntN(6)
		g.low, g.high, g.right = bound(rank), bound(rank+1), order[rank]
		g.wrong = weights.Sample(s.rnd, slices.Concat(order[:rank], order[rank+1:]), 3)
		return g
	}
	pairs := weights.Sample(s.rnd, []int{0, 2, 4}, 2)
	g.low, g.high = bound(pairs[0]), bound(pairs[0]+2)
	own, other := slices.Clone(order[pairs[0]:][:2]), slices.Clone(order[pairs[1]:][:2])
	for _, two := range [][]int{own, other} {
		s.rnd.Shuffle(2, func(i, j int) { two[i], two[j] = two[j], two[i] })
	}
	g.right, g.wrong = own[0], []int{own[1], other[0], other[1]}
	g.setLimit(s.rnd, own, other)
	return g
}

// setLimit sets a limit of the second numbers. Two pairs of neighbours are the options: of
// each the first keeps to the limit and the second does not, and only the definition says
// which pair is meant, only the exception which side of the limit counts.
func (g *grades) setLimit(rnd *rand.Rand, own, other []int) {
	sorted := slices.Sorted(slices.Values(g.second))
	few := 2 + rnd.IntN(3)
	if g.above = rnd.IntN(2) == 0; g.above {
		g.limit = (sorted[few-1] + sorted[few]) / 2
	} else { // what is excluded lies below it, also where the two are next to each other
		g.limit = (sorted[few-1] + sorted[few] + 1) / 2
	}
	under, over := sorted[:few], sorted[few:]
	rnd.Shuffle(len(under), func(i, j int) { under[i], under[j] = under[j], under[i] })
	rnd.Shuffle(len(over), func(i, j int) { over[i], over[j] = over[j], over[i] })
	keeps, breaks := under, over
	if !g.above {
		keeps, breaks = over, under
	}
	g.second[own[0]], g.second[other[0]] = keeps[0], keeps[1]
	g.second[own[1]], g.second[other[1]] = breaks[0], breaks[1]
	rest := slices.Concat(keeps[2:], breaks[2:])
	for i := range g.second {
		if i != own[0] && i != own[1] && i != other[0] && i != other[1] {
			g.second[i], rest = rest[0], rest[1:]
		}
	}
}

// tableUnit returns a table as a source of its own or as a picture.
func (s *simulator) tableUnit(title string, rows [][]string) Unit {
	if s.inDocument() {
		return Unit{Home: HomeTable, Role: schemas.RoleClue, Title: title, Rows: rows}
	}
	return Unit{Home: HomeChat, Role: schemas.RoleClue, Title: title, Picture: &Picture{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}}
}
