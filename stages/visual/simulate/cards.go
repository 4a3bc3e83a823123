package simulate

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// cardScenario is the card playlog (MemEye table 4: game-state tracking): screens of a game
// that is played by its rules, with the user's hand open and all others hidden.
func cardScenario() Scenario {
	return Scenario{
		Name: "card_playlog", Title: "Card Playlog", Domain: "leisure",
		Size: Size{Sessions: 4, Rounds: 30, Pictures: 30, Questions: 48},
		Plot: plotCards,
	}
}

// cardState is the state of the simulation.
type cardState struct {
	rnd   *rand.Rand
	world *simulation.Timeline
	game  *game
	// names by seat: the user's own is first, at the bottom.
	names  []string
	felt   string
	dealer int // who has the dealer's button
	// charms are tokens that go round the table: a player's at each seat.
	charms []string
}

func plotCards(rnd *rand.Rand, pictures int) (Plot, error) {
	e := cardState{rnd: rnd, world: new(simulation.Timeline), game: newGame(rnd), names: append([]string{"you"}, sample(rnd, cardNames(), players-1)...), felt: pick(rnd, []string{"green", "blue", "brown", "purple"}), charms: sample(rnd, cardCharms(), players)}
	e.dealer = e.game.turn
	p := Plot{Profile: pickProfile(rnd, "teacher", "bus driver", "pharmacist", "retired engineer"), World: e.world, Pools: e.pools()}
	for at := range pictures {
		s := e.screen()
		if err := recordScene(e.world, at, s); err != nil {
			return Plot{}, err
		}
		p.Scenes = append(p.Scenes, s)
		e.play(1 + rnd.IntN(3))
	}
	return p, nil
}

// recordScene makes true in a world what a scene shows.
func recordScene(w *simulation.Timeline, at int, s scene.Scene) error {
	for _, t := range s.NamedThings() {
		for _, a := range t.Tells {
			if err := w.Set(at, simulation.Key{Entity: t.Name, Aspect: a}, t.Look[a]); err != nil {
				return fmt.Errorf("picture %d: %w", at, err)
			}
		}
	}
	return nil
}

func cardNames() []string {
	return []string{"Anouk", "Basil", "Cleo", "Dario", "Edda", "Finn", "Gwen", "Hugo", "Ines", "Jonah", "Kira", "Leon", "Mara", "Nico", "Odile", "Pavel", "Romy", "Sven", "Tilda", "Ugo", "Vera", "Wim", "Xenia", "Yusuf"}
}

// play goes some moves on; a round that ends is dealt anew.
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

// cardCharms are called by their icons.
func cardCharms() []string {
	return []string{"the star token", "the moon token", "the leaf token", "the key token", "the bell token", "the fish token", "the feather token", "the flame token"}
}

func (e *cardState) pools() map[string][]string {
	out := map[string][]string{
		scene.Colour: {"red", "yellow", "green", "blue"}, scene.Text: {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", signSkip, signReverse, signTwo},
		scene.Which + ":player": e.names, scene.Which + ":token": cardCharms(),
	}
	for _, n := range e.names {
		out[scene.Beside] = append(out[scene.Beside], plateOf(n))
	}
	return out
}

// handBox is where the cards of a seat lie, from the bottom clockwise.
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

// charm is the token that lies at a player's name plate: the plate tells which it is,
// the token where it is.
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

// hand is another player's: nothing but its size can be seen.
func (e *cardState) hand(seat int) scene.Thing {
	return scene.Thing{
		Kind: "hand", Name: handOf(e.names[seat]), Box: handBox(seat), Class: "cards", Prep: "in",
		Look: map[string]string{scene.Count: strconv.Itoa(len(e.game.hands[seat])), "name": e.names[seat], "seat": strconv.Itoa(seat)}, Tells: []string{scene.Count},
	}
}

// ownHand is the user's hand, card by card.
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

// marker points at who is at turn, button lies beside who dealt.
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

// seatPlate is where a player's name stands.
func seatPlate(seat int) [4]int {
	return [][4]int{{452, 512, 120, 34}, {60, 206, 96, 34}, {452, 178, 120, 34}, {868, 206, 96, 34}}[seat]
}
