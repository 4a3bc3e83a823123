package annotation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/sources/internal/annotation"
)

func TestParseObject(t *testing.T) {
	o, err := annotation.ParseObject([]byte(`{"video_id":"1","videoID":"aB","n":7.50,"s":" x\r\ny ","l":["a",2],"z":null,"o":{"k":"v"},"os":[{"k":1}],"big":"1e999"}`))
	if err != nil {
		t.Fatal(err)
	}
	text := func(key string) string {
		s, err := o.Text(key)
		if err != nil {
			return "error"
		}
		return s
	}
	for key, want := range map[string]string{"video_id": "1", "videoID": "aB", "VIDEOID": "", "n": "7.50", "s": "x\ny", "z": "", "l": "error", "o": "error"} {
		if got := text(key); got != want {
			t.Errorf("text %s: %q, want %q", key, got, want)
		}
	}
	list, err1 := o.Texts("l")
	single, err2 := o.Texts("video_id")
	none, err3 := o.Texts("z")
	n, err4 := o.Number("n")
	inner, err5 := o.Object("o")
	many, err6 := o.Objects("os")
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Error(err)
		}
	}
	if fmt.Sprint(list, single, none, n) != "[a 2] [1] [] 7.5" || string(inner["k"]) != `"v"` || len(many) != 1 {
		t.Errorf("%v %v %v %v %v %v", list, single, none, n, inner, many)
	}
	for _, key := range []string{"big", "s"} {
		if _, err := o.Number(key); err == nil {
			t.Errorf("number %s: no error", key)
		}
	}
}

func TestParseObjectRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``: "cut off", `[]`: "want a JSON object", `{"a":1,"a":2}`: "occurs twice", `{"a":1} x`: "after the JSON", `{"a":1}{}`: "after the JSON",
		`{"a"`: "cut off", `{"a":1,}`: "not JSON", `null`: "want a JSON object", `{"a":`: "cut off",
	} {
		if _, err := annotation.ParseObject([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if _, err := annotation.Prepare([]byte("\xef\xbb\xbfa\xff")); err == nil {
		t.Error("invalid UTF-8 is accepted")
	}
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "59.5": "59.5", "12:05": "725", "75:10": "4510", "01:02:03": "3723", "00:00:01,250": "1.25", " 1:00 ": "60",
		"": "-", "1:60": "-", "1:2:3:4": "-", "-1": "-", "a": "-", "1.5:00": "-", "1:": "-", "999999999:00:00": "-", "1e3": "-", "+1": "-", "NaN": "-", "1.2.3": "-",
	} {
		got := "-"
		if s, err := annotation.ParseClock(text); err == nil {
			got = fmt.Sprint(s)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParseSpans(t *testing.T) {
	for text, want := range map[string]string{
		"12:05-12:40":                   "[{725 760}]",
		"00:10:00 - 00:14:30":           "[{600 870}]",
		"00:10 – 00:20, 1:00-1:05;2:00": "[{10 20} {60 65} {120 120}]",
		"0:10 to 0:20\r\n0:30~0:40":     "[{10 20} {30 40}]",
		"None":                          "[]",
		"":                              "[]",
		"0:20-0:10":                     "-",
		"1:99-2:00":                     "-",
		"soon":                          "-",
		"0:10-0:20-0:30":                "-",
	} {
		got := "-"
		if s, err := annotation.ParseSpans(text); err == nil {
			got = fmt.Sprint(s)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

const srt = "\ufeff1\r\n00:00:01,000 --> 00:00:02,500 X1:1 Y1:2\r\n<i>Hello</i>,\r\n{\\an8}you &amp; me\r\n\r\n2\r\n00:00:00.500 --> 00:00:00.900\r\nfirst\r\n\r\n3\r\n00:00:09,000 --> 00:00:08,000\r\nbackwards\r\n\r\n4\r\nx --> 00:00:08,000\r\nbroken\r\n\r\n5\r\n00:01:00,000 --> 00:01:01,000\r\n\r\n6\r\n00:02:00,000 --> 00:02:01,000\r\nno blank line\r\n7\r\n00:03:00,000 --> 00:03:01,000\r\n42"

func TestParseSubtitles(t *testing.T) {
	cues, bad, err := annotation.ParseSubtitles([]byte(srt))
	want := "[{0.5 0.9 first} {1 2.5 Hello, you & me} {120 121 no blank line} {180 181 42}]"
	if err != nil || bad != 2 || fmt.Sprint(cues) != want {
		t.Errorf("cues %v, %d bad, error %v, want %s", cues, bad, err, want)
	}
	for _, text := range []string{"", "WEBVTT", "1\n00:00:01,000 -> 00:00:02,000\nx", "\xff\xfe1\x00"} {
		if _, _, err := annotation.ParseSubtitles([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":[1,"b"],"c":{"d":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := annotation.ParseObject(b)
		if err != nil {
			return
		}
		for key := range o {
			_, _ = o.Text(key)
			_, _ = o.Texts(key)
			_, _ = o.Object(key)
			_, _ = o.Objects(key)
			if n, err := o.Number(key); err == nil && n-n != 0 {
				t.Fatalf("number %v", n)
			}
		}
	})
}

func FuzzSpans(f *testing.F) {
	f.Add("00:10:00 - 00:14:30, 1:2")
	f.Add("12:05–12:40")
	f.Fuzz(func(t *testing.T, s string) {
		spans, err := annotation.ParseSpans(s)
		if err != nil {
			return
		}
		for _, p := range spans {
			if !(p.Start >= 0 && p.Start <= p.End && p.End < 1e6) {
				t.Fatalf("%q: %v", s, p)
			}
		}
	})
}

func FuzzSubtitles(f *testing.F) {
	f.Add([]byte(srt))
	f.Add([]byte("1\n0:0:1,0-->0:0:2,0\n<<b>x</b>>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		cues, _, err := annotation.ParseSubtitles(b)
		if err != nil {
			return
		}
		last := 0.0
		for _, c := range cues {
			if c.Start < last || c.End < c.Start || c.Text == "" || strings.ContainsAny(c.Text, "\n\r\x00") {
				t.Fatalf("cue %+v after %v", c, last)
			}
			last = c.Start
		}
	})
}
