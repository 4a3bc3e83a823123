package schemas

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestNumberedIDs pad to a width, and mark what is longer, so that all sort as they count.
func TestNumberedIDs(t *testing.T) {
	for want, got := range map[string]string{
		"t/S00": SessionIDOf("t", 0), "t/S09": SessionIDOf("t", 9), "t/S10": SessionIDOf("t", 10), "t/S99": SessionIDOf("t", 99), "t/Sa100": SessionIDOf("t", 100), "t/Sb1000": SessionIDOf("t", 1000),
		"s/T007": TurnIDOf("s", 7), "s/T999": TurnIDOf("s", 999), "s/Ta1000": TurnIDOf("s", 1000), "s/P002": PointIDOf("s", 2), "s/I01": AttachmentIDOf("s", 1), "t/C00": CheckpointIDOf("t", 0),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestCallsAtTheirBounds: of bytes, of digits, and of what arguments may be.
func TestCallsAtTheirBounds(t *testing.T) {
	call := func(arguments string) string { return `{"name":"f","arguments":` + arguments + `}` }
	long := func(n int) string { return call(`{"a":"` + strings.Repeat("x", n-len(call(`{"a":""}`))) + `"}`) }
	for name, tc := range map[string]struct{ in, want string }{
		"as long as may be":       {long(maxCallBytes), strings.Replace(long(maxCallBytes), `"name":"f","arguments"`, `"arguments"`, 1)},
		"longer":                  {long(maxCallBytes + 1), ""},
		"a number as arguments":   {call("1"), ""},
		"a list as arguments":     {call("[]"), ""},
		"no arguments":            {`{"name":"f"}`, `{"arguments":{},"name":"f"}`},
		"an empty text":           {call(`""`), ""},
		"a text of JSON":          {call(`"{\"a\":1}"`), `{"arguments":{"a":1},"name":"f"}`},
		"a text of no JSON":       {call(`"x"`), ""},
		"signs of HTML":           {call(`{"a":"<&>"}`), `{"arguments":{"a":"<&>"},"name":"f"}`},
		"64 digits":               {call(`{"a":1e63}`), `{"arguments":{"a":1` + strings.Repeat("0", 63) + `},"name":"f"}`},
		"65 digits":               {call(`{"a":1e64}`), `{"arguments":{"a":1e64},"name":"f"}`},
		"two digits of 64":        {call(`{"a":12e62}`), `{"arguments":{"a":12` + strings.Repeat("0", 62) + `},"name":"f"}`},
		"a fraction":              {call(`{"a":-0.0150}`), `{"arguments":{"a":-15e-3},"name":"f"}`},
		"a whole number":          {call(`{"a":[1.50e1,-0,100]}`), `{"arguments":{"a":[15,0,100]},"name":"f"}`},
		"an exponent beyond all":  {call(`{"a":1e99999999999999999999}`), `{"arguments":{"a":1e99999999999999999999},"name":"f"}`},
		"something behind":        {call("{}") + "{}", ""},
		"a member of other names": {`{"name":"f","args":{}}`, ""},
		"no name":                 {`{"arguments":{}}`, ""},
	} {
		got, err := CanonicalCall(tc.in)
		if tc.want != "" && name == "as long as may be" {
			if err != nil || !strings.HasSuffix(got, `"},"name":"f"}`) {
				t.Errorf("%s: %.40s, %v", name, got, err)
			}
			continue
		}
		if (err != nil) != (tc.want == "") || err == nil && got != tc.want {
			t.Errorf("%s: %.80s, %v, want %.80s", name, got, err, tc.want)
		}
	}
}

// TestWalksAreSymmetric: half of the way takes half of the time, and each is the other's inverse.
func TestWalksAreSymmetric(t *testing.T) {
	if got := WalkTime(0.5); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("half of the way takes %v of the time", got)
	}
	for i := range 101 {
		x := float64(i) / 100
		if got := WalkTime(WalkProgress(x)); math.Abs(got-x) > 1e-9 {
			t.Errorf("after %v of the time: %v", x, got)
		}
	}
}

// TestProblemsOfUnits: what a unit holds fits its modality, and nothing else.
func TestProblemsOfUnits(t *testing.T) {
	rows, parts := [][]string{{"a", "b"}, {"1", "2"}}, []UnitPart{{Text: "x", Page: 1}}
	for _, tc := range []struct {
		unit EvidenceUnit
		want string // of modalities that it may have
	}{
		{EvidenceUnit{Text: "{}"}, "text json"}, {EvidenceUnit{Media: "m"}, "image table"}, {EvidenceUnit{Rows: rows}, "table"}, {EvidenceUnit{Parts: parts}, "document"}, {EvidenceUnit{}, ""}, {EvidenceUnit{Text: " "}, ""},
		{EvidenceUnit{Rows: rows, Media: "m"}, "table"}, {EvidenceUnit{Text: "{}", Media: "m"}, ""}, {EvidenceUnit{Text: "{}", Rows: rows}, ""}, {EvidenceUnit{Text: "{}", Parts: parts}, ""}, {EvidenceUnit{Media: "m", Parts: parts}, ""},
		{EvidenceUnit{Rows: rows, Parts: parts}, ""}, {EvidenceUnit{Text: "x"}, "text"},
		{EvidenceUnit{Rows: [][]string{{"a", "b"}, {"1"}}}, ""}, {EvidenceUnit{Rows: [][]string{{}}}, ""},
		{EvidenceUnit{Parts: []UnitPart{{Media: "m"}}}, "document"}, {EvidenceUnit{Parts: []UnitPart{{Text: " "}}}, ""}, {EvidenceUnit{Parts: []UnitPart{{Text: "x", Page: -1}}}, ""},
	} {
		var may []string
		for _, m := range []string{ModalityText, ModalityImage, ModalityTable, ModalityDocument, ModalityJSON} {
			u := tc.unit
			if u.Modality = m; u.contentProblem() == "" {
				may = append(may, m)
			}
		}
		if got := strings.Join(may, " "); got != tc.want {
			t.Errorf("%+v may be of modality %q, want %q", tc.unit, got, tc.want)
		}
	}
}

// TestReferencesHoldNoContent: an item that may only be referred to has no words, no gold and no units.
func TestReferencesHoldNoContent(t *testing.T) {
	for name, change := range map[string]func(i *EvidenceItem){
		"": func(*EvidenceItem) {}, "a question": func(i *EvidenceItem) { i.Question.Question = "x" }, "a choice": func(i *EvidenceItem) { i.Question.QuestionMCQ = "x" }, "an answer": func(i *EvidenceItem) { i.Question.AnswerText = "x" },
		"a key": func(i *EvidenceItem) { i.Question.AnswerKey = "A" }, "a call": func(i *EvidenceItem) { i.Question.AnswerCall = "{}" }, "a reason": func(i *EvidenceItem) { i.Question.Explanation = "x" },
		"options": func(i *EvidenceItem) { i.Question.Options = make([]Option, 1) }, "tools": func(i *EvidenceItem) { i.Question.Tools = make([]Tool, 1) }, "pictures": func(i *EvidenceItem) { i.Question.QuestionMedia = []string{"m"} },
		"options and tools":    func(i *EvidenceItem) { i.Question.Options, i.Question.Tools = make([]Option, 1), make([]Tool, 1) },
		"tools and pictures":   func(i *EvidenceItem) { i.Question.Tools, i.Question.QuestionMedia = make([]Tool, 1), []string{"m"} },
		"a unit of its own":    func(i *EvidenceItem) { i.Units = []EvidenceUnit{{UnitID: "u", State: ""}} },
		"options and pictures": func(i *EvidenceItem) { i.Question.Options, i.Question.QuestionMedia = make([]Option, 1), []string{"m"} },
	} {
		i := EvidenceItem{Units: []EvidenceUnit{{UnitID: "r", State: UnitReference}}}
		change(&i)
		var p problems
		if i.checkReferenceOnly(&p); (len(p.notes) == 0) != (name == "") {
			t.Errorf("%q: %v", name, p.notes)
		}
	}
}

// TestExcludedCodes are those of records that a release withholds, and no others.
func TestExcludedCodes(t *testing.T) {
	for code, want := range map[string]bool{ExcludedMedia: true, ExcludedRecord: true, ExcludedSize: true, ExcludedRule: true, "withheld": false, "": false} {
		if got := Excluded(code); got != want {
			t.Errorf("%q: %t", code, got)
		}
	}
	whole := Profile{ProfileID: "p", Dataset: "d", UpstreamID: "u", SourceID: "s"}
	for n, change := range []func(p *Profile){func(*Profile) {}, func(p *Profile) { p.ProfileID = "" }, func(p *Profile) { p.Dataset = "" }, func(p *Profile) { p.UpstreamID = "" }, func(p *Profile) { p.SourceID = "" }} {
		p := whole
		change(&p)
		got := 0
		for _, note := range p.Problems() {
			if strings.Contains(fmt.Sprint(note), "all must be set") {
				got++
			}
		}
		if (got == 1) != (n > 0) {
			t.Errorf("profile %+v: %v", p, p.Problems())
		}
	}
}
