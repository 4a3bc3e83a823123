package structural

import (
	"strings"
	"testing"
)

func TestConfigRefusesEmptyTypes(t *testing.T) {
	if _, err := New(Config{Types: []string{""}}, nil, false, nil); err == nil {
		t.Error("an empty type name passes")
	}
}

func TestMakeUpIsReadAsItIsWritten(t *testing.T) {
	for _, text := range []string{
		"choice: 1 correct, 3 distractor",
		"denial: 1 correct, 3 distractor; target=neither",
		"denial: 1 correct; a=b, target=",
	} {
		var m MakeUp
		if err := m.UnmarshalText([]byte(text)); err != nil || m.String() != text {
			t.Errorf("%q became %q: %v", text, m, err)
		}
	}
	for _, text := range []string{
		"", "choice", "choice:", ": 1 correct", "choice: correct", "choice: 0 correct", "choice: 1 correct, 2 correct",
		"choice: 1 ", "choice: 1 correct; ", "choice: 1 correct; target", "choice: 1 correct; =x", "choice: 1 correct; a=1, a=2",
	} {
		m := MakeUp{Type: "as before"}
		if err := m.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "TYPE: 1 correct") || m.Type != "as before" {
			t.Errorf("%q became %q: %v", text, m, err)
		}
	}
}
