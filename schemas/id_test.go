package schemas_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestIDsOfATask(t *testing.T) {
	s := schemas.SessionIDOf("t1", 3)
	for want, got := range map[string]string{
		"t1/S03": s, "t1/S03/T007": schemas.TurnIDOf(s, 7), "t1/S03/P002": schemas.PointIDOf(s, 2),
		"t1/S03/I01": schemas.AttachmentIDOf(s, 1), "t1/C00": schemas.CheckpointIDOf("t1", 0), "t1/Sa264": schemas.SessionIDOf("t1", 264),
	} {
		if got != want {
			t.Errorf("id %q, want %q", got, want)
		}
	}
}

// TestIDsSortAsTheyCount: tables are sorted by id, and a list read back from one must
// be in the order that it had.
func TestIDsSortAsTheyCount(t *testing.T) {
	var ids []string
	for n := range 12000 {
		ids = append(ids, schemas.TurnIDOf("t/S00", n))
	}
	if !slices.IsSorted(ids) {
		t.Error("ids are out of order")
	}
	if n := len(slices.Compact(ids)); n != len(ids) {
		t.Error(fmt.Sprint(len(ids)-n, " ids are double"))
	}
}
