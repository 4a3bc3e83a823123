package grammar_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/grammar"
)

const talk = `
# what people say
greeting:
  <hi> <name>, {good|nice} to see you.
hi:
  hello
  good {morning|evening}
`

func TestSay(t *testing.T) {
	g, err := grammar.Parse(talk)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for range 200 {
		s, err := g.Say(rnd, "greeting", map[string]string{"name": "<Ida>"})
		if err != nil {
			t.Fatal(err)
		}
		seen[s] = true
	}
	var want []string
	for _, hi := range []string{"Hello", "Good morning", "Good evening"} {
		for _, how := range []string{"good", "nice"} {
			want = append(want, hi+" <Ida>, "+how+" to see you.")
		}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("never said: %q", w)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d sentences, want %d", len(seen), len(want))
	}
	if !g.Has("hi") || g.Has("name") || g.CountWays("hi") != 2 {
		t.Error("rules are told wrong")
	}
}

func TestSaysTheSameForTheSameNumbers(t *testing.T) {
	g, err := grammar.Parse(talk)
	if err != nil {
		t.Fatal(err)
	}
	said := func() (out []string) {
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			s, err := g.Say(rnd, "greeting", map[string]string{"name": "Ida"})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}
	if a, b := said(), said(); !slices.Equal(a, b) {
		t.Errorf("%q, then %q", a, b)
	}
}

func TestBadGrammars(t *testing.T) {
	for text, want := range map[string]string{
		"  way":            "belongs to no rule",
		"rule":             "want a new rule's name",
		"a:\n  x\na:\n  y": "want a new rule's name",
		"a:\nb:\n  x":      "has no way",
		"a:\n  <b":         "does not close",
		"a:\n  b}":         "open and close in turn",
		"a:\n  {x {y} z}":  "open and close in turn",
	} {
		if _, err := grammar.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"a:\n  <a> and <a>": "deep",
		"a:\n  <nobody>":    "neither a rule nor given",
		"b:\n  x":           "there is no rule",
	} {
		g, err := grammar.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Say(rand.New(rand.NewPCG(1, 1)), "a", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPattern: what a rule says fits its pattern with any slots, and what another says does
// not.
func TestPattern(t *testing.T) {
	g, err := grammar.Parse(talk)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Pattern("greeting")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"Hello Ida, nice to see you.": true, "Good morning , good to see you.": true, "hello Ida (and Bo), good to see you.": true,
		"Hello Ida, bad to see you.": false, "Hello Ida, nice to see youX": false, "Well, hello Ida, nice to see you.": false, "Good night Ida, nice to see you.": false,
	} {
		if p.MatchString(text) != want {
			t.Errorf("%q fits: %t", text, !want)
		}
	}
	if _, err := g.Pattern("nobody"); err == nil {
		t.Error("a rule that is not there has a pattern")
	}
	if g, err = grammar.Parse("a:\n  <a> and <a>"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Pattern("a"); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("%v, want it to be too deep", err)
	}
}

// FuzzParse: whatever can be read can be said or is an error.
func FuzzParse(f *testing.F) {
	f.Add(talk)
	f.Add("a:\n  {|}<a>")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := grammar.Parse(text)
		if err != nil || !g.Has("a") {
			return
		}
		if s, err := g.Say(rand.New(rand.NewPCG(1, 1)), "a", nil); err == nil && len(s) > 1<<16 {
			t.Errorf("%d bytes", len(s))
		}
		if p, err := g.Pattern("a"); err == nil && p == nil {
			t.Error("a pattern is neither there nor an error")
		}
	})
}
