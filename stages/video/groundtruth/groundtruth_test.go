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
		got, ok := ParseDetail(value)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("DetailOf(%q) = %+v, %v; want %+v", value, got, ok, want)
		}
	}
	d, _ := ParseDetail("the baker in the red apron")
	o, _ := ParseDetail("a Baker in the blue apron")
	if d.WithColour("blue") != "the baker in the blue apron" || !d.EqualButColour(o) {
		t.Errorf("%q, same %v", d.WithColour("blue"), d.EqualButColour(o))
	}
	if o, _ := ParseDetail("the cook in the red apron"); d.EqualButColour(o) {
		t.Error("a cook is no baker")
	}
}
