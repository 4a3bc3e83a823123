package describe

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/memforge/memforge/schemas"
)

// baseline counts what answering without any evidence gets of the questions of a family
// that have options: choosing at random, always the first option, or the longest.
type baseline struct {
	family                 string
	questions              int
	chance, first, longest float64
}

func (b *baseline) add(q *schemas.Question, gold int) {
	most, of, right := 0, 0, false
	for i, o := range q.Options {
		switch n := utf8.RuneCountInString(o.Text); {
		case n > most || i == 0:
			most, of, right = n, 1, i == gold
		case n == most:
			of, right = of+1, right || i == gold
		}
	}
	b.questions++
	b.chance += 1 / float64(len(q.Options))
	if gold == 0 {
		b.first++
	}
	if right {
		b.longest += 1 / float64(of)
	}
}

// countBaselines returns baselines by family, and at the end that of all families together
// where there are several.
func (rel Release) countBaselines() []baseline {
	byFamily, all := map[string]*baseline{}, baseline{family: "all"}
	for q := range rel.Questions {
		gold := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
		if gold < 0 || q.Split == schemas.ControlSplit {
			continue
		}
		if byFamily[q.Family] == nil {
			byFamily[q.Family] = &baseline{family: q.Family}
		}
		byFamily[q.Family].add(&q, gold)
		all.add(&q, gold)
	}
	var out []baseline
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		out = append(out, *byFamily[family])
	}
	if len(out) > 1 {
		out = append(out, all)
	}
	return out
}

const baselinesNote = "Share of right answers of a solver that looks at no evidence. A system that remembers must do better. Random is the chance of a random choice; of equally long options one is chosen at random."

func baselinesGrid(rows []baseline) grid {
	share := func(name string, of func(baseline) float64) gridColumn[baseline] {
		return numberColumn(name, func(b baseline) string { return fmt.Sprintf("%.1f %%", 100*of(b)/float64(b.questions)) })
	}
	return newGrid(rows,
		textColumn("family", func(b baseline) string { return b.family }),
		countColumn("questions with options", func(b baseline) int64 { return int64(b.questions) }),
		share("random", func(b baseline) float64 { return b.chance }),
		share("always A", func(b baseline) float64 { return b.first }),
		share("longest option", func(b baseline) float64 { return b.longest }))
}
