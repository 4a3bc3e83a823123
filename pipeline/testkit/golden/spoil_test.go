package golden

import (
	"slices"
	"testing"
)

func TestSpoiled(t *testing.T) {
	var got []string
	for what, doc := range Spoiled(t, []byte(`{"a":[1,"b",true],"c":null}`)) {
		got = append(got, what+" "+string(doc))
	}
	want := []string{
		`a = "x" {"a":"x","c":null}`, `a = [] {"a":[],"c":null}`, `a = [1,"b",true,1,"b",true] {"a":[1,"b",true,1,"b",true],"c":null}`, `a left out {"c":null}`,
		`a[0] = "x" {"a":["x","b",true],"c":null}`, `a[0] = 0 {"a":[0,"b",true],"c":null}`, `a[0] = -1 {"a":[-1,"b",true],"c":null}`,
		`a[0] = 2 {"a":[2,"b",true],"c":null}`, `a[0] left out {"a":[null,"b",true],"c":null}`,
		`a[2] = false {"a":[1,"b",false],"c":null}`, `a[2] = "x" {"a":[1,"b","x"],"c":null}`, `a[2] left out {"a":[1,"b",null],"c":null}`,
		`c = "x" {"a":[1,"b",true],"c":"x"}`, `c left out {"a":[1,"b",true]}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestChangedLines(t *testing.T) {
	for new, want := range map[string]string{"b\nc": "- a\n- b\n+ c\n", "x\ny": "- all\n+ x\n+ y\n", "a\nb\nb": ""} {
		if got := changedLines("a\nb\nb", new); got != want {
			t.Errorf("%q: %q", new, got)
		}
	}
}
