package glob_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/glob"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		include, exclude []string
		name             string
		want             bool
	}{
		{nil, nil, "a/b.mp4", true},
		{[]string{"*.mp4"}, nil, "a.mp4", true},
		{[]string{"*.mp4"}, nil, "a/b.mp4", false},
		{[]string{"**/*.mp4"}, nil, "b.mp4", true},
		{[]string{"**/*.mp4"}, nil, "a/b/c.mp4", true},
		{[]string{"a/**"}, nil, "a", true},
		{[]string{"a/**"}, nil, "a/b/c", true},
		{[]string{"a/**/z"}, nil, "a/z", true},
		{[]string{"a/**/z"}, nil, "a/b/c/z", true},
		{[]string{"a/**/z"}, nil, "b/z", false},
		{[]string{"**"}, []string{"**/raw/**"}, "x/raw/y", false},
		{[]string{"**"}, []string{"**/raw/**"}, "x/raws/y", true},
		{[]string{glob.AnyCase(".mp4")}, nil, "d/Film.MP4", true},
		{[]string{glob.AnyCase(".mp4")}, nil, "d/Film.mp3", false},
		{[]string{glob.Escape("a[1]*?.csv")}, nil, "a[1]*?.csv", true},
		{[]string{glob.Escape("a[1]*?.csv")}, nil, "a1xx.csv", false},
	}
	for _, tt := range tests {
		set, err := glob.Compile(tt.include, tt.exclude)
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Match(tt.name); got != tt.want {
			t.Errorf("include %q exclude %q: Match(%q) = %v", tt.include, tt.exclude, tt.name, got)
		}
	}
}

func TestManyDoubleStarsAreCheap(t *testing.T) {
	pattern := strings.Repeat("**/a/", 30) + "b"
	set, err := glob.Compile([]string{pattern}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if set.Match(strings.Repeat("a/", 200) + "c") {
		t.Error("matched a path that ends in c")
	}
	if !set.Match(strings.Repeat("a/", 200) + "b") {
		t.Error("did not match a path that ends in b")
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, bad := range []string{"", "/a", "a//b", "../a", "a/./b", "**.mp4", "[a", "a/["} {
		if _, err := glob.Compile([]string{bad}, nil); err == nil {
			t.Errorf("include %q was accepted", bad)
		}
		if _, err := glob.Compile(nil, []string{bad}); err == nil || !strings.Contains(err.Error(), "exclude") {
			t.Errorf("exclude %q: error %v does not name the list", bad, err)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a/b[1].mp4")
	f.Add(`x\y*`)
	f.Fuzz(func(t *testing.T, name string) {
		set, err := glob.Compile([]string{glob.Escape(name)}, nil)
		if err != nil || !utf8.ValidString(name) {
			return
		}
		if !set.Match(name) {
			t.Errorf("Escape(%q) does not match it", name)
		}
	})
}
