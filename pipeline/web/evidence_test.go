package web

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

func TestSidesChangeWithSwaps(t *testing.T) {
	s := schemas.Segment{Region: "left", Video: "A", From: 100, To: 160, At: 10}
	for _, tc := range []struct {
		swaps []int64
		want  string
	}{
		{nil, "left 10-70"},
		{[]int64{5}, "right 10-70"},
		{[]int64{5, 10}, "left 10-70"},
		{[]int64{20, 40, 90}, "left 10-20, right 20-40, left 40-70"},
	} {
		var got []string
		for _, r := range splitAtSwaps(s, tc.swaps) {
			got = append(got, fmt.Sprintf("%s %d-%d", r.region, r.from, r.to))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("swaps %v: %v, want %s", tc.swaps, got, tc.want)
		}
	}
	s.Region = "full"
	if got := splitAtSwaps(s, []int64{20}); len(got) != 1 {
		t.Errorf("a full picture is split: %v", got)
	}
}

func TestAxisEndsWithTheFilm(t *testing.T) {
	for _, tc := range []struct {
		duration float64
		want     string
	}{{60, "0 15 30 45 60 s"}, {30, "0 5 10 15 20 25 30 s"}, {0.4, "0 0.1 0.2 0.3 0.4 s"}, {7200, "0 1500 3000 4500 6000 7200 s"}} {
		var got []string
		for _, m := range axis(tc.duration) {
			got = append(got, m.Text)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v s: %v, want %s", tc.duration, got, tc.want)
		}
	}
}

func TestEvidenceNamesSpans(t *testing.T) {
	id := strings.Repeat("a", 64)
	for _, tc := range []struct {
		e        schemas.Evidence
		from, to float64
		ok       bool
	}{
		{schemas.Evidence{Ref: id + "#t=3.20,5.00"}, 3.2, 5, true},
		{schemas.Evidence{Ref: id}, 0, 0, true},
		{schemas.Evidence{Ref: "turn", Media: id + "#t=1,2"}, 1, 2, true},
		{schemas.Evidence{Ref: id + "#t=5,3"}, 5, 3, false},
		{schemas.Evidence{Ref: id + "#t=1..2,3"}, 0, 3, false},
		{schemas.Evidence{Ref: "turn"}, 0, 0, false},
	} {
		got, from, to, ok := mediaSpan(tc.e)
		if from != tc.from || to != tc.to || ok != tc.ok || ok && got != id {
			t.Errorf("%+v: %q %v %v %v", tc.e, got, from, to, ok)
		}
	}
}

func turns(lines ...string) (out []schemas.Turn) {
	for i, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		out = append(out, schemas.Turn{TurnID: fmt.Sprintf("S/T%03d", i+1), Order: int32(i + 1), Speaker: who, Text: text})
	}
	return out
}

func TestSessionShowsEvidenceAndTables(t *testing.T) {
	lines := []string{"ann: hello", "ben: Table. 1 (homes)", "ben: name | town", "ben: Ida | Oslo", "ben: Per | Bergen"}
	for range 9 {
		lines = append(lines, "ann: well")
	}
	lines = append(lines, "ben: no | table")
	s := catalog.Session{Session: schemas.Session{SessionID: "S", Kind: schemas.KindGroupChat, Turns: turns(lines...)}}
	e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: "S/T002", Role: schemas.RoleClue, Text: "ben: Table. 1 (homes)\nben: name | town\nben: Ida | Oslo\nben: Per | Bergen"}
	got := newTalk(s, []pieceIn{{e, 1}}, show{Gold: true})
	got.fold(false, nil)
	if len(got.Blocks) != 2 || got.Blocks[1].Gap != "8 turns without evidence" {
		t.Fatalf("blocks %+v", got.Blocks)
	}
	table := got.Blocks[0].Turns[1]
	if table.ID != "S/T002" || table.Last != 5 || len(table.Rows) != 3 || table.Rows[1].Cells[1] != "Oslo" || table.Class != "clue" || table.Piece != 1 {
		t.Errorf("table %+v", table)
	}
	if len(got.Jumps) != 1 || got.Jumps[0].Turn != "S/T002" || len(got.Map) != 4 {
		t.Errorf("jumps %+v, map %+v", got.Jumps, got.Map)
	}
	hidden := newTalk(s, []pieceIn{{e, 1}}, show{})
	if turn := hidden.Blocks[0].Turns[1]; turn.Class != "" || turn.Role != "" || turn.Badge != "evidence 1" {
		t.Errorf("without gold: %+v", turn)
	}
}

// TestRelatedTurnsStand: what repeats, replaces, misleads about or takes back what evidence says is
// in sight, wherever it stands; the rest far from evidence is folded.
func TestRelatedTurnsStand(t *testing.T) {
	fill := func(at map[int]string) (lines []string) {
		for i := range 40 {
			line := at[i]
			if line == "" {
				line = "user: well"
			}
			lines = append(lines, line)
		}
		return lines
	}
	point := func(subject, thing, aspect string, turns ...string) schemas.MemoryPoint {
		return schemas.MemoryPoint{Subject: subject, Attributes: map[string]string{schemas.PointThing: thing, schemas.PointAspect: aspect}, EvidenceTurns: turns}
	}
	for name, tc := range map[string]struct {
		lines   map[int]string
		points  []schemas.MemoryPoint
		related []string
	}{
		"a slip is taken back": {
			map[int]string{5: "user: Mia is the reviewer of the Sable seminar.", 12: "user: Ugo has become the reviewer of the Sable seminar.", 30: "user: No, wait: the Reviewer of the Sable seminar stays as it was."},
			[]schemas.MemoryPoint{point("sable/reviewer", "the Sable seminar", "reviewer", "S/T006"), point("sable/reviewer", "the Sable seminar", "reviewer", "S/T013")},
			[]string{"S/T013", "S/T031"},
		},
		"an update in other words": {
			map[int]string{5: "user: The boat is red.", 20: "user: We painted it blue."},
			[]schemas.MemoryPoint{point("boat/colour", "the boat", "colour", "S/T006"), point("boat/colour", "the boat", "colour", "S/T021")},
			[]string{"S/T021"},
		},
		"another aspect": {
			map[int]string{5: "user: The boat is red.", 20: "user: The length of the boat is 9 m."},
			[]schemas.MemoryPoint{point("boat/colour", "the boat", "colour", "S/T006"), point("boat/length", "the boat", "length", "S/T021")},
			nil,
		},
		"without points": {map[int]string{5: "user: The boat is red."}, nil, nil},
	} {
		s := catalog.Session{Session: schemas.Session{SessionID: "S", Kind: schemas.KindDialogue, Turns: turns(fill(tc.lines)...), Points: tc.points}}
		in := map[string][]pieceIn{"S": {{schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: "S/T006", Role: schemas.RoleClue}, 1}}}
		got := newTalk(s, in["S"], show{Gold: true})
		got.fold(false, relatedTurns([]catalog.Session{s}, in))
		var related, folded []string
		for _, b := range got.Blocks {
			for _, turn := range b.Turns {
				if turn.Related {
					related = append(related, turn.ID)
				}
				if b.Gap != "" {
					folded = append(folded, turn.ID)
				}
			}
		}
		if !slices.Equal(related, tc.related) || !slices.Contains(folded, "S/T038") || slices.ContainsFunc(related, func(id string) bool { return slices.Contains(folded, id) }) {
			t.Errorf("%s: related %v, want %v; folded %v", name, related, tc.related, folded)
		}
	}
}

// TestToolParameters reads what a schema says in words, and leaves other schemas alone.
func TestToolParameters(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"code":{"type":"string","description":"the code"},"budget":{"type":"integer","minimum":1}},"required":["code","budget"]}`: "[{budget integer, at least 1 } {code string the code}]",
		`{"properties":{"level":{"enum":["low","high"]},"n":{"type":"number","minimum":0.5,"maximum":2}},"required":["level"]}`:                   "[{level low, high } {n number, at least 0.5, at most 2, may be left out }]",
		`{"type":"object"}`:                     "[]",
		`{"properties":{"x":{"type":["a"]}}}`:   "[]",
		`no schema`:                             "[]",
		`{"properties":{"<b>":{"type":"<i>"}}}`: "[{<b> <i>, may be left out }]",
	} {
		if got := fmt.Sprint(toolParameters(schema)); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestAnswerSaysWhatWasSeenAndMeant(t *testing.T) {
	q := schemas.Question{Options: []schemas.Option{{Key: "A"}, {Key: "B"}, {Key: "C"}, {Key: "D"}}}
	p := schemas.Probe{View: "only:2", Pictures: 3, PicturesFull: 8, Rotation: 3, Answer: "B", Response: `{"why":"I saw it","answer":"A"}`}
	got := newAnswer(&q, p)
	if got.Letter != "A" || got.Answer != "B" || got.Why != "I saw it" || got.Saw != "saw piece 2 alone, 3 of 8 pictures" || got.Order != "order turned by 3" {
		t.Errorf("%+v", got)
	}
	if got := newAnswer(&q, schemas.Probe{View: "x%s", Answer: "unknown"}); got.Letter != "" || got.Saw != "saw view x%s" {
		t.Errorf("%+v", got)
	}
}

// fillText puts a text into every text below a value.
func fillText(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillText(v.Field(i), text)
			}
		}
	}
}

// What HideGold leaves of an item holds none of what it says it removes.
func TestHideGold(t *testing.T) {
	const gold = "GOLD"
	e := schemas.Evidence{Ref: "turn", Role: gold}
	m := catalog.Medium{Shown: []catalog.Statement{{Title: gold}}}
	item := catalog.Item{
		Question: schemas.Question{
			Question: "asked", AnswerKey: gold, AnswerText: gold, AnswerCall: gold, Explanation: gold, Basis: gold,
			Labels: map[string]string{gold: gold}, Options: []schemas.Option{{Key: "A", Text: "an option", Role: gold}},
			Evidence: []schemas.Evidence{e}, Revisions: []schemas.Revision{{Reason: gold}},
		},
		Fact: gold, Pieces: []catalog.Piece{{Evidence: e, Medium: &m, Shown: []catalog.Statement{{Title: gold}}}},
		Media: []catalog.Medium{m}, QuestionMedia: []catalog.Medium{m},
		Forms: make([]schemas.FlaggedQuestion, 1), Rejections: make([]schemas.Rejection, 1), Reviews: make([]schemas.Review, 1), SameFact: []catalog.Row{{ID: gold}},
	}
	fillText(reflect.ValueOf(&item.Forms[0]).Elem(), gold)
	fillText(reflect.ValueOf(&item.Rejections[0]).Elem(), gold)
	fillText(reflect.ValueOf(&item.Reviews[0]).Elem(), gold)
	v := catalog.Verdict{Probes: make([]schemas.Probe, 1)}
	v.Reason, v.ItemDigest = gold, gold
	fillText(reflect.ValueOf(&v.Probes[0]).Elem(), gold)
	item.Verdicts = []catalog.Verdict{v}
	HideGold(&item)
	data, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), gold) || !strings.Contains(string(data), "an option") {
		t.Errorf("%s", data)
	}
}

func TestFacetsAreCountedByGroup(t *testing.T) {
	all := []catalog.Facet{{Name: "domain"}, {Name: "type"}, {Name: "gate.blind"}, {Name: "gate.oracle"}, {Name: "label.pair"}, {Name: "family"}}
	q := catalog.Query{Filters: []catalog.Filter{{Field: "gate.oracle", Values: []string{"fail"}}}}
	if got := openFacets(all, q, []string{"label.none"}); !slices.Equal(got, []string{"type", "family", "gate.oracle", "label.pair", "domain"}) {
		t.Errorf("%v", got)
	}
}

func FuzzShowText(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31m", "\u202e", strings.Repeat("é", maxShown), "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := showText(s)
		if strings.ContainsFunc(got.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q shows a control character", s)
		}
		if got.Rest != "" {
			if whole, ok := findText(reflect.ValueOf([]any{map[string]string{"x": s}}), got.Rest); !ok || whole != s {
				t.Errorf("the rest of %q is not found", s)
			}
		}
		if line := showLine(s, 20); strings.Contains(line, "\n") {
			t.Errorf("%q takes several lines", s)
		}
	})
}

// An annotator is led to no whole session, and sees no note about a turn of another item.
func TestKeepToItem(t *testing.T) {
	s := catalog.Session{Session: schemas.Session{SessionID: "S", Kind: schemas.KindDialogue, Turns: turns("ann: one", "ben: two")}}
	s.Points = []schemas.MemoryPoint{{Content: "one", EvidenceTurns: []string{"S/T001"}}, {Content: "two", EvidenceTurns: []string{"S/T002"}}}
	e := Evidence{Talks: []talk{newTalk(s, []pieceIn{{schemas.Evidence{Ref: "S/T001"}, 1}}, show{Gold: true})}}
	e.KeepToItem()
	if got := e.Talks[0]; got.Session != "" || len(got.Blocks[0].Turns[0].Points) != 1 || len(got.Blocks[0].Turns[1].Points) != 0 {
		t.Errorf("%+v", got)
	}
}
