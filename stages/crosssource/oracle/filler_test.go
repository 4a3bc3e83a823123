package oracle

import (
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// TestFillerTellsNothing: of what people say by the way, and around pieces, the replay
// reads nothing.
func TestFillerTellsNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		themes := simulate.Themes()
		cast := []basetalk.Person{{Name: simulate.Stranger(rnd, nil).Name, Work: "baker", Town: "Kailford", Likes: []string{"long walks"}}, {Name: simulate.Stranger(rnd, nil).Name, Work: "vet", Town: "Fogton", Likes: []string{"old radios"}}}
		v, err := basetalk.NewVoice(rnd, []string{themes[int(seed)%len(themes)]}, cast)
		if err != nil {
			t.Fatal(err)
		}
		v.Mention([]string{"Nastgate Logistics", "Lyrning Cinema", "Biezon Choir"}, []basetalk.Topic{{Of: "Biezon Choir", Attribute: "deputy"}, {Of: "Nastgate Logistics", Attribute: "leasing firm"}, {Of: "Lyrning Cinema", Attribute: "key stock"}})
		lines, err := v.Chat(500)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			for _, rule := range []string{"before", "ready", "prompt", "after", "after_topic", "heard", "welcome", "quote", "quoted", "picture", "table", "inline"} {
				text, err := v.Scaffold(rule, cast[0].Name, cast[1].Name, "Fig. 00000000", "budget")
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, basetalk.Line{Text: text})
			}
			for _, rule := range []string{"section", "paragraph", "cell", "entry"} {
				text, err := v.Paper(rule)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, basetalk.Line{Text: text})
			}
		}
		s := schemas.Session{}
		for _, l := range lines {
			s.Turns = append(s.Turns, schemas.Turn{Text: l.Text})
		}
		k, err := New([]schemas.Session{s}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range k.facts {
			t.Errorf("%q is read as a %s of %v", f.from.turns[0].Text, f.kind, f.args)
		}
	}
}
