package simulate

import (
	"math/rand/v2"
	"slices"
)

// playingCard of a game in which colour or sign must be followed.
type playingCard struct{ colour, sign string }

func (c playingCard) String() string { return "the " + c.colour + " " + c.sign }

// follows reports whether the card may be laid on another.
func (c playingCard) follows(top playingCard) bool {
	return c.colour == top.colour || c.sign == top.sign
}

// Signs with an effect.
const (
	signSkip    = "skip"
	signReverse = "turn"
	signTwo     = "+2"
)

// deck has every card of four colours twice, but for the zero.
func deck() []playingCard {
	var out []playingCard
	for _, colour := range []string{"red", "yellow", "green", "blue"} {
		for _, sign := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", signSkip, signReverse, signTwo} {
			out = append(out, playingCard{colour, sign})
			if sign != "0" {
				out = append(out, playingCard{colour, sign})
			}
		}
	}
	return out
}

// game is the state of a game: hands are hidden from all but their owners.
type game struct {
	rnd     *rand.Rand
	hands   [][]playingCard
	stock   []playingCard
	pile    []playingCard // the last is on top
	turn    int
	forward bool
	moves   int
	wins    []int
}

const (
	players = 4
	dealt   = 6
	// maxHeld is how many cards a hand may have before all are dealt anew: more
	// could not be counted.
	maxHeld = 10
)

func newGame(rnd *rand.Rand) *game {
	g := &game{rnd: rnd, wins: make([]int, players)}
	g.deal()
	return g
}

// deal begins a round: the card on top has no effect.
func (g *game) deal() {
	g.stock = deck()
	g.rnd.Shuffle(len(g.stock), func(i, j int) { g.stock[i], g.stock[j] = g.stock[j], g.stock[i] })
	g.hands, g.forward, g.turn, g.moves = make([][]playingCard, players), true, g.rnd.IntN(players), 0
	for i := range g.hands {
		for range dealt {
			g.hands[i] = append(g.hands[i], g.takeCard())
		}
	}
	plain := slices.IndexFunc(g.stock, func(c playingCard) bool { return len(c.sign) == 1 })
	g.pile = []playingCard{g.stock[plain]}
	g.stock = slices.Delete(g.stock, plain, plain+1)
}

// takeCard takes the top of the stock, which the pile below its top renews.
func (g *game) takeCard() playingCard {
	if len(g.stock) == 0 {
		g.stock, g.pile = g.pile[:len(g.pile)-1], g.pile[len(g.pile)-1:]
		g.rnd.Shuffle(len(g.stock), func(i, j int) { g.stock[i], g.stock[j] = g.stock[j], g.stock[i] })
	}
	c := g.stock[len(g.stock)-1]
	g.stock = g.stock[:len(g.stock)-1]
	return c
}

func (g *game) top() playingCard { return g.pile[len(g.pile)-1] }

// legal are the places of the cards in a hand that may be laid.
func (g *game) legal(player int) []int {
	var out []int
	for i, c := range g.hands[player] {
		if c.follows(g.top()) {
			out = append(out, i)
		}
	}
	return out
}

// move lets who is at turn lay a card, or take one where none fits. It reports
// whether the round is over: somebody won, or holds too many cards to be counted.
func (g *game) move() bool {
	g.moves++
	who := g.turn
	may := g.legal(who)
	step := 1
	if len(may) == 0 {
		g.hands[who] = append(g.hands[who], g.takeCard())
	} else {
		at := pick(g.rnd, may)
		c := g.hands[who][at]
		g.hands[who] = slices.Delete(g.hands[who], at, at+1)
		g.pile = append(g.pile, c)
		step = g.effect(c)
	}
	if len(g.hands[who]) == 0 {
		g.wins[who]++
		return true
	}
	g.turn = g.nextPlayer(step)
	return slices.ContainsFunc(g.hands, func(h []playingCard) bool { return len(h) > maxHeld })
}

// effect is what a card does to those who follow, and how many places the turn goes.
func (g *game) effect(c playingCard) int {
	switch c.sign {
	case signSkip:
		return 2
	case signReverse:
		g.forward = !g.forward
	case signTwo:
		next := g.nextPlayer(1)
		g.hands[next] = append(g.hands[next], g.takeCard(), g.takeCard())
		return 2
	}
	return 1
}

func (g *game) nextPlayer(steps int) int {
	if !g.forward {
		steps = -steps
	}
	return (g.turn + steps + 2*players) % players
}
