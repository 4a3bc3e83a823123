package placement

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPiecesOfAThreadKeepTheirDistance: between two of them lie as many turns as the gap
// asks for, in whatever order the thread has them; a seat that nothing takes counts only
// where its piece is shown.
func TestPiecesOfAThreadKeepTheirDistance(t *testing.T) {
	p := &planner{cfg: Config{Gap: 5}}
	item := schemas.EvidenceItem{Units: []schemas.EvidenceUnit{{UnitID: "a"}, {UnitID: "b"}, {UnitID: "c", Modality: schemas.ModalityTable}}}
	seats := func(units ...int) (out []threadSeat) {
		for i, u := range units {
			out = append(out, threadSeat{unit: u, like: i})
		}
		return out
	}
	for _, tc := range []struct {
		what    string
		thread  []threadSeat
		a, b, c streamRange
		want    bool
	}{
		// From 11 to 15 are five turns.
		{"just enough", seats(0, 1), streamRange{8, 10}, streamRange{16, 20}, streamRange{}, false},
		{"one too few", seats(0, 1), streamRange{8, 10}, streamRange{15, 20}, streamRange{}, true},
		{"two too few", seats(0, 1), streamRange{8, 10}, streamRange{14, 20}, streamRange{}, true},
		{"the later one first", seats(0, 1), streamRange{16, 20}, streamRange{8, 10}, streamRange{}, false},
		{"the later one first, too near", seats(0, 1), streamRange{15, 20}, streamRange{8, 10}, streamRange{}, true},
		{"one alone", seats(0), streamRange{8, 10}, streamRange{9, 9}, streamRange{9, 9}, false},
		{"the third too near", seats(0, 1, 2), streamRange{8, 10}, streamRange{16, 20}, streamRange{25, 25}, true},
		{"the third far enough", seats(0, 1, 2), streamRange{8, 10}, streamRange{16, 20}, streamRange{26, 26}, false},
		{"nothing in the place of a text", seats(0, -1), streamRange{8, 10}, streamRange{11, 11}, streamRange{}, false},
		{"nothing in the place of a table", seats(0, 1, -1), streamRange{8, 10}, streamRange{16, 20}, streamRange{21, 21}, true},
	} {
		if got := p.tooClose(item, tc.thread, map[string]streamRange{"a": tc.a, "b": tc.b, "c": tc.c}); got != tc.want {
			t.Errorf("%s: too close %t, want %t", tc.what, got, tc.want)
		}
	}
}
