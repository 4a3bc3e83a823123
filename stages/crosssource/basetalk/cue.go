package basetalk

// Cue is what is decided of a turn before anybody writes it (SMMBench B.4).
type Cue struct {
	Speaker Person
	// Act is one of Acts.
	Act string
	// Long is five to eight sentences, else it is one or two (SMMBench E.6).
	Long bool
	// Topic is the place of its sub-topic.
	Topic int
}

// longOf is one in how many turns are long.
const longOf = 9

// PlanTurns decides who says what kind of thing in each turn, over so many sub-topics.
func (v *Voice) PlanTurns(turns, topics int) []Cue {
	out := make([]Cue, turns)
	last := ""
	for i := range out {
		who := v.pickOther(last)
		out[i] = Cue{Speaker: who, Act: v.pickAct(opensTopic(i, topics, turns), last), Long: v.rnd.IntN(longOf) == 0, Topic: i * topics / turns}
		last = who.Name
	}
	return out
}

// Say writes a turn by rule, as it was decided. It asks nobody anything: who has the next
// word is decided, too, and what they say may not be by rule.
func (v *Voice) Say(c Cue, last string) (Line, error) {
	n := 1 + v.rnd.IntN(2)
	if c.Long {
		n = 5 + v.rnd.IntN(4)
	}
	return v.writeTurn(c.Speaker, last, c.Act, false, n)
}

// opensTopic reports whether a turn is the first of its sub-topic.
func opensTopic(i, topics, turns int) bool { return i == 0 || i*topics/turns != (i-1)*topics/turns }
