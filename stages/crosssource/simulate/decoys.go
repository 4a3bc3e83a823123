package simulate

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// decoy is a picture that nothing is asked about, of things that occur nowhere else.
func (s *state) decoy() *Exhibit {
	switch s.rnd.IntN(4) {
	case 0:
		e := &Exhibit{Kind: Chart, Title: s.stem() + ": " + s.field.measure + " by " + s.field.thing, Columns: []string{s.field.thing, s.field.measure}}
		for i, v := range numbers(s.rnd, 5, 120, 960) {
			e.Rows = append(e.Rows, []string{s.called([]string{s.field.title}), strconv.Itoa(v + i)})
		}
		return e
	case 1:
		title, rows := s.decoyRows(5)
		return &Exhibit{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}
	case 2:
		u := s.card(s.called([]string{s.field.title}))
		return u.Exhibit
	}
	u, _ := s.programme(weights.Sample(s.rnd, kinds(), 4))
	return u.Exhibit
}

// decoyRows is a table of so many rows, its head among them.
func (s *state) decoyRows(n int) (title string, rows [][]string) {
	r := weights.Pick(s.rnd, slices.Concat(relations(), ends()))
	rows = [][]string{{"name", r.name}}
	for len(rows) < n {
		rows = append(rows, []string{s.firm(), r.value(s)})
	}
	return s.stem() + ": " + r.name, rows
}
