package describe

import (
	"fmt"
	"strings"

	lexis "github.com/memforge/memforge/pipeline/kit/words"
)

// sessionTimes sums up who takes part in each session of a task and when each turn is said. It
// is a sum, so that the order of rows does not count.
type sessionTimes struct {
	sum uint64
	// untimed says that a turn has no moment: such a task repeats none.
	untimed bool
}

// sessionPlace is a session's among those of its task.
type sessionPlace struct {
	task  string
	order int32
}

// repeatedSessions names the sessions of tasks that repeat another: in the sessions of both the
// same participants take part in the same order, and as many turns stand at the same
// moments. What is said does not count, for a task that arranges the evidence of another
// one otherwise says some of it elsewhere. The task with the least id repeats none.
func (rel Release) repeatedSessions() map[string]bool {
	if rel.Sessions == nil || rel.Turns == nil {
		return nil
	}
	places, clocks := map[string]sessionPlace{}, map[string]sessionTimes{}
	for s := range rel.Sessions {
		places[s.SessionID] = sessionPlace{s.TaskID, s.Order}
		c := clocks[s.TaskID]
		c.sum += hashAt(s.Order, strings.Join(s.Participants, "\x00"))
		clocks[s.TaskID] = c
	}
	for t := range rel.Turns {
		at, ok := places[t.SessionID]
		if !ok {
			continue
		}
		c := clocks[at.task]
		c.sum += hashAt(at.order, t.Timestamp)
		c.untimed = c.untimed || t.Timestamp == ""
		clocks[at.task] = c
	}
	first := map[uint64]string{}
	for task, c := range clocks {
		if have, ok := first[c.sum]; !c.untimed && (!ok || task < have) {
			first[c.sum] = task
		}
	}
	again := map[string]bool{}
	for id, at := range places {
		if c := clocks[at.task]; !c.untimed && first[c.sum] != at.task {
			again[id] = true
		}
	}
	return again
}

func hashAt(order int32, text string) uint64 {
	return lexis.Mix(lexis.Hash(fmt.Sprintf("%d\x00%s", order, text)))
}
