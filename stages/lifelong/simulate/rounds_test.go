package simulate

import "testing"

// TestFactsHaveRoundsOfTheirOwn: what is told new stands in a round of its session, and no
// other fact in the same.
func TestFactsHaveRoundsOfTheirOwn(t *testing.T) {
	facts := 0
	everywhere(t, func(w World) {
		type place struct{ session, round int }
		there := map[place]Event{}
		for _, e := range w.Events {
			if e.Session == 0 || e.Picture >= 0 || e.Op != OpAppend && e.Op != OpRevise {
				continue
			}
			at := place{e.Session, e.Round}
			if before, taken := there[at]; taken {
				t.Errorf("%s: session %d, round %d tells %s of %v and %s of %v", w.Domain, e.Session, e.Round, before.Value, before.Key, e.Value, e.Key)
			}
			if e.Round >= w.Sessions[e.Session].Rounds {
				t.Errorf("%s: session %d has %d rounds, and %v is told in round %d", w.Domain, e.Session, w.Sessions[e.Session].Rounds, e.Key, e.Round)
			}
			there[at] = e
			facts++
		}
	})
	if facts < 1000 {
		t.Errorf("%d facts", facts)
	}
}
