package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// storyRow is a row of split_screen_qa.json and interleaved_qa.json.
type storyRow struct {
	ID        string   `json:"id"`
	Video     string   `json:"video"`
	Question  string   `json:"question"`
	Options   []string `json:"options"`
	Answer    string   `json:"answer"`
	Group     string   `json:"paper_v4_metric_group"`
	Detail    string   `json:"paper_v4_metric_detail"`
	ErrorType string   `json:"storyline_error_type"`
	Dimension string   `json:"source_dimension"`
}

// interferenceRow is a row of memory_interference_qa.json.
type interferenceRow struct {
	ID        string            `json:"id"`
	Video     string            `json:"video"`
	Question  string            `json:"question"`
	Options   []string          `json:"options"`
	Answer    string            `json:"answer"`
	Group     string            `json:"paper_v4_metric_group"`
	Direction string            `json:"interference_direction"`
	Roles     map[string]string `json:"option_role_by_letter"`
	Intrusion string            `json:"intrusion_option_letter"`
}

// repeatedRow is a row over a video of which one part is played twice: the
// target, or the interferer.
type repeatedRow struct {
	interferenceRow
	Repetition string `json:"repetition"`
}

// nbackRow is a line of nback_questions.jsonl.
type nbackRow struct {
	ID        string   `json:"question_id"`
	Video     string   `json:"video"`
	Question  string   `json:"question"`
	Options   []string `json:"options"`
	Answer    string   `json:"answer"`
	Attribute string   `json:"attribute"`
	N         int      `json:"n_value"`
	K         int      `json:"clip_count"`
}

func questionRow(e exportEntry) (string, any, error) {
	switch e.cell.subset {
	case subsetInterference:
		row, err := newInterferenceRow(e)
		if e.repeated {
			return fileRepeated, repeatedRow{row, e.question.Labels[schemas.LabelRepetition]}, err
		}
		return fileInterference, row, err
	case subsetNBack:
		row, err := newNBackRow(e)
		return fileNBack, row, err
	}
	options, err := letteredOptions(e.question)
	if err != nil {
		return "", nil, err
	}
	row := storyRow{
		ID: e.question.QuestionID, Video: e.video, Question: e.question.Question, Options: options, Answer: e.question.AnswerKey,
		Group: groupOf(e.question, e.cell), Detail: e.cell.detail, ErrorType: e.cell.errorType, Dimension: e.cell.dimension,
	}
	if e.cell.subset == subsetInterleaved {
		return fileInterleaved, row, nil
	}
	if e.question.Split == schemas.ControlSplit {
		return fileControl, row, nil
	}
	return fileSplit, row, nil
}

// letteredOptions writes options as "A. text", the only form in which M3Eval
// knows how many there are, and checks that the answer is one of them.
func letteredOptions(q schemas.Question) ([]string, error) {
	if len(q.Options) < 2 {
		return nil, questionError(q, "it has %d options; a choice needs at least two", len(q.Options))
	}
	var out []string
	right := 0
	for i, o := range q.Options {
		if want := schemas.Letter(i); o.Key != want || i > 25 {
			return nil, questionError(q, "option %d has the key %q; M3Eval's are A, B, C and so on", i+1, o.Key)
		}
		if text := strings.TrimSpace(o.Text); text == "" || strings.ContainsAny(o.Text, "\n\r\u2028\u2029") {
			return nil, questionError(q, "option %s is empty or has a line break, which M3Eval shows as another option", o.Key)
		}
		if o.Key == q.AnswerKey {
			right++
		}
		out = append(out, o.Key+". "+strings.TrimSpace(o.Text))
	}
	if right != 1 {
		return nil, questionError(q, "its answer %q is not one of its options", q.AnswerKey)
	}
	return out, nil
}

// newInterferenceRow also checks the roles, from which M3Eval counts
// intrusions.
func newInterferenceRow(e exportEntry) (interferenceRow, error) {
	q := e.question
	options, err := letteredOptions(q)
	if err != nil {
		return interferenceRow{}, err
	}
	group := groupOf(q, e.cell)
	if direction, ok := q.Labels[schemas.LabelDirection]; ok && direction != group {
		return interferenceRow{}, questionError(q, "label %s is %q and label %s is %q; they must agree", schemas.LabelDirection, direction, schemas.LabelMetricGroup, group)
	}
	row := interferenceRow{
		ID: q.QuestionID, Video: e.video, Question: q.Question, Options: options, Answer: q.AnswerKey,
		Group: group, Direction: group, Roles: map[string]string{},
	}
	for _, o := range q.Options {
		switch o.Role {
		case schemas.RoleCorrect, schemas.RoleUnrelated:
		case schemas.RoleIntrusion:
			if row.Intrusion == "" {
				row.Intrusion = o.Key
			}
		default:
			return row, questionError(q, "option %s has the role %q; M3Eval knows %s, %s and %s", o.Key, o.Role, schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleUnrelated)
		}
		if (o.Role == schemas.RoleCorrect) != (o.Key == q.AnswerKey) {
			return row, questionError(q, "option %s has the role %q and the answer is %s", o.Key, o.Role, q.AnswerKey)
		}
		row.Roles[o.Key] = o.Role
	}
	if row.Intrusion == "" {
		return row, questionError(q, "no option has the role %s, so no intrusion could be counted", schemas.RoleIntrusion)
	}
	return row, nil
}

// newNBackRow writes the options, which M3Eval prints, without letters: answers
// are Yes and No.
func newNBackRow(e exportEntry) (nbackRow, error) {
	q := e.question
	n, errN := strconv.Atoi(q.Labels[labelN])
	k, errK := strconv.Atoi(q.Labels[labelK])
	switch {
	case q.Labels[labelAttribute] != "action" && q.Labels[labelAttribute] != "scene":
		return nbackRow{}, questionError(q, "label %s is %q; M3Eval counts action and scene", labelAttribute, q.Labels[labelAttribute])
	case errN != nil || errK != nil || n < 1 || n >= k:
		return nbackRow{}, questionError(q, "labels %s %q and %s %q; want numbers with 1 <= n < k", labelN, q.Labels[labelN], labelK, q.Labels[labelK])
	case n > 4:
		return nbackRow{}, questionError(q, "label %s is %d; M3Eval's tables go to 4", labelN, n)
	}
	row := nbackRow{
		ID: q.QuestionID, Video: e.video, Question: q.Question, Answer: q.AnswerText,
		Attribute: q.Labels[labelAttribute], N: n, K: k, Options: optionTexts(q),
	}
	if sorted := slices.Sorted(slices.Values(row.Options)); !slices.Equal(sorted, []string{"No", "Yes"}) || !slices.Contains(sorted, q.AnswerText) {
		return row, questionError(q, "its options are %q and its answer %q; want Yes and No", row.Options, q.AnswerText)
	}
	return row, nil
}

func optionTexts(q schemas.Question) []string {
	var out []string
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	return out
}

// checkLetters demands the same letters in all interference questions: a loader
// fills an absent letter with a null, which M3Eval reads as a role.
func checkLetters(entries []exportEntry) error {
	letters := 0
	for _, e := range entries {
		if !e.cell.rolesMatter {
			continue
		}
		if letters == 0 {
			letters = len(e.question.Options)
		}
		if n := len(e.question.Options); n != letters {
			return questionError(e.question, "it has %d options and others have %d; all interference questions must have as many", n, letters)
		}
	}
	return nil
}

func encodeRows(name string, rows []any) ([]byte, error) {
	texts := make([]string, len(rows))
	for i, row := range rows {
		var err error
		if texts[i], err = plainJSON(row); err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
	}
	if list := strings.HasSuffix(name, ".json"); list && len(rows) > 0 {
		return []byte("[\n" + strings.Join(texts, ",\n") + "\n]\n"), nil
	} else if list {
		return []byte("[\n]\n"), nil
	}
	return []byte(strings.Join(append(texts, ""), "\n")), nil
}
