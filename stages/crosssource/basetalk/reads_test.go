package basetalk_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// TestChatsNameWhatNobodyAsksAbout: a fifth of all turns and more name a thing, firm, place
// or person by name, and none of these names is one that a world gives to what it asks
// about.
func TestChatsNameWhatNobodyAsksAbout(t *testing.T) {
	t.Parallel()
	lines := chats(t, 4000)
	called := regexp.MustCompile(`\b([A-Z][a-z]+) ([A-Z][a-z]+)\b`)
	kinds := map[string]bool{}
	for _, theme := range simulate.Themes() {
		for _, n := range simulate.Bystanders(rnd(1), theme, 1).Things {
			kinds[n[strings.LastIndex(n, " ")+1:]] = true
		}
	}
	named, things := 0, 0
	for _, l := range lines {
		found := called.FindAllStringSubmatch(l.Text, -1)
		any := false
		for _, m := range found {
			if kinds[m[2]] {
				things++
				if !simulate.IsUnasked(m[1]) {
					t.Errorf("%q names %s, as a world may name what it asks about", l.Text, m[0])
				}
			}
			any = any || simulate.IsUnasked(m[1]) || simulate.IsUnasked(m[2])
		}
		if any {
			named++
		}
	}
	if named*5 < len(lines) || things*20 < len(lines) {
		t.Errorf("%d of %d turns name something, %d a thing of a theme", named, len(lines), things)
	}
	t.Logf("%d of %d turns name something, %d a thing of a theme", named, len(lines), things)
}

// TestNobodySharesAName: who is named in passing has the first name of nobody in the chat.
func TestNobodySharesAName(t *testing.T) {
	t.Parallel()
	met := 0
	for seed := range uint64(60) {
		all := []string{simulate.Stranger(rnd(seed), nil).Name, simulate.Stranger(rnd(seed+1000), nil).Name, simulate.Stranger(rnd(seed+2000), nil).Name, simulate.Stranger(rnd(seed+3000), nil).Name}
		for _, p := range simulate.Bystanders(rnd(seed), "films", 40, all...).People {
			met++
			for _, name := range all {
				if given(p) == given(name) {
					t.Errorf("%s is named where %s takes part", p, name)
				}
			}
		}
	}
	if met < 2000 {
		t.Errorf("%d people were named", met)
	}
}
