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
	hops := min(max(pieces, 2), 9)
	start := s.called([]string{s.field.title})
	item, asked := Item{}, start
	pictured := hops >= 3 && s.rnd.IntN(2) == 0
	if pictured {
		hops, asked = hops-1, s.onCard()
		item.Units = append(item.Units, s.card(start))
	}
	var w world.World
	links, keys := s.chain(hops), s.firms(5)
	at, beside := start, s.called([]string{s.field.title})
	for i, r := range links[:hops-1] {
		next, other := keys[0], keys[1]
		if i < hops-2 {
			next, other = s.firm(), s.firm()
		}
		if err := w.Set(i, world.Key{Entity: at, Aspect: r.name}, next); err != nil {
			return Item{}, err
		}
		item.Units = append(item.Units, s.link(!pictured, at, links[:i+1], next, keys[1:], hops))
		s.beside(beside, r.name, other)
		if i > 0 && i < hops-2 { // one more that nothing leads to
			s.beside(s.firm(), r.name, other)
		}
		at, beside = next, other
	}
	table, options, err := s.lastLink(&w, keys, links, item.Units[len(item.Units)-1].Exhibit != nil)
	if err != nil {
		return Item{}, err
	}
	item.Units = append(item.Units, table)
	gold := follow(&w, start, links)
	item.Ask = chained(asked, links)
	item.Explanation = "Each source leads to the next: " + count(hops, "step") + " from " + start + " to " + gold + "."
	item.Options = options
	return item, nil
}

// firms are so many new ones.
func (s *state) firms(n int) (out []string) {
	for range n {
		out = append(out, s.firm())
	}
	return out
}

// follow is what links lead to.
func follow(w *world.World, from string, links []aspect) string {
	for _, r := range links {
		from = w.At(len(links), world.Key{Entity: from, Aspect: r.name})
	}
	return from
}

// link is a fact of a chain, the last of these links. Where a page may show it, others on
// the page lead elsewhere by the same link; those beside the link before the table lead
// to what stands in the table, so page and table leave open what is asked. A page shows
// nothing where a card is shown already: nobody would know which of two pictures a
// question is about.
func (s *state) link(paged bool, at string, links []aspect, next string, keys []string, hops int) Unit {
	i := len(links) - 1
	said := s.noted(schemas.RoleClue, at, links[i].name, next)
	if !paged {
		return said
	}
	n := 0
	return s.page(said, func() string {
		from, to := s.source(i), s.firm()
		if i == hops-2 {
			to, n = keys[n], n+1
		}
		return s.entry(from, links[i].name, to)
	})
}

// lastLink is a table of what several things lead to, and the four options, which stand
// in it. Two things lead to the key of each option by the link before the last one, so
// nobody can tell an option by what leads to its key, and where one of them is missing the
// other is not. The fifth row is no option, and nothing leads to it.
func (s *state) lastLink(w *world.World, keys []string, links []aspect, paged bool) (Unit, []string, error) {
	before, last := links[len(links)-2], links[len(links)-1]
	rows := [][]string{{"name", last.name}}
	values := make([]string, len(keys))
	for i, of := range keys {
		values[i] = last.value(s)
		rows = append(rows, []string{of, values[i]})
		for n := 0; i < 4 && n < others(i, paged); n++ {
			s.beside(s.source(len(links)-2), before.name, of)
		}
	}
	if err := w.Set(1, world.Key{Entity: keys[0], Aspect: last.name}, values[0]); err != nil {
		return Unit{}, nil, err
	}
	s.rnd.Shuffle(len(keys), func(i, j int) { rows[i+1], rows[j+1] = rows[j+1], rows[i+1] })
	return s.tabled(s.stem()+": "+last.name, rows), values[:4], nil
}

// others are how many things besides lead to the key of an option, so that two do in all:
// to the first the chain leads, to the second the second chain, and where there is a page
// it leads to all but the first.
func others(option int, paged bool) int {
	n := 2
	if option < 2 {
		n--
	}
	if option > 0 && paged {
		n--
	}
	return n
}

// source is what may have the link at a place: the first one what the question is about,
// others a firm.
func (s *state) source(place int) string {
	if place == 0 {
		return s.called([]string{s.field.title})
	}
	return s.firm()
}

// card is a picture that names something, and tells nothing that is asked.
func (s *state) card(of string) Unit {
	e := &Exhibit{Kind: Card, Title: of, Columns: []string{"field", "entry"}, Rows: [][]string{
		{"code", s.code()}, {"on file since", strconv.Itoa(1890 + s.rnd.IntN(130))}, {"listed by", weights.Pick(s.rnd, s.people).Name},
	}}
	return Unit{Home: s.hung(), Role: schemas.RoleClue, Exhibit: e, Title: "card"}
}
