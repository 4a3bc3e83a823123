package oracle_test

import (
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// TestLikesAreNoContradiction: who is said to look for what they stay away from, or to
// choose between two things and take a third, leaves a question without an answer.
func TestLikesAreNoContradiction(t *testing.T) {
	poster := map[string]oracle.Picture{"m": {Kind: "poster", Title: "Programme of Oak Lane", Columns: []string{"entry", "kind"}, Rows: [][]string{{"Quiet Hour", "mime acts"}, {"Loud Hour", "rope climbing"}}}}
	for said, ok := range map[string]bool{
		"I look for mime acts and kite flying, and I stay away from rope climbing.":     true,
		"I look for rope climbing and kite flying, and I stay away from rope climbing.": false,
		"It was mime acts or rope climbing for me, and I took mime acts.":               true,
		"It was kite flying or rope climbing for me, and I took mime acts.":             false,
	} {
		s := schemas.Session{SessionID: "t/S00", Kind: schemas.KindGroupChat, Participants: []string{"Ida Holm"}, Turns: []schemas.Turn{
			{TurnID: "t/S00/T001", Order: 1, Position: 1, Speaker: "Ida Holm", Text: said},
			{TurnID: "t/S00/T002", Order: 2, Position: 9, Speaker: "Ida Holm", Text: "(Fig. 00000001)", Attachments: []schemas.Attachment{{AttachmentID: "Fig. 00000001", MediaID: "m"}}},
		}}
		task, err := oracle.New([]schemas.Session{s}, poster)
		if err != nil {
			t.Fatal(err)
		}
		way := "leave out"
		if said[0] == 'I' && said[1] == 't' {
			way = "pick"
		}
		r, err := task.Answer("See Fig. 00000001: which entry of the programme is Ida Holm most likely to "+way+"?", nil)
		if (err == nil) != ok || ok && r.Right == "" {
			t.Errorf("%q: %q, %v", said, r.Right, err)
		}
	}
}
