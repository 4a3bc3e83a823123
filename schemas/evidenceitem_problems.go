package schemas

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Codes of problems of items; sources reject an item by its first.
const (
	CodeNoQuestion      = "no-question"
	CodeNoGold          = "no-gold"
	CodeGoldNoOption    = "gold-no-option"
	CodeTwoGold         = "two-gold-options"
	CodeSameOptions     = "same-options"
	CodeNoUnits         = "no-evidence"
	CodeBadUnit         = "bad-unit"
	CodeDanglingUnit    = "dangling-evidence"
	CodeCyclicUnits     = "cyclic-evidence"
	CodePassedOn        = "reference-passed-on"
	CodeBadProfile      = "bad-profile"
	CodeContradiction   = "contradictory-preferences"
	CodeNoToolForGold   = "gold-no-tool"
	CodeMalformedAnswer = "malformed-call"
)

// Problems returns what is wrong with the item, by code. The rules hold for all data
// sets and worlds.
func (i EvidenceItem) Problems() []Note {
	var p problems
	if i.ItemID == "" || i.Dataset == "" || i.UpstreamID == "" || i.SourceID == "" || i.Question.QuestionID != i.ItemID {
		p.add(CodeBadUnit, "item %q of data set %q, upstream %q, source %q and question %q: all must be set, the last is the first", i.ItemID, i.Dataset, i.UpstreamID, i.SourceID, i.Question.QuestionID)
	}
	if !slices.Contains([]string{TaskSingleHop, TaskMultiHop, TaskConflict, TaskPreference, TaskFunctionCall}, i.Task) {
		p.add(CodeBadUnit, "task %q is none that there is", i.Task)
	}
	if i.ReferenceOnly {
		i.checkReferenceOnly(&p)
	} else {
		i.checkQuestion(&p)
	}
	if len(i.Needed()) == 0 {
		p.add(CodeNoUnits, "the answer rests on no unit of evidence")
	}
	i.checkUnits(&p)
	if !slices.EqualFunc(i.ShownMedia(), i.Media, func(id string, m Media) bool { return id == m.MediaID }) {
		p.add(CodeBadUnit, "it has rows of %d pictures and shows %d: want one of each, in order", len(i.Media), len(i.ShownMedia()))
	}
	return p.notes
}

type problems struct{ notes []Note }

func (p *problems) add(code, format string, args ...any) {
	p.notes = append(p.notes, Note{Code: code, Text: fmt.Sprintf(format, args...)})
}

// checkReferenceOnly finds content in an item that may hold none.
func (i EvidenceItem) checkReferenceOnly(p *problems) {
	q := i.Question
	if q.Question+q.QuestionMCQ+q.AnswerText+q.AnswerKey+q.AnswerCall+q.Explanation != "" || len(q.Options)+len(q.Tools)+len(q.QuestionMedia) > 0 {
		p.add(CodePassedOn, "the question holds words or gold of an item that may only be referred to")
	}
	for _, u := range i.Units {
		if u.State != UnitReference {
			p.add(CodePassedOn, "unit %s is no reference, in an item that may only be referred to", u.UnitID)
		}
	}
}

// checkQuestion checks question, options and gold.
func (i EvidenceItem) checkQuestion(p *problems) {
	q := i.Question
	if strings.TrimSpace(q.Question) == "" {
		p.add(CodeNoQuestion, "nothing is asked")
	}
	if i.Task == TaskFunctionCall {
		i.checkCall(p)
		return
	}
	if strings.TrimSpace(q.AnswerText) == "" {
		p.add(CodeNoGold, "the question has no answer")
	}
	if len(q.Options) == 0 {
		return
	}
	right := 0
	texts := map[string]bool{}
	for _, o := range q.Options {
		if o.Role == RoleCorrect {
			right++
		}
		if texts[o.Text] || strings.TrimSpace(o.Text) == "" {
			p.add(CodeSameOptions, "option %s is empty or says the same as another: %q", o.Key, o.Text)
		}
		texts[o.Text] = true
	}
	gold := slices.ContainsFunc(q.Options, func(o Option) bool {
		return o.Key == q.AnswerKey && o.Text == q.AnswerText && o.Role == RoleCorrect
	})
	switch {
	case !gold:
		p.add(CodeGoldNoOption, "the answer %q, %q is none of the %d options", q.AnswerKey, q.AnswerText, len(q.Options))
	case right > 1:
		p.add(CodeTwoGold, "%d options are right", right)
	}
}

// checkCall checks the calls of the gold against the tools by name. Families check arguments.
func (i EvidenceItem) checkCall(p *problems) {
	q := i.Question
	if q.AnswerCall == "" {
		p.add(CodeNoGold, "the question has no call as its answer")
		return
	}
	plan, err := ReadPlan(q.AnswerCall)
	if err == nil && len(slices.Concat(plan...)) == 0 {
		err = errors.New("none of its steps calls a tool")
	}
	if err != nil {
		p.add(CodeMalformedAnswer, "the gold call: %v", err)
		return
	}
	for _, call := range slices.Concat(plan...) {
		if len(q.Tools) > 0 && !slices.ContainsFunc(q.Tools, func(t Tool) bool { return t.Name == call.Name }) {
			p.add(CodeNoToolForGold, "the gold calls %q, which is none of the %d tools", call.Name, len(q.Tools))
			return
		}
	}
}

// checkUnits checks the units one by one, then their revisions.
func (i EvidenceItem) checkUnits(p *problems) {
	at := map[string]int{}
	for n, u := range i.Units {
		if why := u.problem(); why != "" {
			p.add(CodeBadUnit, "unit %s: %s", u.UnitID, why)
		}
		if _, twice := at[u.UnitID]; twice || u.UnitID == "" {
			p.add(CodeBadUnit, "two units are called %q", u.UnitID)
		}
		if u.Order != int32(n+1) {
			p.add(CodeBadUnit, "unit %s has order %d at place %d", u.UnitID, u.Order, n+1)
		}
		at[u.UnitID] = n
	}
	for _, u := range i.Units {
		for _, id := range u.Revises {
			n, there := at[id]
			switch {
			case !there:
				p.add(CodeDanglingUnit, "unit %s revises %s, which the item does not have", u.UnitID, id)
			case i.reaches(n, at, u.UnitID):
				p.add(CodeCyclicUnits, "unit %s revises %s, which rests on it in turn", u.UnitID, id)
			case n > at[u.UnitID]:
				p.add(CodeBadUnit, "unit %s revises %s, which comes later", u.UnitID, id)
			}
		}
	}
}

// reaches reports whether revisions lead from the unit at a place to an id.
func (i EvidenceItem) reaches(from int, at map[string]int, id string) bool {
	seen, next := map[int]bool{}, []int{from}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if i.Units[n].UnitID == id {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, r := range i.Units[n].Revises {
			if to, there := at[r]; there {
				next = append(next, to)
			}
		}
	}
	return false
}

// problem returns what is wrong with the unit alone, or "".
func (u EvidenceUnit) problem() string {
	roles := []string{RoleClue, RoleUpdate, RoleSuperseded, RoleContext, RoleDistractor}
	states := []string{"", UnitReference, UnitMissing, UnitGated, UnitDead}
	modalities := []string{ModalityText, ModalityImage, ModalityTable, ModalityDocument, ModalityJSON}
	switch {
	case !slices.Contains(roles, u.Role):
		return fmt.Sprintf("role %q", u.Role)
	case !slices.Contains(states, u.State):
		return fmt.Sprintf("state %q", u.State)
	case !slices.Contains(modalities, u.Modality):
		return fmt.Sprintf("modality %q", u.Modality)
	case u.Dataset == "":
		return "it names no data set"
	case u.State != "" && (u.Text != "" || u.Media != "" || len(u.Rows)+len(u.Parts) > 0):
		return "it has a state and content as well"
	case u.State != "" && cmp.Or(u.Ref, u.SHA256, u.UpstreamID) == "":
		return "its content is not here, and nothing leads to it"
	case u.State != "":
		return ""
	}
	return u.contentProblem()
}

func (u EvidenceUnit) contentProblem() string {
	text, media, rows, parts := strings.TrimSpace(u.Text) != "", u.Media != "", len(u.Rows) > 0, len(u.Parts) > 0
	holds := map[string]bool{
		ModalityText:     text && !media && !rows && !parts,
		ModalityImage:    media && !text && !rows && !parts,
		ModalityTable:    (rows || media) && !text && !parts,
		ModalityDocument: parts && !text && !media && !rows,
		ModalityJSON:     text && !media && !rows && !parts,
	}
	if !holds[u.Modality] {
		return fmt.Sprintf("a unit of modality %s does not hold what it should: see EvidenceUnit", u.Modality)
	}
	if u.Modality == ModalityJSON && !json.Valid([]byte(u.Text)) {
		return "its text is no JSON"
	}
	for n, r := range u.Rows {
		if len(r) != len(u.Rows[0]) || len(r) == 0 {
			return fmt.Sprintf("row %d has %d cells, the header %d", n, len(r), len(u.Rows[0]))
		}
	}
	for n, part := range u.Parts {
		if strings.TrimSpace(part.Text) == "" && part.Media == "" || part.Page < 0 {
			return fmt.Sprintf("part %d is empty, or of page %d", n, part.Page)
		}
	}
	return ""
}

// Problems returns what is wrong with the profile, by code.
func (p Profile) Problems() []Note {
	var out problems
	if p.ProfileID == "" || p.Dataset == "" || p.UpstreamID == "" || p.SourceID == "" {
		out.add(CodeBadProfile, "profile %q of data set %q, upstream %q, source %q: all must be set", p.ProfileID, p.Dataset, p.UpstreamID, p.SourceID)
	}
	levels, said := map[string]string{}, map[string]string{}
	for _, f := range p.Preferences {
		if f.Dimension == "" || strings.TrimSpace(f.Text) == "" {
			out.add(CodeBadProfile, "a preference of dimension %q says %q", f.Dimension, f.Text)
		}
		if other, there := levels[f.Dimension]; there && other != f.Level {
			out.add(CodeContradiction, "of %s the profile is both %q and %q", f.Dimension, other, f.Level)
		} else if there {
			out.add(CodeBadProfile, "of %s the profile has two preferences", f.Dimension)
		}
		if other, there := said[f.Text]; there && other != f.Level {
			out.add(CodeContradiction, "one preference is both %q and %q: %q", other, f.Level, f.Text)
		}
		levels[f.Dimension], said[f.Text] = f.Level, f.Level
	}
	return out.notes
}
