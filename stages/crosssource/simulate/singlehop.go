package simulate

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
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
		Ask: "Which " + s.field.thing + " is " + term + "?", Explanation: "The chart gives the " + s.field.measure + " of each " + s.field.thing + ", and another source says what " + term + " means.",
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
	wrong := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == names[g.right] })
	item.Options = append([]string{names[g.right]}, g.wrongNames(s, names, wrong)...)
	return item, nil
}

func (s *simulator) limits(term string, names []string, g grades) []Unit {
	sheet := [][]string{{s.field.thing, s.field.other}}
	for i, v := range g.second {
		sheet = append(sheet, []string{names[i], strconv.Itoa(v)})
	}
	return []Unit{
		s.documentUnit(schemas.RoleClue, s.sayException(term, g.limit)),
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
	right, excluded  int // places; excluded fits but for the limit, -1 for none
}

func (s *simulator) pickGrades(limited bool) grades {
	sorted := numbers(s.rnd, 6, 120, 960)
	slices.Sort(sorted)
	for i := range sorted { // apart, so that a chart tells them
		sorted[i] += 40 * i
	}
	at := 1 + s.rnd.IntN(4)
	until := at
	if limited {
		at = 1 + s.rnd.IntN(3)
		until = at + 1
	}
	g := grades{low: (sorted[at-1] + sorted[at]) / 2, high: (sorted[until] + sorted[until+1]) / 2, excluded: -1}
	order := s.rnd.Perm(6)
	g.first, g.second = make([]int, 6), numbers(s.rnd, 6, 3, 90)
	for place, i := range order {
		g.first[i] = sorted[place]
	}
	g.right = order[at]
	if limited {
		g.excluded = order[until]
		if s.rnd.IntN(2) == 0 {
			g.right, g.excluded = g.excluded, g.right
		}
		g.setLimit()
	}
	return g
}

// setLimit sets a limit of the second numbers: the right thing and two or three others
// keep it, and the excluded one does not, so that the limit alone leaves several.
func (g *grades) setLimit() {
	few, right, over := 3+g.second[0]%2, g.second[1], g.second[2]
	sorted := slices.Sorted(slices.Values(g.second))
	g.limit = (sorted[few-1] + sorted[few]) / 2
	trade := func(place, want int) {
		at := slices.Index(g.second, want)
		g.second[place], g.second[at] = g.second[at], g.second[place]
	}
	trade(g.right, sorted[right%few])
	trade(g.excluded, sorted[few+over%(len(sorted)-few)])
}

// wrongNames returns three wrong names: the one excluded only by the limit, and at least
// one that keeps the limit and does not fit.
func (g grades) wrongNames(s *simulator, names, wrong []string) []string {
	out := weights.Sample(s.rnd, wrong, 3)
	if g.excluded < 0 {
		return out
	}
	if !slices.Contains(out, names[g.excluded]) {
		out[0] = names[g.excluded]
	}
	within := func(name string) bool { return g.second[slices.Index(names, name)] <= g.limit }
	if slices.ContainsFunc(out, within) {
		return out
	}
	at := slices.IndexFunc(out, func(name string) bool { return name != names[g.excluded] })
	out[at] = wrong[slices.IndexFunc(wrong, within)]
	return out
}

// tableUnit returns a table as a source of its own or as a picture.
func (s *simulator) tableUnit(title string, rows [][]string) Unit {
	if s.inDocument() {
		return Unit{Home: HomeTable, Role: schemas.RoleClue, Title: title, Rows: rows}
	}
	return Unit{Home: HomeChat, Role: schemas.RoleClue, Title: title, Picture: &Picture{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}}
}
