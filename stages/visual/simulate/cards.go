package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/visual/scene"
)

// cardState is the state of the simulation of a card game.
type cardState struct {
	rnd  *rand.Rand
	game *game
	// names by seat: the user's own is first, at the bottom.
	names  []string
	felt   string
	dealer int // who has the dealer's button
	// charms are tokens that go round the table: a player's at each seat.
	charms []string
}

// plotCards simulates MemEye's Card Playlog (table 4: game-state tracking): screens of a
// game that is played by its rules, with the user's hand open and all others hidden.
func plotCards(rnd *rand.Rand, pictures int, w words) (Plot, error) {
	e := cardState{
		rnd: rnd, game: newGame(rnd), names: append([]string{"you"}, sample(rnd, w["plot names"], players-1)...),
		felt: pick(rnd, []string{"green", "blue", "brown", "purple"}), charms: sample(rnd, w[scene.Which+":token"], players),
	}
	e.dealer = e.game.turn
	w[scene.Which+":player"] = e.names
	for _, n := range e.names {
		w[scene.Beside] = append(w[scene.Beside], plateOf(n))
	}
	return newSightingState(rnd, w).plot(pickProfile(rnd, "teacher", "bus driver", "pharmacist", "retired engineer"), pictures, func(int) scene.Scene {
		s := e.screen()
		e.play(1 + rnd.IntN(3))
		return s
	})
}

// play plays some moves. A round that ends is dealt anew.
func (e *cardState) play(moves int) {
	for range moves {
		if e.game.move() {
			e.dealer = (e.dealer + 1) % players
			e.game.deal()
			break
		}
	}
	if e.rnd.IntN(2) == 0 {
		two := e.rnd.Perm(players)[:2]
		e.charms[two[0]], e.charms[two[1]] = e.charms[two[1]], e.charms[two[0]]
	}
}

// handBox is where the cards of a seat lie, clockwise from the bottom.
func handBox(seat int) [4]int {
	return [][4]int{{180, 560, 664, 190}, {26, 250, 150, 250}, {330, 20, 364, 150}, {848, 250, 150, 250}}[seat]
}

func (e *cardState) screen() scene.Scene {
	s := scene.Scene{
		Backdrop: "felt", Look: map[string]string{"felt": e.felt}, Width: 1024, Height: 768, Noun: "board", Minimal: "a board of a card game", Seed: e.rnd.Uint32(),
	}
	top := e.game.top()
	s.Things = append(s.Things, scene.Thing{Kind: "stock", Box: [4]int{392, 262, 104, 148}})
	s.Things = append(s.Things, scene.Thing{
		Kind: "card", Name: "the top card", Box: [4]int{528, 262, 104, 148}, Class: "card", Prep: "on",
		Look: map[string]string{scene.Colour: top.colour, scene.Text: top.sign}, Tells: []string{scene.Colour, scene.Text},
	})
	for seat := 1; seat < players; seat++ {
		s.Things = append(s.Things, e.hand(seat))
	}
	s.Things = append(s.Things, e.ownHand()...)
	s.Things = append(s.Things, e.marker(), e.button())
	for seat := range players {
		s.Things = append(s.Things, e.charm(seat))
	}
	return s
}

// charm is the token at a player's name plate: the plate tells which token it is, the
// token where it is.
func (e *cardState) charm(seat int) scene.Thing {
	b, token, plate := seatPlate(seat), e.charms[seat], plateOf(e.names[seat])
	box := [4]int{b[0] + b[2]/2 - 20, b[1] - 44, 40, 40}
	if seat == 2 {
		box[1] = b[1] + b[3] + 4
	}
	return scene.Thing{
		Kind: "charm-place", Name: plate, Box: box, Class: "token", Prep: "at", Look: map[string]string{scene.Which: token}, Tells: []string{scene.Which},
		Parts: []scene.Thing{{Kind: "charm", Name: token, Box: box, Look: map[string]string{scene.Beside: plate}, Tells: []string{scene.Beside}}},
	}
}

func handOf(name string) string {
	if name == "you" {
		return "your own hand"
	}
	return name + "'s hand"
}

// hand is another player's: only its size can be seen.
func (e *cardState) hand(seat int) scene.Thing {
	return scene.Thing{
		Kind: "hand", Name: handOf(e.names[seat]), Box: handBox(seat), Class: "cards", Prep: "in",
		Look: map[string]string{scene.Count: strconv.Itoa(len(e.game.hands[seat])), "name": e.names[seat], "seat": strconv.Itoa(seat)}, Tells: []string{scene.Count},
	}
}

func (e *cardState) ownHand() []scene.Thing {
	hand := e.game.hands[0]
	t := scene.Thing{
		Kind: "rail", Name: handOf(e.names[0]), Box: handBox(0), Class: "cards", Prep: "in",
		Look: map[string]string{scene.Count: strconv.Itoa(len(hand))}, Tells: []string{scene.Count},
	}
	b := handBox(0)
	step := min(96, (b[2]-96)/max(1, len(hand)-1))
	left := b[0] + (b[2]-96-step*(len(hand)-1))/2
	for i, c := range hand {
		t.Parts = append(t.Parts, scene.Thing{
			Kind: "card", Name: "the " + Ordinal(i) + " card of your hand", Box: [4]int{left + i*step, b[1] + 28, 96, 138}, Class: "card", Prep: "on",
			Look: map[string]string{scene.Colour: c.colour, scene.Text: c.sign}, Tells: []string{scene.Colour, scene.Text}, Passing: []string{scene.Colour, scene.Text},
		})
	}
	return []scene.Thing{t}
}

// marker points at the player whose turn it is.
func (e *cardState) marker() scene.Thing {
	b := seatPlate(e.game.turn)
	return scene.Thing{
		Kind: "marker", Name: "the turn marker", Box: [4]int{b[0] - 40, b[1], 34, 34}, Class: "player", Prep: "at",
		Look: map[string]string{scene.Which: e.names[e.game.turn]}, Tells: []string{scene.Which},
	}
}

func (e *cardState) button() scene.Thing {
	b := seatPlate(e.dealer)
	return scene.Thing{
		Kind: "button", Name: "the dealer button", Box: [4]int{b[0] + b[2] + 6, b[1], 34, 34},
		Look: map[string]string{scene.Beside: plateOf(e.names[e.dealer])}, Tells: []string{scene.Beside},
	}
}

func plateOf(name string) string {
	if name == "you" {
		return "your own name plate"
	}
	return name + "'s name plate"
}

func seatPlate(seat int) [4]int {
	return [][4]int{{452, 512, 120, 34}, {60, 206, 96, 34}, {452, 178, 120, 34}, {868, 206, 96, 34}}[seat]
}

// playingCard is a card of a game in which colour or sign must be followed.
type playingCard struct{ colour, sign string }

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

// deck has every card of four colours twice, but zeros once.
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

// game is the state of a game. Hands are hidden from all but their owners.
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
	// maxHeld bounds the cards of a hand: more could not be counted, so all are dealt
	// anew.
	maxHeld = 10
)

func newGame(rnd *rand.Rand) *game {
	g := &game{rnd: rnd, wins: make([]int, players)}
	g.deal()
	return g
}

// deal begins a round. The card on top has no effect.
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

func (g *game) legal(player int) []int {
	var out []int
	for i, c := range g.hands[player] {
		if c.follows(g.top()) {
			out = append(out, i)
		}
	}
	return out
}

// move lets the player whose turn it is lay a card, or take one if none fits. It
// reports whether the round is over: somebody won, or holds too many cards to be
// counted.
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

// effect applies a card and returns how many places the turn moves on.
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
