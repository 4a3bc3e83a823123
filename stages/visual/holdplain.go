package visual

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// checkNoExtraFields wants the sessions and pictures of a life to have nothing that the stages never
// give them, where words or times could stand that contradict the answer.
func checkNoExtraFields(sessions []schemas.Session, p pipeline.Premises) error {
	for _, s := range sessions {
		want := schemas.Session{SessionID: s.SessionID, TaskID: s.TaskID, Kind: s.Kind, Participants: s.Participants, Date: s.Date, Order: s.Order}
		if s.Kind == schemas.KindProfile {
			want.Title = "Profile"
		}
		bare := s
		bare.Turns, bare.Earlier = nil, nil
		if got, want := fmt.Sprintf("%+v", bare), fmt.Sprintf("%+v", want); got != want {
			return fmt.Errorf("session %s is %s; want %s", s.SessionID, got, want)
		}
		for _, t := range s.Turns {
			if step := t.Observation + t.Reasoning + t.Action + t.Feedback; step != "" || t.Timestamp != "" || t.Position != 0 || t.Speaker != "" {
				return fmt.Errorf("turn %s by %q is of %q at place %d, with the step %q; want none of these", t.TurnID, t.Speaker, t.Timestamp, t.Position, step)
			}
		}
	}
	for _, m := range p.Media {
		if m.License != license || m.Caption != "" {
			return fmt.Errorf("picture %s has the licence %q and the caption %q; what is simulated has %s and none", m.MediaID, m.License, m.Caption, license)
		}
	}
	return nil
}
