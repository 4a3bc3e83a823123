package oracle

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestModalityOfAPiece: one turn is text, more are a table, and what is attached is a picture.
func TestModalityOfAPiece(t *testing.T) {
	turn := schemas.Turn{TurnID: "t"}
	shown := schemas.Turn{TurnID: "t", Attachments: []schemas.Attachment{{MediaID: "m", Caption: "c", MinimalCaption: "n", TaskAwareCaption: "a"}}}
	for want, turns := range map[string][]schemas.Turn{schemas.ModalityText: {turn}, schemas.ModalityTable: {turn, turn}, schemas.ModalityImage: {shown}} {
		e := (&Piece{session: &schemas.Session{SessionID: "s"}, turns: turns}).evidence("clue", 3)
		if e.Modality != want || e.Order != 3 || e.Role != "clue" || e.Ref != "t" || e.SessionID != "s" || (e.Media == "m") != (want == schemas.ModalityImage) {
			t.Errorf("%d turns: %+v, want %s", len(turns), e, want)
		}
	}
	empty := Result{}
	if got := empty.Interval(); got != 0 {
		t.Errorf("%g turns between no pieces", got)
	}
}
