package sessions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

var (
	red  = strings.Repeat("a1", 32)
	blue = strings.Repeat("b2", 32)
)

// sound is a session without a fault: a new fact, an update within the session,
// an update of an earlier point, two pictures, and interference.
func sound() schemas.Session {
	turn := func(n int, text string, attached ...schemas.Attachment) schemas.Turn {
		return schemas.Turn{TurnID: fmt.Sprint("t", n), SessionID: "s5", Order: int32(n), Role: "user", Text: text, Attachments: attached}
	}
	point := func(id, subject, content string, turns ...string) schemas.MemoryPoint {
		return schemas.MemoryPoint{
			MemoryID: id, SessionID: "s5", Content: content, Importance: 1, Subject: subject, Modality: schemas.ModalityText, EvidenceTurns: turns,
			Attributes: map[string]string{"who": "Mara", "what": subject, "value": content, "status": "meant"},
		}
	}
	s := schemas.Session{SessionID: "s5", TaskID: "t", Kind: "dialogue", Order: 5, Turns: []schemas.Turn{
		turn(1, "I moved to Lyon."), turn(2, "My bicycle!", schemas.Attachment{MediaID: red, Caption: "A bicycle."}),
		turn(3, "", schemas.Attachment{MediaID: blue, Caption: "A blue door."}), turn(4, "I work as a baker."),
		turn(5, "No, as a pilot."), turn(6, "I live on the moon, ha."),
	}, Earlier: []schemas.EarlierPoint{{
		MemoryID: "m1", SessionID: "s2", SessionOrder: 2, Content: "Mara lives in Gent", Subject: "home", Attributes: map[string]string{"who": "Mara"},
	}}}
	home := point("m2", "home", "Mara lives in Lyon", "t1")
	home.IsUpdate, home.Supersedes = true, []string{"m1"}
	bike := point("m3", "bike", "Mara's bicycle is red", "t2")
	bike.Modality, bike.EvidenceMedia = schemas.ModalityImage, []string{red}
	door := point("m4", "door", "Mara's door is blue", "t3")
	door.Modality, door.EvidenceMedia = schemas.ModalityTextImage, []string{blue}
	job := point("m5", "job", "Mara works as a baker", "t4")
	pilot := point("m6", "job", "Mara works as a pilot", "t5")
	pilot.IsUpdate, pilot.UpdateType, pilot.Supersedes = true, schemas.UpdateRevise, []string{"m5"}
	moon := point("m7", "", "Mara lives on the moon", "t6")
	moon.IsInterference, moon.Resembles, moon.DiffersIn = true, "m2", "status"
	moon.Attributes["status"] = "joke"
	s.Points = []schemas.MemoryPoint{home, bike, door, job, pilot, moon}
	return s
}

// at is a point of sound by id.
func at(s *schemas.Session, id string) *schemas.MemoryPoint {
	return &s.Points[slices.IndexFunc(s.Points, func(p schemas.MemoryPoint) bool { return p.MemoryID == id })]
}

type edit func(*schemas.Session)

// check wants the codes of the faults, in order.
func check(t *testing.T, faults func(schemas.Session) []Fault, tests map[string]edit) {
	t.Helper()
	if got := faults(sound()); len(got) > 0 {
		t.Fatalf("the sound session has %v", got)
	}
	for want, change := range tests {
		s := sound()
		change(&s)
		code, _, _ := strings.Cut(strings.ReplaceAll(want, ",", " "), " ")
		got := faults(s)
		if len(got) != 1 || got[0].Code != code || got[0].Item == "" || got[0].Detail == "" {
			t.Errorf("%s: %v", want, got)
		}
	}
}

func TestCoverage(t *testing.T) {
	check(t, Coverage, map[string]edit{
		"no-id turn":      func(s *schemas.Session) { s.Turns[5].TurnID = ""; at(s, "m7").EvidenceTurns = []string{"t5"} },
		"no-id point":     func(s *schemas.Session) { at(s, "m3").MemoryID = "" },
		"same-id turn":    func(s *schemas.Session) { s.Turns[5].TurnID = "t5"; at(s, "m7").EvidenceTurns = []string{"t5"} },
		"same-id point":   func(s *schemas.Session) { at(s, "m3").MemoryID = "m4" },
		"wrong-session t": func(s *schemas.Session) { s.Turns[3].SessionID = "s4" },
		"wrong-session p": func(s *schemas.Session) { at(s, "m3").SessionID = "s4" },
		"wrong-order":     func(s *schemas.Session) { s.Turns[3].Order = 9 },
		"empty-turn": func(s *schemas.Session) {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: "t7", SessionID: "s5", Order: 7})
		},
		"no-content":       func(s *schemas.Session) { at(s, "m5").Content = " .. " },
		"bad-importance":   func(s *schemas.Session) { at(s, "m5").Importance = -1 },
		"unknown-modality": func(s *schemas.Session) { at(s, "m5").Modality = "smell" },
		"no-picture":       func(s *schemas.Session) { at(s, "m3").EvidenceMedia = nil },
		"needless-picture": func(s *schemas.Session) { at(s, "m3").Modality = schemas.ModalityText },
		"no-turn":          func(s *schemas.Session) { at(s, "m5").EvidenceTurns = nil },
		"unknown-turn":     func(s *schemas.Session) { at(s, "m5").EvidenceTurns = []string{"t4", "t9"} },
		"same-turn":        func(s *schemas.Session) { at(s, "m5").EvidenceTurns = []string{"t4", "t4"} },
		"unknown-picture":  func(s *schemas.Session) { at(s, "m3").EvidenceMedia = []string{red, blue} },
		"silent-turn":      func(s *schemas.Session) { at(s, "m5").EvidenceTurns = []string{"t3"} },
		"bad-picture": func(s *schemas.Session) {
			s.Turns[2].Attachments[0].MediaID = "door.png"
			at(s, "m4").EvidenceMedia = []string{"door.png"}
		},
	})
	steps := sound()
	steps.Turns[0].Text, steps.Turns[0].Action = "", "move to Lyon"
	if got := Coverage(steps); len(got) > 0 {
		t.Errorf("a step without talk: %v", got)
	}
}

func TestCaptions(t *testing.T) {
	caption := func(turn int, text string) edit {
		return func(s *schemas.Session) { s.Turns[turn].Attachments[0].Caption = text }
	}
	check(t, Captions, map[string]edit{
		"no-caption":          caption(1, ""),
		"no-caption but dots": caption(1, " ... "),
		"same-caption":        caption(2, "a  BICYCLE!"),
		"unknown-picture":     func(s *schemas.Session) { at(s, "m3").EvidenceMedia = []string{strings.Repeat("c3", 32)} },
		"no-picture":          func(s *schemas.Session) { at(s, "m3").EvidenceMedia = nil },
		"two-captions": func(s *schemas.Session) {
			s.Turns[0].Attachments = []schemas.Attachment{{MediaID: red, Caption: "Mine."}}
		},
		"bad-picture, no digest": func(s *schemas.Session) {
			s.Turns[0].Attachments = []schemas.Attachment{{MediaID: "x", Caption: "Mine."}}
		},
	})
	lost := sound()
	lost.Turns[0].Attachments = []schemas.Attachment{{Caption: "A dog."}}
	lost.Turns[3].Attachments = []schemas.Attachment{{Caption: "A cat."}}
	for name, got := range map[string][]Fault{"coverage": Coverage(lost), "captions": Captions(lost), "interference": Interference(lost)} {
		if len(got) > 0 {
			t.Errorf("%s of lost pictures that are described: %v", name, got)
		}
	}
	if q := AskCaptions(lost); len(q.Input.Captions) != len(AskCaptions(sound()).Input.Captions)+2 {
		t.Errorf("captions shown: %+v", q.Input.Captions)
	}
	lost.Turns[3].Attachments[0].Caption = ""
	if got := Coverage(lost); len(got) != 1 || got[0].Code != "bad-picture" {
		t.Errorf("a lost picture of which nothing is said: %v", got)
	}
	twice := sound()
	twice.Turns[0].Attachments = []schemas.Attachment{{MediaID: red, Caption: "A bicycle."}}
	if got := Captions(twice); len(got) > 0 {
		t.Errorf("one picture attached twice: %v", got)
	}
}

func TestInterference(t *testing.T) {
	check(t, Interference, map[string]edit{
		"unmarked":                   func(s *schemas.Session) { at(s, "m7").IsInterference = false },
		"resembles-nothing":          func(s *schemas.Session) { at(s, "m7").Resembles = "" },
		"resembles-interference":     func(s *schemas.Session) { at(s, "m7").Resembles = "m7" },
		"unknown-point":              func(s *schemas.Session) { at(s, "m7").Resembles = "m99" },
		"same-content":               func(s *schemas.Session) { at(s, "m7").Content = "Mara LIVES in Lyon!" },
		"no-difference stated":       func(s *schemas.Session) { at(s, "m7").DiffersIn = "" },
		"no-difference made":         func(s *schemas.Session) { at(s, "m7").DiffersIn = "who" },
		"unknown-attribute":          func(s *schemas.Session) { at(s, "m7").DiffersIn = "colour" },
		"no-likeness":                func(s *schemas.Session) { at(s, "m7").Attributes = map[string]string{"status": "joke"} },
		"unknown-attribute, earlier": func(s *schemas.Session) { at(s, "m7").Resembles = "m1" },
		"true-interference": func(s *schemas.Session) {
			p := at(s, "m7")
			p.Attributes["value"], p.Attributes["what"] = at(s, "m2").Attributes["value"], at(s, "m2").Attributes["what"]
		},
		"bad-picture": func(s *schemas.Session) { s.Turns[2].Attachments[0].MediaID = "door.png" },
	})
	before := sound()
	p := at(&before, "m7")
	p.Resembles, p.DiffersIn, p.Attributes["kind"] = "m1", "kind", "home"
	before.Earlier[0].Attributes["kind"] = "flat"
	if got := Interference(before); len(got) > 0 {
		t.Errorf("resembling an earlier point: %v", got)
	}
}

func TestChain(t *testing.T) {
	check(t, Chain, map[string]edit{
		"interference-updates":      func(s *schemas.Session) { at(s, "m7").IsUpdate = true },
		"unmarked-update":           func(s *schemas.Session) { at(s, "m6").IsUpdate = false },
		"update-of-nothing":         func(s *schemas.Session) { at(s, "m3").IsUpdate = true },
		"wrong-update-type none":    func(s *schemas.Session) { at(s, "m3").UpdateType = schemas.UpdateRevise },
		"wrong-update-type unknown": func(s *schemas.Session) { at(s, "m6").UpdateType = "forget" },
		"wrong-update-type merge":   func(s *schemas.Session) { at(s, "m6").UpdateType = schemas.UpdateMerge },
		"wrong-update-type split":   func(s *schemas.Session) { at(s, "m6").UpdateType = schemas.UpdateSplit },
		"same-point": func(s *schemas.Session) {
			at(s, "m6").UpdateType, at(s, "m6").Supersedes = schemas.UpdateMerge, []string{"m5", "m5"}
		},
		"unknown-point": func(s *schemas.Session) { s.Earlier = nil },
		"other-subject": func(s *schemas.Session) { at(s, "m2").Subject = "flat" },
		"other-subject, none": func(s *schemas.Session) {
			at(s, "m2").Subject, s.Earlier[0].Subject = "", ""
		},
		"same-content":           func(s *schemas.Session) { s.Earlier[0].Content = "mara lives in lyon." },
		"not-earlier, here":      func(s *schemas.Session) { at(s, "m6").EvidenceTurns = []string{"t4"} },
		"not-earlier, elsewhere": func(s *schemas.Session) { s.Earlier[0].SessionOrder = 5 },
		"superseded-twice":       func(s *schemas.Session) { s.Earlier[0].SupersededBy = []string{"m0"} },
		"superseded-twice, here": func(s *schemas.Session) {
			p := at(s, "m3")
			p.IsUpdate, p.Supersedes, p.Subject = true, []string{"m1"}, "home"
		},
		"supersedes-interference": func(s *schemas.Session) {
			at(s, "m5").IsInterference = true
		},
		"unlinked, here": func(s *schemas.Session) { at(s, "m3").Subject = "home" },
		"unlinked, elsewhere": func(s *schemas.Session) {
			s.Earlier = append(s.Earlier, schemas.EarlierPoint{MemoryID: "m0", Subject: "bike"})
		},
	})
	circle := sound()
	at(&circle, "m5").IsUpdate, at(&circle, "m5").Supersedes = true, []string{"m6"}
	for _, f := range Chain(circle) {
		if f.Code != "cycle" {
			t.Errorf("circle: %v", f)
		}
	}
	if n := len(Chain(circle)); n != 2 {
		t.Errorf("circle: %d faults", n)
	}
}

func TestSplitsAndMerges(t *testing.T) {
	split := sound()
	home := at(&split, "m2")
	home.UpdateType = schemas.UpdateSplit
	other := *home
	other.MemoryID, other.Content = "m8", "Mara works in Paris"
	split.Points = append(split.Points, other)
	if got := Chain(split); len(got) > 0 {
		t.Errorf("split: %v", got)
	}
	at(&split, "m8").UpdateType = schemas.UpdateRevise
	if got := Chain(split); len(got) != 1 || got[0].Code != "superseded-twice" {
		t.Errorf("half a split: %v", got)
	}
	merge := sound()
	home = at(&merge, "m2")
	home.UpdateType, home.Supersedes = schemas.UpdateMerge, []string{"m1", "m0"}
	second := merge.Earlier[0]
	second.MemoryID, second.Content = "m0", "Mara has a flat in Porto"
	merge.Earlier = append(merge.Earlier, second)
	if got := Chain(merge); len(got) > 0 {
		t.Errorf("merge: %v", got)
	}
	home.UpdateType = ""
	if got := Chain(merge); len(got) != 1 || got[0].Code != "wrong-update-type" {
		t.Errorf("a revision of two: %v", got)
	}
}

func TestReasonIsBounded(t *testing.T) {
	s := sound()
	for i := range s.Points {
		s.Points[i].EvidenceTurns = []string{"x", "y", "z"}
		s.Points[i].Content = strings.Repeat("é", 5000)
	}
	reason := Reason(Coverage(s))
	if len(reason) > 8*600 || !strings.HasPrefix(reason, "unknown-turn: m2: ") || !strings.Contains(reason, "more") {
		t.Errorf("%d bytes: %.200s", len(reason), reason)
	}
	if Reason(nil) != "" {
		t.Error("no fault has a reason")
	}
}

func TestCites(t *testing.T) {
	const text = "Well, I moved to Lyon last May; the flat's small."
	for quote, want := range map[string]bool{
		"I moved to Lyon": true, "i MOVED ... last may": true, "flat’s small": true, "moved Lyon": true,
		"Lyon moved": false, "I moved to Paris": false, "": false, "...": false, "mov": false,
	} {
		if Cites(text, quote) != want {
			t.Errorf("%q: %v", quote, !want)
		}
	}
	const long = "I never had any. On the way home we talked about the old days, the school, the teachers, the heat of that summer and then, at the door, she gave me three cats."
	for quote, want := range map[string]bool{"gave me 3 cats": true, "she gave me a dog": false, "I had cats": false, "I never ... talked about the school": true} {
		if Cites(long, quote) != want {
			t.Errorf("%q: %v", quote, !want)
		}
	}
}

// TestSayTheSame: spelling and the order of a list make no difference, the order of a sentence does.
func TestSayTheSame(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"three dogs", "3 dogs", true}, {"grey and black", "black and grey", true}, {"the red bike", "red bike", true}, {"3 kg", "three kilograms", true},
		{"Ann calls Ben", "Ben calls Ann", false}, {"Ann calls Ben and then Ben calls Ann", "Ben calls Ann and then Ann calls Ben", false}, {"red", "crimson", false}, {"", "", true}, {"the", "a", false},
	} {
		if sayTheSame(tc.a, tc.b) != tc.want {
			t.Errorf("%q and %q: %v", tc.a, tc.b, !tc.want)
		}
	}
}

// FuzzSession gives any session to all rules, and any answer to its inquiries.
func FuzzSession(f *testing.F) {
	b, err := json.Marshal(sound())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, []byte(`{"statements":[{"number":1,"answer":"yes","turn":1,"picture":1,"quote":"i moved"}]}`))
	f.Add([]byte(`{"turns":[{}],"memory_points":[{"modality":"image","evidence_media":["x"]},{"supersedes":[""],"is_interference":true}]}`), []byte(`{"statements":[{"number":-1}]}`))
	f.Fuzz(func(t *testing.T, session, answer []byte) {
		var s schemas.Session
		var a JudgeAnswer
		if json.Unmarshal(session, &s) != nil || json.Unmarshal(answer, &a) != nil {
			return
		}
		swap := func(n int, swap func(i, j int)) {
			for i := range n / 2 {
				swap(i, n-1-i)
			}
		}
		for _, rule := range []func(schemas.Session) []Fault{Coverage, Captions, Interference, Chain} {
			first := Reason(rule(s))
			if again := Reason(rule(s)); first != again {
				t.Errorf("two reasons: %s and %s", first, again)
			}
		}
		for _, faults := range History([]schemas.Session{s, s}) {
			Reason(faults)
		}
		for _, q := range []Inquiry{AskCoverage(s), AskCaptions(s), AskInterference(s, swap)} {
			if len(q.Input.Statements) != len(q.asked) {
				t.Fatalf("%d statements for %d", len(q.Input.Statements), len(q.asked))
			}
			fs, err := q.Read(a)
			if err == nil && len(q.asked) > 0 {
				if err := CheckFindings(fs, a); err != nil {
					t.Errorf("its own answer: %v", err)
				}
				Violations(fs)
			}
		}
	})
}
