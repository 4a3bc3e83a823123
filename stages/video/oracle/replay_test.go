package oracle

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestSharesNoCodeWithTheAsker looks at what this package imports: a reader that
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
			if path := strings.Trim(imp.Path.Value, `"`); strings.Contains(path, "memforge/") && !strings.HasSuffix(path, "/schemas") && !strings.HasSuffix(path, "/wordings") && !strings.HasSuffix(path, "/phrasebook") && !strings.Contains(path, "/testkit/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func picks(original, object string, from, to float64) schemas.StatedEvent {
	return schemas.StatedEvent{Original: original, From: from, To: to, Kind: "picks up", Actors: []string{"Ada"}, Objects: []string{object}, SourceID: "films"}
}

func label(original, attribute, value string) schemas.StatedLabel {
	return schemas.StatedLabel{Original: original, Attribute: attribute, Value: value, SourceID: "films"}
}

// side shows two films of ten seconds side by side, with an exchange in the
// middle. Either picks up a cup, then a green hat.
func side() Case {
	segment := func(name, region, video string) schemas.Segment {
		return schemas.Segment{Source: "source " + name, Original: name, SourceID: "films", Region: region, Video: video, To: 100}
	}
	c := Case{
		Media: schemas.Media{MediaID: "m", FPS: 10, Frames: 100, Recipe: schemas.Recipe{
			Layout: "split-screen", SwapFrames: []int64{50}, Segments: []schemas.Segment{segment("a", "left", "A"), segment("b", "right", "B")},
		}},
	}
	for _, f := range [][3]string{{"a", "One", "red"}, {"b", "Two", "blue"}} {
		c.Events = append(c.Events, picks(f[0], f[2]+" cup", 1, 2), picks(f[0], "green hat", 6, 7))
		c.Labels = append(c.Labels, label(f[0], "title", f[1]))
		for _, value := range []string{"anvil", "pink hat", "jar", "lamp"} {
			c.Labels = append(c.Labels, label(f[0], "absent", value))
		}
	}
	return c
}

func options(texts ...string) []schemas.Option {
	var out []schemas.Option
	for i, text := range texts {
		out = append(out, schemas.Option{Key: string(rune('A' + i)), Text: text})
	}
	return out
}

func TestQuestions(t *testing.T) {
	const opening = "Two videos are played side by side, each in one half of the picture. "
	places := options(`the video titled "One", on the right`, `the video titled "One", on the left`, `the video titled "Two", on the left`, `the video titled "Two", on the right`)
	for _, tt := range []struct {
		question string
		options  []schemas.Option
		want     string // key and type, or a part of the error
	}{
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "red cup", "jar", "lamp"), "B content_retention"},
		{`Think of the video titled "One": which of these objects is picked up?`, options("anvil", "red cup", "jar", "lamp"), "B content_retention"},
		{`Which of these objects is picked up in the video titled "One"?`, options("anvil", "red cup", "jar", "lamp"), "B content_retention"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "red cup", "jar", "key"), "not stated to be of neither"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "red cup", "jar", "green hat"), "more than one option is true"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "red cup", "jar", "blue cup"), "1 of its wrong options"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "red cup", "jar", "cup"), "could be meant by each other"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "pink hat", "jar", "lamp"), "no option happens"},
		{`In the video titled "One", which of these objects is picked up?`, options("anvil", "green hat", "jar", "lamp"), "of the other video as well"},
		{`In the video titled "One", what is the third object to be picked up?`, options("a", "b", "c", "d"), "2 things"},
		{`In the video titled "One", what is the first object to be picked up?`, options("anvil", "red cup", "green hat", "lamp"), "it has no place in the order"},
		{`In the video titled "One", which of these objects is put down?`, options("a", "b", "c", "d"), "no option happens"},
		{`In the video titled "One", who sings?`, options("a", "b", "c", "d"), "no known form"},
		{`In the video titled "Six", which of these people enters?`, options("a", "b", "c", "d"), "no video is"},
		{`Why?`, options("a", "b", "c", "d"), "no known form"},
		{`What is left out of this sentence about the video titled "Two": "the ____ cup is picked up"?`, options("red", "green", "blue", "pink"), "of the other video"},
		{`What is left out of this sentence about the video titled "Two": "the ____ cup is picked up"?`, options("brown", "green", "blue", "pink"), "C content_retention"},
		{`For the video titled "Two", what has to stand in the gap: "the blue ____ is picked up"?`, options("cup", "lamp", "jar", "anvil"), "A content_retention"},
		{`What is left out of this sentence about the video titled "Two": "the ____ cup is picked up"?`, options("brown", "green", "blue", "A"), "of another kind"},
		{`What is left out of this sentence about the video titled "Two": "the cup is picked up"?`, options("a", "b", "c", "d"), "no known form"},
		{`In the video titled "Two", which of these objects does Ada pick up?`, options("a", "b", "c", "d"), "0 events"},
		{`In the video titled "Two", which of these happens?`, options("a", "b", "c", "d"), "nobody and nothing"},
		{`In the video titled "Two", what does the sign say when the blue cup is picked up?`, options("a", "b", "c", "d"), "not seen to change"},
		{`The red cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`, places, "B spatial_grounding"},
		{`The blue cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`, places, "D spatial_grounding"},
		{`The green hat is picked up: which video is that part of, and on which side of the picture is that video at that moment?`, places, "2 things"},
		{`the red cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`, places, "0 things"},
		{`The red cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`, options("left", "right", "a", "b"), "names no video"},
	} {
		got, _, err := side().DeriveQuestion(schemas.Question{Question: opening + tt.question, Options: tt.options})
		said := got.AnswerKey + " " + got.Type
		if err != nil {
			said = err.Error()
		}
		if said != tt.want && (err == nil || !strings.Contains(said, tt.want)) {
			t.Errorf("%s %v: %s, want %s", tt.question, tt.options, said, tt.want)
		}
	}
	if _, _, err := side().DeriveQuestion(schemas.Question{Question: `In the video titled "One", who enters?`}); err == nil {
		t.Error("a question without its opening passes")
	}
}

// TestSidesChange asks after the exchange: the film has moved.
func TestSidesChange(t *testing.T) {
	w, err := side().composition()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		start, end float64
		want       string
	}{{1, 2, "left"}, {6, 7, "right"}, {4, 5, "left"}, {4, 5.1, ""}, {4.9, 5, "left"}, {5, 5.1, "right"}} {
		if got := w.sideOf(moment{w.videos["A"], seenEvent{start: tt.start, end: tt.end}}); got != tt.want {
			t.Errorf("seconds %g to %g are on the side %q, want %q", tt.start, tt.end, got, tt.want)
		}
	}
}

// TestRecipesThatNoCompositionHas are refused.
func TestRecipesThatNoCompositionHas(t *testing.T) {
	for name, change := range map[string]func(*schemas.Media){
		"no segments":         func(m *schemas.Media) { m.Recipe.Segments = nil },
		"no rate":             func(m *schemas.Media) { m.FPS = 0 },
		"another layout":      func(m *schemas.Media) { m.Recipe.Layout = "pile" },
		"both on the left":    func(m *schemas.Media) { m.Recipe.Segments[1].Region = "left" },
		"a third video":       func(m *schemas.Media) { m.Recipe.Segments[1].Video = "C" },
		"too short":           func(m *schemas.Media) { m.Recipe.Segments[1].To = 90 },
		"backwards":           func(m *schemas.Media) { m.Recipe.Segments[1].From = 100 },
		"later":               func(m *schemas.Media) { m.Recipe.Segments[1].At = 1 },
		"swapped early":       func(m *schemas.Media) { m.Recipe.SwapFrames[0] = 49 },
		"two files for one":   func(m *schemas.Media) { m.Recipe.Segments[1].Original = "a" },
		"of another source":   func(m *schemas.Media) { m.Recipe.Segments[1].SourceID = "elsewhere" },
		"longer than it says": func(m *schemas.Media) { m.Frames = 99 },
	} {
		c := side()
		change(&c.Media)
		if _, err := c.composition(); err == nil {
			t.Errorf("%s: it is a world", name)
		}
	}
}

// FuzzWording wants what is read off a question to give the question again.
func FuzzWording(f *testing.F) {
	for layout, opening := range openings {
		for _, text := range []string{
			`In the video titled "One", what is the first object to be picked up?`, `In a, which sign is the second to be shown?`,
			`In a, in which order are these shown, each of them a sign?`, `What is left out of this sentence about b: "the ____ cup is picked up"?`,
			"In which of the two videos does Ada enter?", "The cup is opened: which video is that part of, and in which half of the whole stream does it happen?", "?", "In , which of these happens?",
			"What does the sign say when Ada enters in b?", "As for b, which of these objects does Ada pick up?",
		} {
			f.Add(layout, opening+text)
		}
	}
	f.Add(layoutNBack, "You see 4 clips, one after the other. Does the last clip show the same action as the clip 1 position before it?")
	f.Fuzz(func(t *testing.T, layout, text string) {
		if w, err := parseWording(layout, text); err == nil && (w.String() != text || w.form == "") {
			t.Errorf("%q is read as %+v, which says %q", text, w, w.String())
		}
		if tr, err := parseTrial(text); err == nil && (tr.String() != text || tr.n >= tr.k) {
			t.Errorf("%q is read as %+v", text, tr)
		}
	})
}

// FuzzQuestion wants no tables, however odd, to make the reader fall over.
func FuzzQuestion(f *testing.F) {
	for _, q := range []string{
		`In the video titled "One", which of these objects is picked up?`, `In the video titled "One", what is the first object to be picked up?`, `In which of the two videos is the pink hat picked up?`,
		`The red cup is picked up: which video is that part of, and on which side of the picture is that video at that moment?`,
		`In the video titled "Two", in which order are these things picked up?`,
	} {
		f.Add(layoutSplit, "B", openings[layoutSplit]+q, "red cup", "films", int64(0), int64(100), int64(0), int64(50), 1.0, 2.0)
	}
	f.Add(layoutNBack, "2", "You see 2 clips, one after the other. Does the last clip show the same title as the clip 1 position before it?", "", "films", int64(0), int64(100), int64(100), int64(50), 1.0, 2.0)
	f.Fuzz(func(t *testing.T, layout, video, question, value, source string, from, to, at, swap int64, start, end float64) {
		c := side()
		r := &c.Media.Recipe
		r.Layout, r.SwapFrames[0] = layout, swap
		r.Segments[1].Video, r.Segments[1].From, r.Segments[1].To, r.Segments[1].At = video, from, to, at
		c.Media.Frames = max(100, at+to-from)
		c.Events[0].From, c.Events[0].To, c.Events[0].Objects[0] = start, end, value
		c.Labels[1].Value, c.Labels[0].SourceID = value, source
		q := schemas.Question{Question: question, Options: options(value, "red cup", "jar", "green hat"), Media: []string{"m"}}
		got, _, err := c.DeriveQuestion(q)
		if err == nil && got.AnswerKey == "" {
			t.Errorf("no answer: %+v", got)
		}
		if task, _, err := DeriveTask(schemas.Task{}, []Case{c}, []schemas.Question{q}); err == nil && len(task.Media) != 1 {
			t.Errorf("a task of one medium lists %q", task.Media)
		}
	})
}

// TestNamesAndCitations: a video of one original may be named by the frames shown, and
// evidence cites spans that are all among those stated, with their roles.
func TestNamesAndCitations(t *testing.T) {
	for want, f := range map[string]*video{
		"[a a[10,60)]": {length: 50, stretches: []stretch{{original: "a", from: 10, to: 30}, {original: "a", from: 30, to: 60}}},
		"[]":           {length: 50, stretches: []stretch{{original: "a", from: 10, to: 30}, {original: "a", from: 31, to: 61}}},
		"[] ":          {length: 50, stretches: []stretch{{original: "a", from: 10, to: 30}, {original: "b", from: 30, to: 60}}},
	} {
		if got := fmt.Sprint(f.originNames()); got != strings.TrimSpace(want) {
			t.Errorf("%+v: %s, want %s", f.stretches, got, want)
		}
	}
	stated := []schemas.Evidence{{Role: "clue", Ref: "m#t=1.00,2.00"}, {Role: "distractor", Ref: "m#t=3.00,4.50"}}
	cited := func(role string, start, end float64) evidenceSpan {
		return evidenceSpan{span{start: start, end: end}, role, ""}
	}
	for _, c := range []struct {
		spans []evidenceSpan
		want  bool
	}{
		{nil, true}, {[]evidenceSpan{cited("clue", 1, 2)}, true}, {[]evidenceSpan{cited("clue", 1, 2), cited("distractor", 3, 4.5)}, true},
		{[]evidenceSpan{cited("clue", 1, 2), cited("clue", 3, 4.5)}, false}, {[]evidenceSpan{cited("clue", 1, 2.01)}, false},
	} {
		if got := citesAll(stated, "m", c.spans); got != c.want {
			t.Errorf("%+v: %t", c.spans, got)
		}
	}
	if citesAll(stated, "n", []evidenceSpan{cited("clue", 1, 2)}) {
		t.Error("evidence of another medium is cited")
	}
	one := &video{stretches: []stretch{{sourceID: "a"}, {sourceID: "a"}}}
	if got := one.singleSource(); got != "a" {
		t.Errorf("source %q", got)
	}
	if one.stretches[1].sourceID = "b"; one.singleSource() != "" {
		t.Error("two sources are one")
	}
}
