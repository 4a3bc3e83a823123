package gates

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// interferenceRoles wants exactly one correct option, two intrusions and one
// unrelated one (M3Eval 3.1.2), with different texts, and the answer fields to
// name the correct one.
func interferenceRoles(q schemas.Question) pipeline.Judgement {
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
	want := map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1}
	switch {
	case !reflect.DeepEqual(counts, want):
		return fail("wrong-roles", "it has %s; want 1 correct, 2 intrusion, 1 irrelevant_distractor", tally(counts))
	case len(keys) != len(q.Options) || len(texts) != len(q.Options) || texts[""]:
		return fail("same-options", "two options have one key or text, or a text is empty")
	case q.AnswerKey != correct.Key || q.AnswerText != correct.Text:
		return fail("wrong-answer", "the answer is %s %q and the correct option %s %q", q.AnswerKey, q.AnswerText, correct.Key, correct.Text)
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

// mirrorPairs wants every question to stand twice, over two videos, once
// proactive and once retroactive, and otherwise the same.
func mirrorPairs(qs []schemas.Question) []pipeline.Judgement {
	groups := map[string][]schemas.Question{}
	for _, q := range qs {
		g := q.Labels["mirror_group"]
		groups[g] = append(groups[g], q)
	}
	out := make([]pipeline.Judgement, len(qs))
	for i, q := range qs {
		out[i] = mirrored(q.Labels["mirror_group"], groups[q.Labels["mirror_group"]])
	}
	return out
}

func mirrored(name string, group []schemas.Question) pipeline.Judgement {
	if name == "" {
		return insufficient("no-mirror-group", "it has no label mirror_group")
	}
	if len(group) != 2 {
		return fail("no-mirror", "%d questions are in mirror group %s; want one for each order", len(group), name)
	}
	a, b := group[0], group[1]
	directions := []string{a.Labels["interference_direction"], b.Labels["interference_direction"]}
	slices.Sort(directions)
	switch {
	case !slices.Equal(directions, []string{"proactive", "retroactive"}):
		return fail("mirror-direction", "the directions of mirror group %s are %q; want one proactive and one retroactive", name, directions)
	case slices.Equal(a.Media, b.Media):
		return fail("mirror-media", "both questions of mirror group %s are over the same video", name)
	case a.Question != b.Question || a.QuestionMCQ != b.QuestionMCQ || a.AnswerKey != b.AnswerKey || !slices.Equal(a.Options, b.Options):
		return fail("mirror-differs", "the questions of mirror group %s differ in text, options or answer", name)
	}
	return pass
}
