package phrasebook

import (
	"fmt"
	"testing"
)

func TestSentencesAreFilledAndReadBack(t *testing.T) {
	b := Parse("# a comment\n\n[ask]\nIn {video}, {ask}?\n{Ask} in {video}?\n[opens]\nonly: what is opened\n")
	if len(b["ask"]) != 2 || b.Phrase("opens", "only") != "what is opened" || b.Phrase("opens", "nth")+b.Phrase("shuts", "only") != "" {
		t.Errorf("book %q", b)
	}
	for n, want := range []string{"In the film, who came?", "Who came in the film?"} {
		text := Fill(b["ask"][n], map[string]string{"video": "the film", "ask": "who came"})
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
		said, ok := Blanks(Pattern(b["ask"][n], map[string]string{"ask": "[wW]ho [a-z]+"}), text)
		if again := Fill(b["ask"][n], said); !ok || again != want {
			t.Errorf("%q is read as %v and says %q", text, said, again)
		}
	}
	if said, ok := Blanks(Pattern(b["ask"][0], map[string]string{"ask": "[wW]ho [a-z]+"}), "In the film, what came?"); ok {
		t.Errorf("another sentence is read as %v", said)
	}
	if got := fmt.Sprint(Capitalise(""), Capitalise("ärger")); got != "Ärger" {
		t.Errorf("capitals %q", got)
	}
}
