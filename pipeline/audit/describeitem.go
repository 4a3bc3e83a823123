package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// ErrNoItem says that a release has nothing of an id.
var ErrNoItem = errors.New("it is no question, task or medium of the release, and nothing that was dropped has that id")

// DescribeItem tells in lines, indented by what they belong to, all that a release says of a
// question, task, medium or rejected record: where it comes from, what gates said of
// it in which form, and what was asked. It needs neither store nor configuration.
func DescribeItem(c release.Contents, id string) ([]string, error) {
	out := slices.Concat(questionLines(c, id), taskLines(c, id, ""), mediumLines(c, id, ""))
	for _, f := range c.Flagged {
		if f.Question.QuestionID == id {
			out = append(out, fmt.Sprintf("an earlier form (%d), judged by %s: %s", f.Version, strings.Join(f.JudgedBy, ", "), oneLine(f.Question.QuestionMCQ)))
		}
	}
	for _, r := range c.Rejections {
		if r.ID == id {
			out = append(out, fmt.Sprintf("dropped by %s: %s", r.Stage, oneLine(r.Reason)))
		}
	}
	for _, v := range c.Verdicts {
		if v.Item != id {
			continue
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintf("gate %s: %s, %s", v.Gate, v.Outcome, oneLine(v.Reason)), ", "))
		for _, p := range c.Probes {
			if p.Item == id && p.Gate == v.Gate {
				out = append(out, fmt.Sprintf("  asked %s (%s) with view %s, rotation %d, run %d: %s, %s",
					p.Model, p.Role, p.View, p.Rotation, p.Sample, cmp.Or(p.Answer, "no answer"), p.Mark))
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("explain %s: %w", id, ErrNoItem)
	}
	return out, nil
}

func questionLines(c release.Contents, id string) []string {
	i := slices.IndexFunc(c.Questions, func(q schemas.Question) bool { return q.QuestionID == id })
	if i < 0 {
		return nil
	}
	q := c.Questions[i]
	out := []string{
		fmt.Sprintf("question %s, %s of family %s, split %s", id, q.Type, q.Family, q.Split),
		"  " + oneLine(cmp.Or(q.QuestionMCQ, q.Question)),
		"  answer: " + oneLine(strings.TrimSpace(q.AnswerKey+" "+cmp.Or(q.AnswerText, q.AnswerCall))),
	}
	if q.Explanation != "" {
		out = append(out, "  because: "+oneLine(q.Explanation))
	}
	for _, e := range q.Evidence {
		out = append(out, strings.TrimRight(fmt.Sprintf("  %s %s %s", e.Role, e.Ref, oneLine(e.Text)), " "))
	}
	out = append(out, taskLines(c, q.TaskID, "  ")...)
	for _, m := range q.Media {
		out = append(out, mediumLines(c, m, "  ")...)
	}
	return out
}

func taskLines(c release.Contents, id, indent string) []string {
	i := slices.IndexFunc(c.Tasks, func(t schemas.Task) bool { return t.TaskID == id })
	if i < 0 {
		return nil
	}
	t := c.Tasks[i]
	return []string{fmt.Sprintf("%stask %s, %s, of %s: %s", indent, id, cmp.Or(t.Scenario, t.Family), strings.Join(t.SourceRecords, ", "), oneLine(t.Summary))}
}

func mediumLines(c release.Contents, id, indent string) []string {
	i := slices.IndexFunc(c.Media, func(m schemas.Media) bool { return m.MediaID == id })
	if i < 0 {
		return nil
	}
	m := c.Media[i]
	out := []string{fmt.Sprintf("%s%s %s, %.1f s", indent, m.Kind, c.Files[id], m.Duration)}
	for _, s := range m.Recipe.Segments {
		out = append(out, fmt.Sprintf("%s  from frame %d: frames %d to %d of %s, source %s", indent, s.At, s.From, s.To, s.Original, s.SourceID))
	}
	return out
}

// oneLine makes a text of a release, which may be hostile, one line of characters that
// print.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)), " ")
}
