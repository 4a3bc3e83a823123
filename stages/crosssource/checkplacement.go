package crosssource

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/oracle"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// checkPlacementRow compares a question's row of crosssource_placements with its sources:
// which pieces, where, when and by whom, and what is said around them. A release lacks
// the row of a removed question.
func checkPlacementRow(q schemas.Question, r oracle.Result, cites []schemas.Evidence, p pipeline.Premises, arrangement, item string) error {
	has := p.Prepared.(taskPremises)
	rows := slices.DeleteFunc(slices.Clone(has.placements), func(row Placement) bool { return row.QuestionID != q.QuestionID })
	switch {
	case len(rows) == 0 && p.Flagged:
		return nil
	case len(rows) != 1:
		return fmt.Errorf("%d rows of %s are of it; want one", len(rows), tablePlacement)
	case len(rows[0].Pieces) != len(r.Evidence):
		return fmt.Errorf("its placement has %d pieces, and it rests on %d", len(rows[0].Pieces), len(r.Evidence))
	}
	row, want := rows[0], Placement{PlacementID: q.QuestionID + "/placement", QuestionID: q.QuestionID, TaskID: q.TaskID, ItemID: item, Task: r.Task, Arrangement: arrangement, Answer: answerTexts(q)}
	for i, own := range row.Pieces {
		piece, err := expectedPiece(i, own, row.Pieces, r, has.sessions)
		if err != nil {
			return fmt.Errorf("piece %s of its placement: %w", own.UnitID, err)
		}
		want.Pieces = append(want.Pieces, piece)
	}
	var err error
	if want.Misleading, err = expectedMisleading(row, cites, has); err != nil {
		return err
	}
	if row, want = row.normalised(), want.normalised(); !reflect.DeepEqual(row, want) {
		return fmt.Errorf("its row of %s is %+v; its sources give %+v", tablePlacement, row, want)
	}
	return checkUnits(row)
}

// normalised returns a row whose empty lists are not nil.
func (p Placement) normalised() Placement {
	p.Answer, p.Pieces, p.Misleading = withoutEmpty(p.Answer), slices.Clone(p.Pieces), append([]MisleadingText{}, p.Misleading...)
	for i := range p.Pieces {
		x := &p.Pieces[i]
		x.Revises, x.Participants, x.Named, x.Around = withoutEmpty(x.Revises), withoutEmpty(x.Participants), withoutEmpty(x.Named), withoutEmpty(x.Around)
	}
	for i := range p.Misleading {
		p.Misleading[i].Revises = withoutEmpty(p.Misleading[i].Revises)
	}
	return p
}

// expectedPiece returns the i-th piece as its source has it, byte for byte. Its unit and
// the lines around it are those stated; the lines are compared with the source here.
func expectedPiece(i int, own PlacedPiece, pieces []PlacedPiece, r oracle.Result, sessions []schemas.Session) (PlacedPiece, error) {
	e := r.Evidence[i]
	at, first, err := positionOf(sessions, e, r.Length(i))
	if err != nil {
		return own, err
	}
	at.Around = own.Around
	unit := schemas.EvidenceUnit{UnitID: own.UnitID, Role: e.Role, Modality: r.Modality(i), Labels: map[string]string{placement.LabelSpeaker: r.Teller(i)}}
	if of := r.Revised(i); of >= 0 {
		unit.Revises = []string{pieces[of].UnitID}
	}
	if at.Handle != "" && at.Handle != placement.Handle(unit) {
		return own, fmt.Errorf("it is called %q, which is not what a %s of that id is called", at.Handle, unit.Modality)
	}
	want := placePiece(unit, at)
	source := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
	return want, checkAround(want, sessions[source], first)
}

// positionOf returns the position of n turns from where evidence stands, and the index of
// the first of them.
func positionOf(sessions []schemas.Session, e schemas.Evidence, n int) (p PiecePosition, first int, err error) {
	at := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
	if at < 0 || n == 0 {
		return p, 0, fmt.Errorf("%d turns, in source %s", n, e.SessionID)
	}
	s := sessions[at]
	first = slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref })
	if first < 0 || first+n > len(s.Turns) {
		return p, 0, fmt.Errorf("%d turns from %s on are not in %s", n, e.Ref, s.SessionID)
	}
	turns := s.Turns[first : first+n]
	p = PiecePosition{SessionID: s.SessionID, Kind: s.Kind, Speaker: turns[0].Speaker, Participants: s.Participants, Turns: turns}
	for _, t := range turns {
		if t.Speaker != p.Speaker {
			return p, 0, fmt.Errorf("turn %s is by %q, and %s by %q", turns[0].TurnID, p.Speaker, t.TurnID, t.Speaker)
		}
		for _, a := range t.Attachments {
			p.Handle = a.AttachmentID
		}
	}
	if name, _, table := strings.Cut(turns[0].Text, " ("); table && n > 1 {
		p.Handle = name
	}
	return p, first, nil
}

// expectedMisleading returns the texts that a question cites as misleading, a turn each.
// The gate placement checks that they come after what they revise.
func expectedMisleading(row Placement, cites []schemas.Evidence, has taskPremises) (out []MisleadingText, err error) {
	others := misleadingEvidence(cites)
	if len(row.Misleading) != len(others) {
		return nil, fmt.Errorf("its placement has %d misleading texts, and it cites %d", len(row.Misleading), len(others))
	}
	units, refs := map[string]string{}, []string{}
	for i, e := range others {
		units[e.Ref], refs = row.Misleading[i].UnitID, append(refs, e.Ref)
	}
	for i, e := range others {
		at, _, err := positionOf(has.sessions, e, 1)
		if err != nil {
			return nil, fmt.Errorf("misleading text %s: %w", row.Misleading[i].UnitID, err)
		}
		text := MisleadingText{UnitID: units[e.Ref], SessionID: at.SessionID, Speaker: at.Speaker, Turns: placePiece(schemas.EvidenceUnit{}, at).Turns}
		if before := has.task.ReplacedTurn(e.Ref, refs); before != "" {
			text.Revises = []string{units[before]}
		}
		out = append(out, text)
	}
	return out, nil
}

func batchOfTask(task string) string {
	return strings.TrimSuffix(strings.TrimPrefix(task, family+"/"), "-"+concentrated)
}

// itemOfQuestion returns the item of a question of a simulated world, found by its id.
func itemOfQuestion(q schemas.Question, task string) (string, error) {
	batch := batchOfTask(task)
	for n := range 1000 {
		item := worldItemID(batch, n)
		if questionID(task, item) == q.QuestionID {
			return item, nil
		}
	}
	return "", fmt.Errorf("its id is that of no item of %s/%s", dataset, batch)
}

// toolName is what the tools of simulated worlds say of themselves.
var toolName = regexp.MustCompile(`^Files a request with the ([A-Z]\w+ Desk) to ([a-z]+) something\.$`)

// checkTools checks that there are tools of two known desks for two actions each, named
// and defined as the desks define them.
func checkTools(tools []schemas.Tool, told []string) error {
	desks, verbs := map[string]bool{}, map[string]bool{}
	seen := map[string]bool{}
	for _, t := range tools {
		m := toolName.FindStringSubmatch(t.Description)
		if m == nil {
			return fmt.Errorf("tool %s says of itself %q", t.Name, t.Description)
		}
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal([]byte(t.Parameters), &schema); err != nil {
			return fmt.Errorf("parameters of tool %s: %w", t.Name, err)
		}
		_, leveled := schema.Properties["priority"]
		want, err := simulate.Tool(m[1], m[2], leveled)
		if err != nil {
			return err
		}
		if !slices.Contains(told, m[1]) {
			return fmt.Errorf("tool %s is of the %s, of which the sources tell nothing", t.Name, m[1])
		}
		if t != want || seen[t.Name] {
			return fmt.Errorf("tool %s with the parameters %s is not what the %s offers, or is there twice", t.Name, t.Parameters, m[1])
		}
		desks[m[1]], verbs[m[2]], seen[t.Name] = true, true, true
	}
	if len(tools) != 4 || len(desks) != 2 || len(verbs) != 2 {
		return fmt.Errorf("%d tools of %d desks for %d things to do; want 4 of 2 for 2", len(tools), len(desks), len(verbs))
	}
	return nil
}

// checkUnits checks that a placement has the first units of its item, each once: evidence
// comes first, then misleading texts, then unasked pictures.
func checkUnits(row Placement) error {
	var ids, want []string
	for _, p := range row.Pieces {
		ids = append(ids, p.UnitID)
	}
	for _, o := range row.Misleading {
		ids = append(ids, o.UnitID)
	}
	for n := range ids {
		want = append(want, schemas.UnitIDOf(row.ItemID, n+1))
	}
	if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("its placement has the units %q; want %q", ids, want)
	}
	return nil
}

func misleadingEvidence(cites []schemas.Evidence) (out []schemas.Evidence) {
	for _, e := range cites {
		if e.Role == schemas.RoleDistractor {
			out = append(out, e)
		}
	}
	return out
}

// checkTwin checks that a question and its twin, if there is one, cite the same
// misleading words, of any speaker.
func checkTwin(cites []schemas.Evidence, twin *schemas.Question) error {
	if twin == nil {
		return nil
	}
	said := func(of []schemas.Evidence) (out []string) {
		for _, e := range misleadingEvidence(of) {
			_, words, _ := strings.Cut(e.Text, ": ")
			out = append(out, words)
		}
		slices.Sort(out)
		return out
	}
	if own, other := said(cites), said(twin.Evidence); !slices.Equal(own, other) {
		return fmt.Errorf("it is misled by %q, and its twin %s by %q", own, twin.QuestionID, other)
	}
	return nil
}

// checkAround checks that the lines around a piece are all of those in its chat. A piece
// in a chat has a line after it.
func checkAround(p PlacedPiece, s schemas.Session, first int) error {
	chat := isChat(s.Kind)
	if !chat && len(p.Around) == 0 {
		return nil
	}
	frame, err := basetalk.Framed()
	if err != nil {
		return err
	}
	said := make([]string, len(s.Turns))
	for i, t := range s.Turns {
		said[i] = t.Text
	}
	end := first + len(p.Turns)
	for before := 0; chat && before < len(p.Around); before++ {
		from, to := first-before, end+len(p.Around)-before
		if from < 0 || to > len(said) || !slices.Equal(slices.Concat(said[from:first], said[end:to]), p.Around) {
			continue
		}
		backward := slices.Clone(said[:first])
		slices.Reverse(backward)
		if leadsComplete(frame, backward, before, frame.Answers(said[to-1])) && surroundsComplete(said[end:], to-end, frame.Answers) {
			return nil
		}
	}
	return fmt.Errorf("what is said beside it is not what %s has there", s.SessionID)
}

// leadsComplete reports whether the first n lines before a piece are all that leads up to
// it and announces it. Where rules answer, rules lead up, possibly with nothing.
func leadsComplete(f basetalk.Frame, lines []string, n int, byRule bool) bool {
	if !byRule {
		return surroundsComplete(lines, n, f.Leads)
	}
	all := slices.IndexFunc(lines, func(s string) bool { return !f.Leads(s) && !f.Announces(s) })
	return all == n || all < 0 && n == len(lines)
}

// surroundsComplete reports whether the first n lines on one side of a piece are all that
// rules wrote there. Lines by a model cannot be counted.
func surroundsComplete(lines []string, n int, byRule func(string) bool) bool {
	if n < len(lines) && byRule(lines[n]) {
		return false
	}
	return n == 0 || byRule(lines[n-1]) || !slices.ContainsFunc(lines[:n], byRule)
}
