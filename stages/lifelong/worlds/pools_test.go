package worlds

import "testing"

// TestInquiry wants persons asked for with who, several things with how many, and
// everything else with what.
func TestInquiry(t *testing.T) {
	for of, want := range map[[2]string]string{
		{"software", "owner"}: "who is the owner of", {"household", "keeper"}: "who is the keeper of", {Life, "closest colleague"}: "who is the closest colleague of",
		{"spreadsheet", "filled cells"}: "how many filled cells are given for", {"software", hoursIn("May")}: "how many hours in May are given for",
		{"household", "weight in grams"}: "what is the weight in grams of", {Life, "number of people"}: "what is the number of people of", {"admin", "quota class"}: "what is the quota class of",
	} {
		if got := Inquiry(of[0], of[1], "the Falcon fund"); got != want+" the Falcon fund" {
			t.Errorf("%v is asked for as %q", of, got)
		}
	}
}
