package groundtruth

import (
	"reflect"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestClash(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"cup", "cup", true},
		{"the Cup", "cup.", true},
		{"cup", "red cup", true},
		{"red cup", "blue cup", false},
		{"12", "12:30", true},
		{"no", "note", false},
		{"", "cup", false},
		{"", "", false},
		{"A", "the", false},
		{"?", "!", false},
		{"?", "?", true},
		{"été", "Été", true},
	}
	for _, tt := range tests {
		if got := Clash(tt.a, tt.b); got != tt.want {
			t.Errorf("Clash(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if Clash(tt.b, tt.a) != Clash(tt.a, tt.b) {
			t.Errorf("Clash(%q, %q) is not symmetric", tt.a, tt.b)
		}
	}
}

func TestValues(t *testing.T) {
	events := []schemas.Event{
		{Kind: Enters, Subject: "Ada", Object: "door"},
		{Kind: PicksUp, Subject: "Ada", Object: "red  cup"},
		{Kind: PicksUp, Subject: "Ada", Object: "atlas"},
		{Kind: PicksUp, Subject: "Bo", Object: "atlas"},
		{Kind: Shows},
		{Kind: "waves", Subject: "Bo", Object: "flag"},
	}
	want := map[string][]string{Enters: {"Ada"}, PicksUp: {"atlas", "red cup"}}
	if got := Values(events); !reflect.DeepEqual(got, want) {
		t.Errorf("Values = %v, want %v", got, want)
	}
	if !Mentions(events, "the flag") || !Mentions(events, "bo") || Mentions(events, "kettle") {
		t.Error("Mentions must look at subjects and objects of every kind")
	}
}
