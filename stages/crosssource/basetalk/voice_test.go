package basetalk_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

func cast(n int, chat uint64) (out []basetalk.Person) {
	for i := range n {
		out = append(out, basetalk.Person{
			Name: fmt.Sprintf("Person%d%c Surname", chat%40, 'a'+rune(i)), Work: []string{"baker", "pilot", "nurse", "joiner", "vet"}[i%5], Town: fmt.Sprintf("Town%d%c", chat%40, 'a'+rune(i)),
			Likes: []string{"long walks", "old radios"},
		})
	}
	return out
}

// chats writes turns of many chats.
func chats(t *testing.T, turns int) (out []basetalk.Line) {
	t.Helper()
	themes := []string{"films", "science", "sports", "music", "food", "travel", "nature", "technology", "history", "animals", "politics", "fashion", "health", "religion", "economy", "literature"}
	for chat := uint64(0); len(out) < turns; chat++ {
		at := int(chat)
		v, err := basetalk.NewVoice(rnd(chat), []string{themes[at%16], themes[(at+3)%16], themes[(at+7)%16]}, cast(5, chat))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := v.Chat(800)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, lines...)
	}
	return out
}

// TestTurnsDiffer: who follows a question answers who asked, few turns say nearly what another says, no five words run through
// more than one turn of a hundred, and every discourse act occurs.
func TestTurnsDiffer(t *testing.T) {
	t.Parallel()
	lines := chats(t, testsize.Choose(4000, 40_000))
	texts := make([]string, len(lines))
	acts, long, asked := map[string]int{}, 0, 0
	runs := map[string]int{}
	one, two, all := map[string]bool{}, map[string]bool{}, 0
	for i, l := range lines {
		texts[i] = l.Text
		acts[l.Act]++
		if i%800 > 0 && strings.HasSuffix(lines[i-1].Text, "?") {
			asked++
			if l.Act != "answer" || !strings.Contains(l.Text, given(lines[i-1].Speaker)) {
				t.Errorf("%q is answered %q", lines[i-1].Text, l.Text)
			}
			if to := named(lines[i-1].Text, lines[i-1].Speaker); to != "" && to != given(l.Speaker) {
				t.Errorf("%q is answered by %s: %q", lines[i-1].Text, l.Speaker, l.Text)
			}
		}
		w := words.Words(l.Text)
		if strings.Count(l.Text, ".")+strings.Count(l.Text, "?") >= 5 {
			long++
		}
		seen := map[string]bool{}
		for n := range w {
			one[w[n]], all = true, all+1
			if n > 0 {
				two[w[n-1]+" "+w[n]] = true
			}
			if n >= 4 {
				seen[strings.Join(w[n-4:n+1], " ")] = true
			}
		}
		for r := range seen {
			runs[r]++
		}
	}
	near := map[int]bool{}
	for _, p := range words.NearDuplicates(texts, nil) {
		near[p.B] = true
	}
	if len(near)*50 >= len(texts) {
		t.Errorf("%d of %d turns say nearly what another says; want less than 2 %%", len(near), len(texts))
	}
	for r, n := range runs {
		if n*100 > len(texts) {
			t.Errorf("%q stands in %d of %d turns", r, n, len(texts))
		}
	}
	for _, a := range basetalk.Acts() {
		if acts[a] == 0 {
			t.Errorf("nobody's turn is of the act %s: %v", a, acts)
		}
	}
	if asked*20 < len(texts) {
		t.Errorf("%d of %d turns follow a question", asked, len(texts))
	}
	if long*20 < len(texts) || long*4 > len(texts) {
		t.Errorf("%d of %d turns are long", long, len(texts))
	}
	t.Logf("%d turns, near duplicates %d; distinct-1 %.4f, distinct-2 %.4f; acts %v", len(texts), len(near), float64(len(one))/float64(all), float64(len(two))/float64(all), acts)
}

// named is somebody of a chat by the first name, as a text has it, who does not say it.
func named(text, speaker string) string {
	for _, m := range regexp.MustCompile(`Person\d+[a-z]`).FindAllString(text[strings.LastIndexAny(strings.TrimRight(text, "?"), ".!?")+1:], -1) {
		if m != given(speaker) {
			return m
		}
	}
	return ""
}

func given(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return first
}

func rnd(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
