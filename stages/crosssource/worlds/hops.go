package worlds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// singleHop asks which of the things on a chart a definition fits. The definition
// stands elsewhere, with more pieces an exception, the numbers that this takes, and
// the key of the chart's codes.
func singleHop(s *state, pieces int) (Item, error) {
	pieces = min(max(pieces, 2), 5)
	coded, limited := pieces == 3 || pieces == 5, pieces >= 4
	term := s.term()
	names := make([]string, 6)
	for i := range names {
		names[i] = s.called([]string{s.field.title})
	}
	g := s.grades(limited)
	item := Item{
		Ask: "Which " + s.field.thing + " is " + term + "?", Explanation: "The chart gives the " + s.field.measure + " of each " + s.field.thing + ", and another source says what " + term + " means.",
	}
	labels := slices.Clone(names)
	for i := range labels {
		if coded {
			labels[i] = s.code()
		}
	}
	chart := &Exhibit{Kind: Chart, Title: s.stem() + ": " + s.field.measure + " by " + s.field.thing, Columns: []string{s.field.thing, s.field.measure}}
	for i, v := range g.first {
		chart.Rows = append(chart.Rows, []string{labels[i], strconv.Itoa(v)})
	}
	item.Units = append(item.Units,
		Unit{Home: s.hung(), Role: schemas.RoleClue, Exhibit: chart, Title: chart.Title},
		s.page(s.between(term, g.low, g.high), func() string {
			low := 120 + s.rnd.IntN(700)
			return s.between(s.term(), low, low+20+s.rnd.IntN(120))
		}))
	if limited {
		item.Units = append(item.Units, s.limits(term, names, g)...)
	}
	if coded {
		item.Units = append(item.Units, s.key(labels, names))
	}
	wrong := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == names[g.right] })
	item.Options = append([]string{names[g.right]}, g.nearest(s, names, wrong)...)
	return item, nil
}

// limits are an exception to a definition, and the numbers that it takes.
func (s *state) limits(term string, names []string, g grades) []Unit {
	sheet := [][]string{{s.field.thing, s.field.other}}
	for i, v := range g.second {
		sheet = append(sheet, []string{names[i], strconv.Itoa(v)})
	}
	return []Unit{
		s.paper(schemas.RoleClue, s.except(term, g.limit)),
		s.tabled(s.stem()+": "+s.field.other, sheet),
	}
}

// key is the table that says what codes stand for.
func (s *state) key(labels, names []string) Unit {
	rows := [][]string{{"code", s.field.thing}}
	for _, i := range s.rnd.Perm(len(names)) {
		rows = append(rows, []string{labels[i], names[i]})
	}
	return s.tabled(s.stem()+": codes", rows)
}

// grades are numbers of which exactly one fits a definition.
type grades struct {
	first, second    []int
	low, high, limit int
	right, excluded  int // places; excluded fits but for the limit, -1 for none
}

func (s *state) grades(limited bool) grades {
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
		if g.second[g.right] > g.second[g.excluded] {
			g.second[g.right], g.second[g.excluded] = g.second[g.excluded], g.second[g.right]
		}
		g.limit = (g.second[g.right] + g.second[g.excluded]) / 2
		if g.limit == g.second[g.excluded] {
			g.limit--
		}
	}
	return g
}

// nearest are three wrong names, among them the one that fits but for the limit.
func (g grades) nearest(s *state, names, wrong []string) []string {
	out := weights.Sample(s.rnd, wrong, 3)
	if g.excluded >= 0 && !slices.Contains(out, names[g.excluded]) {
		out[0] = names[g.excluded]
	}
	return out
}

// tabled is a table: a source of its own, or a picture of it.
func (s *state) tabled(title string, rows [][]string) Unit {
	if s.written() {
		return Unit{Home: HomeTable, Role: schemas.RoleClue, Title: title, Rows: rows}
	}
	return Unit{Home: HomeChat, Role: schemas.RoleClue, Title: title, Exhibit: &Exhibit{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}}
}

// relations lead from one thing to the next.
func relations() []string {
	return []string{
		"supplier", "carrier", "insurer", "landlord", "sponsor", "printer", "caterer", "auditor", "sister branch", "registered office", "main depot", "home workshop", "repair yard", "wholesaler",
		"mailing address", "training centre", "fuel dealer", "night porter", "parent firm", "broker", "leasing firm", "storage hall", "packing plant", "courier",
	}
}

// multiHop asks for what lies at the end of a chain of facts. The last link is a
// table in which others stand as well, so that there is something to confuse it with.
func multiHop(s *state, pieces int) (Item, error) {
	pieces = min(max(pieces, 2), 9)
	pictured := pieces >= 3 && s.rnd.IntN(2) == 0
	hops := pieces
	if pictured {
		hops--
	}
	links := weights.Sample(s.rnd, relations(), hops)
	var w world.World
	at := s.called([]string{s.field.title})
	item, asked, start := Item{}, at, at
	if pictured {
		asked = "what it shows"
		item.Units = append(item.Units, s.card(at))
	}
	for i, r := range links[:hops-1] {
		next := s.firm()
		if err := w.Set(i, world.Key{Entity: at, Aspect: r}, next); err != nil {
			return Item{}, err
		}
		item.Units = append(item.Units, s.link(pictured, at, r, next))
		at = next
	}
	table, wrong, err := s.lastLink(&w, at, links[hops-2], links[hops-1])
	if err != nil {
		return Item{}, err
	}
	item.Units = append(item.Units, table)
	gold := start
	for _, r := range links {
		gold = w.At(hops, world.Key{Entity: gold, Aspect: r})
	}
	slices.Reverse(links)
	item.Ask = "What is the " + strings.Join(links, " of the ") + " of " + asked + "?"
	item.Explanation = "Each source leads to the next: " + count(hops, "step") + " from " + start + " to " + gold + "."
	item.Options = append([]string{gold}, weights.Sample(s.rnd, wrong, 3)...)
	return item, nil
}

// link is a fact of a chain. It is shown on no page where a card is shown already:
// nobody would know which picture "what it shows" is about.
func (s *state) link(pictured bool, at, relation, next string) Unit {
	said := s.fact(at, relation, next)
	if pictured {
		return s.paper(schemas.RoleClue, said)
	}
	return s.page(said, func() string { return s.fact(s.firm(), relation, s.firm()) })
}

// lastLink is a table of what several things lead to, and where others than one lead.
// These others are what further things have in the place of the link before.
func (s *state) lastLink(w *world.World, at, before, last string) (Unit, []string, error) {
	rows := [][]string{{"name", last}}
	var wrong []string
	draw := weights.Pick(s.rnd, []func() string{s.place, s.firm}) // all of one kind
	for i := range 5 {
		of, value := at, draw()
		if i > 0 {
			of = s.firm()
			wrong, s.loose = append(wrong, value), append(s.loose, s.fact(s.firm(), before, of))
		} else if err := w.Set(1, world.Key{Entity: at, Aspect: last}, value); err != nil {
			return Unit{}, nil, err
		}
		rows = append(rows, []string{of, value})
	}
	s.rnd.Shuffle(5, func(i, j int) { rows[i+1], rows[j+1] = rows[j+1], rows[i+1] })
	return s.tabled(s.stem()+": "+last, rows), wrong, nil
}

// card is a picture that names something, and tells nothing that is asked.
func (s *state) card(of string) Unit {
	e := &Exhibit{Kind: Card, Title: of, Columns: []string{"field", "entry"}, Rows: [][]string{
		{"code", s.code()}, {"opened", strconv.Itoa(1890 + s.rnd.IntN(130))}, {"listed by", weights.Pick(s.rnd, s.people).Name},
	}}
	return Unit{Home: s.hung(), Role: schemas.RoleClue, Exhibit: e, Title: "card"}
}
