package sessions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// story is five sessions in which Mara moves each time, and a second task of
// one session that has the same names.
func story() []schemas.Session {
	var out []schemas.Session
	var last schemas.EarlierPoint
	for i, town := range []string{"Gent", "Lyon", "Cork", "Brno", "Pula"} {
		id := fmt.Sprint("s", i)
		p := schemas.MemoryPoint{
			MemoryID: fmt.Sprint("m", i), SessionID: id, Subject: "home", Content: "Mara lives in " + town, EvidenceTurns: []string{"t"},
			Attributes: map[string]string{"value": town},
		}
		s := schemas.Session{SessionID: id, TaskID: "mara", Order: int32(i), Turns: []schemas.Turn{{TurnID: "t"}}}
		if i > 0 {
			p.IsUpdate, p.Supersedes, s.Earlier = true, []string{last.MemoryID}, []schemas.EarlierPoint{last}
		}
		s.Points = []schemas.MemoryPoint{p}
		last = schemas.EarlierPoint{MemoryID: p.MemoryID, SessionID: id, SessionOrder: s.Order, Content: p.Content, Subject: "home", Attributes: p.Attributes}
		out = append(out, s)
	}
	alone := out[0]
	alone.TaskID = "ines"
	return append(out, alone)
}

func TestHistory(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func([]schemas.Session) []schemas.Session
		want string // session and code, or nothing
	}{
		"sound":        {func(ss []schemas.Session) []schemas.Session { return ss }, ""},
		"in any order": {func(ss []schemas.Session) []schemas.Session { slices.Reverse(ss); return ss }, ""},
		"a session is gone": {func(ss []schemas.Session) []schemas.Session { return slices.Delete(ss, 2, 3) },
			"s3 lost-point"},
		"the last is gone": {func(ss []schemas.Session) []schemas.Session { return slices.Delete(ss, 4, 5) }, ""},
		"two of one order": {func(ss []schemas.Session) []schemas.Session {
			ss[3].Order, ss[4].Earlier[0].SessionOrder = 2, 2
			return ss
		}, "s3 not-earlier, s3 same-order"},
		"one id in two sessions": {func(ss []schemas.Session) []schemas.Session {
			ss[4].Points = append(ss[4].Points, schemas.MemoryPoint{MemoryID: "m1", Subject: "x"})
			return ss
		}, "s4 same-id"},
		"an end, and a new beginning": {func(ss []schemas.Session) []schemas.Session {
			ss[2].Points[0].UpdateType, ss[2].Points[0].Content = schemas.UpdateDelete, "Mara has no home any more"
			ss[3].Points[0].IsUpdate, ss[3].Points[0].Supersedes, ss[3].Earlier = false, nil, nil
			return ss
		}, ""},
		"other words for it": {func(ss []schemas.Session) []schemas.Session {
			ss[2].Earlier[0].Content = "Mara lives in Rome"
			return ss
		}, "s2 stale-reference"},
		"other attributes": {func(ss []schemas.Session) []schemas.Session {
			ss[2].Earlier[0].Attributes = nil
			return ss
		}, "s2 stale-reference"},
		"what held before": {func(ss []schemas.Session) []schemas.Session {
			e := ss[2].Earlier[0]
			ss[3].Earlier, ss[3].Points[0].Supersedes = []schemas.EarlierPoint{e}, []string{e.MemoryID}
			ss[4].Earlier, ss[4].Points = nil, nil
			return ss
		}, "s3 superseded-twice"},
		"superseded by another": {func(ss []schemas.Session) []schemas.Session {
			ss[3].Earlier = append(ss[3].Earlier, ss[1].Earlier[0])
			ss[3].Earlier[1].SupersededBy = []string{"m2"}
			return ss
		}, "s3 stale-reference"},
		"superseded by the right one": {func(ss []schemas.Session) []schemas.Session {
			ss[3].Earlier = append(ss[3].Earlier, ss[1].Earlier[0])
			ss[3].Earlier[1].SupersededBy = []string{"m1"}
			return ss
		}, ""},
		"a second beginning": {func(ss []schemas.Session) []schemas.Session {
			ss[4].Points[0].IsUpdate, ss[4].Points[0].Supersedes, ss[4].Earlier = false, nil, nil
			return ss
		}, "s4 unlinked"},
		"a subject left and taken up again": {func(ss []schemas.Session) []schemas.Session {
			ss[3].Points[0].Subject = "flat"
			ss[4].Points[0].IsUpdate, ss[4].Points[0].Supersedes, ss[4].Earlier = false, nil, nil
			return ss
		}, "s3 other-subject"},
		"builds on interference": {func(ss []schemas.Session) []schemas.Session {
			ss[3].Points[0].IsInterference, ss[3].Points[0].IsUpdate, ss[3].Points[0].Supersedes = true, false, nil
			ss[4].Points[0].UpdateType = schemas.UpdateRevise
			return ss
		}, "s4 supersedes-interference"},
	} {
		ss := tc.edit(story())
		var found []string
		for i, faults := range History(ss) {
			for _, f := range faults {
				found = append(found, ss[i].SessionID+" "+f.Code)
			}
		}
		if got := strings.Join(found, ", "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestLastPointHolds draws tasks with links at random. Where no fault is found,
// one point of each subject holds at the end, and it is the last one.
func TestLastPointHolds(t *testing.T) {
	rnd, sound := rand.New(rand.NewPCG(1, 2)), 0
	for range 20_000 {
		ss := draw(rnd)
		faults := 0
		for _, fs := range History(ss) {
			faults += len(fs)
		}
		if faults > 0 {
			continue
		}
		sound++
		after, last := map[string]bool{}, map[string]string{}
		for _, s := range ss {
			for _, p := range s.Points {
				last[p.Subject] = p.MemoryID
				for _, id := range p.Supersedes {
					after[id] = true
				}
			}
		}
		for _, s := range ss {
			for _, p := range s.Points {
				if after[p.MemoryID] == (last[p.Subject] == p.MemoryID) {
					t.Fatalf("%s holds: %v, the last of %s is %s, in %+v", p.MemoryID, !after[p.MemoryID], p.Subject, last[p.Subject], ss)
				}
			}
		}
	}
	if sound < 500 {
		t.Errorf("only %d tasks without a fault", sound)
	}
}

// draw makes three sessions of up to two points, each of which supersedes a
// point before it or none.
func draw(rnd *rand.Rand) []schemas.Session {
	var out []schemas.Session
	var before []schemas.EarlierPoint
	after := map[string][]string{}
	for i := range 3 {
		id := fmt.Sprint("s", i)
		s := schemas.Session{SessionID: id, TaskID: "t", Order: int32(i), Turns: []schemas.Turn{{TurnID: "t0"}, {TurnID: "t1"}}}
		known := len(before)
		for j := range 1 + rnd.IntN(2) {
			p := schemas.MemoryPoint{
				MemoryID: fmt.Sprint("m", i, j), SessionID: id, Subject: fmt.Sprint("subject", rnd.IntN(2)),
				Content: fmt.Sprint("content ", i, j), EvidenceTurns: []string{fmt.Sprint("t", j)},
			}
			if n := rnd.IntN(len(before) + 1); n < len(before) {
				old := before[n]
				p.IsUpdate, p.Supersedes = true, []string{old.MemoryID}
				if n < known {
					old.SupersededBy = slices.Clone(after[old.MemoryID])
					s.Earlier = append(s.Earlier, old)
				}
			}
			s.Points = append(s.Points, p)
			before = append(before, schemas.EarlierPoint{MemoryID: p.MemoryID, SessionID: id, SessionOrder: s.Order, Content: p.Content, Subject: p.Subject})
		}
		for _, p := range s.Points {
			for _, id := range p.Supersedes {
				after[id] = append(after[id], p.MemoryID)
			}
		}
		out = append(out, s)
	}
	return out
}
