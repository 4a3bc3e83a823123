// Package simulate simulates what becomes true in a working life or a private one, and
// when it stops being so, before anybody says a word of it (WorldMemArena 4.1, C.3).
// A world is a list of events in the order of time: a fact appears, is revised, split
// in two, merged again or dropped, told or shown on a picture; and beside it stand
// jokes, hearsay, other people's affairs, plans that fell through, slips and old lists.
package simulate

import (
	"fmt"
	"math/rand/v2"
	"time"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// What an event does.
const (
	OpAppend = "append"
	OpRevise = "revise"
	OpSplit  = "split"
	OpMerge  = "merge"
	OpDelete = "delete"
	// OpJoke, Hearsay, Affair (somebody else's), Plan (that fell through), Slip (taken back
	// in the next round) and Past (of last year's list) make nothing true.
	OpJoke    = "joke"
	OpHearsay = "hearsay"
	OpAffair  = "affair"
	OpPlan    = "plan"
	OpSlip    = "slip"
	OpPast    = "past"
	// OpRetract takes back the slip of the round before, Confirm says once more that what
	// the round before told is so.
	OpRetract = "retract"
	OpConfirm = "confirm"
	// OpTagRule and OpHourRule teach how to do something.
	OpTagRule  = "tag_rule"
	OpHourRule = "hour_rule"
	// OpShow is a round with a picture; what it shows are events of the same round.
	OpShow = "show"
)

// Interferes reports whether an event only looks like one that makes something true.
func Interferes(op string) bool {
	return op == OpJoke || op == OpHearsay || op == OpAffair || op == OpPlan || op == OpSlip || op == OpPast
}

// Silent reports whether an event gives nothing to remember: what a picture shows are
// events of their own, and what is taken back or said once more was told before.
func Silent(op string) bool { return op == OpShow || op == OpRetract || op == OpConfirm }

// Size is how much a world holds.
type Size struct {
	Sessions     int `json:"sessions" doc:"sessions after the bootstrap S00"`
	Facts        int `json:"facts" doc:"facts told or changed in each session"`
	Pictures     int `json:"pictures" doc:"pictures in each session"`
	Interference int `json:"interference" doc:"jokes, hearsay and the like in each session"`
	Chatter      int `json:"chatter" doc:"rounds of each session that tell nothing to keep"`
	Screens      int `json:"screens" doc:"of runs of agents: screens in a hundred sessions besides those pictures, each of a state that was on no screen before"`
}

// Check says what is wrong with a size.
func (s Size) Check() error {
	switch {
	case s.Sessions < 4 || s.Sessions > 99:
		return fmt.Errorf("sessions is %d; want 4 to 99", s.Sessions)
	case s.Facts < 2 || s.Facts > 20 || s.Pictures < 1 || s.Pictures > 5 || s.Interference < 0 || s.Interference > 5 || s.Chatter < 0 || s.Chatter > 20:
		return fmt.Errorf("a session of %d facts, %d pictures, %d interferences and %d rounds of chatter; want 2 to 20, 1 to 5, 0 to 5 and 0 to 20", s.Facts, s.Pictures, s.Interference, s.Chatter)
	case s.Screens < 0 || s.Screens > 1000:
		return fmt.Errorf("screens is %d in a hundred sessions; want 0 to 1,000", s.Screens)
	}
	return nil
}

// Event is something that happens in a round of a session.
type Event struct {
	Session int    `json:"session"`
	Round   int    `json:"round"`
	Op      string `json:"op"`
	// Key is the thing and the aspect of it; Value what holds from now on, Also what
	// holds of the second half after a split, Old what held or, of interference, holds, Who
	// the joker or neighbour.
	Key   world.Key `json:"key"`
	Value string    `json:"value"`
	Also  string    `json:"also,omitempty"`
	Old   string    `json:"old,omitempty"`
	Who   string    `json:"who,omitempty"`
	// Guise is the interference in whose words something that holds is told, so that no
	// word gives either away.
	Guise string `json:"guise,omitempty"`
	// Picture is the place of the picture that shows it, -1 where words tell it.
	Picture int `json:"picture"`
	// Step says that the round is one step of an agent, and so one turn.
	Step bool `json:"step,omitempty"`
	// Words are what somebody really wrote when it happened; a round says them as they are.
	Words string `json:"words,omitempty"`
	// Tag is the rule that a OpTagRule teaches.
	Tag *TagFormat `json:"tag,omitempty"`
}

// Picture is a picture before it is drawn: a trace of what happened.
type Picture struct {
	Kind  string      `json:"kind"`
	Thing string      `json:"thing"`
	Title string      `json:"title"`
	Rows  [][2]string `json:"rows"`
	// Hidden says that no caption tells what it shows: only eyes can.
	Hidden bool `json:"hidden"`
	// App is the domain whose screen it is, Around what else stands on that screen.
	App    string   `json:"app,omitempty"`
	Around []string `json:"around,omitempty"`
	// Unit is that of the bars of a chart, hours of work where it is empty.
	Unit string `json:"unit,omitempty"`
	// Session and Round are those in which it is shown.
	Session int `json:"session"`
	Round   int `json:"round"`
}

// Kinds of a picture.
const (
	Card  = "card"
	Sheet = "sheet"
	Chart = "chart"
	// Screen is what an agent sees.
	Screen = "screen"
)

// Session is what the sessions of a world are like beside their events.
type Session struct {
	Date       string `json:"date"`
	Arc        string `json:"arc"`
	Main       bool   `json:"main"`
	EventType  string `json:"event_type"`
	OnMainLine bool   `json:"on_main_line"`
	Rounds     int    `json:"rounds"`
}

// World is a simulated world. Session 0 is the bootstrap.
type World struct {
	Domain   string    `json:"domain"`
	Person   string    `json:"person"`
	Things   []string  `json:"things"`
	Sessions []Session `json:"sessions"`
	Events   []Event   `json:"events"`
	Pictures []Picture `json:"exhibits"`
	// Unsaid are keys that could be asked for and that are never told or shown.
	Unsaid []world.Key `json:"unsaid"`
}

// RoundHeads returns the first events of rounds, by session and round: what a round is about. In
// other rounds nothing happens.
func (w World) RoundHeads() map[[2]int]Event {
	out := map[[2]int]Event{}
	for _, e := range w.Events {
		at := [2]int{e.Session, e.Round}
		if _, taken := out[at]; !taken {
			out[at] = e
		}
	}
	return out
}

// Simulate makes a world of a domain from random numbers.
func Simulate(rnd *rand.Rand, domain string, size Size) (World, error) {
	d, ok := domainOf(domain)
	if !ok {
		return World{}, fmt.Errorf("there is no domain %q", domain)
	}
	if err := size.Check(); err != nil {
		return World{}, err
	}
	s := newSimulator(rnd, d, size)
	s.addBootstrap()
	s.pickDays()
	return s.world, nil
}

// pickDays adds the sessions of a world on random days.
func (s *simulator) pickDays() {
	day := time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC).AddDate(0, 0, s.rnd.IntN(700))
	s.world.Sessions[0].Date = day.Format(time.DateOnly)
	for n := 1; n <= s.size.Sessions; n++ {
		day = day.AddDate(0, 0, 2+s.rnd.IntN(11))
		s.addSession(n, day.Format(time.DateOnly))
	}
}
