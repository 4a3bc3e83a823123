package safetext_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

func TestWhatMovesATerminalIsWrittenOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, naïve, 時計 😀":            "plain, naïve, 時計 😀",
		"a\nsignature: holds":           `a\nsignature: holds`,
		"\x1b[2K\rclean":                `\u001b[2K\rclean`,
		"\u009b2K":                      `\u009b2K`,
		"exe.\u202egpj":                 `exe.\u202egpj`,
		"\u2066a\u2069\u200f":           `\u2066a\u2069\u200f`,
		"a\u2028b\tc":                   `a\u2028b\tc`,
		"bad \xff\xc3":                  `bad \xff\xc3`,
		"می\u200cخواهم 👩\u200d💻":        "می\u200cخواهم 👩\u200d💻",
		"\U000e0041":                    `\udb40\udc41`,
		string([]rune{0xfffd}) + "\x7f": "\ufffd" + `\u007f`,
	} {
		if got := safetext.Line(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
		if again := safetext.Line(want); again != want {
			t.Errorf("%s changes to %s", want, again)
		}
	}
	if got := safetext.Text("a\tb\n\x1bc"); got != "a\tb\n"+`\u001bc` {
		t.Errorf("several lines: %q", got)
	}
}

type named string

type spoken struct{}

func (spoken) String() string { return "x\ny" }

func TestOnlyTheFormatBreaksLines(t *testing.T) {
	t.Parallel()
	got := safetext.Sprintf("%s|%s|%v|%q|%d|%s|%t\n", "a\nb", named("c\x1bd"), errors.New("e\rf"), "g\nh", 3, spoken{}, true)
	if want := `a\nb|c\u001bd|e\rf|"g\\nh"|3|x\ny|true` + "\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWriterKeepsJSON cuts the output at every byte.
func TestWriterKeepsJSON(t *testing.T) {
	t.Parallel()
	value := map[string]string{"a": "時\U000e0041\x1b\u202e\u009b😀", "b": "c\nd"}
	data, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		var out strings.Builder
		w := safetext.NewWriter(&out)
		for _, part := range [][]byte{data[:cut], data[cut:]} {
			if n, err := w.Write(part); err != nil || n != len(part) {
				t.Fatalf("cut at %d: %d, %v", cut, n, err)
			}
		}
		var back map[string]string
		if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back["a"] != value["a"] || back["b"] != value["b"] {
			t.Fatalf("cut at %d: %v, %q", cut, err, back)
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e\u009b") {
			t.Errorf("cut at %d: %q", cut, out.String())
		}
	}
}
