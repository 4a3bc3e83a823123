package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// cardsOf are all cards of a game, sorted.
func cardsOf(g *game) []string {
	var out []string
	for _, hand := range append([][]playingCard{g.stock, g.pile}, g.hands...) {
		for _, c := range hand {
			out = append(out, c.colour+" "+c.sign)
		}
	}
	slices.Sort(out)
	return out
}

// TestGameKeepsItsRules: no card is made or lost, every card laid follows the one
// under it, who has none that fits takes one, and the turn goes on as cards say.
func TestGameKeepsItsRules(t *testing.T) {
	rounds := 0
	for seed := range uint64(40) {
		g := newGame(rand.New(rand.NewPCG(seed, 1)))
		all := cardsOf(g)
		if len(all) != 100 {
			t.Fatalf("%d cards, want 100", len(all))
		}
		for range 200 {
			rounds += checkMove(t, g)
			if now := cardsOf(g); !slices.Equal(now, all) {
				t.Fatalf("seed %d: cards were made or lost", seed)
			}
		}
	}
	if rounds < 40 {
		t.Errorf("%d rounds ended in 40 games of 200 moves", rounds)
	}
}

// checkMove makes a move, deals anew where the round is over, and counts that.
func checkMove(t *testing.T, g *game) int {
	t.Helper()
	who, top, held, may := g.turn, g.top(), len(g.hands[g.turn]), g.legal(g.turn)
	next := make([]int, players)
	for i, h := range g.hands {
		next[i] = len(h)
	}
	over := g.move()
	laid := g.top()
	switch {
	case len(may) == 0 && len(g.hands[who]) != held+1:
		t.Errorf("%d had no card that fits, and holds %d after %d", who, len(g.hands[who]), held)
	case len(may) > 0 && (len(g.hands[who]) != held-1 || !laid.follows(top)):
		t.Errorf("%d laid %v on %v, and holds %d after %d", who, laid, top, len(g.hands[who]), held)
	}
	if over {
		g.deal()
		return 1
	}
	if len(may) > 0 && laid.sign == signSkip && (g.turn-who+players)%2 != 0 {
		t.Errorf("after %v of %d it is the turn of %d", laid, who, g.turn)
	}
	return 0
}
