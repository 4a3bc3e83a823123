package crosssource

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	var rows []Placement
	for _, row := range p.Prepared.(taskPremises).placements {
		if row.QuestionID == q.QuestionID {
			rows = append(rows, row)
		}
	}
	switch {
	case len(rows) == 0 && p.Flagged:
		return nil
	case len(rows) != 1:
		return fmt.Errorf("%d rows of %s are of it; want one", len(rows), tablePlacement)
	}
	switch row := rows[0]; {
	case row.ItemID != item:
		return fmt.Errorf("its placement is of the item %q, and it asks about %s", row.ItemID, item)
	case row.PlacementID != q.QuestionID+"/placement":
		return fmt.Errorf("its placement is called %s", row.PlacementID)
	case row.Task != r.Task || row.Arrangement != arrangement || !slices.Equal(row.Answer, answerTexts(q)):
		return fmt.Errorf("its placement is of a task %s, %s, with the answer %q", row.Task, row.Arrangement, row.Answer)
	case len(row.Pieces) != len(r.Evidence):
		return fmt.Errorf("its placement has %d pieces, and it rests on %d", len(row.Pieces), len(r.Evidence))
	default:
		sessions := p.Prepared.(taskPremises).sessions
		return cmp.Or(checkUnits(row), checkPieces(row, r, sessions), checkMisleading(row, cites, sessions), checkReplaced(row, p.Prepared.(taskPremises).task))
	}
}

// turnsFrom returns so many turns from where evidence stands, and its source.
func turnsFrom(sessions []schemas.Session, e schemas.Evidence, n int) (s schemas.Session, turns []schemas.Turn, err error) {
	at := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
	if at < 0 || n == 0 {
		return s, nil, fmt.Errorf("%d turns, in source %s", n, e.SessionID)
	}
	s = sessions[at]
	first := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref })
	if first < 0 || first+n > len(s.Turns) {
		return s, nil, fmt.Errorf("%d turns from %s on are not in %s", n, e.Ref, s.SessionID)
	}
	return s, s.Turns[first : first+n], nil
}

// checkTurns compares stated turns with those of a source and returns the names of their
// pictures.
func checkTurns(stated []PlacedTurn, turns []schemas.Turn, speaker string) (named []string, handle string, err error) {
	named = []string{}
	for i, t := range turns {
		want := PlacedTurn{TurnID: t.TurnID, Order: t.Order, Position: t.Position, Timestamp: t.Timestamp, Text: t.Text}
		for _, a := range t.Attachments {
			want.Media = a.MediaID
			named, handle = append(named, a.AttachmentID), a.AttachmentID
		}
		if stated[i] != want || speaker != t.Speaker {
			return nil, "", fmt.Errorf("turn %s stands there as %+v, and is %+v by %q", t.TurnID, stated[i], want, t.Speaker)
		}
	}
	return named, handle, nil
}

func checkPieces(row Placement, r oracle.Result, sessions []schemas.Session) error {
	for i, piece := range row.Pieces {
		if err := checkPiece(piece, r.Evidence[i], r.Length(i), sessions); err != nil {
			return fmt.Errorf("piece %s of its placement: %w", piece.UnitID, err)
		}
	}
	return checkRevisions(row.Pieces, r)
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

// checkPiece compares a piece with n turns of its source, byte for byte.
func checkPiece(p PlacedPiece, e schemas.Evidence, n int, sessions []schemas.Session) error {
	s, turns, err := turnsFrom(sessions, e, n)
	switch {
	case err != nil:
		return err
	case len(p.Turns) != n:
		return fmt.Errorf("it has %d turns; want %d", len(p.Turns), n)
	case p.SessionID != s.SessionID || p.Kind != s.Kind || !slices.Equal(p.Participants, s.Participants) || p.Role != e.Role:
		return fmt.Errorf("it is a %s in %s (%s, %q); want a %s in %s (%s, %q)", p.Role, p.SessionID, p.Kind, p.Participants, e.Role, s.SessionID, s.Kind, s.Participants)
	}
	named, handle, err := checkTurns(p.Turns, turns, p.Speaker)
	if err != nil {
		return err
	}
	if name, _, table := strings.Cut(turns[0].Text, " ("); table && len(turns) > 1 {
		handle = name
	}
	if handle != "" && handle != placement.Handle(schemas.EvidenceUnit{UnitID: p.UnitID, Modality: p.Modality}) {
		return fmt.Errorf("it is called %q, which is not what a %s of that id is called", handle, p.Modality)
	}
	if p.Handle != handle || !slices.Equal(p.Named, named) {
		return fmt.Errorf("it is called %q and shows %q; want %q and %q", p.Handle, p.Named, handle, named)
	}
	return checkAround(p, s, slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref }))
}

// checkRevisions compares what each piece revises, who must tell it, and its modality.
// The gate placement checks that updates come later.
func checkRevisions(pieces []PlacedPiece, r oracle.Result) error {
	for i, p := range pieces {
		var revises []string
		if at := r.Revised(i); at >= 0 {
			revises = []string{pieces[at].UnitID}
		}
		if !slices.Equal(p.Revises, revises) || p.Wanted != r.Teller(i) || p.Modality != r.Modality(i) {
			return fmt.Errorf("piece %s of its placement is a %s, revises %q and is wanted of %q; want a %s, %q and %q", p.UnitID, p.Modality, p.Revises, p.Wanted, r.Modality(i), revises, r.Teller(i))
		}
	}
	return nil
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

// checkMisleading compares the misleading texts of a placement with those that its
// question cites. Each is one turn.
func checkMisleading(row Placement, cites []schemas.Evidence, sessions []schemas.Session) error {
	others := misleadingEvidence(cites)
	if len(row.Misleading) != len(others) {
		return fmt.Errorf("its placement has %d texts beside its pieces, and it cites %d", len(row.Misleading), len(others))
	}
	for i, o := range row.Misleading {
		_, turns, err := turnsFrom(sessions, others[i], 1)
		switch {
		case err != nil:
			return fmt.Errorf("text %s beside its pieces: %w", o.UnitID, err)
		case len(o.Turns) != 1:
			return fmt.Errorf("text %s beside its pieces has %d turns; want 1", o.UnitID, len(o.Turns))
		case o.SessionID != others[i].SessionID:
			return fmt.Errorf("text %s beside its pieces is in %s; want %s", o.UnitID, o.SessionID, others[i].SessionID)
		}
		if _, _, err := checkTurns(o.Turns, turns, o.Speaker); err != nil {
			return fmt.Errorf("text %s beside its pieces: %w", o.UnitID, err)
		}
	}
	return nil
}

// checkReplaced compares what each misleading text revises with the sources. The gate
// placement checks that it comes later.
func checkReplaced(row Placement, task *oracle.Task) error {
	units, refs := map[string]string{}, []string{}
	for _, o := range row.Misleading {
		if len(o.Turns) == 0 {
			return fmt.Errorf("text %s beside its pieces has no turn", o.UnitID)
		}
		units[o.Turns[0].TurnID] = o.UnitID
		refs = append(refs, o.Turns[0].TurnID)
	}
	for _, o := range row.Misleading {
		var want []string
		if before := task.ReplacedTurn(o.Turns[0].TurnID, refs); before != "" {
			want = []string{units[before]}
		}
		if !slices.Equal(o.Revises, want) {
			return fmt.Errorf("text %s beside its pieces revises %q; want %q", o.UnitID, o.Revises, want)
		}
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
// misleading words, whoever says them.
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
