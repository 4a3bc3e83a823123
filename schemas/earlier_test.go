package schemas_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestEarlierPoints: a session follows from the earlier points that its own replace or
// resemble, and from those that hold of its subjects.
func TestEarlierPoints(t *testing.T) {
	point := func(id, subject, update string, supersedes ...string) schemas.MemoryPoint {
		return schemas.MemoryPoint{MemoryID: id, Subject: subject, UpdateType: update, Supersedes: supersedes}
	}
	noise := point("noise", "town", "")
	noise.IsInterference = true
	like := point("d2", "", "")
	like.Resembles = "d1"
	task := []schemas.Session{
		{SessionID: "s0", Order: 0, Points: []schemas.MemoryPoint{
			point("a1", "town", ""), point("b1", "work", ""), point("c1", "pet", ""), point("d1", "song", ""), point("e1", "tea", ""), noise,
		}},
		{SessionID: "s1", Order: 1, Points: []schemas.MemoryPoint{point("a2", "town", "", "a1"), point("e2", "tea", schemas.UpdateDelete, "e1")}},
		{SessionID: "s2", Order: 2, Points: []schemas.MemoryPoint{
			point("a3", "town", ""),       // a2 holds of its subject, a1 was replaced
			point("x", "", "", "b1"),      // replaces b1, whatever it is of
			point("e3", "tea", ""),        // e2 says that something ended
			like,                          // resembles d1
			point("y", "", "", "s2-none"), // replaces what there is not
		}},
		{SessionID: "s3", Order: 3, Points: []schemas.MemoryPoint{point("c2", "pet", "")}},
	}
	for _, tc := range []struct {
		session int
		want    []string
	}{{0, nil}, {1, []string{"a1", "e1"}}, {2, []string{"b1", "d1", "a2"}}, {3, []string{"c1"}}} {
		var got []string
		for _, e := range task[tc.session].DeriveFields(task).Earlier {
			got = append(got, e.MemoryID)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("session %d follows from %v, want %v", tc.session, got, tc.want)
		}
	}
}
