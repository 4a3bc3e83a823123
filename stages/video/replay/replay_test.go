package replay

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestSharesNoCodeWithTheAsker looks at what this package imports: a solver that
// used the asker's own reading of events would repeat its mistakes.
func TestSharesNoCodeWithTheAsker(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v: %v", files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); strings.Contains(path, "memforge/") && !strings.HasSuffix(path, "/schemas") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func film(title, colour string) schemas.Film {
	return schemas.Film{
		Title: title, FPS: 10, Frames: 100,
		Props: []schemas.FilmProp{{ID: "p1", Description: colour + " cup"}, {ID: "p2", Description: "green hat"}},
		Events: []schemas.FilmEvent{
			{Kind: "picks up", Prop: "p1", Start: 1, End: 2}, {Kind: "walks", Start: 2, End: 3}, {Kind: "picks up", Prop: "p2", Start: 6, End: 7},
		},
	}
}

// side shows two films side by side with one exchange in the middle.
func side() Case {
	return Case{
		Films: map[string]schemas.Film{"a": film("One", "red"), "b": film("Two", "blue")},
		Recipe: schemas.Recipe{Layout: "split-screen", SwapFrames: []int64{50}, Segments: []schemas.Segment{
			{Source: "a", Region: "left", To: 100}, {Source: "b", Region: "right", To: 100},
		}},
	}
}

func options(texts ...string) []schemas.Option {
	var out []schemas.Option
	for i, text := range texts {
		out = append(out, schemas.Option{Key: string(rune('A' + i)), Text: text})
	}
	return out
}

func TestSolve(t *testing.T) {
	const opening = "Two videos are played side by side, each in one half of the picture. "
	for _, tt := range []struct {
		question string
		options  []schemas.Option
		want     string // key, or a part of the error
	}{
		{`In the video titled "One", what is the second object to be picked up?`, options("red cup", "green hat", "blue cup"), "B"},
		{`In the video titled "Two", in which order are these things picked up?`, options("green hat, then blue cup", "blue cup, then green hat"), "B"},
		{`Which colour is left out in this sentence about the video titled "Two": "the ____ cup is picked up"?`, options("red", "green", "blue"), "C"},
		{`The red cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`,
			options(`the video titled "One", on the right`, `the video titled "One", on the left`, `the video titled "Two", on the left`), "B"},
		{`In which of the two videos is the green hat picked up?`, options("in neither video", "in both videos"), "B"},
		{`In which of the two videos is the pink hat picked up?`, options("in neither video", "in both videos"), "A"},
		{`In the video titled "One", what is the third object to be picked up?`, options("x"), "2 events"},
		{`In the video titled "One", which object is picked up?`, options("x"), "2 events"},
		{`In the video titled "One", who sings?`, options("x"), "no question about a film"},
		{`In the video titled "Six", who enters?`, options("x"), "no film is called"},
		{`Which colour is left out in this sentence about the video titled "Two": "the cup is picked up"?`, options("red"), "no gap"},
		{`Why?`, options("x"), "no known form"},
		{`In the video titled "One", what is the first object to be picked up?`, options("cup", "hat"), "0 of the options"},
		{`In the video titled "One", what is the first object to be picked up?`, options("red cup", "red cup"), "2 of the options"},
	} {
		got, err := side().Solve(opening+tt.question, tt.options)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %s, want %s", tt.question, got, tt.want)
		}
	}
	if _, err := side().Solve(`In which of the two videos is the green hat picked up?`, options("in both videos")); err == nil {
		t.Error("a question without its opening passes")
	}
}

// TestSidesChange asks after the exchange: the film has moved.
func TestSidesChange(t *testing.T) {
	c := side()
	got := c.shown("a", 49, 51)
	if len(got) != 2 || got[0].side != "left" || got[1].side != "right" {
		t.Errorf("frames 49 and 50 are at %v", got)
	}
	if !c.Holds("a", "green hat") || c.Holds("a", "blue cup") {
		t.Error("film a has the hat and not the blue cup")
	}
}
