package gates

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/testkit"
)

// reader is a judge that sees nothing but the request it is sent: it knows the
// language of traits, and reads the pixels of pictures.
type reader struct {
	turns      []sessions.ShownTurn
	captions   []sessions.ShownCaption
	statements []sessions.Statement
	pictures   []string // "bike red" by number
}

// competent answers every request rightly.
func competent(a testkit.ChatRequest) testkit.ChatReply {
	out, err := read(a)
	if err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	return testkit.ReplyJSON(out)
}

func read(a testkit.ChatRequest) (sessions.JudgeAnswer, error) {
	var r reader
	var out sessions.JudgeAnswer
	if err := a.Data("statements", &r.statements); err != nil {
		return out, err
	}
	for _, b := range a.Images {
		r.pictures = append(r.pictures, look(b))
	}
	judge := r.established
	if a.Data("captions", &r.captions) == nil {
		judge = r.captioned
	} else if err := a.Data("session", &r.turns); err != nil {
		return out, err
	}
	if strings.Contains(a.System, "what belongs into that memory") {
		judge = r.kept
	}
	for _, s := range r.statements {
		v := judge(s)
		v.Number = s.Number
		out.Statements = append(out.Statements, v)
	}
	return out, nil
}

// look says what a picture shows: its height tells the thing, its colour the
// value.
func look(b []byte) string {
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return err.Error()
	}
	r, g, bl, _ := img.At(1, 1).RGBA()
	for _, k := range traits {
		if k.size != img.Bounds().Dy() {
			continue
		}
		for name, c := range shades {
			if uint32(c.R) == r>>8 && uint32(c.G) == g>>8 && uint32(c.B) == bl>>8 {
				return k.name + " " + name
			}
		}
	}
	return "nothing known"
}

// parse reads a statement.
func parse(statement string) (trait, string) {
	_, rest, _ := strings.Cut(statement, " ")
	for _, k := range traits {
		for _, v := range k.values {
			if rest == fill(k.states, v) {
				return k, v
			}
		}
	}
	return trait{}, ""
}

// spoken finds words that say a value of a trait, and whether they are meant.
func spoken(text string, k trait, v string) (quote string, meant bool) {
	text = strings.ToLower(text)
	for _, form := range []string{k.says, strings.Replace(k.says, "my", "your", 1)} {
		if q := fill(form, v); strings.Contains(text, q) {
			_, rest, _ := strings.Cut(text, q)
			return q, !strings.Contains(rest, "joking") && !strings.Contains(rest, "cousin")
		}
	}
	return "", false
}

func (r *reader) established(s sessions.Statement) sessions.StatementReply {
	k, v := parse(s.Says)
	for _, n := range s.Turns {
		if q, meant := spoken(r.turns[n-1].Text, k, v); q != "" && meant {
			return sessions.StatementReply{Answer: sessions.Yes, Turn: n, Quote: q}
		}
	}
	for _, n := range s.Pictures {
		if r.pictures[n-1] == k.name+" "+v {
			return sessions.StatementReply{Answer: sessions.Yes, Picture: n}
		}
	}
	return sessions.StatementReply{Answer: sessions.No}
}

func (r *reader) captioned(s sessions.Statement) sessions.StatementReply {
	k, v := parse(s.Says)
	for _, n := range s.Captions {
		if strings.Contains(strings.ToLower(r.captions[n-1].Text), fill(k.caption, v)) {
			return sessions.StatementReply{Answer: sessions.Yes, Picture: n, Quote: v}
		}
	}
	return sessions.StatementReply{Answer: sessions.No}
}

func (r *reader) kept(s sessions.Statement) sessions.StatementReply {
	k, v := parse(s.Says)
	for i, t := range r.turns {
		if q, meant := spoken(t.Text, k, v); q != "" {
			return sessions.StatementReply{Answer: map[bool]string{true: sessions.Yes, false: sessions.No}[meant], Turn: i + 1, Quote: q}
		}
	}
	if i := slices.Index(r.pictures, k.name+" "+v); i >= 0 {
		return sessions.StatementReply{Answer: sessions.Yes, Picture: i + 1}
	}
	return sessions.StatementReply{Answer: sessions.No}
}

// noisy flips answers of a competent judge with a chance, by a hash of the
// statement and its request, and cites a place that will do.
func noisy(chance float64) func(testkit.ChatRequest) testkit.ChatReply {
	return func(a testkit.ChatRequest) testkit.ChatReply {
		out, err := read(a)
		if err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		for i := range out.Statements {
			if r := &out.Statements[i]; draw01(fmt.Sprintf("%s/%d", a.Body, r.Number)) < chance {
				flip(a, r)
			}
		}
		return testkit.ReplyJSON(out)
	}
}

// flip turns an answer round and finds words to cite for it.
func flip(a testkit.ChatRequest, r *sessions.StatementReply) {
	var q reader
	_ = a.Data("session", &q.turns)
	_ = a.Data("captions", &q.captions)
	_ = a.Data("statements", &q.statements)
	s := q.statements[r.Number-1]
	if r.Answer == sessions.Yes {
		r.Answer = sessions.No
		return
	}
	r.Answer = sessions.Yes
	switch {
	case len(s.Captions) > 0:
		r.Picture, r.Quote = s.Captions[0], q.captions[s.Captions[0]-1].Text
	case len(s.Pictures) > 0:
		r.Picture = s.Pictures[0]
	case len(s.Turns) > 0:
		r.Turn, r.Quote = s.Turns[0], q.turns[s.Turns[0]-1].Text
	case r.Turn == 0 && r.Picture == 0:
		r.Turn, r.Quote = 1, q.turns[0].Text
	}
}
