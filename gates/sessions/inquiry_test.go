package sessions

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func inOrder(int, func(i, j int)) {}

// says lists what an inquiry asks, with the places to judge by and the answer
// that is needed.
func says(q Inquiry) string {
	var out []string
	for i, s := range q.Input.Statements {
		out = append(out, strings.TrimSpace(strings.Join([]string{q.asked[i].point.MemoryID, q.asked[i].want, places("t", s.Turns), places("p", s.Pictures), places("c", s.Captions)}, " ")))
	}
	return strings.Join(strings.Fields(strings.Join(out, " ; ")), " ")
}

func places(kind string, ns []int) string {
	var out []string
	for _, n := range ns {
		out = append(out, kind+string(rune('0'+n)))
	}
	return strings.Join(out, " ")
}

func TestInquiries(t *testing.T) {
	s := sound()
	for name, tc := range map[string]struct{ got, want string }{
		"coverage":     {says(AskCoverage(s)), "m2 yes t1 ; m3 yes p1 ; m3 no t1 t2 t4 t5 t6 ; m4 yes p2 ; m5 yes t4 ; m6 yes t5"},
		"captions":     {says(AskCaptions(s)), "m3 no c1 c2 ; m4 yes c2"},
		"interference": {says(AskInterference(s, inOrder)), "m2 yes ; m3 ; m4 ; m6 ; m7 no"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", name, tc.got, tc.want)
		}
	}
	q := AskInterference(s, inOrder)
	if !slices.Equal(q.Images, []string{red, blue}) || !slices.Equal(q.Input.Known, []string{"Mara lives in Gent"}) {
		t.Errorf("it shows %v and knows %v", q.Images, q.Input.Known)
	}
	s.Earlier[0].SupersededBy = []string{"m0"}
	if q := AskInterference(s, inOrder); len(q.Input.Known) > 0 {
		t.Errorf("it knows %v, which was superseded", q.Input.Known)
	}
	at(&s, "m3").Modality = schemas.ModalityText
	if q := AskCoverage(s); !slices.Equal(q.Images, []string{blue}) || q.Input.Pictures != 1 {
		t.Errorf("it shows %v, and only the door rests on a picture", q.Images)
	}
}

// replies answers an inquiry as it needs it.
func replies(q Inquiry) JudgeAnswer {
	var a JudgeAnswer
	for i, s := range q.Input.Statements {
		r := StatementReply{Number: i + 1, Answer: q.asked[i].want}
		switch {
		case r.Answer == "":
			r.Answer = Yes
		case len(s.Turns)+len(s.Pictures)+len(s.Captions) == 0:
			r.Turn = slices.IndexFunc(q.turns, func(t schemas.Turn) bool { return t.TurnID == q.asked[i].point.EvidenceTurns[0] }) + 1
			r.Quote = TurnText(q.turns[r.Turn-1])
		case r.Answer == No:
		case len(s.Turns) > 0:
			r.Turn, r.Quote = s.Turns[0], TurnText(q.turns[s.Turns[0]-1])
		case len(s.Pictures) > 0:
			r.Picture = s.Pictures[0]
		default:
			r.Picture, r.Quote = s.Captions[0], q.shown[s.Captions[0]-1].Caption
		}
		a.Statements = append(a.Statements, r)
	}
	return a
}

func TestRead(t *testing.T) {
	s := sound()
	coverage, captions, noise := AskCoverage(s), AskCaptions(s), AskInterference(s, inOrder)
	for name, tc := range map[string]struct {
		q    Inquiry
		edit func(rs []StatementReply) // of the replies that are needed
		want string                    // codes, or the begin of an error
	}{
		"coverage holds":     {coverage, func([]StatementReply) {}, ""},
		"captions hold":      {captions, func([]StatementReply) {}, ""},
		"interference holds": {noise, func([]StatementReply) {}, ""},
		"not established":    {coverage, func(rs []StatementReply) { rs[0] = StatementReply{Number: 1, Answer: No} }, "not-established"},
		"not shown":          {coverage, func(rs []StatementReply) { rs[1].Answer = No }, "not-shown"},
		"told in words":      {coverage, func(rs []StatementReply) { rs[2].Answer, rs[2].Turn, rs[2].Quote = Yes, 2, "bicycle" }, "told-in-words"},
		"two at once": {coverage, func(rs []StatementReply) { rs[0].Answer, rs[4].Answer = No, No },
			"not-established, not-established"},
		"told by caption":      {captions, func(rs []StatementReply) { rs[0].Answer, rs[0].Picture, rs[0].Quote = Yes, 2, "blue" }, "told-by-caption"},
		"not in caption":       {captions, func(rs []StatementReply) { rs[1].Answer = No }, "not-in-caption"},
		"kept":                 {noise, func(rs []StatementReply) { rs[4].Answer = Yes }, "indistinguishable"},
		"not said":             {noise, func(rs []StatementReply) { rs[4].Turn, rs[4].Quote = 0, "" }, "not-said"},
		"real one refused":     {noise, func(rs []StatementReply) { rs[0].Answer = No }, "taken-for-interference"},
		"foil refused":         {noise, func(rs []StatementReply) { rs[1] = StatementReply{Number: 2, Answer: No, Turn: 99} }, ""},
		"given away elsewhere": {noise, func(rs []StatementReply) { rs[4].Turn, rs[4].Quote = 5, "no" }, ""},
		"seen in a picture":    {noise, func(rs []StatementReply) { rs[4].Turn, rs[4].Picture = 0, 1 }, ""},

		"turn not named":       {coverage, func(rs []StatementReply) { rs[0].Turn, rs[0].Quote = 4, "baker" }, "statement 1: turn 4"},
		"no such turn":         {coverage, func(rs []StatementReply) { rs[0].Turn = 0 }, "statement 1: turn 0"},
		"words not there":      {coverage, func(rs []StatementReply) { rs[0].Quote = "I moved to Rome" }, "statement 1: turn 1 does not"},
		"picture not named":    {coverage, func(rs []StatementReply) { rs[1].Picture = 2 }, "statement 2: it needs a place"},
		"caption not named":    {captions, func(rs []StatementReply) { rs[1].Picture = 1 }, "statement 2: picture 1"},
		"caption without it":   {captions, func(rs []StatementReply) { rs[1].Quote = "green" }, "statement 2: caption 2"},
		"kept, nowhere":        {noise, func(rs []StatementReply) { rs[0].Turn = 0 }, "statement 1: it needs a place"},
		"kept, turn too large": {noise, func(rs []StatementReply) { rs[0].Turn = 7 }, "statement 1: turn 7"},
		"no such statement":    {noise, func(rs []StatementReply) { rs[0].Number = 6 }, "there is no statement 6"},
		"answered twice":       {noise, func(rs []StatementReply) { rs[0].Number = 5 }, "statement 1 is not answered; statement 5 is answered twice"},
	} {
		a := replies(tc.q)
		tc.edit(a.Statements)
		fs, err := tc.q.Read(a)
		got := ""
		if err != nil {
			got = err.Error()
		}
		for i, f := range Violations(fs) {
			got += map[bool]string{true: ", "}[i > 0] + f.Code
		}
		if tc.want == "" && got != "" || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if err == nil && CheckFindings(fs, a) != nil {
			t.Errorf("%s: %v", name, CheckFindings(fs, a))
		}
	}
	a := replies(noise)
	a.Statements = a.Statements[1:]
	if _, err := noise.Read(a); err == nil {
		t.Error("a statement was left out")
	}
}

func TestAgreeFindsChanges(t *testing.T) {
	q := AskInterference(sound(), inOrder)
	for name, edit := range map[string]func([]Finding, *JudgeAnswer){
		"another answer":   func(fs []Finding, _ *JudgeAnswer) { fs[0].Answer = No },
		"another quote":    func(fs []Finding, _ *JudgeAnswer) { fs[0].Quote = "never" },
		"place taken away": func(fs []Finding, _ *JudgeAnswer) { fs[4].Place, fs[4].Quote = "", "" },
		"place invented": func(_ []Finding, a *JudgeAnswer) {
			a.Statements[4].Turn, a.Statements[4].Quote = 0, "I live on the moon, ha."
		},
		"a reply more":    func(_ []Finding, a *JudgeAnswer) { a.Statements = append(a.Statements, a.Statements[0]) },
		"a reply twice":   func(_ []Finding, a *JudgeAnswer) { a.Statements[1] = a.Statements[0] },
		"number too high": func(_ []Finding, a *JudgeAnswer) { a.Statements[1].Number = 6 },
	} {
		a := replies(q)
		fs, err := q.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		edit(fs, &a)
		if CheckFindings(fs, a) == nil {
			t.Errorf("%s: they are said to agree", name)
		}
	}
}
