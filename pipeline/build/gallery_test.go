package build

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestGalleryShowsWhatIsReleased holds that a video without questions is in no
// contact sheet.
func TestGalleryShowsWhatIsReleased(t *testing.T) {
	var recs []pipeline.Record
	add := func(schema, id string, v any) {
		t.Helper()
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	video := func(id, layout string) {
		add(schemas.NameMedia, id, schemas.Media{MediaID: id, Kind: "video", Recipe: schemas.Recipe{Layout: layout}})
	}
	add(schemas.NameMedia, "a-picture", schemas.Media{MediaID: "a-picture", Kind: "image"})
	video("b-unasked", schemas.LayoutSplit)
	for _, id := range []string{"c", "d", "e"} {
		video(id, schemas.LayoutSplit)
	}
	video("f", schemas.LayoutConcat)
	add(schemas.NameQuestion, "q1", schemas.Question{Media: []string{"e", "f", "a-picture"}})
	add(schemas.NameQuestion, "q2", schemas.Question{Media: []string{"c", "d"}})
	add(schemas.NameTask, "t", schemas.Task{Media: []string{"b-unasked"}})
	got, err := displayed(recs)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range got {
		ids = append(ids, m.MediaID)
	}
	if want := []string{"c", "d", "f"}; !slices.Equal(ids, want) {
		t.Errorf("shows %v, want %v", ids, want)
	}
}
