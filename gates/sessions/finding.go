package sessions

import (
	"encoding/json"
	"errors"
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

// Read turns an answer to all statements into findings, in their order.
func (q Inquiry) Read(a JudgeAnswer) ([]Finding, error) {
	out := make([]Finding, len(q.asked))
	if err := q.settle(out, a); err != nil {
		return nil, err
	}
	return out, nil
}

// settle fills in the findings of the statements that are open, which have no answer yet. What can
// be used of an answer stays. The error says, to the judge as well, what cannot: statements without
// exactly one reply, and places that do not hold what they are cited for.
func (q Inquiry) settle(findings []Finding, a JudgeAnswer) error {
	replies := map[int][]StatementReply{}
	for _, r := range a.Statements {
		if r.Number < 1 || r.Number > len(findings) || findings[r.Number-1].Answer != "" {
			return fmt.Errorf("there is no statement %d", r.Number)
		}
		replies[r.Number] = append(replies[r.Number], r)
	}
	var wrong []string
	for i := range findings {
		if findings[i].Answer != "" {
			continue
		}
		switch given := replies[i+1]; len(given) {
		case 0:
			wrong = append(wrong, fmt.Sprintf("statement %d is not answered", i+1))
		case 1:
			f, err := q.findingOf(given[0])
			if err == nil {
				findings[i] = f
				continue
			}
			wrong = append(wrong, fmt.Sprintf("statement %d: %v", i+1, err))
		default:
			wrong = append(wrong, fmt.Sprintf("statement %d is answered twice", i+1))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// completeAnswer adds to an answer, for those of n statements that it leaves out, the last replies
// of earlier responses.
func completeAnswer(a JudgeAnswer, earlier []string, n int) JudgeAnswer {
	out := JudgeAnswer{slices.Clone(a.Statements)}
	for _, text := range slices.Backward(earlier) {
		var said JudgeAnswer
		if json.Unmarshal([]byte(text), &said) != nil {
			continue
		}
		for _, r := range said.Statements {
			if r.Number <= n && !slices.ContainsFunc(out.Statements, func(o StatementReply) bool { return o.Number == r.Number }) {
				out.Statements = append(out.Statements, r)
			}
		}
	}
	return out
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
