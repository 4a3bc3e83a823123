package view

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

var (
	imageID = strings.Repeat("1", 64)
	videoID = strings.Repeat("2", 64)
)

// chain is a changing state: a text, an image that is overridden, a distractor,
// a span of a video that overrides it, and a table. The list is out of order.
func chain() *schemas.Question {
	return &schemas.Question{
		Question: "Where?", AnswerKey: "b", AnswerText: "on the shelf", Media: []string{videoID},
		Labels: map[string]string{"target": "SECRET"}, Explanation: "SECRET",
		Options: []schemas.Option{{Key: "a", Text: "table"}, {Key: "b", Text: "shelf", Role: "SECRET"}, {Key: "c", Text: "floor"}, {Key: "d", Text: "box"}},
		Evidence: []schemas.Evidence{
			{Kind: "media", Ref: videoID + "#t=4,6.5", Role: schemas.RoleUpdate, Order: 4, Text: "look", Caption: "a shelf in full", MinimalCaption: "a room", SourceID: "cam"},
			{Kind: "turn", Ref: "turn-1", Role: schemas.RoleClue, Order: 1, Text: "the cup", SessionID: "chat", SourceID: "SECRET"},
			{Kind: "turn", Ref: "turn-2", Role: schemas.RoleSuperseded, Order: 2, Text: "see", Media: imageID, Caption: "a table in full", MinimalCaption: "a photo", SessionID: "chat"},
			{Kind: "media", Ref: videoID + "#t=0,1", Role: schemas.RoleDistractor, Order: 3, Text: "elsewhere"},
			{Kind: "table", Ref: "sheet", Role: schemas.RoleClue, Order: 5, Text: "cup,1", SourceID: "sheets"},
		},
	}
}

// told writes passages down: text, caption in brackets, pictures.
func told(ps []Passage) string {
	var out []string
	for _, p := range ps {
		s := p.Text
		if p.Caption != "" {
			s += "[" + p.Caption + "]"
		}
		if p.Picture != nil {
			s += fmt.Sprintf("(%s %g-%g x%d)", p.Picture.Media[:1], p.Picture.From, p.Picture.To, p.Picture.Frames)
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestViews(t *testing.T) {
	for name, want := range map[string]string{
		"none":                   "",
		"text":                   "the cup | see | look | cup,1",
		"minimal_caption":        "the cup | see[a photo] | look[a room] | cup,1",
		"dense_caption":          "the cup | see[a table in full] | look[a shelf in full] | cup,1",
		"oracle":                 "the cup | see(1 0-0 x1) | look(2 4-6.5 x4) | cup,1",
		"all_clues":              "the cup | see(1 0-0 x1) | look(2 4-6.5 x4) | cup,1",
		"stale_only":             "the cup | see(1 0-0 x1)",
		"latest_only":            "look(2 4-6.5 x4)",
		"single_frame":           "(2 4-6.5 x1)",
		"only:1":                 "the cup",
		"only:3":                 "look(2 4-6.5 x4)",
		"without:3":              "the cup | see(1 0-0 x1) | cup,1",
		"only_source:chat":       "the cup | see(1 0-0 x1)",
		"only_source:cam":        "look(2 4-6.5 x4)",
		"without_modality:text":  "(1 0-0 x1) | (2 4-6.5 x4) | cup,1",
		"without_modality:image": "the cup | see | look(2 4-6.5 x4) | cup,1",
		"without_modality:video": "the cup | see(1 0-0 x1) | look | cup,1",
		"without_modality:table": "the cup | see(1 0-0 x1) | look(2 4-6.5 x4)",
		"full":                   "the cup | see(1 0-0 x1) | elsewhere | look | cup,1 | (2 0-0 x4)",
	} {
		s, err := Show(chain(), name, Settings{Frames: 4, Most: 32})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := told(s.Passages); got != want {
			t.Errorf("%s shows %s\nwant %s", name, got, want)
		}
		if all := fmt.Sprintf("%+v", s); strings.Contains(all, "SECRET") {
			t.Errorf("%s shows what no solver may see: %s", name, all)
		}
		if Describe(name) == "" {
			t.Errorf("%s has no words", name)
		}
	}
}

// TestWhatMisleadsIsShownWithAPart: a view that hides something shows in their order the
// texts of the conversation that lead to wrong answers, which are no pieces themselves and
// of which no picture is shown; one that shows all that the answer rests on has them not.
func TestWhatMisleadsIsShownWithAPart(t *testing.T) {
	q := chain()
	q.Evidence = append(q.Evidence,
		schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: "turn-3", Role: schemas.RoleDistractor, Order: 3, Text: "the jug", Media: imageID, Caption: "a jug in full", MinimalCaption: "a jug", SessionID: "other"},
		schemas.Evidence{Kind: schemas.EvidenceText, Ref: "note", Role: schemas.RoleDistractor, Order: 6, Text: "the pan"},
		schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: "turn-4", Role: schemas.RoleDistractor, Order: 7, Media: imageID, Caption: "a pan in full"},
	)
	for name, want := range map[string]string{
		"none":                   "",
		"text":                   "the cup | see | the jug | look | cup,1 | the pan",
		"minimal_caption":        "the cup | see[a photo] | the jug | look[a room] | cup,1 | the pan",
		"dense_caption":          "the cup | see[a table in full] | the jug | look[a shelf in full] | cup,1 | the pan",
		"oracle":                 "the cup | see(1 0-0 x1) | look(2 4-6.5 x4) | cup,1",
		"all_clues":              "the cup | see(1 0-0 x1) | look(2 4-6.5 x4) | cup,1",
		"stale_only":             "the cup | see(1 0-0 x1) | the jug | the pan",
		"latest_only":            "the jug | look(2 4-6.5 x4) | the pan",
		"single_frame":           "(2 4-6.5 x1)",
		"only:1":                 "the cup | the jug | the pan",
		"only:3":                 "the jug | look(2 4-6.5 x4) | the pan",
		"without:3":              "the cup | see(1 0-0 x1) | the jug | cup,1 | the pan",
		"only_source:chat":       "the cup | see(1 0-0 x1) | the jug | the pan",
		"without_modality:text":  "(1 0-0 x1) | (2 4-6.5 x4) | cup,1",
		"without_modality:image": "the cup | see | the jug | look(2 4-6.5 x4) | cup,1 | the pan",
		"without_modality:table": "the cup | see(1 0-0 x1) | the jug | look(2 4-6.5 x4) | the pan",
		"full":                   "the cup | see(1 0-0 x1) | elsewhere | the jug(1 0-0 x1) | look | cup,1 | the pan | (1 0-0 x1) | (2 0-0 x4)",
	} {
		s, err := Show(q, name, Settings{Frames: 4, Most: 32})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := told(s.Passages); got != want {
			t.Errorf("%s shows %s\nwant %s", name, got, want)
		}
	}
	if got := fmt.Sprint(CountPieces(q), JudgedPieces(q), Sources(q), Modalities(q)); got != "4 [1 3 4] [chat cam sheets] [image table text video]" {
		t.Errorf("what misleads counts among the parts: %s", got)
	}
	for _, name := range []string{"only:5", "only_source:other"} {
		var l *MissingError
		if _, err := Show(q, name, Settings{}); !errors.As(err, &l) {
			t.Errorf("%s shows what misleads as a part: %v", name, err)
		}
	}
	q.Evidence = slices.DeleteFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Role != schemas.RoleDistractor && e.Kind != "media" })
	q.Evidence[0].Text = ""
	if _, err := Show(q, Text, Settings{}); err == nil {
		t.Error("what misleads stands for a text of the evidence")
	}
}

func TestWhatAViewLacks(t *testing.T) {
	edited := func(edit func(*schemas.Question)) *schemas.Question {
		q := chain()
		edit(q)
		return q
	}
	textual := edited(func(q *schemas.Question) {
		q.Evidence = []schemas.Evidence{{Kind: "turn", Ref: "t", Role: schemas.RoleClue, Text: "x"}}
	})
	for _, tc := range []struct {
		item       *schemas.Question
		name, code string
	}{
		{edited(func(q *schemas.Question) { q.Evidence = q.Evidence[3:4] }), "oracle", "no-evidence"},
		{edited(func(q *schemas.Question) { q.Evidence[1].Text = "" }), "only:2", "empty-evidence"},
		{edited(func(q *schemas.Question) { q.Evidence[0].Caption = "" }), "dense_caption", "no-caption"},
		{edited(func(q *schemas.Question) { q.Evidence[0].Role = schemas.RoleClue }), "stale_only", "no-update"},
		{edited(func(q *schemas.Question) { q.Evidence = q.Evidence[:1] }), "stale_only", "nothing-stale"},
		{edited(func(q *schemas.Question) { q.Evidence = q.Evidence[:1]; q.Evidence[0].Text = "" }), "text", "no-text"},
		{textual, "text", "no-picture"}, {textual, "minimal_caption", "no-picture"}, {textual, "single_frame", "no-video"},
		{textual, "only:2", "no-such-piece"}, {textual, "only:x", "no-such-piece"}, {textual, "without:0", "no-such-piece"},
		{textual, "only_source:nobody", "no-such-source"}, {textual, "without_modality:smell", "no-such-modality"},
		{&schemas.Question{}, "full", "no-evidence"},
	} {
		_, err := Show(tc.item, tc.name, Settings{Frames: 4, Most: 32})
		var l *MissingError
		if !errors.As(err, &l) || l.Code != tc.code || l.Reason == "" {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.code)
		}
	}
	var l *MissingError
	if _, err := Show(chain(), "dreams", Settings{}); err == nil || errors.As(err, &l) && l.Code == "" {
		t.Errorf("no such view: %v", err)
	}
}

// TestTheAnswerVisitsEveryPlace over all rotations, each with a digest of its
// own.
func TestTheAnswerVisitsEveryPlace(t *testing.T) {
	places, digests := map[string]bool{}, map[string]bool{}
	for r := range 4 {
		s, err := Show(chain(), None, Settings{Rotation: r})
		if err != nil || len(s.Options) != 4 || s.Options[0].Letter != "A" {
			t.Fatalf("rotation %d: %+v, %v", r, s, err)
		}
		for i, o := range s.Options {
			if chain().Options[OptionAt(i, r, 4)].Text != o.Text {
				t.Errorf("rotation %d: place %d", r, i)
			}
			if o.Text == "shelf" {
				places[o.Letter] = true
			}
		}
		d := digestOf(t, s)
		digests[string(d)] = true
	}
	if len(places) != 4 || len(digests) != 4 {
		t.Errorf("the answer stood at %v; %d digests", places, len(digests))
	}
	s, err := Show(chain(), None, Settings{Propose: true, Rotation: 3})
	if err != nil || s.Proposed != "on the shelf" || len(s.Options) != 4 || s.Options[0].Text != "shelf" {
		t.Errorf("a judge is shown the answer and the options: %+v, %v", s, err)
	}
}

func TestPartsOfAnItem(t *testing.T) {
	q := chain()
	if got := fmt.Sprint(CountPieces(q), JudgedPieces(q), Sources(q), Modalities(q), HasOverride(q)); got != "4 [1 3 4] [chat cam sheets] [image table text video] true" {
		t.Errorf("parts: %s", got)
	}
	q.Evidence[0].Order = 0
	if HasOverride(q) {
		t.Error("an update that stands before what it overrides")
	}
	for ref, want := range map[string]string{
		imageID + "#t=3":            "3-0",
		imageID + "#t=npt:1,2":      "1-2",
		imageID + "#t=,2":           "0-2",
		imageID + "#xywh=1&t=1.5,2": "1.5-2",
		imageID + "#step=3":         "0-0",
		imageID + "#t=x,y":          "0-0",
	} {
		p := piece{Evidence: schemas.Evidence{Kind: "media", Ref: ref}}.picture()
		if p == nil || fmt.Sprintf("%g-%g", p.From, p.To) != want {
			t.Errorf("%s: %+v, want %s", ref, p, want)
		}
	}
	if p := (piece{Evidence: schemas.Evidence{Ref: "turn-1"}}).picture(); p != nil {
		t.Errorf("a turn is no picture: %+v", p)
	}
	if !slices.Equal(q.Media, []string{videoID}) {
		t.Error("the item was changed")
	}
}

// TestAnswersAreNotToldByShape: of a question whose pieces would tell its answer by
// their number and length, who answers is shown the same, whatever the answer is.
func TestAnswersAreNotToldByShape(t *testing.T) {
	video := strings.Repeat("ab", 32)
	piece := func(role, span string, order int32) schemas.Evidence {
		return schemas.Evidence{Kind: "media", Ref: video + span, Role: role, Order: order, Modality: schemas.ModalityVideo, Caption: role + span}
	}
	golds := map[string][]schemas.Evidence{
		"both":    {piece(schemas.RoleClue, "#t=1,3", 1), piece(schemas.RoleClue, "#t=7,9", 2)},
		"only":    {piece(schemas.RoleContext, "#t=0,1", 1), piece(schemas.RoleClue, "#t=1,3", 2), piece(schemas.RoleAbsence, "#t=5,10", 3)},
		"neither": {piece(schemas.RoleAbsence, "", 1)},
	}
	terms := Settings{Frames: 4, Whole: 8, Most: 8, Entire: true}
	for name, evidence := range golds {
		q := &schemas.Question{Question: "In which?", Media: []string{video}, Evidence: evidence, Setting: "It lasts 10 s."}
		for _, kind := range []string{Oracle, AllClues} {
			s, err := Show(q, kind, terms)
			want := []Passage{{Span: wholeVideo, Picture: &Picture{Media: video, Frames: 8}}}
			if err != nil || !reflect.DeepEqual(s.Passages, want) || s.Setting != q.Setting {
				t.Errorf("%s under %s: %+v, %v; want %+v", name, kind, s, err, want)
			}
		}
		judged := terms
		judged.Propose = true
		if s, err := Show(q, Oracle, judged); err != nil || name != "neither" && len(s.Passages) != len(evidence) {
			t.Errorf("%s: a judge is shown %+v, %v", name, s, err)
		}
	}
	// A text would be left out, so the pieces stand.
	q := &schemas.Question{Question: "In which?", Media: []string{video}, Evidence: golds["both"]}
	q.Evidence[0].Text = "It is said."
	if s, err := Show(q, Oracle, terms); err != nil || len(s.Passages) != 2 {
		t.Errorf("with a text: %+v, %v", s, err)
	}
}

// digestOf is the digest of what is shown, as probes have it.
func digestOf(t *testing.T, s Shown) pipeline.Digest {
	t.Helper()
	b, err := pipeline.Canonical(s)
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.DigestOf(b)
}

// TestJudgesSeeTheRest: what the evidence leaves out of its videos, and what leads to wrong
// answers, is shown to a judge and marked; of a video that is cited whole nothing is left.
func TestJudgesSeeTheRest(t *testing.T) {
	rest := func(edit func(*schemas.Question), propose bool) string {
		q := chain()
		edit(q)
		s, err := Show(q, Oracle, Settings{Propose: propose, Rest: true, Frames: 4, Whole: 8, Most: 32})
		if err != nil {
			t.Fatal(err)
		}
		return told(slices.DeleteFunc(s.Passages, func(p Passage) bool { return !p.Rest }))
	}
	spans := func(refs ...string) func(*schemas.Question) {
		return func(q *schemas.Question) {
			q.Evidence = nil
			for _, r := range refs {
				q.Evidence = append(q.Evidence, schemas.Evidence{Kind: "media", Ref: videoID + r, Role: schemas.RoleClue, Modality: schemas.ModalityVideo})
			}
		}
	}
	for name, tc := range map[string]struct{ got, want string }{
		"a span within":     {rest(spans("#t=4,6.5"), true), "(2 0-4 x4) | (2 6.5-0 x4)"},
		"spans in disorder": {rest(spans("#t=8,9", "#t=0,2"), true), "(2 2-8 x4) | (2 9-0 x4)"},
		"to the end":        {rest(spans("#t=4"), true), "(2 0-4 x4)"},
		"the whole":         {rest(spans(""), true), ""},
		"an answerer":       {rest(spans("#t=4,6.5"), false), ""},
		"no moment between": {rest(spans("#t=0,4", "#t=4.2,6"), true), "(2 6-0 x4)"},
		"misleading words": {rest(func(q *schemas.Question) {
			q.Evidence = append(q.Evidence, schemas.Evidence{Kind: "turn", Ref: "turn-9", Role: schemas.RoleDistractor, Order: 9, Text: "the other cup"})
		}, true), "the other cup | (2 0-4 x4) | (2 6.5-0 x4)"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
}
