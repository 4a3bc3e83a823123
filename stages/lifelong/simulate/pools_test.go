package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLikeEndsInSmallPools draws values of kinds of which few exist, all of them given.
func TestLikeEndsInSmallPools(t *testing.T) {
	for aspect, pool := range map[string]string{LevelAspect("order"): poolLevel, Income: poolIncome, Age: poolAge, Marital: poolMarital} {
		all := knownWords(pool)
		for given := range len(all) + 1 {
			got := PickSimilar(rand.New(rand.NewPCG(1, 2)), DomainLife, aspect, 3, all[:given]...)
			fresh := slices.DeleteFunc(slices.Clone(got), func(v string) bool { return slices.Contains(all[:given], v) })
			if want := min(3, len(all)-given); len(got) != 3 || len(slices.Compact(slices.Sorted(slices.Values(fresh)))) < want {
				t.Errorf("%s beside %q: %q", aspect, all[:given], got)
			}
		}
	}
}

// TestInquiry wants persons asked for with who, several things with how many, and
// everything else with what.
func TestInquiry(t *testing.T) {
	for of, want := range map[[2]string]string{
		{"software", "owner"}: "who is the owner of", {"household", "keeper"}: "who is the keeper of", {DomainLife, "closest colleague"}: "who is the closest colleague of",
		{"spreadsheet", "filled cells"}: "how many filled cells are given for", {"software", hoursIn("May")}: "how many hours of work in May are given for",
		{"household", "dust reading"}: "what is the dust reading of", {DomainLife, "number of people"}: "what is the number of people of", {"admin", "quota class"}: "what is the quota class of",
	} {
		if got := Inquiry(of[0], of[1], "the Falcon fund"); got != want+" the Falcon fund" {
			t.Errorf("%v is asked for as %q", of, got)
		}
	}
}
