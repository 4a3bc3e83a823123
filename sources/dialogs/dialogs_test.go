package dialogs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/sources/internal/annotation"

	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// TestRealConversations reads LoCoMo's as they were published: what there is and
// what is lost was counted by another program.
func TestRealConversations(t *testing.T) {
	root := testfiles.Real(t, "locomo")
	type counts struct{ sessions, turns, described, points, questions, dead, dates, others int }
	for name, want := range map[string]counts{
		"26.json": {19, 419, 116, 184, 199, 77, 16, 0},
		"30.json": {19, 369, 72, 169, 104, 30, 0, 1},
	} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all, err := parse(raw, layoutAuto, name)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d conversations, %v", name, len(all), err)
		}
		got := counts{sessions: len(all[0].sessions), questions: len(all[0].questions)}
		for _, s := range all[0].sessions {
			got.turns += len(s.turns)
			got.points += len(s.points)
			for _, t := range s.turns {
				got.described += len(t.pictures)
			}
		}
		for _, l := range all[0].lost {
			switch l.code {
			case codeDead:
				got.dead++
			case codeNoDay:
				got.dates++
			default:
				got.others++
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for written, want := range map[string]string{
		"../image/A/x.png":   "image/A/x.png",
		"image/A/x.png":      "dialog/image/A/x.png",
		"../../../etc/x.png": "",
		"/etc/x.png":         "dialog/etc/x.png",
		"":                   "dialog",
		`..\image\A\x.png`:   "image/A/x.png",
	} {
		all := candidatePaths("dialog", written)
		if len(all) > 0 && all[0] != want && want != "" {
			t.Errorf("%q: %v, want %s first", written, all, want)
		}
		for _, p := range all {
			if strings.HasPrefix(p, "..") || strings.HasPrefix(p, "/") {
				t.Errorf("%q leads out: %v", written, all)
			}
		}
	}
}

func TestSpokenDates(t *testing.T) {
	for written, want := range map[string]string{
		"1:56 pm on 8 May, 2023": "2023-05-08T13:56:00Z", "12:09 am on 13 September, 2023": "2023-09-13T00:09:00Z", "12:30 PM on 1 January, 2024": "2024-01-01T12:30:00Z",
		"25:00 pm on 8 May, 2023": "", "8 May, 2023": "", "": "", "1:56 pm on 31 June, 2023": "",
	} {
		if got, err := parseSpokenDate(written); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", written, got, err)
		}
	}
}

// TestIdsOfStrangers: ids become parts of ours, so what they may look like is bounded.
func TestIdsOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 100)
	c, err := parse([]byte(`{"sample_id":"../`+long+`","session_1":[{"dia_id":"D1:1","speaker":"Ann","text":"Hi"}],"qa":[]}`), layoutAuto, "talk.json")
	if err != nil || len(c) != 1 || c[0].name != "talk" {
		t.Errorf("%+v, %v; want it called after its file", c, err)
	}
	for id, want := range map[string]bool{"FR_12.b": true, "": true, "a/b": false, "a#b": false, " ": true, long: false, "a\nb": false} {
		written, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		var c conversation
		o, err := annotation.ParseObject([]byte(`{"question":"q","answer":"a","point":"FR","question_id":` + string(written) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.roundsQuestion(question{}, o, nil); (err == nil) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// FuzzParse holds that whatever a file says, what is taken of it is whole: numbered
// sessions, turns with a name, questions with an answer, choices that hold it once.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := parse(raw, layoutAuto, "x/name.json")
		if again, other := parse(raw, layoutAuto, "x/name.json"); !reflect.DeepEqual(all, again) || fmt.Sprint(err) != fmt.Sprint(other) {
			t.Fatalf("read twice: %+v, %v\n%+v, %v", all, err, again, other)
		}
		if err != nil {
			return
		}
		for _, c := range all {
			for _, s := range c.sessions {
				if s.number < 1 || len(s.turns) == 0 || slices.ContainsFunc(s.turns, func(t turn) bool { return !turnRef.MatchString(t.ref) }) {
					t.Fatalf("session %+v", s)
				}
			}
			for _, q := range c.questions {
				if q.text == "" || q.answer == "" || q.kind == "" || slices.Contains(q.wrong, q.answer) {
					t.Fatalf("question %+v", q)
				}
			}
		}
		joinOpenForms(all)
	})
}

// TestATurnStandsOnce: a second turn of one dia_id would be taken for the rest of its
// round.
func TestATurnStandsOnce(t *testing.T) {
	c, err := parse([]byte(`{"session_1":[{"dia_id":"D1:1","speaker":"Ann","text":"Hi"},{"dia_id":"D1:1","speaker":"Bo","text":"Ho"}],"qa":[]}`), layoutAuto, "talk.json")
	if err != nil || len(c) != 1 || len(c[0].sessions[0].turns) != 1 || !slices.ContainsFunc(c[0].lost, func(l loss) bool { return l.code == codeCopy }) {
		t.Errorf("%+v, %v; want one turn, and the other lost as %s", c, err, codeCopy)
	}
}

// TestPicturesAreWhole: what ends before its last pixel is no picture, whatever its
// header says.
func TestPicturesAreWhole(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 48))); err != nil {
		t.Fatal(err)
	}
	for n, good := range map[int]bool{b.Len(): true, 60: false} {
		name := filepath.Join(t.TempDir(), "p.png")
		if err := os.WriteFile(name, b.Bytes()[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := decodeWhole(name, "image/png"); (err == nil) != good {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestWhatAShortTurnAnswersStandsBeforeIt, as context: "Yes, I did" is no evidence of
// what was done. Not so where the question cites that turn itself, where the turn says
// enough, where nobody asked, and of what only a wrong answer comes from.
func TestWhatAShortTurnAnswersStandsBeforeIt(t *testing.T) {
	c, err := parse([]byte(`{"session_1":[{"dia_id":"D1:1","speaker":"Ann","text":"Did you sell the boat?"},{"dia_id":"D1:2","speaker":"Bo","text":"Yes, I did."},
		{"dia_id":"D1:3","speaker":"Ann","text":"Good."},{"dia_id":"D1:4","speaker":"Bo","text":"Now the money goes into a bicycle, will you come along?"},
		{"dia_id":"D1:5","speaker":"Ann","text":"I would love to ride along the river with you on Sunday morning, before it gets hot, and have breakfast where we had it with your sister last year."}],"qa":[]}`), layoutAuto, "talk.json")
	if err != nil {
		t.Fatal(err)
	}
	told := &emittedConversation{conversation: c[0], task: "f/talk", pieces: map[string][]schemas.Evidence{}, answers: map[string]string{}, order: map[string]int{}}
	s := schemas.Session{SessionID: "f/talk/S01"}
	for i, said := range c[0].sessions[0].turns {
		told.addEvidence(s, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Speaker: said.speaker, Text: said.text}, said)
	}
	for want, q := range map[string]question{
		"1 T001 context, 2 T002 clue": {refs: []string{"D1:2"}}, "1 T001 clue, 2 T002 clue": {refs: []string{"D1:2", "D1:1"}},
		"1 T003 clue, 2 T005 clue": {refs: []string{"D1:5", "D1:3"}}, "1 T002 distractor": {refs: []string{"D1:2"}, kind: kindAdversarial},
	} {
		var got []string
		for _, e := range told.evidenceOf(q) {
			got = append(got, fmt.Sprint(e.Order, " ", strings.TrimPrefix(e.Ref, s.SessionID+"/"), " ", e.Role))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
