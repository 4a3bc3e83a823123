package describe

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/schemas"
)

// historyTasks is how many tasks of a family the rules that read a history are measured on, and
// historyAim what they should reach at most.
const (
	historyTasks = 40
	historyAim   = 0.6
)

// historySummary is what rules get that read the history: by family a grid of rules by types, and
// the figures above the aim.
type historySummary struct {
	Grids []grid
	Above []string
}

var historyNotes = []string{
	"Rules that look options up in what was said, shown in captions or happens, and understand nothing. They are no leak: a system that remembers must do better. The aim is at most 60 %.",
	fmt.Sprintf("Share of facts with a right guess, where a rule speaks of at least 20; of each family at most %d tasks are read, with the questions about them. `memforge shortcuts` measures all, with intervals, and rules over tables and charts.", historyTasks),
}

func (rel Release) summarizeHistory() (historySummary, error) {
	var out historySummary
	types, err := shortcuts.MeasureHistory(rel.historySubject())
	byFamily := map[string][]shortcuts.TypeHistory{}
	for _, t := range types {
		if len(t.Figures) > 0 {
			byFamily[t.Family] = append(byFamily[t.Family], t)
		}
		for _, f := range t.Figures {
			if f.Accuracy.Value > historyAim {
				out.Above = append(out.Above, fmt.Sprintf("%s: %s, %.0f %% %s of %d facts", t.Type, f.Name, 100*f.Accuracy.Value, f.Accuracy.Span(), f.Facts))
			}
		}
	}
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		out.Grids = append(out.Grids, historyGrid(byFamily[family]))
	}
	return out, err
}

// historyGrid has a row for each rule that speaks of a type of a family.
func historyGrid(types []shortcuts.TypeHistory) grid {
	var rules []string
	cells := map[[2]string]string{}
	columns := []gridColumn[string]{textColumn("rule", func(rule string) string { return rule })}
	for _, t := range types {
		for _, f := range t.Figures {
			if !slices.Contains(rules, f.Name) {
				rules = append(rules, f.Name)
			}
			cells[[2]string{f.Name, t.Type}] = fmt.Sprintf("%.0f %%", 100*f.Accuracy.Value)
		}
		columns = append(columns, numberColumn(t.Type, func(rule string) string { return cells[[2]string{rule, t.Type}] }))
	}
	return newGrid(rules, columns...)
}

// historySubject is a part of the release that does not grow with it.
func (rel Release) historySubject() shortcuts.Subject {
	byFamily := map[string][]string{}
	for q := range rel.Questions {
		if n := historyUnit(q); shortcuts.CanStudy(q) && !slices.Contains(byFamily[q.Family], n) {
			byFamily[q.Family] = leastDigests(append(byFamily[q.Family], n))
		}
	}
	materials := map[string]*shortcuts.Material{}
	for _, tasks := range byFamily {
		for _, task := range tasks {
			materials[task] = &shortcuts.Material{TaskID: task}
		}
	}
	out := shortcuts.Subject{Happenings: shortcuts.Happenings(rel.Events, rel.Labels)}
	for q := range rel.Questions {
		if slices.Contains(byFamily[q.Family], historyUnit(q)) {
			out.Questions = append(out.Questions, q)
		}
	}
	rel.readHistory(materials)
	out.Materials = func(yield func(shortcuts.Material, error) bool) {
		for _, task := range slices.Sorted(maps.Keys(materials)) {
			if len(materials[task].Sessions) > 0 && !yield(*materials[task], nil) {
				return
			}
		}
	}
	return out
}

// historyUnit is the task of a question, or the question where it has none.
func historyUnit(q schemas.Question) string { return cmp.Or(q.TaskID, q.QuestionID) }

// leastDigests keeps the names whose digests are least.
func leastDigests(names []string) []string {
	if len(names) <= historyTasks {
		return names
	}
	digest := func(name string) string { sum := sha256.Sum256([]byte(name)); return string(sum[:]) }
	most := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(digest(a), digest(b)) })
	return slices.DeleteFunc(names, func(n string) bool { return n == most })
}

// readHistory fills in the sessions, with their turns, and the checkpoints of tasks.
func (rel Release) readHistory(of map[string]*shortcuts.Material) {
	type place struct {
		task string
		at   int
	}
	places := map[string]place{}
	for s := range each(rel.Sessions) {
		if m := of[s.TaskID]; m != nil {
			s.Turns = nil
			places[s.SessionID] = place{s.TaskID, len(m.Sessions)}
			m.Sessions = append(m.Sessions, s)
		}
	}
	for t := range each(rel.Turns) {
		if p, wanted := places[t.SessionID]; wanted {
			s := &of[p.task].Sessions[p.at]
			s.Turns = append(s.Turns, t)
		}
	}
	for _, p := range places {
		slices.SortFunc(of[p.task].Sessions[p.at].Turns, func(a, b schemas.Turn) int {
			return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.TurnID, b.TurnID))
		})
	}
	for c := range each(rel.Checkpoints) {
		if m := of[c.TaskID]; m != nil {
			m.Checkpoints = append(m.Checkpoints, c)
		}
	}
}

// each is a sequence that may be nil.
func each[T any](all iter.Seq[T]) iter.Seq[T] {
	if all == nil {
		return func(func(T) bool) {}
	}
	return all
}
