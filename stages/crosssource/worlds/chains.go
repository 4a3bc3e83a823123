package worlds

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// aspect is what can be told of a thing: how it is called, how one asks for it, and what
// has it as its value.
type aspect struct {
	name, ask string
	value     func(*state) string
}

// Ways to ask for a value of a kind.
const (
	askPerson = "who"
	askPlace  = "where"
	askFirm   = "which firm"
)

func somebody(s *state) string { return s.person().Name }

func aspects(ask string, value func(*state) string, names ...string) (out []aspect) {
	for _, n := range names {
		out = append(out, aspect{n, ask, value})
	}
	return out
}

// relations lead from a thing or firm to another firm.
func relations() []aspect {
	return aspects(askFirm, func(s *state) string { return s.firm() },
		"supplier", "carrier", "insurer", "landlord", "sponsor", "printer", "caterer", "auditor", "wholesaler", "broker", "leasing firm", "courier", "fuel dealer", "packing firm", "cleaning firm",
		"parent firm", "software vendor", "security firm")
}

// ends are what a chain can come to: a place or somebody, which lead no further.
func ends() []aspect {
	return slices.Concat(
		aspects(askPlace, func(s *state) string { return s.place() }, "registered office", "main depot", "workshop", "repair yard", "training centre", "storage hall", "loading dock", "showroom"),
		aspects(askPerson, somebody, "night porter", "director", "bookkeeper", "press officer", "safety officer", "founder", "dispatcher", "branch manager"))
}

// chain are links of which all but the last lead from firm to firm.
func (s *state) chain(links int) []aspect {
	out := weights.Sample(s.rnd, relations(), links)
	if s.rnd.IntN(4) > 0 {
		out[links-1] = weights.Pick(s.rnd, ends())
	}
	return out
}

// multiHop asks for what lies at the end of a chain of facts. The last link is a
// table in which others stand as well, so that there is something to confuse it with. A
// second thing of the sort that is asked about has a chain of the same links, which ends
// at a wrong option: who does not know where to start, or misses a link, can go on from
// two places.
func multiHop(s *state, pieces int) (Item, error) {
	pieces = min(max(pieces, 2), 9)
	pictured := pieces >= 3 && s.rnd.IntN(2) == 0
	hops := pieces
	if pictured {
		hops--
	}
	links := s.chain(hops)
	var w world.World
	start := s.called([]string{s.field.title})
	item, asked := Item{}, start
	if pictured {
		asked = s.onCard()
		item.Units = append(item.Units, s.card(start))
	}
	at, beside := start, s.called([]string{s.field.title})
	for i, r := range links[:hops-1] {
		next, other := s.firm(), s.firm()
		if err := w.Set(i, world.Key{Entity: at, Aspect: r.name}, next); err != nil {
			return Item{}, err
		}
		item.Units = append(item.Units, s.link(pictured, at, r.name, next))
		s.beside(beside, r.name, other)
		if i > 0 && i < hops-2 { // one more that nothing leads to
			s.beside(s.firm(), r.name, other)
		}
		at, beside = next, other
	}
	table, wrong, err := s.lastLink(&w, at, beside, links)
	if err != nil {
		return Item{}, err
	}
	item.Units = append(item.Units, table)
	gold := follow(&w, start, links)
	item.Ask = chained(asked, links)
	item.Explanation = "Each source leads to the next: " + count(hops, "step") + " from " + start + " to " + gold + "."
	item.Options = append([]string{gold}, wrong...)
	return item, nil
}

// follow is what links lead to.
func follow(w *world.World, from string, links []aspect) string {
	for _, r := range links {
		from = w.At(len(links), world.Key{Entity: from, Aspect: r.name})
	}
	return from
}

// link is a fact of a chain. It is shown on no page where a card is shown already:
// nobody would know which of two pictures a question is about.
func (s *state) link(pictured bool, at, relation, next string) Unit {
	said := s.noted(schemas.RoleClue, at, relation, next)
	if pictured {
		return said
	}
	return s.page(said, func() string { return s.entry(s.firm(), relation, s.firm()) })
}

// lastLink is a table of what several things lead to, and where others than one lead:
// the second chain, two that further things have in the place of the link before, and
// one that leads from another relation, so that a thing to which that link leads
// nowhere is not alone. It gives three wrong ends, the second chain's and the last among
// them.
func (s *state) lastLink(w *world.World, at, beside string, links []aspect) (Unit, []string, error) {
	before, last := links[len(links)-2], links[len(links)-1]
	rows := [][]string{{"name", last.name}}
	values := make([]string, 5)
	for i := range values {
		of := s.firm()
		values[i] = last.value(s)
		switch i {
		case 0:
			of = at
			if err := w.Set(1, world.Key{Entity: at, Aspect: last.name}, values[i]); err != nil {
				return Unit{}, nil, err
			}
		case 1:
			of = beside
		case 2:
			other := slices.DeleteFunc(relations(), func(r aspect) bool {
				return slices.ContainsFunc(links, func(l aspect) bool { return l.name == r.name })
			})
			s.beside(s.source(len(links)), weights.Pick(s.rnd, other).name, of)
		default:
			s.beside(s.source(len(links)), before.name, of)
		}
		rows = append(rows, []string{of, values[i]})
	}
	s.rnd.Shuffle(5, func(i, j int) { rows[i+1], rows[j+1] = rows[j+1], rows[i+1] })
	return s.tabled(s.stem()+": "+last.name, rows), append(values[1:3:3], weights.Pick(s.rnd, values[3:])), nil
}

// source is what may have the link before the last one: in a chain of two what the
// question is about, else a firm.
func (s *state) source(hops int) string {
	if hops == 2 {
		return s.called([]string{s.field.title})
	}
	return s.firm()
}

// card is a picture that names something, and tells nothing that is asked.
func (s *state) card(of string) Unit {
	e := &Exhibit{Kind: Card, Title: of, Columns: []string{"field", "entry"}, Rows: [][]string{
		{"code", s.code()}, {"opened", strconv.Itoa(1890 + s.rnd.IntN(130))}, {"listed by", weights.Pick(s.rnd, s.people).Name},
	}}
	return Unit{Home: s.hung(), Role: schemas.RoleClue, Exhibit: e, Title: "card"}
}
