package gates

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// oneError is the make-up of a question whose wrong options all show the same
// error (M3Eval 3.1.1, 3.1.3).
var oneError = map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}

// makeUps say how many options of which role a question of a type has.
var makeUps = map[string]map[string]int{
	schemas.TypeInterference:         {schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1},
	schemas.TypeSourceIdentification: oneError,
	schemas.TypeOrderUnderstanding:   oneError,
	schemas.TypeContentRetention:     oneError,
	schemas.TypeSpatialGrounding:     oneError,
	schemas.TypeTemporalGrounding:    oneError,
	schemas.TypeFalseMemory:          oneError,
	schemas.TypeSourceMemory:         oneError,
	schemas.TypeNBack:                {schemas.RoleCorrect: 1, schemas.RoleDistractor: 1},
}

// roleTypes are the types that have a make-up, sorted.
func roleTypes() []string { return slices.Sorted(maps.Keys(makeUps)) }

// optionRoles wants the options that the type of a question asks for, with
// different keys and texts, and the answer fields to name the correct one.
func optionRoles(q schemas.Question) pipeline.Judgement {
	want, known := makeUps[q.Type]
	if !known {
		return notApplicable("no-make-up", "no roles are laid down for type %q; this gate knows %s", q.Type, strings.Join(roleTypes(), ", "))
	}
	counts := map[string]int{}
	keys, texts := map[string]bool{}, map[string]bool{}
	var correct schemas.Option
	for _, o := range q.Options {
		counts[o.Role]++
		keys[o.Key] = true
		texts[strings.ToLower(strings.Join(strings.Fields(o.Text), " "))] = true
		if o.Role == schemas.RoleCorrect {
			correct = o
		}
	}
	switch {
	case !maps.Equal(counts, want):
		return fail("wrong-roles", "it has %s; want %s", tally(counts), tally(want))
	case len(keys) != len(q.Options) || len(texts) != len(q.Options) || texts[""]:
		return fail("same-options", "two options have one key or text, or a text is empty")
	case q.AnswerKey != correct.Key || q.AnswerText != correct.Text:
		return fail("wrong-answer", "the answer is %s %q and the correct option %s %q", q.AnswerKey, q.AnswerText, correct.Key, correct.Text)
	case (q.Type == schemas.TypeFalseMemory) != (q.Labels[schemas.LabelTarget] == schemas.TargetNeither):
		return fail("wrong-target", "it is of type %s and its target is %q; what happens in neither video is a false memory, and nothing else is", q.Type, q.Labels[schemas.LabelTarget])
	}
	return pass
}

func tally(counts map[string]int) string {
	var parts []string
	for role, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, role))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "no options"
	}
	return strings.Join(parts, ", ")
}
