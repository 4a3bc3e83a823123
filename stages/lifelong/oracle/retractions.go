package oracle

import "slices"

// doubtfulPatterns are ways in which things are told that hold, and in the same words things that
// do not: what follows decides, whose thing it is, or what is said of last year's list.
// Those that say more stand first.
func doubtfulPatterns() []pattern {
	const (
		instead = `(?: in place of O)?`
		joked   = `P (?:said with a straight face|joked|had us laughing with the idea) that V should be the A of T` + instead
		claimed = `(?:I overheard on the stairs|Somebody in the corridor claims|There is a rumour) that V is the A of T` + instead
		planned = `(?:For a day we thought of making|There was a plan to make|We nearly made) V the A of T` + instead
	)
	var out []pattern
	for _, p := range [][2]string{
		{"append", joked + `(?:, and now it is so|, and that is what we did|, and we could not stop laughing, but now it is so)`},
		{"joke", joked + `(?:, and we could not stop laughing)?`},
		{"append", claimed + `(?:, and when I asked they confirmed it|, and nobody confirmed it at first, but now it is so|, and it is true)`},
		{"hearsay", claimed + `(?:, (?:but|and) nobody confirmed it)?`},
		{"affair", `P told me of something very much like T, and the A there is V`},
		{"affair", `P has something very much like T, and there the A is V`},
		{"append", `P told me of something very much like T, but the A of ours is V` + instead},
		{"append", `P has something very much like T, but the A of ours is V` + instead},
		{"append", planned + `(?:, and then we did it|, and now it is so|, and (?:then )?that is what we did)`},
		{"plan", planned + `(?:, and then thought better of it|, but that fell through)`},
		{"append", `We made V the A of T` + instead + `, but that nearly fell through`},
		{"append", `Unlike in last year's list, V is the A of T` + instead},
		{"append", `Last year's list has no A of T, and it is V from here on`},
		{"append", `Last year's list has another A of T, and it is V from here on` + instead},
		{"past", `In last year's list, V is the A of T`},
		{"past", `Last year's list has V as the A of T`},
		{"retract", `No, wait: I mixed that up, and the A of T stays as it was`},
		{"retract", `I have to take back what I said last of the A of T, for that was a slip`},
	} {
		out = append(out, newPattern(p[0], p[1]))
	}
	return out
}

// applyRetraction makes nothing of the last thing that a session told of a subject, and gives what
// holds of it again.
func (t *Task) applyRetraction(s statement, known map[string]string) {
	for i, told := range slices.Backward(t.statements) {
		if told.session == s.session && told.subject() == s.subject() && told.changesState() {
			t.statements[i].kind = "slip"
			break
		}
	}
	delete(known, s.subject())
	for _, told := range t.statements {
		if told.subject() == s.subject() {
			told.applyTo(known)
		}
	}
}
