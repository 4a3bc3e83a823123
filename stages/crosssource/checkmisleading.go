package crosssource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// checkUnits wants a placement to have the first units of its item, each once: what misleads
// comes after the evidence, and pictures that nothing is asked about after both.
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

// checkMisleading wants what a placement has beside its pieces to be what its question cites as
// leading to wrong answers, each a turn.
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

// checkReplaced wants each text beside the pieces of a placement to revise what its sources say
// that it takes the place of. That it stands later the gate placement holds.
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

// misleadingEvidence is evidence that leads to wrong answers.
func misleadingEvidence(cites []schemas.Evidence) (out []schemas.Evidence) {
	for _, e := range cites {
		if e.Role == schemas.RoleDistractor {
			out = append(out, e)
		}
	}
	return out
}

// checkTwin wants a question to be misled by the words that its twin is misled by, whoever
// says them there; nil is no twin.
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

// checkAround wants what is said beside a piece to be what its chat says there, all of it.
// A piece in a chat has somebody after it.
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

// leadsComplete reports whether the first n lines, away from a piece, are all that leads up to it and
// announces it. Where rules answer, rules lead up, if only with nothing.
func leadsComplete(f basetalk.Frame, lines []string, n int, byRule bool) bool {
	if !byRule {
		return surroundsComplete(lines, n, f.Leads)
	}
	all := slices.IndexFunc(lines, func(s string) bool { return !f.Leads(s) && !f.Announces(s) })
	return all == n || all < 0 && n == len(lines)
}

// surroundsComplete reports whether the first n lines, away from a piece, are all that the rules say
// on that side of it. Of lines by a model nobody can tell how many there are.
func surroundsComplete(lines []string, n int, byRule func(string) bool) bool {
	if n < len(lines) && byRule(lines[n]) {
		return false
	}
	return n == 0 || byRule(lines[n-1]) || !slices.ContainsFunc(lines[:n], byRule)
}
