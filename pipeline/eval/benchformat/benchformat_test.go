package benchformat_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

func TestReadFileBoundsTheSize(t *testing.T) {
	r := benchformat.Reader{Root: fstest.MapFS{"a.json": {Data: []byte(`{"x":1}`)}}}
	if _, err := r.ReadFile("a.json", 7); err != nil {
		t.Error(err)
	}
	if _, err := r.ReadFile("a.json", 6); err == nil || !strings.Contains(err.Error(), "more than 6 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestDecodeStrictRefuses(t *testing.T) {
	for _, data := range []string{`{"y":1}`, `{"x":1} {}`, `{"x":1`} {
		var v struct{ X int }
		if err := benchformat.DecodeStrict([]byte(data), &v); err == nil {
			t.Errorf("%s was decoded to %v", data, v)
		}
	}
}

func TestCheckPictureRefusesOtherFiles(t *testing.T) {
	r := benchformat.Reader{Root: fstest.MapFS{"images/a.png": {Data: []byte("no picture")}}}
	for _, name := range []string{"images", "images/a.png", "images/b.png"} {
		if err := r.CheckPicture(name); err == nil {
			t.Errorf("%s passes as a picture", name)
		}
	}
}

func TestReadLines(t *testing.T) {
	parse := func(line []byte) (string, string, error) {
		id, value, ok := strings.Cut(string(line), "=")
		if !ok {
			return "", "", errors.New("want ID=VALUE")
		}
		return id, value, nil
	}
	got, err := benchformat.ReadLines(strings.NewReader("a=1\n \nb=2\n"), "log", "question %q is answered twice", 16, parse)
	if err != nil || len(got) != 2 || got["a"] != "1" || got["b"] != "2" {
		t.Errorf("got %v, %v", got, err)
	}
	for in, want := range map[string]string{"a=1\na=2": `log: line 2: question "a" is answered twice`, "a=1\n\nb": "log: line 3: want ID=VALUE", strings.Repeat("a", 17): "log: "} {
		if _, err := benchformat.ReadLines(strings.NewReader(in), "log", "question %q is answered twice", 16, parse); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", in, err, want)
		}
	}
}

func TestCountFoundCountsEachOnce(t *testing.T) {
	same := func(a, b int) bool { return a == b }
	if n := benchformat.CountFound([]int{1, 2, 3}, []int{2, 2, 3}, same); n != 2 {
		t.Errorf("got %d, want 2", n)
	}
}
