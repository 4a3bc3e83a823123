package oracle

import "github.com/memforge/memforge/schemas"

// Difficulty is what makes a question hard, as its labels state it.
type Difficulty struct {
	// Alike counts the other things in the cited pictures that tell the same aspect.
	Alike int
	// Distance is how many sessions follow the one with the last evidence.
	Distance int
	// Distractors counts the pictures that are not cited.
	Distractors int
	// Updates is how often what is asked about changes in the pictures.
	Updates int
}

// measureDifficulty measures what a question rests on.
func (t *Conversation) measureDifficulty(cited []schemas.Evidence, aspect string, updates int) Difficulty {
	out := Difficulty{Alike: -len(cited), Distractors: len(t.pictures) - len(cited), Updates: updates}
	last := int32(0)
	for _, e := range cited {
		for _, s := range t.pictures {
			if s.round[0].TurnID != e.Ref || s.attachment.MediaID != e.Media {
				continue
			}
			last = max(last, s.session.Order)
			for _, th := range s.Things {
				if th.Tells[aspect] != "" {
					out.Alike++
				}
			}
		}
	}
	for _, s := range t.sessions {
		if s.Order > last {
			out.Distance++
		}
	}
	return out
}
