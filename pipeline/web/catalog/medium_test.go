package catalog

import (
	"reflect"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// Events of an original lie on the clock of the medium that shows it, cut to what it shows.
func TestNewMedium(t *testing.T) {
	m := schemas.Media{FPS: 10, Recipe: schemas.Recipe{Segments: []schemas.Segment{
		{Original: "b", Region: "right", Video: "B", From: 0, To: 30, At: 70},
		{Original: "a", Region: "left", Video: "A", From: 20, To: 60, At: 10},
	}}}
	event := func(from, to float64) schemas.StatedEvent {
		return schemas.StatedEvent{From: from, To: to, Kind: "waves"}
	}
	events := map[string][]schemas.StatedEvent{
		"a": {event(4, 5), event(1, 3), event(5, 9), event(0, 2), event(6, 7)},
		"b": {event(0, 0.5)},
		"c": {event(0, 9)},
	}
	got := newMedium(m, map[string]string{"a": "Pie"}, events)
	want := Medium{
		Media: m,
		Parts: []Part{
			{Segment: m.Recipe.Segments[1], Begin: 1, End: 5, Title: "Pie"},
			{Segment: m.Recipe.Segments[0], Begin: 7, End: 10},
		},
		Shown: []Statement{
			{StatedEvent: event(1, 3), Begin: 1, End: 2, Video: "A", Region: "left", Title: "Pie"},
			{StatedEvent: event(4, 5), Begin: 3, End: 4, Video: "A", Region: "left", Title: "Pie"},
			{StatedEvent: event(5, 9), Begin: 4, End: 5, Video: "A", Region: "left", Title: "Pie"},
			{StatedEvent: event(0, 0.5), Begin: 7, End: 7.5, Video: "B", Region: "right"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	picture := m
	picture.FPS = 0
	if got := newMedium(picture, nil, events); len(got.Parts)+len(got.Shown) != 0 {
		t.Errorf("a picture has a clock: %+v", got)
	}
}
