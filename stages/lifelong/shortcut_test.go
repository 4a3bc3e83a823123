package lifelong_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestOptionsGiveNothingAway answers questions by rules that know no fact: the only option
// that the sessions name, the option that they name first or last, the largest number, the
// option most like the others. None is right in more than half of a type; a guess is in a quarter.
func TestOptionsGiveNothingAway(t *testing.T) {
	t.Parallel()
	rules := map[string]func(schemas.Question, []string) int{
		"named first": namedFirst, "named last": namedLast, "named alone": namedAlone, "largest number": largest, "most like the others": alike,
	}
	right, tried := map[string]map[string]int{}, map[string]map[string]int{}
	for seed := range uint64(testsize.Choose(1, 3)) {
		b := built{}
		if seed == 0 {
			b = made(t)
		} else {
			b = build(t, 100+seed)
		}
		for _, q := range b.questions {
			lines := linesOf(b, q)
			for name, rule := range rules {
				if right[name] == nil {
					right[name], tried[name] = map[string]int{}, map[string]int{}
				}
				if at := rule(q, lines); at >= 0 {
					tried[name][q.Type]++
					if q.Options[at].Role == schemas.RoleCorrect {
						right[name][q.Type]++
					}
				}
			}
		}
	}
	for name := range rules {
		for kind, n := range tried[name] {
			t.Logf("%s: right in %d of %d of %s", name, right[name][kind], n, kind)
			if got := right[name][kind]; n >= 25 && got > n/2 {
				t.Errorf("%s: right in %d of %d questions of %s", name, got, n, kind)
			}
		}
	}
	if n := tried["named last"]["lifelong_fr"]; n < 25 || tried["named alone"]["lifelong_fr"] > n/5 {
		t.Errorf("of %d questions of lifelong_fr, %d have one option that the sessions name", n, tried["named alone"]["lifelong_fr"])
	}
}

// linesOf is what the sessions up to a question's checkpoint say and show, in order.
func linesOf(b built, q schemas.Question) []string {
	var out []string
	for _, s := range b.sessions[q.TaskID] {
		if !slices.Contains(b.checkpoints[q.CheckpointID].Sessions, s.SessionID) {
			continue
		}
		for _, turn := range s.Turns {
			out = append(out, turn.Text+" "+turn.Observation+" "+turn.Feedback)
			for _, a := range turn.Attachments {
				for _, r := range b.exhibits[a.MediaID].Rows {
					out = append(out, r[1])
				}
			}
		}
	}
	return out
}

// lastNamed is the last line that has an option's text; -1 where none has.
func lastNamed(text string, lines []string) int {
	for i, l := range slices.Backward(lines) {
		if strings.Contains(l, text) {
			return i
		}
	}
	return -1
}

func namedLast(q schemas.Question, lines []string) int {
	best, at := -1, -1
	for i, o := range q.Options {
		if l := lastNamed(o.Text, lines); l > best {
			best, at = l, i
		}
	}
	if at < 0 {
		return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Text == schemas.AnswerNone })
	}
	return at
}

// namedFirst is the option that comes up before the others do.
func namedFirst(q schemas.Question, lines []string) int {
	for _, l := range lines {
		if at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return strings.Contains(l, o.Text) }); at >= 0 {
			return at
		}
	}
	return -1
}

func namedAlone(q schemas.Question, lines []string) int {
	at, n := -1, 0
	for i, o := range q.Options {
		if lastNamed(o.Text, lines) >= 0 {
			at, n = i, n+1
		}
	}
	if n != 1 {
		return -1
	}
	return at
}

// largest is the option that is the largest number, where all are numbers.
func largest(q schemas.Question, _ []string) int {
	best, at := -1, -1
	for i, o := range q.Options {
		n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSuffix(o.Text, " euros"), ",", ""))
		if err != nil {
			return -1
		}
		if n > best {
			best, at = n, i
		}
	}
	return at
}

// tagParts are the pieces of a tag, whatever joins them.
func tagParts(tag string) []string {
	return strings.FieldsFunc(tag, func(r rune) bool { return strings.ContainsRune("-/:_", r) })
}

// alike is the option that shares most pieces of a tag, at their places, with the others;
// none where they are no tags.
func alike(q schemas.Question, _ []string) int {
	best, at := -1, -1
	for i, o := range q.Options {
		parts, n := tagParts(o.Text), 0
		if len(parts) < 3 {
			return -1
		}
		for j, other := range q.Options {
			for k, p := range tagParts(other.Text) {
				if i != j && k < len(parts) && parts[k] == p {
					n++
				}
			}
		}
		if n > best {
			best, at = n, i
		}
	}
	return at
}
