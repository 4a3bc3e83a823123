package client

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// wantsX allows an object with the one key x.
func wantsX(b json.RawMessage) error {
	var v map[string]int
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	if _, ok := v["x"]; !ok || len(v) != 1 {
		return errors.New("want x alone")
	}
	return nil
}

func TestAnswersAreFoundAmongWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"x":1}`:                                   `{"x":1}`,
		"Sure! Here it is:\n{\"x\": 2}":             `{"x": 2}`,
		"{\"x\":3}\nI hope this helps {really}.":    `{"x":3}`,
		"<think>{\"x\":9}</think>{\"x\":4}":         `{"x":4}`,
		"Here:\n```json\n{\"x\":5}\n```\nDone.":     `{"x":5}`,
		"first {\"x\":6}, no: {\"x\":7}":            `{"x":7}`,
		"with {\"y\":1} and {\"x\":8} and [1,2]":    `{"x":8}`,
		"within {\"y\":{\"x\":1}} is another value": "",
		"no value at all":                           "",
		"{\"x\":":                                   "",
		"":                                          "",
	} {
		got, err := findAnswer(text, acceptX)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("in %q: %s, %v; want %s", text, got, err, want)
		}
	}
}

func acceptX(answer json.RawMessage) (json.RawMessage, error) { return answer, wantsX(answer) }

func FuzzAnswerIn(f *testing.F) {
	f.Add("a {\"x\":1} b")
	f.Add(strings.Repeat("[", 300))
	f.Fuzz(func(t *testing.T, text string) {
		got, err := findAnswer(text, acceptX)
		if err == nil && (wantsX(got) != nil || !strings.Contains(text, string(got))) {
			t.Errorf("%q of %q", got, text)
		}
	})
}

func TestRepairTurnsQuoteNoMoreThanTheyNeed(t *testing.T) {
	long := "HEAD" + strings.Repeat("é", 500_000) + "TAIL"
	turns := repairMessages(long, errors.New(long))
	for _, m := range turns {
		if len(m.Text) > maxQuoted+300 {
			t.Errorf("the turn of %s has %d bytes", m.Role, len(m.Text))
		}
		if !strings.Contains(m.Text, "HEAD") || !strings.Contains(m.Text, "TAIL") || !strings.Contains(m.Text, "bytes left out") {
			t.Errorf("the turn of %s does not say what it leaves out: %.80s", m.Role, m.Text)
		}
	}
	if got := repairMessages("short", errors.New("wrong"))[0].Text; got != "short" {
		t.Errorf("a short answer became %q", got)
	}
}
