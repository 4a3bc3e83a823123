package format

import (
	"fmt"
	"slices"
	"strings"
)

// mergedScenarios are the combinations of scenarios whose histories MemEye merges (D.6). The
// first two and the last two of each are its pairs.
func mergedScenarios() [][]string {
	return [][]string{
		{"brand_memory", "social_chat", "cartoon_companion", "card_playlog"},
		{"health_dashboard", "home_renovation", "cross_scene_archive", "outdoor_navigation"},
	}
}

// mergeHistories are the merged histories of the first task of each scenario, as far as
// there are tasks of all of a combination.
func mergeHistories(tasks []layoutTask) []layoutTask {
	of := map[string]layoutTask{}
	for _, t := range tasks {
		if _, taken := of[t.scenario]; !taken {
			of[t.scenario] = t
		}
	}
	var out []layoutTask
	for _, four := range mergedScenarios() {
		for _, group := range [][]string{four[:2], four[2:], four} {
			var members []layoutTask
			for _, name := range group {
				if t, ok := of[name]; ok {
					members = append(members, t)
				}
			}
			if len(members) == len(group) {
				out = append(out, mergeTasks(members))
			}
		}
	}
	return out
}

// sessionRef of a session: of which task, and the how many-th there.
type sessionRef struct{ task, session int }

// mergeTasks lays the sessions of several tasks out by date. Their questions stay as they
// are but for the ids of sessions and rounds; pictures stay where they lie.
func mergeTasks(tasks []layoutTask) layoutTask {
	out := layoutTask{profile: map[string]string{}}
	var names []string
	var all []sessionRef
	for i, t := range tasks {
		names = append(names, t.name)
		for key, value := range t.profile {
			out.profile[t.name+" "+key] = value
		}
		for j := range t.sessions {
			all = append(all, sessionRef{i, j})
		}
	}
	out.name = mergedPrefix + strings.Join(names, "_")
	slices.SortStableFunc(all, func(a, b sessionRef) int {
		return strings.Compare(tasks[a.task].sessions[a.session].Date, tasks[b.task].sessions[b.session].Date)
	})
	renamed := make([]map[string]string, len(tasks))
	for i := range renamed {
		renamed[i] = map[string]string{}
	}
	for n, p := range all {
		out.sessions = append(out.sessions, renameSession(tasks[p.task].sessions[p.session], fmt.Sprintf("D%d", n+1), renamed[p.task]))
	}
	for i, t := range tasks {
		for _, q := range t.questions {
			clues := make([]string, len(q.clues))
			for j, c := range q.clues {
				clues[j] = renamed[i][c]
			}
			q.clues = clues
			out.questions = append(out.questions, q)
		}
	}
	return out
}

// renameSession is a session under another id, and notes what its rounds are called now.
func renameSession(s session, id string, renamed map[string]string) session {
	out := session{ID: id, Date: s.Date}
	for _, r := range s.Rounds {
		old := r.ID
		r.ID = id + strings.TrimPrefix(old, s.ID)
		renamed[old] = r.ID
		out.Rounds = append(out.Rounds, r)
	}
	return out
}
