package simulate

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// pickDecoy is a picture that nothing is asked about, of things that occur nowhere else.
func (s *simulator) pickDecoy() *Picture {
	switch s.rnd.IntN(4) {
	case 0:
		e := &Picture{Kind: Chart, Title: s.stem() + ": " + s.field.measure + " by " + s.field.thing, Columns: []string{s.field.thing, s.field.measure}}
		for i, v := range numbers(s.rnd, 5, 120, 960) {
			e.Rows = append(e.Rows, []string{s.pickName([]string{s.field.title}), strconv.Itoa(v + i)})
		}
		return e
	case 1:
		title, rows := s.decoyRows(5)
		return &Picture{Kind: Sheet, Title: title, Columns: rows[0], Rows: rows[1:]}
	case 2:
		u := s.nameCard(s.pickName([]string{s.field.title}))
		return u.Picture
	}
	u, _ := s.programme(weights.Sample(s.rnd, kinds(), 4))
	return u.Picture
}

// decoyRows is a table of so many rows, its head among them.
func (s *simulator) decoyRows(n int) (title string, rows [][]string) {
	r := weights.Pick(s.rnd, slices.Concat(relations(), ends()))
	rows = [][]string{{"name", r.name}}
	for len(rows) < n {
		rows = append(rows, []string{s.firm(), r.value(s)})
	}
	return s.stem() + ": " + r.name, rows
}
