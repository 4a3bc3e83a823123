package sessions

import (
	"fmt"
	"slices"
	"strings"
)

// Codes of what a judge finds.
const (
	codeNotEstablished       = "not-established"
	codeNotShown             = "not-shown"
	codeToldInWords          = "told-in-words"
	codeNotInCaption         = "not-in-caption"
	codeToldByCaption        = "told-by-caption"
	codeIndistinguishable    = "indistinguishable"
	codeTakenForInterference = "taken-for-interference"
	codeNotSaid              = "not-said"
)

// JudgeAnswer is what a judge answers: the schema gate_statements.
type JudgeAnswer struct {
	Statements []StatementReply `json:"statements"`
}

// StatementReply is the answer to one statement. Turn, Picture (or caption) and Quote say
// what decides.
type StatementReply struct {
	Number  int    `json:"number"`
	Answer  string `json:"answer"`
	Turn    int    `json:"turn"`
	Picture int    `json:"picture"`
	Quote   string `json:"quote"`
}

// hasNoPlace replies name nothing that decides.
func (r StatementReply) hasNoPlace() bool { return r.Turn == 0 && r.Picture == 0 }

// Finding is one statement as a probe keeps it: enough to say again, without
// the session, what was found of the point.
type Finding struct {
	Memory  string `json:"memory_id"`
	Content string `json:"content"`
	// Want is the answer that the point needs, if it needs one, and Code what it
	// means to get the other.
	Want   string `json:"want,omitempty"`
	Code   string `json:"code,omitempty"`
	Answer string `json:"answer"`
	// Named are the places that it was to be judged by; Place is what decided, a
	// turn id or media id, with the words quoted from it.
	Named []string `json:"named,omitempty"`
	Place string   `json:"place,omitempty"`
	Quote string   `json:"quote,omitempty"`
}

// Read turns an answer into findings, in the order of the statements. The error
// says, to the judge as well, why the answer cannot be used: a statement without
// exactly one reply, or a place that does not hold what it is cited for.
func (q Inquiry) Read(a JudgeAnswer) ([]Finding, error) {
	out := make([]Finding, len(q.asked))
	for _, r := range a.Statements {
		if r.Number < 1 || r.Number > len(q.asked) {
			return nil, fmt.Errorf("there is no statement %d", r.Number)
		}
		f := &out[r.Number-1]
		if f.Answer != "" {
			return nil, fmt.Errorf("statement %d is answered twice", r.Number)
		}
		var err error
		if *f, err = q.findingOf(r); err != nil {
			return nil, fmt.Errorf("statement %d: %w", r.Number, err)
		}
	}
	if i := slices.IndexFunc(out, func(f Finding) bool { return f.Answer == "" }); i >= 0 {
		return nil, fmt.Errorf("statement %d is not answered", i+1)
	}
	return out, nil
}

func (q Inquiry) findingOf(r StatementReply) (Finding, error) {
	a, s := q.asked[r.Number-1], q.Input.Statements[r.Number-1]
	f := Finding{Memory: a.point.MemoryID, Content: a.point.Content, Want: a.want, Code: a.code, Answer: r.Answer, Named: a.named}
	anywhere := len(s.Turns)+len(s.Pictures)+len(s.Captions) == 0
	if a.want == "" || r.Answer == No && (!anywhere || r.hasNoPlace()) {
		return f, nil
	}
	place, err := q.checkCitation(r, s, anywhere)
	if err != nil {
		return f, err
	}
	f.Place = place
	if len(s.Pictures) == 0 {
		f.Quote = r.Quote
	}
	return f, nil
}

// checkCitation checks that the place of a reply is one to judge by and holds the quote.
func (q Inquiry) checkCitation(r StatementReply, s Statement, anywhere bool) (string, error) {
	switch {
	case len(s.Captions) > 0:
		if !slices.Contains(s.Captions, r.Picture) {
			return "", fmt.Errorf("picture %d is not among the captions %v to judge it by", r.Picture, s.Captions)
		}
		if a := q.shown[r.Picture-1]; Cites(a.Caption, r.Quote) {
			return a.MediaID, nil
		}
		return "", fmt.Errorf("caption %d does not have the words %s", r.Picture, Quote(r.Quote))
	case len(s.Pictures) > 0, anywhere && r.Turn == 0:
		if r.Picture < 1 || r.Picture > len(q.shown) || !anywhere && !slices.Contains(s.Pictures, r.Picture) {
			return "", fmt.Errorf("it needs a place; picture %d is none to judge it by", r.Picture)
		}
		return q.shown[r.Picture-1].MediaID, nil
	}
	if r.Turn < 1 || r.Turn > len(q.turns) || !anywhere && !slices.Contains(s.Turns, r.Turn) {
		return "", fmt.Errorf("turn %d is not one to judge it by", r.Turn)
	}
	t := q.turns[r.Turn-1]
	if !Cites(TurnText(t), r.Quote) {
		return "", fmt.Errorf("turn %d does not have the words %s", r.Turn, Quote(r.Quote))
	}
	return t.TurnID, nil
}

// Violations are the faults among findings.
func Violations(fs []Finding) []Fault {
	var out faultList
	for _, f := range fs {
		if f.Code == codeIndistinguishable && f.Answer == No && f.Place == "" {
			out.add(codeNotSaid, f.Memory, "nothing in the session says or shows %s, so it interferes with nothing", Quote(f.Content))
			continue
		}
		if f.Want == "" || f.Answer == f.Want {
			continue
		}
		content, named := Quote(f.Content), strings.Join(f.Named, ", ")
		switch f.Code {
		case codeNotEstablished:
			out.add(f.Code, f.Memory, "no turn it names (%s) establishes %s", named, content)
		case codeNotShown:
			out.add(f.Code, f.Memory, "no picture it names (%s) shows %s", named, content)
		case codeToldInWords:
			out.add(f.Code, f.Memory, "only a picture should show %s, but turn %s says %s", content, f.Place, Quote(f.Quote))
		case codeNotInCaption:
			out.add(f.Code, f.Memory, "the captions of its pictures (%s) do not tell %s", named, content)
		case codeToldByCaption:
			out.add(f.Code, f.Memory, "only a picture should show %s, but the caption of %s says %s", content, f.Place, Quote(f.Quote))
		case codeIndistinguishable:
			out.add(f.Code, f.Memory, "nothing shows that %s is not to be kept; turn or picture %s has it as a fact: %s", content, f.Place, Quote(f.Quote))
		default:
			out.add(f.Code, f.Memory, "the real point %s, which an interference point resembles, seems not to be one to keep: %s (%s)", content, Quote(f.Quote), f.Place)
		}
	}
	return out
}

// CheckFindings checks that findings are those of an answer, as far as that can be told
// without the session.
func CheckFindings(fs []Finding, a JudgeAnswer) error {
	if len(fs) != len(a.Statements) {
		return fmt.Errorf("%d findings of an answer to %d statements", len(fs), len(a.Statements))
	}
	seen := map[int]bool{}
	for _, r := range a.Statements {
		if r.Number < 1 || r.Number > len(fs) || seen[r.Number] {
			return fmt.Errorf("the answer has no statement %d, or has it twice", r.Number)
		}
		seen[r.Number] = true
		f := fs[r.Number-1]
		if f.Code == codeIndistinguishable && (f.Place == "") != (r.Answer == No && r.hasNoPlace()) {
			return fmt.Errorf("statement %d: the finding has the place %q, the answer turn %d and picture %d", r.Number, f.Place, r.Turn, r.Picture)
		}
		if f.Answer != r.Answer || f.Quote != "" && f.Quote != r.Quote {
			return fmt.Errorf("statement %d was answered %q, with the words %s; the finding says %q, %s", r.Number, r.Answer, Quote(r.Quote), f.Answer, Quote(f.Quote))
		}
	}
	return nil
}
