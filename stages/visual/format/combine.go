package format

import (
	"fmt"
	"slices"
	"strings"
)

// fours are the combinations of scenarios whose histories MemEye merges (D.6). The
// first two and the last two of each are its pairs.
func fours() [][]string {
	return [][]string{
		{"brand_memory", "social_chat", "cartoon_companion", "card_playlog"},
		{"health_dashboard", "home_renovation", "cross_scene_archive", "outdoor_navigation"},
	}
}

// combined are the merged histories of the first task of each scenario, as far as
// there are tasks of all of a combination.
func combined(tasks []told) []told {
	of := map[string]told{}
	for _, t := range tasks {
		if _, taken := of[t.scenario]; !taken {
			of[t.scenario] = t
		}
	}
	var out []told
	for _, four := range fours() {
		for _, group := range [][]string{four[:2], four[2:], four} {
			var members []told
			for _, name := range group {
				if t, ok := of[name]; ok {
					members = append(members, t)
				}
			}
			if len(members) == len(group) {
				out = append(out, merge(members))
			}
		}
	}
	return out
}

// place of a session: of which task, and the how many-th there.
type place struct{ task, session int }

// merge lays the sessions of several tasks out by date. Their questions stay as they
// are but for the ids of sessions and rounds; pictures stay where they lie.
func merge(tasks []told) told {
	out := told{profile: map[string]string{}}
	var names []string
	var all []place
	for i, t := range tasks {
		names = append(names, t.name)
		for key, value := range t.profile {
			out.profile[t.name+" "+key] = value
		}
		for j := range t.sessions {
			all = append(all, place{i, j})
		}
	}
	out.name = mergedPrefix + strings.Join(names, "_")
	slices.SortStableFunc(all, func(a, b place) int {
		return strings.Compare(tasks[a.task].sessions[a.session].Date, tasks[b.task].sessions[b.session].Date)
	})
	renamed := make([]map[string]string, len(tasks))
	for i := range renamed {
		renamed[i] = map[string]string{}
	}
	for n, p := range all {
		out.sessions = append(out.sessions, moved(tasks[p.task].sessions[p.session], fmt.Sprintf("D%d", n+1), renamed[p.task]))
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

// moved is a session under another id, and notes what its rounds are called now.
func moved(s session, id string, renamed map[string]string) session {
	out := session{ID: id, Date: s.Date}
	for _, r := range s.Rounds {
		old := r.ID
		r.ID = id + strings.TrimPrefix(old, s.ID)
		renamed[old] = r.ID
		out.Rounds = append(out.Rounds, r)
	}
	return out
}
