package assemble

import (
	"context"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
)

// TestCardsAreOfEveryType: one question of each type, about media that no other card
// shows where there are such, with the media that are released.
func TestCardsAreOfEveryType(t *testing.T) {
	var recs []pipeline.Record
	add := func(schema, id string, v any) {
		t.Helper()
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	for _, id := range []string{"m1", "m2", "unasked"} {
		add(schemas.NameMedia, id, schemas.Media{MediaID: id, Kind: "video"})
	}
	ask := func(id, family, typ string, media ...string) {
		add(schemas.NameQuestion, id, schemas.Question{QuestionID: id, Family: family, Type: typ, Media: media})
	}
	ask("q1", "f", "order", "m1")
	ask("q2", "f", "order", "m1")
	ask("q3", "f", "place", "m1")
	ask("q4", "f", "place", "m2")
	ask("q5", "f", "source", "m2")
	ask("q6", "e", "words")
	ask("q7", "e", "words")
	chosen, media, err := chooseCards(giving(recs))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, q := range chosen {
		ids = append(ids, q.QuestionID)
	}
	if want := []string{"q6", "q1", "q4", "q5"}; !slices.Equal(ids, want) || len(media) != 2 {
		t.Errorf("shows %v with %d media, want %v with 2", ids, len(media), want)
	}
	reg := pipeline.NewRegistry()
	gallery.Add(reg, gallery.Card{Family: "f", Render: func(_ context.Context, q schemas.Question, media []schemas.Media, _ gallery.File) ([]byte, error) {
		return []byte(q.QuestionID + " " + media[0].MediaID), nil
	}})
	c := &collector{reg: reg, store: struct{ pipeline.Store }{}}
	got, err := c.drawCards(t.Context(), giving(recs))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "q1 m1", "q4 m2", "q5 m2"} {
		if got[i].QuestionID != ids[i] || string(got[i].Data) != want {
			t.Errorf("card %d is of %s with the picture %q, want %q", i, got[i].QuestionID, got[i].Data, want)
		}
	}
	c.licensed = true // and the media have no licence
	if got, err = c.drawCards(t.Context(), giving(recs)); err != nil || slices.ContainsFunc(got, func(g release.GalleryImage) bool { return g.Data != nil }) {
		t.Errorf("referenced media are shown: %v, %v", got, err)
	}
}
