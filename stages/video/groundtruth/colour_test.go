package groundtruth

import "testing"

func TestDetailOf(t *testing.T) {
	for value, want := range map[string]*Detail{
		"red kettle":                 {"red", "", "kettle"},
		"the baker in the Red apron": {"red", "the baker in the", "apron"},
		"kettle":                     nil,
		"red":                        nil,
		"red and blue kettle":        nil,
		"coloured kettle":            nil,
		"":                           nil,
	} {
		got, ok := DetailOf(value)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("DetailOf(%q) = %+v, %v; want %+v", value, got, ok, want)
		}
	}
	d, _ := DetailOf("the baker in the red apron")
	o, _ := DetailOf("a Baker in the blue apron")
	if d.In("blue") != "the baker in the blue apron" || !d.Same(o) {
		t.Errorf("%q, same %v", d.In("blue"), d.Same(o))
	}
	if o, _ := DetailOf("the cook in the red apron"); d.Same(o) {
		t.Error("a cook is no baker")
	}
}
