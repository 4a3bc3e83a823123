package author

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// sequences are the orders of three things, the right one first.
var sequences = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// orderDrafts asks for the order of three parts of the target, each with a text that
// no other part has.
func (c chooser) orderDrafts() []Draft {
	once := c.uniqueExcerpts()
	var out []Draft
	for i := range once {
		for j := i + 1; j < len(once); j++ {
			for k := j + 1; k < len(once); k++ {
				out = append(out, c.sequenceDraft([3]excerpt{once[i], once[j], once[k]}))
			}
		}
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// uniqueExcerpts are the texts that stand in one section of the target only, in order.
func (c chooser) uniqueExcerpts() []excerpt {
	all := c.excerpts(RoleTarget)
	out := slices.DeleteFunc(all, func(e excerpt) bool {
		return slices.ContainsFunc(c.in.Target.Sections, func(p Part) bool {
			return p.Section != e.from.Section && answercues.Alike(p.texts()[c.key], e.text)
		})
	})
	slices.SortFunc(out, func(a, b excerpt) int { return a.from.Section - b.from.Section })
	return out
}

func (c chooser) sequenceDraft(parts [3]excerpt) Draft {
	d := Draft{
		Question:    "In " + c.in.Target.Name + ", in which order do these descriptions of " + about[c.key] + " become true?",
		Explanation: "The parts follow each other as the right option says; the others change the order.",
	}
	wrong := slices.Clone(sequences[1:])
	c.rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	for i, s := range append([][3]int{sequences[0]}, wrong[:3]...) {
		role := schemas.RoleDistractor
		if i == 0 {
			role = schemas.RoleCorrect
		}
		text := []string{quoteExcerpt(parts[s[0]]), quoteExcerpt(parts[s[1]]), quoteExcerpt(parts[s[2]])}
		d.Options = append(d.Options, Option{strings.Join(text, ", then "), role})
	}
	for _, p := range parts {
		d.cite(p)
	}
	return d
}

func quoteExcerpt(e excerpt) string { return `"` + e.text + `"` }
