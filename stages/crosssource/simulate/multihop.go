package simulate

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// aspect is what can be told of a thing: how it is called, how one asks for it, and what
// has it as its value.
type aspect struct {
	name, ask string
	value     func(*simulator) string
}

// Ways to ask for a value of a kind.
const (
	askPerson = "who"
	askPlace  = "where"
	askFirm   = "which firm"
)

func newPerson(s *simulator) string { return s.person().Name }

func aspects(ask string, value func(*simulator) string, names ...string) (out []aspect) {
	for _, n := range names {
		out = append(out, aspect{n, ask, value})
	}
	return out
}

// relations are links from a thing or firm to another firm.
func relations() []aspect {
	return aspects(askFirm, func(s *simulator) string { return s.firm() },
		"supplier", "carrier", "insurer", "landlord", "sponsor", "printer", "caterer", "auditor", "wholesaler", "broker", "leasing firm", "courier", "fuel dealer", "packing firm", "cleaning firm",
		"parent firm", "software vendor", "security firm")
}

// ends are the last links of a chain: to a place or a person.
func ends() []aspect {
	return slices.Concat(
		aspects(askPlace, func(s *simulator) string { return s.place() }, "registered office", "main depot", "workshop", "repair yard", "training centre", "storage hall", "loading dock", "showroom"),
		aspects(askPerson, newPerson, "night porter", "director", "bookkeeper", "press officer", "safety officer", "founder", "dispatcher", "branch manager"))
}

// chain returns links that lead from firm to firm, up to the last.
func (s *simulator) chain(links int) []aspect {
	out := weights.Sample(s.rnd, relations(), links)
	if s.rnd.IntN(4) > 0 {
		out[links-1] = weights.Pick(s.rnd, ends())
	}
	return out
}

// multiHop asks for the end of a chain of facts. The last link is a row of a table with
// others to confuse it with. A second thing has a chain of the same links to a wrong
// option, so that a reader without the start or a link has two places to continue from.
func multiHop(s *simulator, pieces int) (Item, error) {
	hops := min(max(pieces, 2), 9)
	start := s.pickName([]string{s.field.title})
	item, asked := Item{}, start
	pictured := hops >= 3 && s.rnd.IntN(2) == 0
	if pictured {
		hops, asked = hops-1, s.cardReference()
		item.Units = append(item.Units, s.nameCard(start))
	}
	var w simulation.Timeline
	links, keys := s.chain(hops), s.newFirms(5)
	if err := s.tellLinks(&item, &w, start, links, keys, !pictured); err != nil {
		return Item{}, err
	}
	table, options, err := s.tellLastLink(&w, keys, links, item.Units)
	if err != nil {
		return Item{}, err
	}
	item.Units = append(item.Units, table)
	gold := followLinks(&w, start, links)
	item.Ask = s.askChain(asked, links)
	item.Explanation = "Each source leads to the next: " + countOf(hops, "step") + " from " + start + " to " + gold + "."
	item.Options = options
	return item, nil
}

func (s *simulator) tellLinks(item *Item, w *simulation.Timeline, start string, links []aspect, keys []string, paged bool) error {
	at, beside, end := start, s.pickName([]string{s.field.title}), len(links)-2
	var others []string
	var second []Unit
	first := len(item.Units)
	for i, r := range links[:end+1] {
		h := hop{at: at, link: r.name, next: keys[0], place: i, others: others, keys: keys[1:4]}
		other := keys[1]
		if i < end {
			h.next, other, h.keys = s.firm(), s.firm(), nil
		}
		if err := w.Set(i, simulation.Key{Entity: at, Aspect: r.name}, h.next); err != nil {
			return err
		}
		u, led := s.tellLink(paged, h)
		item.Units, others = append(item.Units, u), led
		second = append(second, s.factUnit("", beside, r.name, other))
		if i > 0 && i < end { // one more for each, that nothing leads to
			s.addMisleading(numbersFrom(first+i, 1), s.factUnit("", s.firm(), r.name, other))
			s.addMisleading(numbersFrom(first+i, 1), s.factUnit("", s.firm(), r.name, h.next))
		}
		at, beside = h.next, other
	}
	s.addMisleading(numbersFrom(first, end+1), second...)
	return nil
}

func (s *simulator) newFirms(n int) (out []string) {
	for range n {
		out = append(out, s.firm())
	}
	return out
}

func followLinks(w *simulation.Timeline, from string, links []aspect) string {
	for _, r := range links {
		from = w.At(len(links), simulation.Key{Entity: from, Aspect: r.name})
	}
	return from
}

// hop is a link of a chain: what leads where.
type hop struct {
	at, link, next string
	// place of the link in the chain, of which it is the last before the table if keys
	// are given: what stands in the table besides.
	place int
	keys  []string
	// others are what the page of the link before leads to besides; empty where there is
	// none.
	others []string
}

// tellLink returns a fact of a chain. A page may show it among the same links of other
// things, which are returned too. They continue those of the page before, and those
// before the table lead to its rows: pages and table leave the answer open, whatever
// their number. There is no page where a card is shown, since a question must name one
// picture.
func (s *simulator) tellLink(paged bool, h hop) (Unit, []string) {
	said := s.factUnit(schemas.RoleClue, h.at, h.link, h.next)
	if !paged {
		return said, nil
	}
	var led []string
	u := s.asPage(said, func() string {
		n := len(led)
		from, to := "", ""
		if n < len(h.others) {
			from = h.others[n]
		} else {
			from = s.linkSource(h.place)
		}
		if n < len(h.keys) {
			to = h.keys[n]
		} else {
			to = s.firm()
		}
		led = append(led, to)
		return s.writeFact(from, h.link, to)
	})
	return u, led
}

// tellLastLink returns the table of last links and the four options in it. Two things
// lead to the key of each option, so that neither presence nor absence of a link reveals
// the answer. The fifth row is no option, and nothing leads to it.
func (s *simulator) tellLastLink(w *simulation.Timeline, keys []string, links []aspect, told []Unit) (Unit, []string, error) {
	before, last, place := links[len(links)-2], links[len(links)-1], len(told)-1
	rows := [][]string{{"name", last.name}}
	values := make([]string, len(keys))
	for i, of := range keys {
		values[i] = last.value(s)
		rows = append(rows, []string{of, values[i]})
		for n := 0; i < 4 && n < leadingThings(i, told[place].Picture != nil); n++ {
			s.addMisleading([]int{place}, s.factUnit("", s.linkSource(len(links)-2), before.name, of))
		}
	}
	if err := w.Set(1, simulation.Key{Entity: keys[0], Aspect: last.name}, values[0]); err != nil {
		return Unit{}, nil, err
	}
	s.rnd.Shuffle(len(keys), func(i, j int) { rows[i+1], rows[j+1] = rows[j+1], rows[i+1] })
	return s.tableUnit(s.stem()+": "+last.name, rows), values[:4], nil
}

// leadingThings returns how many more things lead to an option's key, two in all: the
// chain leads to the first option, the second chain to the second, and a page to all but
// the first.
func leadingThings(option int, paged bool) int {
	n := 2
	if option < 2 {
		n--
	}
	if option > 0 && paged {
		n--
	}
	return n
}

// linkSource returns what has the link at a place: the subject at first, then a firm.
func (s *simulator) linkSource(place int) string {
	if place == 0 {
		return s.pickName([]string{s.field.title})
	}
	return s.firm()
}

// nameCard returns a picture that identifies something and tells nothing else.
func (s *simulator) nameCard(of string) Unit {
	e := &Picture{Kind: Card, Title: of, Columns: []string{"field", "entry"}, Rows: [][]string{
		{"code", s.code()}, {"on file since", strconv.Itoa(1890 + s.rnd.IntN(130))}, {"listed by", weights.Pick(s.rnd, s.people).Name},
	}}
	return Unit{Home: s.pictureHome(), Role: schemas.RoleClue, Picture: e, Title: "card"}
}
