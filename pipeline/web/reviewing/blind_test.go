package reviewing

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// TestBlindPagesShowNoCaptions: pictures without their captions, spans of one video on one film.
func TestBlindPagesShowNoCaptions(t *testing.T) {
	media := map[string]catalog.Medium{}
	for _, id := range []string{"p", "q", "v", "w"} {
		media[id] = catalog.Medium{Media: schemas.Media{MediaID: id, Width: 40, Height: 30, Duration: 9, Caption: "it is a cup"}, Path: "media/" + id}
	}
	b := blindPage{Blind: rounds.Blind{Pieces: []rounds.Piece{
		{Media: "p", Own: true}, {Media: "q", Text: "Ann: look", When: "May"}, {Text: "Ben: so", When: "June"}, {Media: "v", Video: true, From: 1, To: 2}, {Media: "w", Video: true}, {Media: "v", Video: true, From: 4, To: 5, Text: "a note"}, {},
	}}}
	b.lay(media)
	if len(b.Own) != 1 || b.Own[0].Media != "p" || b.Own[0].Captions != nil || b.Own[0].Missing != "" {
		t.Errorf("own pictures %+v", b.Own)
	}
	if len(b.Passages) != 3 || b.Passages[0].Text != "Ann: look" || b.Passages[0].When != "May" || b.Passages[0].Picture == nil || b.Passages[0].Picture.Media != "q" || b.Passages[0].Picture.Captions != nil || b.Passages[1].When != "June" || b.Passages[2].Text != "a note" {
		t.Errorf("passages %+v", b.Passages)
	}
	if len(b.Films) != 2 || b.Films[0].ID != "film1" || b.Films[0].Facts != "film 1, 9.00 s" || b.Films[0].Open != "#t=1.000,2.000" || fmt.Sprint(len(b.Films[0].Spans), b.Films[0].Spans[1].Number, b.Films[0].Spans[1].From) != "2 2 4" || b.Films[1].Media != "w" || b.Films[1].Open != "" || len(b.Films[1].Spans) != 0 {
		t.Errorf("films %+v", b.Films)
	}
}
