package release

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	lexis "github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// clock sums up who takes part in each session of a task and when each turn is said. It
// is a sum, so that the order of rows does not count.
type clock struct {
	sum uint64
	// free says that a turn has no moment: such a task repeats none.
	free bool
}

// place is a session's among those of its task.
type place struct {
	task  string
	order int32
}

// repeatsIn names the sessions of tasks that repeat another: in the sessions of both the
// same participants take part in the same order, and as many turns stand at the same
// moments. What is said does not count, for a task that arranges the evidence of another
// one otherwise says some of it elsewhere. The task with the least id repeats none.
func repeatsIn(shapes []table, rows tableRows) map[string]bool {
	sessions, ok := pluggedNamed(shapes, pipeline.TableSessions)
	turns, ok2 := pluggedNamed(shapes, pipeline.TableTurns)
	if !ok || !ok2 {
		return nil
	}
	places, clocks := map[string]place{}, map[string]clock{}
	for s := range pluggedAs[schemas.Session](rows, sessions) {
		places[s.SessionID] = place{s.TaskID, s.Order}
		c := clocks[s.TaskID]
		c.sum += mark(s.Order, strings.Join(s.Participants, "\x00"))
		clocks[s.TaskID] = c
	}
	for t := range pluggedAs[schemas.Turn](rows, turns) {
		at, ok := places[t.SessionID]
		if !ok {
			continue
		}
		c := clocks[at.task]
		c.sum += mark(at.order, t.Timestamp)
		c.free = c.free || t.Timestamp == ""
		clocks[at.task] = c
	}
	first := map[uint64]string{}
	for task, c := range clocks {
		if have, ok := first[c.sum]; !c.free && (!ok || task < have) {
			first[c.sum] = task
		}
	}
	again := map[string]bool{}
	for id, at := range places {
		if c := clocks[at.task]; !c.free && first[c.sum] != at.task {
			again[id] = true
		}
	}
	return again
}

func mark(order int32, text string) uint64 {
	return lexis.Mix(lexis.Hash(fmt.Sprintf("%d\x00%s", order, text)))
}
