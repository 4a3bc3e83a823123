package lifelong_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
)

// contents read what a point states of a subject.
var contents = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<V>.+) took the place of .+ as the (?P<A>.+?) of (?P<T>(?:the )?[A-Z].+)$`),
	regexp.MustCompile(`^(?P<V>.+) is the (?P<A>.+?) of (?P<T>(?:the )?[A-Z].+?) for the (?:first|second) half of it only.*$`),
	regexp.MustCompile(`^(?P<V>.+) alone is the (?P<A>.+?) of (?P<T>(?:the )?[A-Z].+?) again, for both halves$`),
	regexp.MustCompile(`^There is no (?P<A>.+?) of (?P<T>(?:the )?[A-Z].+?) any more; (?P<V>.+) was dropped$`),
	regexp.MustCompile(`^The (?P<A>.+?) of (?P<T>(?:the )?[A-Z].+?) is (?P<V>.+)$`),
}

// judge reads requests alone: what turns say through the replay, and pictures by what
// they were drawn to show.
type judge struct {
	q     sessions.Inquiry
	shown map[string]oracle.Picture
}

// says are the points that follow from the session of the request, by the number of their
// turn: whoever takes something back does so later. "My" is of whom the session names first.
func (j judge) says(aspect string) map[string][]schemas.MemoryPoint {
	of := aspect + " of " + j.q.Input.Participants[0]
	mine := strings.NewReplacer("My "+aspect, "The "+of, "my "+aspect, "the "+of)
	whole := schemas.Session{}
	for _, turn := range j.q.Input.Session {
		whole.Turns = append(whole.Turns, schemas.Turn{TurnID: fmt.Sprint(turn.Turn), Role: schemas.TurnUser, Text: mine.Replace(turn.Text)})
	}
	out := map[string][]schemas.MemoryPoint{}
	for _, p := range oracle.New([]schemas.Session{whole}, nil).Points()[0] {
		out[p.EvidenceTurns[0]] = append(out[p.EvidenceTurns[0]], p)
	}
	return out
}

// establishes finds a turn or picture that says a statement, real or in jest.
func (j judge) establishes(content string, turns, pictures []int, jest bool) (sessions.StatementReply, bool) {
	of, parsed := parse(content)
	says := j.says(of["A"])
	for _, n := range turns {
		for _, p := range says[fmt.Sprint(n)] {
			said := p.Content == content || parsed && p.Attributes["thing"] == of["T"] && p.Attributes["aspect"] == of["A"] && p.Attributes["value"] == of["V"]
			if said && p.IsInterference == jest {
				return sessions.StatementReply{Answer: sessions.Yes, Turn: n, Quote: j.q.Input.Session[n-1].Text}, true
			}
		}
	}
	for _, n := range pictures {
		p := j.shown[j.q.Images[n-1]]
		if parsed && "the "+p.Title == of["T"] && slices.Contains(p.Rows, [2]string{of["A"], of["V"]}) {
			return sessions.StatementReply{Answer: sessions.Yes, Picture: n}, true
		}
	}
	return sessions.StatementReply{Answer: sessions.No}, false
}

func parse(content string) (map[string]string, bool) {
	for _, form := range contents {
		if m := form.FindStringSubmatch(content); m != nil {
			return map[string]string{"V": m[form.SubexpIndex("V")], "A": m[form.SubexpIndex("A")], "T": m[form.SubexpIndex("T")]}, true
		}
	}
	return nil, false
}

// answer replies to every statement of the request.
func (j judge) answer() sessions.JudgeAnswer {
	var out sessions.JudgeAnswer
	for _, s := range j.q.Input.Statements {
		r := sessions.StatementReply{Answer: sessions.No}
		switch {
		case len(s.Captions) > 0:
			of, _ := parse(s.Says)
			for _, n := range s.Captions {
				text := j.q.Input.Captions[n-1].Text
				if strings.Contains(text, `"`+strings.TrimPrefix(of["T"], "the ")+`"`) && strings.Contains(text, of["A"]+": "+of["V"]) {
					r = sessions.StatementReply{Answer: sessions.Yes, Picture: n, Quote: text}
				}
			}
		case len(s.Turns)+len(s.Pictures) > 0:
			r, _ = j.establishes(s.Says, s.Turns, s.Pictures, false)
		default:
			r = j.belongs(s.Says)
		}
		r.Number = s.Number
		out.Statements = append(out.Statements, r)
	}
	return out
}

// belongs says whether a statement is meant anywhere in the session.
func (j judge) belongs(content string) sessions.StatementReply {
	var turns, pictures []int
	for n := range j.q.Input.Session {
		turns = append(turns, n+1)
	}
	for n := range j.q.Images {
		pictures = append(pictures, n+1)
	}
	if r, meant := j.establishes(content, turns, pictures, false); meant {
		return r
	}
	r, said := j.establishes(content, turns, nil, true)
	if r.Answer = sessions.No; !said {
		return sessions.StatementReply{Answer: sessions.No}
	}
	return r
}
