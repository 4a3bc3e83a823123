package release

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
)

// turnID is the id of a turn within a task: the number of its session and its own,
// see schemas.TurnIDOf. Both count in the order of time.
var turnID = regexp.MustCompile(`^(.+)/S([0-9]{1,9})/T([0-9]{1,9})$`)

// inTime checks that evidence which is turns of one task stands in the order of time:
// who reads it takes the later of two that differ for what holds.
func (c *checker) inTime(q schemas.Question) {
	list := slices.Clone(q.Evidence)
	slices.SortStableFunc(list, func(a, b schemas.Evidence) int { return cmp.Compare(a.Order, b.Order) })
	var last []string
	var ref string
	for _, e := range list {
		at := turnID.FindStringSubmatch(e.Ref)
		if at == nil {
			continue
		}
		if last != nil && at[1] == last[1] && cmp.Or(byNumber(at[2], last[2]), byNumber(at[3], last[3])) < 0 {
			c.add("question %s: its evidence %s stands after %s, which is later", q.QuestionID, e.Ref, ref)
			return
		}
		last, ref = at, e.Ref
	}
}

func byNumber(a, b string) int {
	x, _ := strconv.Atoi(a) // at most nine digits
	y, _ := strconv.Atoi(b)
	return cmp.Compare(x, y)
}
