package gallery_test

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
)

// TestAGalleryIsBounded: of many types of each family and many questions of one, a few are kept, and
// the choice does not rest on their number.
func TestAGalleryIsBounded(t *testing.T) {
	var c gallery.Choice
	if got := c.Questions(); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
	for i := range 1000 {
		for typ := range 40 {
			c.Add(schemas.Question{QuestionID: fmt.Sprint("z", i), Family: "z", Type: fmt.Sprintf("t%02d", typ)})
			c.Add(schemas.Question{QuestionID: fmt.Sprint("q", i), Type: fmt.Sprintf("t%02d", typ), Media: []string{fmt.Sprint("m", i)}})
		}
	}
	got := c.Questions()
	if len(got) != 32 || got[0].Type != "t00" || got[15].Type != "t15" || got[16].Family != "z" || got[31].Type != "t15" {
		t.Fatalf("%d cards", len(got))
	}
	// Twelve are known of each type: so many media are shown before one comes again.
	for i, q := range got[:12] {
		if q.QuestionID != fmt.Sprint("q", i) {
			t.Errorf("card %d is of %s", i, q.QuestionID)
		}
	}
}

func TestCardsAreFoundByFamily(t *testing.T) {
	r := pipeline.NewRegistry()
	gallery.Add(r, gallery.Card{Family: "f"})
	if _, found := gallery.CardOf(r, "f"); !found {
		t.Error("a registered card is not found")
	}
	if _, found := gallery.CardOf(r, "g"); found {
		t.Error("a card that nobody registered is found")
	}
	gallery.Add(r, gallery.Card{Family: "f"})
	if r.Err() == nil {
		t.Error("a family has two cards")
	}
}
